#include "bayeswood/safe_bayes/prior_trees.hpp"

#include <algorithm>
#include <stdexcept>

#include "bayeswood/base/random.hpp"

namespace bayeswood {
namespace {

// Numbers drawn per inner node: feature, cut, side of the missing.
constexpr std::uint64_t DRAWS = 4;
// Words of a set of 65,535 codes, rounded up to a power of two.
constexpr std::uint64_t SET_DRAWS = 2048;

// The rules of one tree; numbered draws, so that the order of asking does not matter.
class RuleDraws {
 public:
  RuleDraws(std::uint64_t seed, std::uint64_t tree, const CutCodes& codes)
      : rules_(seed, tree, Purpose::RULES), levels_(seed, tree, Purpose::LEVELS), codes_(codes) {}

  std::uint32_t feature(std::uint64_t inner) const {
    const std::uint64_t high = rules_.at(DRAWS * inner) >> 32;
    return static_cast<std::uint32_t>((high * codes_.n_features()) >> 32);
  }
  double uniform(std::uint64_t inner) const { return rules_.uniform_at(DRAWS * inner + 1); }
  std::uint32_t missing_right(std::uint64_t inner) const {
    return static_cast<std::uint32_t>(rules_.at(DRAWS * inner + 2) >> 63);
  }
  std::uint32_t rule(std::uint64_t inner, std::uint32_t feature, double tau) const {
    const std::uint32_t place = codes_.is_category(feature) ? 0 : codes_.place_of(feature, tau);
    return (2 * feature + missing_right(inner)) | place << 16;
  }
  void add_set(std::uint64_t inner, std::uint32_t feature, PriorTree& tree) const {
    const std::size_t begin = tree.set_words.size();
    const std::size_t n_words = set_words(codes_.feature(feature).n_levels + 1);
    for (std::size_t w = 0; w < n_words; ++w)
      tree.set_words.push_back(levels_.at(SET_DRAWS * inner + w));
    std::uint64_t& first = tree.set_words[begin];
    first = (first & ~1ULL) | (missing_right(inner) ^ 1);
  }

 private:
  Stream rules_;
  Stream levels_;
  const CutCodes& codes_;
};

void add_sets(const RuleDraws& draws, const CutCodes& codes, PriorTree& tree) {
  if (!codes.has_categories()) return;
  std::uint64_t inner = 0;
  for (std::uint32_t node = 0; node < tree.rule.size(); ++node) {
    tree.set_begin.push_back(static_cast<std::uint32_t>(tree.set_words.size()));
    if (tree.is_leaf(node)) continue;
    const std::size_t feature = tree.feature(node);
    if (codes.is_category(feature)) draws.add_set(inner, static_cast<std::uint32_t>(feature), tree);
    ++inner;
  }
}

// Fills the rules of a full tree from the root down, with the block's interval per feature.
class FullTree {
 public:
  FullTree(const RuleDraws& draws, PriorTree& tree, std::size_t n_features)
      : draws_(draws), tree_(tree), low_(n_features, 0.0), high_(n_features, 1.0) {}

  void fill(std::uint32_t node) {
    if (tree_.is_leaf(node)) return;
    const std::uint32_t j = draws_.feature(node);
    const double low = low_[j];
    const double high = high_[j];
    const double tau = low + (high - low) * draws_.uniform(node);
    tree_.rule[node] = draws_.rule(node, j, tau);
    high_[j] = tau;
    fill(2 * node + 1);
    high_[j] = high;
    low_[j] = tau;
    fill(2 * node + 2);
    low_[j] = low;
  }

