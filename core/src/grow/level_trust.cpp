#include "bayeswood/grow/level_trust.hpp"

#include <algorithm>
#include <cmath>

namespace bayeswood {

double LevelSpread::trust(const NodeTotals& node) const {
  if (n_levels_ < 2 || n_levels_ >= node.n || !(node.impurity > 0)) return 0;
  const double chance = (sum_ww_per_w_ - lost_weight(node)) / (node.w - lost_weight(node));
  const double n_effective = node.w * node.w / sum_ww_;
  const double variance = 2 * chance * (1 - chance) / ((n_effective + 1) * n_directions_);
  const double excess = (score_ - node.score) / node.impurity - chance;
  if (!(excess > 0) || !(variance > 0)) return 0;
  return std::max(0.0, 1 - CHANCE * CHANCE * variance / (excess * excess));
}

double LevelSpread::price(const NodeTotals& node, double root_trust) const {
  const double doubt = 1 - std::max(root_trust, trust(node));
  const double between = sum_ww_per_w_ - lost_weight(node);
  const double variance = node.impurity / (node.w - lost_weight(node));
  const auto n_levels = static_cast<double>(n_levels_);
  const double n_free = n_levels_ == node.n ? 1 : static_cast<double>(FREE_LEVELS);
  return doubt * variance * between * (n_levels - n_free) / (n_levels - 1);
}

bool LevelSpread::is_too_dear(const NodeTotals& node, double root_trust, double tolerance) const {
  return score_ - price(node, root_trust) <= node.score + tolerance;
}

void LevelSpread::charge(Split& split, const NodeTotals& node, double root_trust,
                         double tolerance) const {
  if (!split.found()) return;
  const double taken = price(node, root_trust);
  if (split.score - taken <= node.score + tolerance) {
    split = {};
    split.refused = true;
    return;
  }
  split.score -= taken;
  split.price = taken;
}

}  // namespace bayeswood
