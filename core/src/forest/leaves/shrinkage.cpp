#include "bayeswood/forest/leaves/shrinkage.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "bayeswood/forest/inner_nodes.hpp"
#include "bayeswood/forest/node_values.hpp"
#include "bayeswood/forest/walk/leaf_walk.hpp"

namespace bayeswood {
namespace {

// Shrinks the leaves of one tree after another; its buffers are used again.
class LeafShrinker {
 public:
  LeafShrinker(const ForestShape& shape, double strength)
      : shape_(shape),
        k_(static_cast<std::size_t>(shape.n_outputs)),
        strength_(strength),
        values_(shape),
        zeros_(k_, 0.0),
        all_labels_(k_) {
    std::iota(all_labels_.begin(), all_labels_.end(), 0);
  }

  Tree shrunk(const Tree& tree) {
    start(tree);
    if (tree.n_nodes() == 1) end_leaf(0, 1.0, zeros_.data());
    const std::vector<std::uint32_t>& nodes = values_.inner_nodes();
    for (std::size_t inner = 0; inner < nodes.size(); ++inner) {
      const std::size_t i = nodes[inner];
      const double n = tree.n_samples[i];
      const double below = std::min(n / (n + strength_), share_[inner]);
      const double* above = i == 0 ? zeros_.data() : values_.inner_row((i - 1) / 2);
      const double* sum = values_.put_above(i, share_[inner] - below, above);
      if (i == 0) is_full_ = k_ > 1 && is_positive(sum);
      for (const std::size_t c : {2 * inner + 1, 2 * inner + 2}) {
        if (tree.feature[c] == LEAF) {
          end_leaf(c, below, sum);
        } else {
          share_[inner_number(tree, c)] = below;
        }
      }
    }
    finish();
    return std::move(out_);
  }

 private:
  void start(const Tree& tree) {
    values_.load(tree, tree.leaf_value);
    share_.resize(tree.n_leaves() - 1);
    copy_nodes(tree);
    out_.leaf_value.resize(tree.n_leaves() * k_);
    next_ = out_.leaf_value.data();
    if (shape_.is_classifier) {
      out_.leaf_offset.assign(1, 0);
      out_.leaf_offset.reserve(tree.n_leaves() + 1);
    }
    is_full_ = false;
    if (tree.n_nodes() > 1) share_[0] = 1.0;
  }

  // All but what leaves say.
  void copy_nodes(const Tree& tree) {
    out_ = {};
    out_.feature = tree.feature;
    out_.threshold = tree.threshold;
    out_.child = tree.child;
    out_.missing_left = tree.missing_left;
    out_.n_samples = tree.n_samples;
    out_.weight = tree.weight;
    out_.category_offset = tree.category_offset;
    out_.category_words = tree.category_words;
    out_.leaf_rows = tree.leaf_rows;
  }

  static std::size_t inner_number(const Tree& tree, std::size_t node) {
    return (tree.child[node] - 1) / 2;
  }

  bool is_positive(const double* values) const {
    return std::all_of(values, values + k_, [](double value) { return value > 0; });
  }

  // Leaves come in their order: children follow one another as their parents do. Where the root has
  // all classes, all leaves have: nothing that is added is negative. Else as `Tree` keeps them,
  // without the classes that have none.
  void end_leaf(std::size_t node, double share, const double* above) {
    values_.add(node, share, above, next_);
    const double* values = next_;
    if (!shape_.is_classifier || is_full_) {
      next_ += k_;
    } else {
      for (std::size_t j = 0; j < k_; ++j) {
        if (!(values[j] > 0)) continue;
        out_.leaf_class.push_back(static_cast<std::int32_t>(j));
        *next_++ = values[j];
      }
    }
    if (!shape_.is_classifier) return;
    out_.leaf_offset.push_back(static_cast<std::int32_t>(next_ - out_.leaf_value.data()));
  }

  void finish() {
    if (is_full_ && shape_.is_classifier)
      out_.leaf_class.assign(all_labels_.begin(), all_labels_.end());
    out_.leaf_value.resize(static_cast<std::size_t>(next_ - out_.leaf_value.data()));
  }