 private:
  const RuleDraws& draws_;
  PriorTree& tree_;
  std::vector<double> low_, high_;
};

PriorTree draw_full(std::uint32_t depth, const RuleDraws& draws, const CutCodes& codes) {
  PriorTree tree;
  tree.is_full = true;
  tree.depth = depth;
  tree.n_leaves = 1U << depth;
  tree.rule.resize(tree.n_leaves - 1);
  FullTree(draws, tree, codes.n_features()).fill(0);
  return tree;
}

// The code of 1s and 0s in depth-first order.
std::vector<std::uint8_t> draw_code(const TreePrior& prior, std::uint64_t seed, std::uint64_t t) {
  const Stream stream(seed, t, Purpose::SHAPES);
  std::vector<std::uint8_t> code;
  std::uint32_t splits = 0;
  std::uint32_t leaves = 0;
  while (leaves < splits + 1) {
    const bool open = splits + 1 < prior.max_leaves;
    const bool is_split =
        open && (code.empty() || stream.uniform_at(code.size()) < prior.split_probability);
    code.push_back(is_split ? 1 : 0);
    (is_split ? splits : leaves) += 1;
  }
  return code;
}

// Where the right child of each split stands in a depth-first code; the left one follows at once.
std::vector<std::uint32_t> right_children(const std::vector<std::uint8_t>& code) {
  std::vector<std::uint32_t> right(code.size(), 0);
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (i > 0 && code[i - 1] == 0) {
      right[waiting.back()] = i;
      waiting.pop_back();
    }
    if (code[i] != 0) waiting.push_back(i);
  }
  return right;
}

PriorTree draw_galton_watson(const TreePrior& prior, std::uint64_t seed, std::uint64_t t,
                             const RuleDraws& draws) {
  const auto code = draw_code(prior, seed, t);
  const auto right = right_children(code);
  PriorTree tree;
  tree.n_leaves = static_cast<std::uint32_t>((code.size() + 1) / 2);
  std::vector<std::uint32_t> order{0};  // breadth-first
  std::uint32_t leaf = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t at = order[i];
    if (code[at] == 0) {
      tree.rule.push_back(PriorTree::LEAF_RULE);
      tree.child.push_back(leaf++);
      continue;
    }
    const std::uint64_t inner = (order.size() - 1) / 2;
    tree.rule.push_back(draws.rule(inner, draws.feature(inner), draws.uniform(inner)));
    tree.child.push_back(static_cast<std::uint32_t>(order.size()));
    order.push_back(at + 1);
    order.push_back(right[at]);
  }
  return tree;
}

}  // namespace

std::size_t PriorTree::nbytes() const {
  return 4 * (rule.size() + child.size() + set_begin.size()) + 8 * set_words.size();
}

PriorTrees::PriorTrees(const TreePrior& prior, std::uint64_t seed, std::size_t n_trees,
                       CutCodes codes, const Running& run)
    : codes_(std::move(codes)), trees_(n_trees), first_leaf_(1, 0) {
  if (prior.depth < 1 || prior.depth > MOST_DEPTH) throw std::invalid_argument("depth: 1 to 24");
  if (prior.max_leaves < 2) throw std::invalid_argument("max_leaves: at least 2");
  parallel_for(
      n_trees, run.n_threads,
      [&](std::size_t t, unsigned, const StopFlag&) {
        const RuleDraws draws(seed, t, codes_);
        trees_[t] = prior.is_full ? draw_full(prior.depth, draws, codes_)
                                  : draw_galton_watson(prior, seed, t, draws);
        add_sets(draws, codes_, trees_[t]);
      },
      run.poll);
  number_leaves();
}

PriorTrees::PriorTrees(CutCodes codes, std::vector<PriorTree> trees)
    : codes_(std::move(codes)), trees_(std::move(trees)), first_leaf_(1, 0) {
  number_leaves();
}

void PriorTrees::number_leaves() {
  for (const auto& tree : trees_) first_leaf_.push_back(first_leaf_.back() + tree.n_leaves);
}

std::size_t PriorTrees::nbytes() const {
  std::size_t bytes = first_leaf_.size() * sizeof(std::size_t);
  for (const auto& tree : trees_) bytes += tree.nbytes();
  return bytes;
}

}  // namespace bayeswood
