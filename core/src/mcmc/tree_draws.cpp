#include "bayeswood/mcmc/tree_draws.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace bayeswood {
namespace {

std::uint64_t fold(std::uint64_t key, std::uint64_t value) {
  return mix64((key ^ value) + 0x9e3779b97f4a7c15ULL);
}

// RowCopies a chain's tree, node by node in breadth-first order.
template <class Leaves>
class TreeCopy {
 public:
  explicit TreeCopy(const Metropolis<Leaves>& chain) : chain_(chain), from_(chain.tree()) {}

  DrawnTree make() {
    reserve();
    std::vector<std::int32_t> order{0};
    order.reserve(2 * from_.n_leaves());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const RowNode& node = from_[order[i]];
      if (node.is_leaf()) {
        add_leaf(order[i], node);
        continue;
      }
      add_split(order[i], node);
      order.push_back(node.left);
      order.push_back(node.right);
    }
    add_importance(order);
    out_.tree.link(n_samples_, weight_, chain_.law().table().n_levels());
    out_.log_likelihood = chain_.log_likelihood();
    out_.log_posterior = chain_.log_posterior();
    out_.log_mass += chain_.log_posterior();
    return std::move(out_);
  }

 private:
  void reserve() {
    const std::size_t k = from_.n_leaves();
    out_.tree.feature.reserve(2 * k - 1);
    out_.tree.threshold.reserve(2 * k - 1);
    out_.tree.missing_left.reserve(2 * k - 1);
    out_.tree.leaf_value.reserve(k * static_cast<std::size_t>(chain_.leaves().n_outputs()));
    if (Leaves::IS_CLASSIFIER) {
      out_.tree.leaf_class.reserve(out_.tree.leaf_value.capacity());
      out_.tree.leaf_offset.reserve(k + 1);
    } else {
      out_.leaf_variance.reserve(k);
    }
    n_samples_.reserve(k);
    weight_.reserve(k);
    out_.importance.assign(chain_.law().table().n_features(), 0);
  }

  void add_leaf(std::int32_t number, const RowNode& node) {
    out_.tree.feature.push_back(LEAF);
    out_.tree.threshold.push_back(std::numeric_limits<double>::quiet_NaN());
    out_.tree.missing_left.push_back(0);
    n_samples_.push_back(static_cast<std::int32_t>(node.n));
    weight_.push_back(static_cast<float>(node.n));
    chain_.leaves().write(chain_.cells(number), node.n, out_.tree, out_.leaf_variance);
    out_.mass_key = fold(out_.mass_key, 1);
  }

  void add_split(std::int32_t number, const RowNode& node) {
    const TreeLaw& law = chain_.law();
    const bool is_category = !node.rule.left_levels.empty();
    const Rule rule =
        law.settled(node.rule, from_.rows(number), from_[node.left].n, from_[node.right].n);
    out_.tree.feature.push_back(static_cast<std::int32_t>(rule.feature));
    out_.tree.missing_left.push_back(rule.missing_left ? 1 : 0);
    out_.tree.threshold.push_back(is_category ? std::numeric_limits<double>::quiet_NaN()
                                              : rule.threshold);
    out_.log_mass += law.log_gap(rule, node.gap_low, node.gap_high);
    out_.mass_key = fold(out_.mass_key, 2 + 2ULL * rule.feature + (rule.missing_left ? 1 : 0));
    out_.mass_key = fold(out_.mass_key, static_cast<std::uint32_t>(node.gap_low));
    for (const auto word : rule.left_levels) {
      out_.tree.category_words.push_back(word);
      out_.mass_key = fold(out_.mass_key, word);
    }
  }

  // Cells of inner nodes are sums over their children, from the last node up.
  void add_importance(const std::vector<std::int32_t>& order) {
    const std::size_t width = chain_.leaves().width();
    std::vector<typename Leaves::Cell> cells(width * order.size());
    std::vector<double> marginal(order.size());
    std::size_t child = order.size();
    for (std::size_t i = order.size(); i-- > 0;) {
      const RowNode& node = from_[order[i]];
      auto* here = cells.data() + width * i;
      if (node.is_leaf()) {
        std::copy_n(chain_.cells(order[i]), width, here);
        marginal[i] = node.log_marginal;
        continue;
      }
      child -= 2;
      for (std::size_t c = 0; c < 2 * width; ++c) here[c % width] += cells[width * child + c];
      marginal[i] = chain_.leaves().log_marginal(here, node.n);
      const double gain = marginal[child] + marginal[child + 1] - marginal[i];
      out_.importance[node.rule.feature] += static_cast<float>(std::max(0.0, gain));
    }
  }

  const Metropolis<Leaves>& chain_;
  const RowTree& from_;
  DrawnTree out_;
  std::vector<std::int32_t> n_samples_;
  std::vector<float> weight_;
};

}  // namespace

template <class Leaves>
DrawnTree copy_tree(const Metropolis<Leaves>& chain) {
  return TreeCopy<Leaves>(chain).make();
}

template DrawnTree copy_tree(const Metropolis<ClassCells>& chain);
template DrawnTree copy_tree(const Metropolis<NumberCells>& chain);

std::uint64_t tree_key(const Tree& tree) {
  std::uint64_t key = tree.n_nodes();
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    key = fold(key, 2 * static_cast<std::uint64_t>(tree.feature[i] + 1) + tree.missing_left[i]);
    if (tree.feature[i] != LEAF) key = fold(key, std::bit_cast<std::uint64_t>(tree.threshold[i]));
  }
  for (const auto word : tree.category_words) key = fold(key, word);
  return key;
}

bool same_rules(const Tree& a, const Tree& b) {
  const auto same_bits = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  return a.feature == b.feature && a.missing_left == b.missing_left &&
         a.category_words == b.category_words &&
         std::equal(a.threshold.begin(), a.threshold.end(), b.threshold.begin(), b.threshold.end(),
                    same_bits);
}

std::uint32_t TreeDraws::add(DrawnTree&& drawn) {
  const std::uint64_t key = tree_key(drawn.tree);
  const auto [first, last] = number_.equal_range(key);
  for (auto it = first; it != last; ++it) {
    if (same_rules(trees_[it->second].tree, drawn.tree)) return it->second;
  }
  const auto number = static_cast<std::uint32_t>(trees_.size());
  trees_.push_back(std::move(drawn));
  number_.emplace(key, number);
  return number;
}

}  // namespace bayeswood