  const ForestShape& shape_;
  std::size_t k_;
  double strength_;
  NodeValues values_;          // of nodes that were met, what they and their ancestors contribute
  std::vector<double> share_;  // of nodes that have children, a_l
  std::vector<double> zeros_;
  std::vector<std::int32_t> all_labels_;
  Tree out_;
  double* next_ = nullptr;  // where the values of the next leaf go
  bool is_full_ = false;    // every leaf has all classes
};

// Shrunk values of some leaves of one tree after another, for each strength. Only nodes above these
// leaves have a row of all outputs; the means of others name the classes below them, often few.
class PathSums {
 public:
  PathSums(std::span<const double> strengths, const ForestShape& shape)
      : strengths_(strengths),
        is_classifier_(shape.is_classifier),
        k_(static_cast<std::size_t>(shape.n_outputs)),
        size_(strengths.size() * k_),
        weight_(strengths.size()),
        zeros_(k_, 0.0),
        all_outputs_(k_) {
    std::iota(all_outputs_.begin(), all_outputs_.end(), 0);
  }

  // Adds the values of leaves to sums, those of leaves[i] to sums_of(i), which lie `stride` apart
  // from strength to strength. The known part of the tree is walked depth first: what ancestors
  // contribute is kept for the nodes on one way, and stays in the first cache.
  template <class SumsOf>
  void add_leaves(const Tree& tree, std::span<const std::uint32_t> leaves, std::size_t stride,
                  SumsOf sums_of) {
    load(tree, leaves);
    const auto add = [&](std::uint32_t node, std::size_t level) {
      for (std::uint32_t i = first_asking_[place_[node]]; i != NOBODY; i = next_asking_[i])
        add_leaf(node, level, stride, sums_of(i));
    };
    make_level(0);
    std::fill_n(above_.begin(), size_, 0.0);
    std::fill_n(share_.begin(), strengths_.size(), 1.0);
    if (tree.n_nodes() == 1) return add(0, 0);
    way_.assign(1, {0, 0});
    while (!way_.empty()) {
      const auto [node, level] = way_.back();
      way_.pop_back();
      descend(node, level);
      for (const std::uint32_t c : {tree.child[node], tree.child[node] + 1}) {
        if (place_[c] == UNKNOWN) continue;
        tree.feature[c] == LEAF ? add(c, level + 1) : way_.push_back({c, level + 1});
      }
    }
  }

 private:
  static constexpr std::uint32_t UNKNOWN = ~0U, NOBODY = ~0U;

  void load(const Tree& tree, std::span<const std::uint32_t> leaves) {
    tree_ = &tree;
    find_known(leaves);
    own_.resize(n_known_ * k_);
    n_rows_.resize(n_known_);
    n_entries_ = 0;
    first_.resize(internal_.size());
    for (std::size_t q = internal_.size(); q-- > 0;) mix(q);
    first_asking_.assign(n_known_, NOBODY);
    next_asking_.resize(leaves.size());
    for (std::uint32_t i = 0; i < leaves.size(); ++i) {
      std::uint32_t& first = first_asking_[place_[leaves[i]]];
      next_asking_[i] = first;
      first = i;
    }
  }

  // Numbers the nodes on the ways to the leaves.
  void find_known(std::span<const std::uint32_t> leaves) {
    list_inner_nodes(*tree_, internal_);
    place_.assign(tree_->n_nodes(), UNKNOWN);
    place_[0] = 0;
    n_known_ = 1;
    for (std::uint32_t node : leaves)
      for (; place_[node] == UNKNOWN; node = internal_[(node - 1) / 2]) place_[node] = n_known_++;
  }

  void make_level(std::size_t level) {
    if (above_.size() >= (level + 1) * size_) return;
    above_.resize((level + 1) * size_);
    share_.resize((level + 1) * strengths_.size());
  }

  // Adds a leaf's values, given what its ancestors contribute. All outputs have that; those that
  // the leaf names are put right afterwards.
  void add_leaf(std::uint32_t node, std::size_t level, std::size_t stride, double* sums) {
    const std::size_t n_strengths = strengths_.size();
    const double* above = above_.data() + level * size_;
    const Entries own = leaf_entries(node);
    named_.resize(n_strengths * own.n);
    double* named = named_.data();
    for (std::size_t s = 0; s < n_strengths; ++s) {
      const double share = share_[level * n_strengths + s];
      for (std::size_t e = 0; e < own.n; ++e) {
        const std::int32_t j = own.output[e];
        *named++ = sums[s * stride + j] + (above[s * k_ + j] + share * own.value[e]);
      }
    }
    kernels_.add_apart({n_strengths, k_}, above, stride, sums);
    named = named_.data();
    for (std::size_t s = 0; s < n_strengths; ++s)
      for (std::size_t e = 0; e < own.n; ++e) sums[s * stride + own.output[e]] = *named++;
  }

