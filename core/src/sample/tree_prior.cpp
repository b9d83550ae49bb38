#include "bayeswood/sample/tree_prior.hpp"

#include <algorithm>
#include <limits>

namespace bayeswood {
namespace {

constexpr double LOG_TWO = 0.69314718055994530942;
constexpr Extent NOTHING{std::numeric_limits<std::int32_t>::max(), MISSING_RANK};

// Least and largest of all columns, row after row; the inner loop has no branch.
void widen_all(const RankedTable& table, Rows rows, std::vector<std::int32_t>& low,
               std::vector<std::int32_t>& high) {
  const std::size_t d = table.n_features();
  low.assign(d, NOTHING.low);
  high.assign(d, NOTHING.high);
  std::int32_t* least = low.data();
  std::int32_t* largest = high.data();
  if (table.has_missing()) {
    for (const auto i : rows) {
      const std::int32_t* ranks = table.row(i);
      for (std::size_t j = 0; j < d; ++j) {
        const std::int32_t present = ranks[j] == MISSING_RANK ? NOTHING.low : ranks[j];
        least[j] = std::min(least[j], present);
        largest[j] = std::max(largest[j], ranks[j]);
      }
    }
    return;
  }
  for (const auto i : rows) {
    const std::int32_t* ranks = table.row(i);
    for (std::size_t j = 0; j < d; ++j) {
      least[j] = std::min(least[j], ranks[j]);
      largest[j] = std::max(largest[j], ranks[j]);
    }
  }
}

Extent widen_one(const RankedTable& table, Rows rows, std::uint32_t feature) {
  const std::int32_t* column = table.column(feature);
  Extent found = NOTHING;
  for (const auto i : rows) {
    if (column[i] == MISSING_RANK) continue;
    found.low = std::min(found.low, column[i]);
    found.high = std::max(found.high, column[i]);
  }
  return found;
}

void keep_varying(std::uint32_t feature, const Extent& extent, NodeExtents& out) {
  if (extent.low >= extent.high) return;
  out.feature.push_back(feature);
  out.extent.push_back(extent);
}

// Counted in levels present on each side.
bool splits_levels(const RankedTable& table, Rows rows, const Rule& rule) {
  std::size_t n_left = 0;
  const auto levels = present_levels(table, rows, rule.feature);
  for (const auto level : levels) n_left += rule.goes_left(level) ? 1 : 0;
  return n_left > 0 && n_left < levels.size();
}

}  // namespace

std::size_t NodeExtents::find(std::uint32_t j) const {
  const auto at = std::lower_bound(feature.begin(), feature.end(), j);
  if (at == feature.end() || *at != j) return n_varying();
  return static_cast<std::size_t>(at - feature.begin());
}

NodeExtents find_extents(const RankedTable& table, Rows rows) {
  std::vector<std::int32_t> low;
  std::vector<std::int32_t> high;
  widen_all(table, rows, low, high);
  NodeExtents out;
  for (std::size_t j = 0; j < table.n_features(); ++j)
    keep_varying(static_cast<std::uint32_t>(j), {low[j], high[j]}, out);
  return out;
}

NodeExtents find_extents(const RankedTable& table, Rows rows, const NodeExtents& parent) {
  if (2 * parent.n_varying() > table.n_features()) return find_extents(table, rows);
  NodeExtents out;
  for (const auto j : parent.feature) keep_varying(j, widen_one(table, rows, j), out);
  return out;
}

double draw_between(double low, double high, double uniform) {
  const double range = high - low;
  const double value =
      std::isfinite(range) ? low + uniform * range : low * (1 - uniform) + high * uniform;
  return value >= low && value < high ? value : low;
}

std::vector<std::int32_t> present_levels(const RankedTable& table, Rows rows,
                                         std::uint32_t feature) {
  const std::int32_t* column = table.column(feature);
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(table.n_levels()[feature]), 0);
  for (const auto i : rows) {
    if (column[i] != MISSING_RANK) seen[static_cast<std::size_t>(column[i])] = 1;
  }
  std::vector<std::int32_t> levels;
  for (std::size_t level = 0; level < seen.size(); ++level) {
    if (seen[level] != 0) levels.push_back(static_cast<std::int32_t>(level));
  }
  return levels;
}

