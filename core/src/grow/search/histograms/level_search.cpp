#include "bayeswood/grow/search/histograms/level_search.hpp"

#include <algorithm>

namespace bayeswood {

void LevelSearch::sum_levels(const LargeNode& node, std::uint32_t feature) {
  const std::uint32_t n_codes = matrix_.feature(feature).n_codes;
  levels_.assign(n_codes + 1, LevelSums{0, 0, 0, 0});  // the last one for missing values
  level_ww_.assign(n_codes + 1, 0.0);
  const std::uint16_t* column = matrix_.column(feature);
  for (const auto row : node.rows) {
    const std::uint32_t code = column[row];
    const std::uint32_t at = std::min(code, n_codes);
    const WeightedValue& value = node.data.pair[row];
    levels_[at].code = code;
    ++levels_[at].n;
    levels_[at].w += value.w;
    levels_[at].wy += value.wy;
    level_ww_[at] += value.w * value.w;
  }
  seen_levels_.clear();
  seen_ww_.clear();
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i].n == 0) continue;
    seen_levels_.push_back(levels_[i]);
    seen_ww_.push_back(level_ww_[i]);
  }
}

LevelSpread LevelSearch::spread(const LargeNode& node, std::uint32_t feature) {
  sum_levels(node, feature);
  return level_spread(seen_levels_, seen_ww_);
}

Split LevelSearch::search(const LargeNode& node, std::uint32_t feature, double trust) {
  sum_levels(node, feature);
  return best_paid_prefix(seen_levels_, seen_ww_, feature, trust, node.totals, node.limits);
}

}  // namespace bayeswood