  // What a leaf holds, or the mean of a node that is not known: outputs, ascending, and values.
  struct Entries {
    const std::int32_t* output;
    const double* value;
    std::size_t n;
  };

  Entries leaf_entries(std::size_t node) const {
    const std::size_t leaf = tree_->child[node];
    if (!is_classifier_) return {all_outputs_.data(), tree_->leaf_value.data() + leaf * k_, k_};
    const std::span<const std::int32_t> classes = tree_->classes_of(leaf);
    return {classes.data(), tree_->leaf_value.data() + tree_->leaf_offset[leaf], classes.size()};
  }

  Entries entries(std::size_t node) const {
    if (tree_->feature[node] == LEAF) return leaf_entries(node);
    const Range& range = first_[(tree_->child[node] - 1) / 2];
    return {label_.data() + range.begin, mean_.data() + range.begin, range.n};
  }

  static void add(const Entries& what, double factor, double* out) {
    for (std::size_t e = 0; e < what.n; ++e) out[what.output[e]] += factor * what.value[e];
  }

  // The mean of a node that has children, theirs being known, as `NodeValues` has it to the bit:
  // it does not depend on the leaves that are asked for.
  void mix(std::size_t q) {
    const std::size_t node = internal_[q], c = tree_->child[node];
    const double left = tree_->weight[c], total = left + tree_->weight[c + 1];
    const double share = total > 0 ? left / total : 0.5;
    if (place_[node] == UNKNOWN) return merge(q, c, share);
    n_rows_[place_[node]] = tree_->n_samples[node];
    double* out = own_.data() + place_[node] * k_;
    const double *left_row = row(c), *right_row = row(c + 1);
    mix_known(kernels_, share, left_row, right_row, zeros_, out);
    if (left_row == nullptr) add(entries(c), share, out);
    if (right_row == nullptr) add(entries(c + 1), 1 - share, out);
  }

  // All outputs of a node that is known and no leaf; else null.
  const double* row(std::size_t node) const {
    const bool has_row = place_[node] != UNKNOWN && tree_->feature[node] != LEAF;
    return has_row ? own_.data() + place_[node] * k_ : nullptr;
  }

  // Of children that are both not known.
  void merge(std::size_t q, std::size_t c, double share) {
    make_room(entries(c).n + entries(c + 1).n);
    const Entries a = entries(c), b = entries(c + 1);
    std::int32_t* label = label_.data() + n_entries_;
    double* mean = mean_.data() + n_entries_;
    std::size_t i = 0, j = 0, n = 0;
    while (i < a.n && j < b.n) {
      const std::int32_t of_a = a.output[i], of_b = b.output[j];
      const double left = of_a <= of_b ? share * a.value[i] : 0.0;
      const double right = of_b <= of_a ? (1 - share) * b.value[j] : 0.0;
      label[n] = std::min(of_a, of_b);
      mean[n++] = left + right;
      i += of_a <= of_b ? 1 : 0;
      j += of_b <= of_a ? 1 : 0;
    }
    for (; i < a.n; ++i, ++n) label[n] = a.output[i], mean[n] = share * a.value[i];
    for (; j < b.n; ++j, ++n) label[n] = b.output[j], mean[n] = (1 - share) * b.value[j];
    first_[q] = {n_entries_, n};
    n_entries_ += n;
  }

  void make_room(std::size_t n) {
    if (n_entries_ + n <= label_.size()) return;
    label_.resize(2 * (n_entries_ + n));
    mean_.resize(2 * (n_entries_ + n));
  }

  // What a node and its ancestors contribute below it, those of the node being known, and the share
  // a of its children.
  void descend(std::uint32_t node, std::size_t level) {
    make_level(level + 1);
    const std::size_t n_strengths = strengths_.size();
    const double n = n_rows_[place_[node]];
    const double* share = share_.data() + level * n_strengths;
    double* below = share_.data() + (level + 1) * n_strengths;
    for (std::size_t s = 0; s < n_strengths; ++s) {
      below[s] = n / (n + strengths_[s]);
      weight_[s] = share[s] - below[s];
    }
    const double* above = above_.data() + level * size_;
    kernels_.add_to_each({n_strengths, k_}, above, weight_.data(), own_.data() + place_[node] * k_,
                         above_.data() + (level + 1) * size_);
  }