std::size_t draw_feature(const NodeExtents& extents, Stream& stream) {
  return stream.below(static_cast<std::uint32_t>(extents.n_varying()));
}

void draw_levels(std::span<const std::int32_t> levels, std::int32_t n_levels, Rule& rule,
                 Stream& stream) {
  std::size_t n_left = 0;
  while (n_left == 0 || n_left == levels.size()) {
    rule.left_levels.assign(set_words(n_levels), 0);
    n_left = 0;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < levels.size(); ++i, bits >>= 1) {
      if (i % 64 == 0) bits = stream.next();
      rule.left_levels[levels[i] >> 6] |= (bits & 1) << (levels[i] & 63);
      n_left += bits & 1;
    }
  }
}

Rule draw_rule_of(const RankedTable& table, Rows rows, const NodeExtents& extents,
                  std::size_t place, Stream& stream) {
  Rule rule;
  const std::uint32_t j = rule.feature = extents.feature[place];
  const auto [low, high] = extents.extent[place];
  if (table.has_missing(j)) rule.missing_left = (stream.next() >> 63) != 0;
  if (table.is_category(j)) {
    draw_levels(present_levels(table, rows, j), table.n_levels()[j], rule, stream);
  } else {
    rule.threshold = draw_between(table.value(j, low), table.value(j, high), stream.next_uniform());
    rule.cut = table.rank_below(j, low, high, rule.threshold);
  }
  return rule;
}

Rule draw_rule(const RankedTable& table, Rows rows, const NodeExtents& extents, Stream& stream) {
  return draw_rule_of(table, rows, extents, draw_feature(extents, stream), stream);
}

void settle_unseen(const RankedTable& table, std::span<const std::int32_t> present,
                   std::int64_t n_left, std::int64_t n_right, Rule& rule) {
  if (!table.has_missing(rule.feature)) rule.missing_left = n_left >= n_right;
  if (rule.left_levels.empty() || !rule.missing_left) return;
  std::vector<std::uint64_t> settled(rule.left_levels.size(), ~0ULL);
  const std::int32_t n_levels = table.n_levels()[rule.feature];
  if ((n_levels & 63) != 0) settled.back() = (1ULL << (n_levels & 63)) - 1;
  for (const auto level : present) {
    if (!rule.goes_left(level)) settled[level >> 6] &= ~(1ULL << (level & 63));
  }
  rule.left_levels = std::move(settled);
}

double log_length(const RankedTable& table, std::uint32_t feature, const Extent& extent) {
  const double low = table.value(feature, extent.low);
  const double high = table.value(feature, extent.high);
  return std::isfinite(high - low) ? std::log(high - low) : std::log(high / 2 - low / 2) + LOG_TWO;
}

double log_subsets(std::size_t n_levels) {
  const auto n = static_cast<double>(n_levels);
  return n * LOG_TWO + std::log1p(-std::exp2(1 - n));
}

double log_rule_probability(const RankedTable& table, Rows rows, const NodeExtents& extents,
                            const Rule& rule) {
  constexpr double IMPOSSIBLE = -std::numeric_limits<double>::infinity();
  const std::size_t place = extents.find(rule.feature);
  if (place == extents.n_varying()) return IMPOSSIBLE;
  double sum = -std::log(static_cast<double>(extents.n_varying()));
  if (table.has_missing(rule.feature)) sum -= LOG_TWO;
  const Extent& extent = extents.extent[place];
  if (table.is_category(rule.feature)) {
    if (!splits_levels(table, rows, rule)) return IMPOSSIBLE;
    return sum - log_subsets(present_levels(table, rows, rule.feature).size());
  }
  if (!(rule.threshold >= table.value(rule.feature, extent.low) &&
        rule.threshold < table.value(rule.feature, extent.high)))
    return IMPOSSIBLE;
  return sum - log_length(table, rule.feature, extent);
}

}  // namespace bayeswood
