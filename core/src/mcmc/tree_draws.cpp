#include "bayeswood/mcmc/tree_draws.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "bayeswood/forest/tree_writer.hpp"

namespace bayeswood {
namespace {

std::uint64_t fold(std::uint64_t key, std::uint64_t value) {
  return mix64((key ^ value) + 0x9e3779b97f4a7c15ULL);
}

// Copies a chain's tree, node by node in breadth-first order.
template <class Leaves>
class TreeCopy {
 public:
  explicit TreeCopy(const Metropolis<Leaves>& chain)
      : chain_(chain),
        from_(chain.tree()),
        writer_(chain.law().table().n_levels(),
                static_cast<std::size_t>(chain.leaves().n_outputs()), Leaves::IS_CLASSIFIER) {}

  DrawnTree make() {
    reserve();
    using Children = std::optional<std::array<std::int32_t, 2>>;
    const auto order = visit_breadth_first(std::int32_t{0}, 2 * from_.n_leaves(),
                                           [&](std::int32_t number) -> Children {
                                             const RowNode& node = from_[number];
                                             if (node.is_leaf()) {
                                               add_leaf(number, node);
                                               return {};
                                             }
                                             add_split(number, node);
                                             return {{node.left, node.right}};
                                           });
    add_importance(order);
    out_.tree = writer_.finish();
    out_.log_likelihood = chain_.log_likelihood();
    out_.log_posterior = chain_.log_posterior();
    out_.log_mass += chain_.log_posterior();
    return std::move(out_);
  }

 private:
  void reserve() {
    const std::size_t k = from_.n_leaves();
    writer_.reserve({k, k * static_cast<std::size_t>(chain_.leaves().n_outputs())});
    if (!Leaves::IS_CLASSIFIER) out_.leaf_variance.reserve(k);
    out_.importance.assign(chain_.law().table().n_features(), 0);
  }

  void add_leaf(std::int32_t number, const RowNode& node) {
    chain_.leaves().write(chain_.cells(number), node.n,
                          writer_.add_leaf(node.n, static_cast<double>(node.n)).data(),
                          out_.leaf_variance);
    out_.mass_key = fold(out_.mass_key, 1);
  }

  void add_split(std::int32_t number, const RowNode& node) {
    const TreeLaw& law = chain_.law();
    const Rule rule =
        law.settled(node.rule, from_.rows(number), from_[node.left].n, from_[node.right].n);
    writer_.add_split(rule.feature, rule.missing_left, rule.threshold, rule.left_levels);
    out_.log_mass += law.log_gap(rule, node.gap_low, node.gap_high);
    out_.mass_key = fold(out_.mass_key, 2 + 2ULL * rule.feature + (rule.missing_left ? 1 : 0));
    out_.mass_key = fold(out_.mass_key, static_cast<std::uint32_t>(node.gap_low));
    for (const auto word : rule.left_levels) out_.mass_key = fold(out_.mass_key, word);
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
  TreeWriter writer_;
  DrawnTree out_;
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