  struct Range {
    std::size_t begin, n;
  };

  std::span<const double> strengths_;
  bool is_classifier_;
  std::size_t k_, size_;
  const OutputKernels& kernels_ = output_kernels();
  std::vector<double> weight_;  // of a node's parent, for each strength
  std::vector<double> zeros_;
  const Tree* tree_ = nullptr;
  std::vector<std::uint32_t> internal_;  // nodes that have children, in order
  std::vector<std::uint32_t> place_;     // of every node that is known
  std::uint32_t n_known_ = 0;
  std::vector<double> own_;                  // by place, means
  std::vector<double> n_rows_;               // by place; met in order, unlike in the tree
  std::vector<std::uint32_t> first_asking_;  // by place, who asks for the leaf, and who else does
  std::vector<std::uint32_t> next_asking_;
  struct Step {
    std::uint32_t node;
    std::size_t level;
  };
  std::vector<Step> way_;      // still to go
  std::vector<double> above_;  // by level, what the ancestors contribute, for each strength
  std::vector<double> share_;  // by level, a
  std::vector<Range> first_;   // of inner nodes that are not known, in the next two
  UnwrittenVector<std::int32_t> label_;
  UnwrittenVector<double> mean_;
  std::size_t n_entries_ = 0;  // of these that are used
  std::vector<double> named_;
  std::vector<std::int32_t> all_outputs_;
};

}  // namespace

std::vector<Tree> shrink_leaves(const Forest& forest, double strength, const Running& run) {
  std::vector<Tree> trees(forest.n_trees());
  std::vector<LeafShrinker> shrinkers(worker_count(trees.size(), run.n_threads),
                                      LeafShrinker(forest.shape(), strength));
  parallel_for(
      trees.size(), run.n_threads,
      [&](std::size_t t, unsigned worker, const StopFlag& stop) {
        check_stop(stop);
        trees[t] = shrinkers[worker].shrunk(forest.tree(t));
      },
      run.poll);
  return trees;
}

namespace {

// Of leaves as they are.
void add_plain_leaves(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                      const ShrinkageTrial& trial, double* sums, std::int32_t* counts,
                      const Running& run) {
  const std::size_t n = table.n_rows(), k = forest.n_outputs();
  const std::size_t n_strengths = trial.strengths.size();
  for_each_block_of_oob_leaves(
      forest, table, bag, run, [] { return 0; },
      [&](int, std::size_t t, std::size_t begin, const auto& places, const auto& leaf) {
        const Tree& tree = forest.tree(t);
        const auto kind = static_cast<std::size_t>(trial.kind[t]);
        for (const std::uint32_t place : places) ++counts[kind * n + begin + place];
        for (std::size_t s = 0; s < n_strengths; ++s)
          add_leaves(tree, k, 1.0, places, leaf, sums + ((kind * n_strengths + s) * n + begin) * k);
      });
}

}  // namespace

void predict_oob_shrunk(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                        const ShrinkageTrial& trial, double* sums, std::int32_t* counts,
                        const Running& run) {
  const std::size_t n_sums = trial.n_kinds * trial.strengths.size() * table.n_rows();
  std::fill(sums, sums + n_sums * forest.n_outputs(), 0.0);
  std::fill(counts, counts + trial.n_kinds * table.n_rows(), 0);
  const auto is_zero = [](double strength) { return strength == 0; };
  if (std::all_of(trial.strengths.begin(), trial.strengths.end(), is_zero))
    return add_plain_leaves(forest, table, bag, trial, sums, counts, run);
  const std::size_t n = table.n_rows(), k = forest.n_outputs();
  const std::size_t n_strengths = trial.strengths.size();
  for_each_block_of_oob_leaves(
      forest, table, bag, run, [&] { return PathSums(trial.strengths, forest.shape()); },
      [&](PathSums& paths, std::size_t t, std::size_t begin, const auto& places, const auto& leaf) {
        if (places.empty()) return;
        const auto kind = static_cast<std::size_t>(trial.kind[t]);
        for (const std::uint32_t place : places) ++counts[kind * n + begin + place];
        double* own = sums + (kind * n_strengths * n + begin) * k;
        paths.add_leaves(forest.tree(t), std::span(leaf).first(places.size()), n * k,
                         [&](std::size_t i) { return own + places[i] * k; });
      });
}

}  // namespace bayeswood
