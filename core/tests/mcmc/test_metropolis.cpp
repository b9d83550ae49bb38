#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bayeswood/mcmc/tree_chains.hpp"
#include "check.hpp"
#include "even_prior.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

ChainSettings all_moves() {
  ChainSettings settings;
  settings.probability.fill(0.2);
  return settings;
}

constexpr std::uint32_t NO_LIMIT = std::numeric_limits<std::uint32_t>::max();

template <class Leaves>
struct Chain {
  RankedTable table;
  TreeLaw law;
  Metropolis<Leaves> chain;

  Chain(const RandomData& data, TreePriorKind kind, const Leaves& leaves,
        const ChainSettings& settings)
      : table(data.view(), data.n_levels, {}),
        law(table, kind, {0.95, 0.5}, RowCopies({}, data.n), settings.min_leaf),
        chain(law, leaves, settings, Stream(3, 0, Purpose::CHAIN_START),
              Stream(3, 0, Purpose::CHAIN_MOVES), NO_LIMIT) {}
};

// Every row lies in the leaf that the rules send it to, and every list holds what it should.
template <class Leaves>
void check_tree_of(const Metropolis<Leaves>& chain, std::int64_t min_leaf) {
  const RowTree& tree = chain.tree();
  const RankedTable& table = chain.law().table();
  std::vector<std::int32_t> open{0};
  std::vector<std::uint32_t> seen;
  std::uint32_t n_leaves = 0, n_prunable = 0, n_growable = 0, deepest = 0;
  RuleScratch scratch;
  while (!open.empty()) {
    const std::int32_t number = open.back();
    open.pop_back();
    const RowNode& node = tree[number];
    deepest = std::max(deepest, node.depth);
    CHECK(node.n == static_cast<std::int64_t>(tree.rows(number).size()));
    if (node.is_leaf()) {
      ++n_leaves;
      CHECK(node.n >= min_leaf);
      CHECK(node.varies == chain.law().can_vary(tree.rows(number), scratch));
      const bool growable = node.varies && node.n >= 2 * min_leaf;
      CHECK(tree.growable.holds(number) == growable);
      CHECK(!tree.inner.holds(number) && !tree.prunable.holds(number));
      n_growable += growable ? 1 : 0;
      seen.insert(seen.end(), tree.rows(number).begin(), tree.rows(number).end());
      typename Leaves::Stats stats = chain.leaves().nothing();
      for (const auto row : tree.rows(number)) chain.leaves().add(row, stats);
      CHECK(stats == chain.stats(number));
      CHECK(chain.leaves().log_marginal(stats) == node.log_marginal);
      continue;
    }
    CHECK(tree.inner.holds(number));
    CHECK(tree.prunable.holds(number) == tree.is_prunable(number));
    n_prunable += tree.is_prunable(number) ? 1 : 0;
    for (const auto row : tree.rows(number)) {
      const bool left = node.rule.goes_left(table.column(node.rule.feature)[row]);
      const auto side = tree.rows(left ? node.left : node.right);
      CHECK(std::find(side.begin(), side.end(), row) != side.end());
    }
    CHECK(tree[node.left].parent == number && tree[node.right].parent == number);
    open.push_back(node.left);
    open.push_back(node.right);
  }
  std::sort(seen.begin(), seen.end());
  CHECK(seen.size() == table.n_rows());
  for (std::uint32_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == i);
  CHECK(tree.n_leaves() == n_leaves && tree.prunable.size() == n_prunable);
  CHECK(tree.growable.size() == n_growable && tree.depth() == deepest);
}

// Steps, and now and then a look at everything; sums kept up must be those summed anew.
template <class Leaves>
void walk(Metropolis<Leaves>& chain, std::int64_t min_leaf, int n_steps) {
  std::array<int, N_MOVES> accepted{};
  for (int i = 0; i < n_steps; ++i) {
    const StepInfo info = chain.step(NO_LIMIT);
    accepted[static_cast<std::size_t>(info.move)] += info.accepted ? 1 : 0;
    if (i % 97 != 0) continue;
    check_tree_of(chain, min_leaf);
    const double before = chain.log_posterior();
    chain.refresh();
    CHECK(std::abs(chain.log_posterior() - before) < 1e-8);
  }
  for (const int n : accepted) CHECK(n > 0);
}

ClassLeaves class_leaves(const RandomData& data, double power = 0.3) {
  return {data.labels, RowCopies({}, data.n), even_prior(3, 1.5), power};
}

}  // namespace

