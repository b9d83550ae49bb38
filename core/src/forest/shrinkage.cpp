#include "bayeswood/forest/shrinkage.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "leaf_walk.hpp"
#include "node_values.hpp"

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
    for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
      if (tree.feature[i] == LEAF) continue;
      const std::size_t inner = inner_number(tree, i);
      const double n = tree.n_samples[i];
      const double below = std::min(n / (n + strength_), share_[inner]);
      const double* above = i == 0 ? zeros_.data() : sums_.data() + (i - 1) / 2 * k_;
      double* sum = sums_.data() + inner * k_;
      values_.add(i, share_[inner] - below, above, sum);
      if (i == 0) is_full_ = k_ > 1 && is_positive(sum);
      for (const std::size_t c : {tree.child[i], tree.child[i] + 1}) {
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
    sums_.resize((tree.n_leaves() - 1) * k_);
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
  NodeValues values_;
  std::vector<double> sums_;  // of nodes that have children, what they and the ancestors contribute
  std::vector<double> share_;  // of the same, a_l
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

  // `leaves`: those that will be asked for.
  void start(const Tree& tree, std::span<const std::uint32_t> leaves) {
    tree_ = &tree;
    find_known(leaves);
    own_.resize(known_.size() * k_);
    label_.clear();
    mean_.clear();
    first_.resize(internal_.size());
    for (std::size_t q = internal_.size(); q-- > 0;) mix(q);
    above_.resize(known_.size() * size_);
    share_.resize(known_.size() * strengths_.size());
    std::fill_n(above_.begin(), size_, 0.0);  // of the root
    std::fill_n(share_.begin(), strengths_.size(), 1.0);
    for (std::size_t p = 1; p < known_.size(); ++p) find_above(p);
  }

  // Adds a leaf's values to sums, which lie `stride` apart from strength to strength. All outputs
  // have what the ancestors contribute; those that the leaf names are put right afterwards.
  void add_leaf(std::uint32_t node, std::size_t stride, double* sums) {
    const std::size_t p = place_[node], n_strengths = strengths_.size();
    const double* above = above_.data() + p * size_;
    const Entries own = leaf_entries(node);
    named_.resize(n_strengths * own.n);
    double* named = named_.data();
    for (std::size_t s = 0; s < n_strengths; ++s) {
      const double share = share_[p * n_strengths + s];
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

 private:
  static constexpr std::uint32_t UNKNOWN = ~0U, ASKED = UNKNOWN - 1;

  // The nodes on the ways to the leaves, in order, and their parents among them.
  void find_known(std::span<const std::uint32_t> leaves) {
    internal_.clear();
    for (std::size_t i = 0; i < tree_->n_nodes(); ++i) {
      if (tree_->feature[i] != LEAF) internal_.push_back(static_cast<std::uint32_t>(i));
    }
    place_.assign(tree_->n_nodes(), UNKNOWN);
    place_[0] = ASKED;
    for (std::uint32_t node : leaves)
      for (; place_[node] == UNKNOWN; node = internal_[(node - 1) / 2]) place_[node] = ASKED;
    known_.clear();
    for (std::uint32_t i = 0; i < place_.size(); ++i) {
      if (place_[i] == UNKNOWN) continue;
      place_[i] = static_cast<std::uint32_t>(known_.size());
      known_.push_back(i);
    }
  }

  std::size_t parent(std::size_t place) const { return place_[internal_[(known_[place] - 1) / 2]]; }

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
    const std::size_t begin = label_.size(), most = entries(c).n + entries(c + 1).n;
    label_.resize(begin + most);
    mean_.resize(begin + most);
    const Entries a = entries(c), b = entries(c + 1);
    std::size_t i = 0, j = 0, n = begin;
    for (; i < a.n || j < b.n; ++n) {
      const bool of_a = i < a.n && (j == b.n || a.output[i] <= b.output[j]);
      const bool of_b = j < b.n && (i == a.n || b.output[j] <= a.output[i]);
      label_[n] = of_a ? a.output[i] : b.output[j];
      mean_[n] = (of_a ? share * a.value[i] : 0.0) + (of_b ? (1 - share) * b.value[j] : 0.0);
      i += of_a;
      j += of_b;
    }
    label_.resize(n);
    mean_.resize(n);
    first_[q] = {begin, n - begin};
  }

  // What the ancestors of a node contribute, those of its parent being known, and its share a.
  void find_above(std::size_t p) {
    const std::size_t up = parent(p), n_strengths = strengths_.size();
    const double n = tree_->n_samples[known_[up]];
    for (std::size_t s = 0; s < n_strengths; ++s) {
      share_[p * n_strengths + s] = n / (n + strengths_[s]);
      weight_[s] = share_[up * n_strengths + s] - share_[p * n_strengths + s];
    }
    kernels_.add_to_each({n_strengths, k_}, above_.data() + up * size_, weight_.data(),
                         own_.data() + up * k_, above_.data() + p * size_);
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
  std::vector<std::uint32_t> place_;     // of every node that is known, in the next four
  std::vector<std::uint32_t> known_;
  std::vector<double> own_;    // means
  std::vector<double> above_;  // what the ancestors contribute, for each strength
  std::vector<double> share_;  // a
  std::vector<Range> first_;   // of inner nodes that are not known, in the next two
  std::vector<std::int32_t> label_;
  std::vector<double> mean_;
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
void add_leaves(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                const ShrinkageTrial& trial, double* sums, std::int32_t* counts,
                const Running& run) {
  const std::size_t n = table.n_rows(), k = forest.n_outputs();
  const bool classes = forest.shape().is_classifier;
  for_each_oob_leaf(forest, table, bag, run,
                    [&](std::size_t t, std::size_t row, std::uint32_t node) {
                      const Tree& tree = forest.tree(t);
                      const auto kind = static_cast<std::size_t>(trial.kind[t]);
                      const std::size_t leaf = tree.child[node];
                      ++counts[kind * n + row];
                      for (std::size_t s = 0; s < trial.strengths.size(); ++s) {
                        double* sum = sums + ((kind * trial.strengths.size() + s) * n + row) * k;
                        for (std::size_t j = 0; !classes && j < k; ++j)
                          sum[j] += tree.leaf_value[leaf * k + j];
                        if (classes)
                          add_classes(tree, k, static_cast<std::uint32_t>(leaf), 1.0, sum);
                      }
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
    return add_leaves(forest, table, bag, trial, sums, counts, run);
  const std::size_t n = table.n_rows(), k = forest.n_outputs();
  const std::size_t n_strengths = trial.strengths.size();
  for_each_block_of_oob_leaves(
      forest, table, bag, run, [&] { return PathSums(trial.strengths, forest.shape()); },
      [&](PathSums& paths, std::size_t t, std::size_t begin, const auto& places, const auto& leaf) {
        if (places.empty()) return;
        const auto kind = static_cast<std::size_t>(trial.kind[t]);
        paths.start(forest.tree(t), std::span(leaf).first(places.size()));
        for (std::size_t i = 0; i < places.size(); ++i) {
          const std::size_t row = begin + places[i];
          ++counts[kind * n + row];
          paths.add_leaf(leaf[i], n * k, sums + (kind * n_strengths * n + row) * k);
        }
      });
}

}  // namespace bayeswood
