#include <cmath>

#include "bayeswood/smc/particle_filter.hpp"
#include "bayeswood/smc/row_block.hpp"
#include "check.hpp"
#include "even_prior.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

FilterSettings settings_of(Proposal proposal, double tau, Expansion expansion,
                           Resampling resampling) {
  FilterSettings settings;
  settings.proposal = {{0.95, 0.5}, proposal, tau, 1};
  settings.expansion = expansion;
  settings.resampling = resampling;
  settings.ess_threshold = 0.7;
  settings.n_particles = 41;
  settings.n_islands = 2;
  settings.seed = 3;
  return settings;
}

bool is_lawful(const Island& island, const ForestShape& shape, std::size_t n_rows) {
  for (const Tree& tree : island.trees) {
    if (!check_tree(tree, shape).empty()) return false;
    if (tree.n_samples[0] != static_cast<std::int32_t>(n_rows)) return false;
  }
  return std::isfinite(island.log_evidence) && island.n_open == 0;
}

}  // namespace

TEST(every_way_of_filtering_gives_lawful_trees) {
  const RandomData data(150, 5, 0.1, 31);
  const RankedTable table(data.view(), data.n_levels, {});
  const ClassLeaves classes(data.labels, RowCopies({}, data.n), even_prior(3, 2.0), 1.0);
  std::vector<std::int32_t> units;
  for (const double y : data.y) units.push_back(static_cast<std::int32_t>(std::lround(1000 * y)));
  const NumberLeaves numbers(units, RowCopies({}, data.n), {0.3, 2.0, 0.5, 1e-3}, 0.0, 1.0);
  const ForestShape class_shape{static_cast<std::int32_t>(data.d), 3, true, data.n_levels};
  const ForestShape number_shape{static_cast<std::int32_t>(data.d), 1, false, data.n_levels};
  int which = 0;
  for (const auto proposal : {Proposal::PRIOR, Proposal::EMPIRICAL, Proposal::TEMPERED}) {
    for (const auto expansion : {Expansion::OLDEST, Expansion::LEAST_LIKELY, Expansion::LAYER}) {
      FilterSettings settings = settings_of(proposal, which % 2 == 0 ? 1.0 : 0.5, expansion,
                                            static_cast<Resampling>(which % 4));
      settings.proposal.min_samples_leaf = which % 3 == 0 ? 1 : 4;
      settings.max_leaves = which % 2 == 0 ? 0xffffffff : 7;
      ++which;
      for (const Island& island : run_islands(table, classes, settings, {}))
        CHECK(is_lawful(island, class_shape, data.n));
      for (const Island& island : run_islands(table, numbers, settings, {}))
        CHECK(is_lawful(island, number_shape, data.n));
    }
  }
}

TEST(moved_particles_are_lawful_and_leave_the_evidence) {
  const RandomData data(150, 5, 0.1, 35);
  const RankedTable table(data.view(), data.n_levels, {});
  const ClassLeaves classes(data.labels, RowCopies({}, data.n), even_prior(3, 2.0), 1.0);
  const ForestShape shape{static_cast<std::int32_t>(data.d), 3, true, data.n_levels};
  for (const auto proposal : {Proposal::PRIOR, Proposal::EMPIRICAL, Proposal::TEMPERED}) {
    FilterSettings settings = settings_of(proposal, 1, Expansion::OLDEST, Resampling::MULTINOMIAL);
    settings.proposal.min_samples_leaf = 3;
    settings.max_leaves = 9;
    const auto still = run_islands(table, classes, settings, {});
    settings.moves = {50, 15, {{0.2, 0.2, 0.2, 0.2, 0.2}, {}}};
    const auto moved = run_islands(table, classes, settings, {});
    const auto again = run_islands(table, classes, settings, {4, {}});
    for (std::size_t i = 0; i < moved.size(); ++i) {
      CHECK(is_lawful(moved[i], shape, data.n));
      CHECK(std::abs(moved[i].log_evidence - still[i].log_evidence) < 1e-9);
      CHECK(moved[i].n_filtered == still[i].n_filtered);
      CHECK(moved[i].weights.size() == (i == 0 ? 8 : 7));
      CHECK(moved[i].trees.size() > 5);
      CHECK(moved[i].tree_of_particle == again[i].tree_of_particle);
      CHECK(moved[i].importances == again[i].importances);
      for (const Tree& tree : moved[i].trees) {
        CHECK(tree.n_leaves() <= 9);
        for (const auto n : tree.n_samples) CHECK(n >= 3);
      }
    }
  }
}

