#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "bayeswood/sample/tree_prior.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

std::vector<std::uint32_t> every_other(std::size_t n) {
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < n; i += 2) rows.push_back(static_cast<std::uint32_t>(i));
  return rows;
}

constexpr double GONE = std::numeric_limits<double>::quiet_NaN();

// A number, a category of three levels of which two are in the first four rows, a constant.
struct SmallTable {
  std::vector<double> cells{0, 0, 5, 1, 2, 5, 3, 0, 5, GONE, 2, 5, 10, 1, 5};
  RankedTable table{MatrixView(cells.data(), false, 5, 3, 3, 1), {0, 3, 0}, {}};
  std::vector<std::uint32_t> rows{0, 1, 2, 3};
  NodeExtents extents = find_extents(table, rows);
};

}  // namespace

TEST(ranks_are_places_among_the_distinct_values) {
  const RandomData data(300, 8, 0.1, 21);
  const RankedTable table(data.view(), data.n_levels, {});
  for (std::size_t j = 0; j < data.d; ++j) {
    for (std::size_t i = 0; i < data.n; ++i) {
      const double value = data.cells[i * data.d + j];
      const std::int32_t rank = table.column(j)[i];
      CHECK(rank == table.row(i)[j]);
      CHECK((rank == MISSING_RANK) == std::isnan(value));
      if (rank == MISSING_RANK) continue;
      CHECK((table.is_category(j) ? rank : table.value(j, rank)) == value);
    }
  }
}

TEST(extents_are_those_of_the_rows) {
  for (const double missing : {0.0, 0.3}) {
    const RandomData data(60, 8, missing, 22);
    const RankedTable table(data.view(), data.n_levels, {});
    const auto rows = every_other(data.n);
    const NodeExtents all = find_extents(table, rows);
    NodeExtents few;  // leaves one feature, so that the other way of looking is taken
    few.feature = {all.feature[0]};
    few.extent = {all.extent[0]};
    for (std::uint32_t j = 0; j < data.d; ++j) {
      std::int32_t low = 1 << 30;
      std::int32_t high = -1;
      for (const auto i : rows) {
        if (table.column(j)[i] == MISSING_RANK) continue;
        low = std::min(low, table.column(j)[i]);
        high = std::max(high, table.column(j)[i]);
      }
      const std::size_t place = all.find(j);
      CHECK((place < all.n_varying()) == (low < high));
      if (low < high) CHECK(all.extent[place].low == low && all.extent[place].high == high);
    }
    const NodeExtents again = find_extents(table, rows, few);
    CHECK(again.feature == few.feature);
    CHECK(again.extent[0].low == few.extent[0].low && again.extent[0].high == few.extent[0].high);
  }
}

TEST(only_what_varies_is_split) {
  const SmallTable small;
  CHECK((small.extents.feature == std::vector<std::uint32_t>{0, 1}));
  const std::vector<std::uint32_t> one{0};
  CHECK(!find_extents(small.table, one).splits());
}

TEST(rules_have_the_probability_they_are_drawn_with) {
  const SmallTable small;
  Stream stream(5, 0, Purpose::RULES);
  std::map<std::vector<std::int64_t>, int> seen;
  constexpr int DRAWS = 40000;
  for (int k = 0; k < DRAWS; ++k) {
    const Rule rule = draw_rule(small.table, small.rows, small.extents, stream);
    const double log_p = log_rule_probability(small.table, small.rows, small.extents, rule);
    const double expected = rule.feature == 0 ? -std::log(2 * 2 * 3.0) : -std::log(2 * 2.0);
    CHECK(std::abs(log_p - expected) < 1e-12);
    const std::int64_t cut =
        rule.feature == 0 ? rule.cut : static_cast<std::int64_t>(rule.left_levels[0]);
    ++seen[{rule.feature, cut, rule.missing_left ? 1 : 0}];
    if (rule.feature == 0) CHECK(rule.threshold >= 0 && rule.threshold < 3);
  }
  // Cells: gaps [0, 1) and [1, 3) with two directions each, and {0} or {2} left. With 6 cells,
  // chi-squared of 5 degrees of freedom exceeds 30 with probability 1.5e-5.
  const std::map<std::vector<std::int64_t>, double> share{
      {{0, 0, 0}, 1 / 12.0}, {{0, 0, 1}, 1 / 12.0}, {{0, 1, 0}, 2 / 12.0},
      {{0, 1, 1}, 2 / 12.0}, {{1, 1, 0}, 0.25},     {{1, 4, 0}, 0.25}};
  CHECK(seen.size() == share.size());
  double chi2 = 0;
  for (const auto& [cell, p] : share)
    chi2 += (seen[cell] - DRAWS * p) * (seen[cell] - DRAWS * p) / (DRAWS * p);
  CHECK(chi2 < 30);
}

TEST(rules_that_a_node_cannot_have_are_impossible) {
  const SmallTable small;
  Rule rule;
  const auto log_p = [&] {
    return log_rule_probability(small.table, small.rows, small.extents, rule);
  };
  rule.threshold = 3;  // the largest value cannot go left
  CHECK(std::isinf(log_p()));
  rule.feature = 2;  // constant
  CHECK(std::isinf(log_p()));
  rule.feature = 1;
  rule.left_levels = {0b010};  // a level that the node lacks: nothing would go left
  CHECK(std::isinf(log_p()));
  rule.left_levels = {0b011};
  CHECK(std::abs(log_p() + std::log(4.0)) < 1e-12);
}

TEST(unseen_levels_follow_the_missing_values) {
  const SmallTable small;
  Rule rule;
  rule.feature = 1;
  rule.left_levels = {0b001};
  const auto present = present_levels(small.table, small.rows, 1);
  Rule to_left = rule;
  settle_unseen(small.table, present, 3, 1, to_left);
  CHECK(to_left.missing_left && to_left.left_levels[0] == 0b011);
  settle_unseen(small.table, present, 1, 3, rule);
  CHECK(!rule.missing_left && rule.left_levels[0] == 0b001);
  Rule drawn;  // feature 0 has missing values: its direction was drawn and stays
  settle_unseen(small.table, {}, 3, 1, drawn);
  CHECK(!drawn.missing_left);
}

TEST(splitting_becomes_rarer_with_depth) {
  const ChipmanPrior prior{0.95, 0.5};
  CHECK(std::abs(prior.split_probability(0) - 0.95) < 1e-15);
  CHECK(std::abs(prior.split_probability(3) - 0.475) < 1e-15);
  CHECK(std::abs(log_subsets(3) - std::log(6.0)) < 1e-12);
}
