// Splits of a category: an optimal subset of levels for one response, a good one for several.
//
// For squared error and for Gini with two classes the best subset is a prefix of the levels ordered
// by mean response (Fisher 1958; Breiman et al. 1984, Theorem 4.5). For several classes or outputs
// the levels are ordered once for each of the (at most MAX_ORDERS heaviest) classes or outputs, by
// that class's share or that output's mean, and the best prefix over these orders is taken. A
// missing value counts as one more level. What the ordered search pays for its freedom is in
// level_trust.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bayeswood/grow/level_trust.hpp"
#include "bayeswood/grow/search/scan.hpp"
#include "bayeswood/grow/split.hpp"

namespace bayeswood {

constexpr std::size_t MAX_ORDERS = 8;

struct LevelSums {
  std::uint32_t code;
  std::uint32_t n;
  double w;
  double wy;
};

// Notes on the split whether missing values were seen, and on which side they went.
void note_missing_level(Split& split);

// `level_ww`: sums of squared weights.
LevelSpread level_spread(const std::vector<LevelSums>& levels, const std::vector<double>& level_ww);

// SCALAR: orders `levels` in place.
Split best_level_prefix(std::vector<LevelSums>& levels, const NodeTotals& totals,
                        const Limits& limits);

// The same for the feature, with what it pays taken off.
Split best_paid_prefix(std::vector<LevelSums>& levels, const std::vector<double>& level_ww,
                       std::uint32_t feature, double root_trust, const NodeTotals& totals,
                       const Limits& limits);

// A run of equal codes in a sorted list.
struct Run {
  std::uint32_t begin, end;
  double share;
};

template <class Entry>
std::vector<Run> find_runs(const Entry* list, std::uint32_t n) {
  std::vector<Run> runs;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (i == 0 || code_of(list[i]) != code_of(list[i - 1])) runs.push_back({i, i, 0});
    runs.back().end = i + 1;
  }
  return runs;
}

// CLASSES and MULTI: how the runs of a list differ; `weight(id)` is a row's.
template <class Side, class Entry, class Weight>
LevelSpread run_spread(const Entry* list, std::uint32_t n, Weight weight, Side& side) {
  LevelSpread spread;
  for (const Run& run : find_runs(list, n)) {
    double ww = 0;
    side.reset();
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const double w = weight(id_of(list[i]));
      side.add(id_of(list[i]));
      ww += w * w;
    }
    spread.add(side.weight(), ww, side.score());
  }
  return spread;
}

// By share; of equal ones the earlier first.
void sort_runs(std::vector<Run>& runs);

// The best prefix over so many orders of the levels. `share(run, order)` is what a run is ordered
// by, and `scan(ordered)` finds the best cut of the list in that order.
template <class Entry, class Share, class Scan>
Split best_run_prefix(const Entry* list, std::uint32_t n, std::size_t n_orders,
                      const Limits& limits, std::vector<Entry>& ordered, Share share, Scan scan) {
  Split best;
  std::vector<Run> runs = find_runs(list, n);
  if (runs.size() < 2) return best;
  for (std::size_t k = 0; k < n_orders; ++k) {
    for (Run& run : runs) run.share = share(run, k);
    sort_runs(runs);
    ordered.clear();
    for (std::uint32_t r = 0; r < runs.size(); ++r) {
      for (std::uint32_t i = runs[r].begin; i < runs[r].end; ++i)
        ordered.push_back(make_entry<Entry>(r, id_of(list[i])));
    }
    const Cut cut = scan(ordered);
    if (!cut.found() || (best.found() && cut.score <= best.score + limits.tolerance)) continue;
    best.score = cut.score;
    best.levels = std::make_unique<LevelSides>();
    for (std::uint32_t r = 0; r < runs.size(); ++r) {
      auto& levels = r <= code_of(ordered[cut.position]) ? best.levels->left : best.levels->right;
      levels.push_back(static_cast<std::uint16_t>(code_of(list[runs[r].begin])));
    }
  }
  note_missing_level(best);
  return best;
}

}  // namespace bayeswood