TEST(a_filter_that_is_told_to_stop_leaves_nothing_behind) {
  const RandomData data(3000, 6, 0.05, 32);
  const RankedTable table(data.view(), data.n_levels, {});
  const ClassLeaves classes(data.labels, RowCopies({}, data.n), even_prior(3, 2.0), 1.0);
  FilterSettings settings =
      settings_of(Proposal::TEMPERED, 1, Expansion::OLDEST, Resampling::MULTINOMIAL);
  settings.n_particles = 4000;
  bool stopped = false;
  try {
    run_islands(table, classes, settings, {2, [](std::size_t, std::size_t) { return false; }});
  } catch (const Interrupted&) {
    stopped = true;
  }
  CHECK(stopped);
}

TEST(islands_do_not_depend_on_threads) {
  const RandomData data(200, 5, 0.1, 33);
  const RankedTable table(data.view(), data.n_levels, {});
  const ClassLeaves classes(data.labels, RowCopies({}, data.n), even_prior(3, 2.0), 1.0);
  FilterSettings settings =
      settings_of(Proposal::PRIOR, 1, Expansion::OLDEST, Resampling::RESIDUAL);
  settings.n_islands = 5;
  const auto one = run_islands(table, classes, settings, {1, {}});
  const auto four = run_islands(table, classes, settings, {4, {}});
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(one[i].log_evidence == four[i].log_evidence);
    CHECK(one[i].weights == four[i].weights && one[i].ess == four[i].ess);
  }
}

TEST(offspring_have_the_expected_numbers) {
  const std::vector<double> weights{0.05, 0.4, 0.0, 0.25, 0.3};
  constexpr int DRAWS = 20000;
  // All of them, and fewer: for moves.
  for (const auto scheme : {Resampling::MULTINOMIAL, Resampling::SYSTEMATIC, Resampling::STRATIFIED,
                            Resampling::RESIDUAL})
    for (const std::size_t n : {5, 2}) {
      Stream stream(9, static_cast<std::uint64_t>(scheme), Purpose::RESAMPLING);
      std::vector<double> offspring(weights.size(), 0.0);
      for (int k = 0; k < DRAWS; ++k) {
        const auto ancestors = draw_ancestors(scheme, weights, n, stream);
        CHECK(ancestors.size() == n);
        for (const auto m : ancestors) ++offspring[m];
      }
      CHECK(offspring[2] == 0);
      // The variance of a number of offspring is at most that of multinomial draws, n w (1 - w)
      // < n / 4; beyond 5 standard errors lies a share of 6e-7.
      const auto size = static_cast<double>(n);
      for (std::size_t m = 0; m < weights.size(); ++m)
        CHECK(std::abs(offspring[m] / DRAWS - size * weights[m]) < 5 * std::sqrt(size / 4 / DRAWS));
    }
}

TEST(a_block_that_is_found_again_keeps_its_rows) {
  const RandomData data(40, 2, 0.0, 34);
  const RankedTable table(data.view(), data.n_levels, {});
  const ClassLeaves classes(data.labels, RowCopies({}, data.n), even_prior(3, 2.0), 1.0);
  const std::vector<std::uint64_t> salts = [&] {
    const Stream stream(1, 0, Purpose::SALTS);
    std::vector<std::uint64_t> drawn;
    for (std::size_t i = 0; i < data.n; ++i) drawn.push_back(stream.at(i));
    return drawn;
  }();
  BlockStore<ClassLeaves> store(table, classes, salts);
  Block<ClassLeaves>* root = store.root();
  Rule rule;
  rule.cut = 19;
  const auto [left, right] = store.split(root, rule);
  store.ready(left);
  rule.cut = 9;
  const auto [first, second] = store.split(left, rule);
  store.close(left);  // its rows stay, for its children have not taken theirs
  rule.cut = 19;
  CHECK(store.split(root, rule).first == left);
  store.close(first);
  store.close(second);
  store.ready(left);
  CHECK(left->rows.size() == 20);
  // Left altogether and found again.
  store.close(left);
  CHECK(store.split(root, rule).first == left);
  store.ready(left);
  CHECK(left->rows.size() == 20 && left->extents.n_varying() == 2);
  store.close(left);
  for (int times = 0; times < 3; ++times) store.close(right);
  store.open(root);
  store.close(root);  // forgets the children it knows
  store.drop(root);
  CHECK(store.n_blocks() == 0);
}
