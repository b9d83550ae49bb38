#include "bayeswood/grow/category.hpp"

namespace bayeswood {
namespace {

// Whether some prefix is allowed whatever the order: no level is so large that one side is too
// small just before it and the other just after, and each weighs enough by itself.
bool surely_splits(const std::vector<LevelSums>& levels, const NodeTotals& totals,
                   const Limits& limits) {
  if (levels.size() < 2 || totals.n < 2 * limits.min_rows) return false;
  return std::all_of(levels.begin(), levels.end(), [&](const LevelSums& level) {
    return level.n <= totals.n - 2 * limits.min_rows + 1 && level.w >= 2 * limits.min_weight;
  });
}

}  // namespace

void note_missing_level(Split& split) {
  const auto holds_missing = [](const std::vector<std::uint16_t>& levels) {
    return std::find(levels.begin(), levels.end(), MISSING_CODE) != levels.end();
  };
  if (!split.found()) return;
  split.missing_left = holds_missing(split.levels->left);
  split.missing_seen = split.missing_left || holds_missing(split.levels->right);
}

void sort_runs(std::vector<Run>& runs) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return a.share != b.share ? a.share < b.share : a.begin < b.begin;
  });
}

LevelSpread level_spread(const std::vector<LevelSums>& levels,
                         const std::vector<double>& level_ww) {
  LevelSpread spread;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const LevelSums& level = levels[i];
    spread.add(level.w, level_ww[i], level.wy * level.wy / level.w);
  }
  return spread;
}

Split best_level_prefix(std::vector<LevelSums>& levels, const NodeTotals& totals,
                        const Limits& limits) {
  Split best;
  std::sort(levels.begin(), levels.end(), [](const LevelSums& a, const LevelSums& b) {
    const double left = a.wy * b.w;
    const double right = b.wy * a.w;
    return left != right ? left < right : a.code < b.code;
  });
  std::uint32_t n = 0;
  double w = 0;
  double wy = 0;
  std::size_t best_length = 0;
  double to_beat = NO_SCORE;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    n += levels[i].n;
    w += levels[i].w;
    wy += levels[i].wy;
    const double w_right = totals.w - w;
    if (n < limits.min_rows || totals.n - n < limits.min_rows) continue;
    if (w < limits.min_weight || w_right < limits.min_weight) continue;
    const double right = totals.wy - wy;
    const double score = wy * wy / w + right * right / w_right;
    if (score > to_beat) {
      best.score = score;
      best_length = i + 1;
      to_beat = score + limits.tolerance;
    }
  }
  if (!best.found()) return best;
  best.levels = std::make_unique<LevelSides>();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    auto& side = i < best_length ? best.levels->left : best.levels->right;
    side.push_back(static_cast<std::uint16_t>(levels[i].code));
  }
  note_missing_level(best);
  return best;
}

Split best_paid_prefix(std::vector<LevelSums>& levels, const std::vector<double>& level_ww,
                       std::uint32_t feature, double root_trust, const NodeTotals& totals,
                       const Limits& limits) {
  Split best;
  if (LevelSpread::pays(levels.size(), totals, root_trust)) {
    const LevelSpread spread = level_spread(levels, level_ww);
    best.refused = spread.is_too_dear(totals, root_trust, limits.tolerance) &&
                   surely_splits(levels, totals, limits);
    if (!best.refused) {
      best = best_level_prefix(levels, totals, limits);
      spread.charge(best, totals, root_trust, limits.tolerance);
    }
  } else {
    best = best_level_prefix(levels, totals, limits);
  }
  best.feature = feature;
  return best;
}

}  // namespace bayeswood
