#include "bayeswood/mcmc/tree_draws.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "bayeswood/forest/tree_writer.hpp"

namespace bayeswood {
namespace {

std::uint64_t fold(std::uint64_t key, std::uint64_t value) {
  return mix64((key ^ value) + 0x9e3779b97f4a7c15ULL);
}

// Copies a chain's tree, node by node in breadth-first order.
template <LeafModel Leaves>
class TreeCopy {
 public:
  using Stats = typename Leaves::Stats;

  TreeCopy(const Metropolis<Leaves>& chain, std::vector<Stats>& sums)
      : chain_(chain),
        sums_(sums),
        from_(chain.tree()),
        writer_(chain.law().table().n_levels(), chain.leaves().n_outputs(), Leaves::IS_CLASSIFIER) {
  }

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
    writer_.reserve({k, k * chain_.leaves().n_outputs()});
    if (!Leaves::IS_CLASSIFIER) out_.leaf_variance.reserve(k);
    out_.importance.assign(chain_.law().table().n_features(), 0);
  }

  void add_leaf(std::int32_t number, const RowNode& node) {
    const std::span<double> values = writer_.add_leaf(node.n, static_cast<double>(node.n));
    if constexpr (Leaves::IS_CLASSIFIER) {
      chain_.leaves().put_predictive(chain_.stats(number), values.data());
    } else {
      const NumberPredictive found = chain_.leaves().predictive(chain_.stats(number));
      values[0] = found.mean;
      out_.leaf_variance.push_back(found.variance);
    }
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

  // Statistics of inner nodes are sums over their children, from the last node up.
  void add_importance(const std::vector<std::int32_t>& order) {
    if (sums_.size() + 1 < from_.n_leaves()) sums_.resize(from_.n_leaves() - 1);
    std::vector<std::pair<const Stats*, double>> known(order.size());  // and log marginals
    std::size_t child = order.size();
    std::size_t n_sums = 0;
    for (std::size_t i = order.size(); i-- > 0;) {
      const RowNode& node = from_[order[i]];
      if (node.is_leaf()) {
        known[i] = {&chain_.stats(order[i]), node.log_marginal};
        continue;
      }
      child -= 2;
      Stats& sum = sums_[n_sums++];
      sum = *known[child].first;
      chain_.leaves().add(*known[child + 1].first, sum);
      known[i] = {&sum, chain_.leaves().log_marginal(sum)};
      const double gain = known[child].second + known[child + 1].second - known[i].second;
      out_.importance[node.rule.feature] += static_cast<float>(std::max(0.0, gain));
    }
  }

  const Metropolis<Leaves>& chain_;
  std::vector<Stats>& sums_;
  const RowTree& from_;
  TreeWriter writer_;
  DrawnTree out_;
};

}  // namespace

template <LeafModel Leaves>
DrawnTree copy_tree(const Metropolis<Leaves>& chain, std::vector<typename Leaves::Stats>& sums) {
  return TreeCopy<Leaves>(chain, sums).make();
}

template DrawnTree copy_tree(const Metropolis<ClassLeaves>&, std::vector<ClassLeaves::Stats>&);
template DrawnTree copy_tree(const Metropolis<NumberLeaves>&, std::vector<NumberLeaves::Stats>&);

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