TEST(chains_keep_their_tree_in_order) {
  for (const double missing : {0.0, 0.2}) {
    for (const auto kind :
         {TreePriorKind::CHIPMAN, TreePriorKind::DENISON, TreePriorKind::DENISON_NODE}) {
      for (const std::int64_t min_leaf : {1, 4}) {
        const RandomData data(80, 8, missing, 31);
        ChainSettings settings = all_moves();
        settings.min_leaf = min_leaf;
        const ClassLeaves leaves = class_leaves(data);
        Chain<ClassLeaves> one(data, kind, leaves, settings);
        walk(one.chain, min_leaf, 6000);
      }
    }
  }
}

TEST(chains_of_numbers_keep_their_tree_in_order) {
  const RandomData data(80, 8, 0.1, 32);
  std::vector<std::int32_t> units;
  for (const double y : data.y) units.push_back(static_cast<std::int32_t>(1000 * y));
  const NumberLeaves leaves(units, RowCopies({}, data.n), {0.3, 2.0, 0.2, 0.001}, 0.0, 0.3);
  Chain<NumberLeaves> one(data, TreePriorKind::CHIPMAN, leaves, all_moves());
  walk(one.chain, 1, 4000);
}

TEST(drawn_trees_are_lawful) {
  const RandomData data(80, 8, 0.2, 33);
  const RankedTable table(data.view(), data.n_levels, {});
  const TreeLaw law(table, TreePriorKind::CHIPMAN, {0.95, 0.5}, RowCopies({}, data.n));
  ChainPlan plan;
  plan.seed = 4;
  plan.n_chains = 3;
  plan.n_burn_in = 50;
  plan.n_draws = 100;
  plan.settings = all_moves();
  const ForestShape shape{8, 3, true, data.n_levels};
  const ChainsResult one = run_chains(law, class_leaves(data), plan, 1, {});
  const ChainsResult two = run_chains(law, class_leaves(data), plan, 2, {});
  CHECK(one.trees.size() == two.trees.size() && !one.interrupted);
  for (std::size_t t = 0; t < one.trees.size(); ++t) {
    CHECK(check_structure(one.trees[t].tree, shape).empty());
    CHECK(check_tree(one.trees[t].tree, shape).empty());
    CHECK(same_rules(one.trees[t].tree, two.trees[t].tree));
    for (std::size_t s = 0; s < t; ++s) CHECK(!same_rules(one.trees[s].tree, one.trees[t].tree));
  }
  CHECK(one.chains[1].draw == two.chains[1].draw);
}

TEST(a_poll_stops_all_chains) {
  const RandomData data(80, 8, 0.0, 34);
  const RankedTable table(data.view(), data.n_levels, {});
  const TreeLaw law(table, TreePriorKind::DENISON, {0.95, 0.5}, RowCopies({}, data.n));
  ChainPlan plan;
  plan.n_chains = 4;
  plan.n_draws = 1'000'000'000;
  plan.thin = 1000;
  plan.settings = all_moves();
  const ChainsResult found =
      run_chains(law, class_leaves(data), plan, 2, [](const ChainProgress& at) {
        CHECK(at.n_chains == 4 && at.iterations_done <= at.n_iterations);
        return at.iterations_done < 1000;
      });
  CHECK(found.interrupted);
  CHECK(found.chains[0].move.size() >= 32);
}

// Both children have one rule: the parent's goes to both.
TEST(a_swap_can_take_both_children) {
  RandomData data(40, 4, 0.0, 35);
  for (std::size_t i = 0; i < data.n; ++i) {
    for (std::size_t j = 0; j < 2; ++j) data.cells[i * 4 + j] = static_cast<double>((i >> j) & 1);
    data.cells[i * 4 + 2] = data.cells[i * 4 + 3] = 0;
    data.labels[i] = static_cast<std::int32_t>((i ^ (i >> 1)) & 1);
  }
  ChainSettings settings = all_moves();
  settings.probability = {0.25, 0.25, 0.25, 0, 0.25};
  const ClassLeaves leaves = class_leaves(data, 1.0);
  Chain<ClassLeaves> one(data, TreePriorKind::DENISON, leaves, settings);
  std::array<int, 2> roots{};
  int both = 0;
  for (int i = 0; i < 20000; ++i) {
    const RowTree& tree = one.chain.tree();
    const std::int32_t before =
        tree[0].is_leaf() ? -1 : static_cast<std::int32_t>(tree[0].rule.feature);
    const StepInfo info = one.chain.step(NO_LIMIT);
    if (tree[0].is_leaf()) continue;
    const std::uint32_t root = tree[0].rule.feature;
    roots[root] += 1;
    both += info.move == Move::SWAP && info.accepted && before != static_cast<std::int32_t>(root) &&
                    tree.n_leaves() == 4
                ? 1
                : 0;
  }
  CHECK(both > 500);
  CHECK(std::abs(roots[0] - roots[1]) < 3000);
}
