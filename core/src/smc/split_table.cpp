#include "bayeswood/smc/split_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bayeswood/base/radix_sort.hpp"

namespace bayeswood {
namespace {

// What is so much smaller than the largest mass is lost in the rounding of their sum.
constexpr double LEAST_TILT = -50;
constexpr double NO_MASS = -std::numeric_limits<double>::infinity();
// Up to so many rows comparing is faster than counting.
constexpr std::size_t FEW_ROWS = 64;

std::size_t find_place(const std::vector<double>& cumulative, double uniform) {
  const double wanted = uniform * cumulative.back();
  const auto at = std::upper_bound(cumulative.begin(), cumulative.end(), wanted);
  auto place = static_cast<std::size_t>(at - cumulative.begin());
  place = std::min(place, cumulative.size() - 1);
  // Rounding must not choose what has no mass.
  while (place > 0 && cumulative[place] == cumulative[place - 1]) --place;
  return place;
}

}  // namespace

template <CutLeafModel Model>
SplitTable SplitTabler<Model>::make(const Node& node) {
  SplitTable out;
  std::vector<Mass> masses;
  out.log_scale = NO_MASS;
  for (std::size_t place = 0; place < node.extents.n_varying(); ++place) {
    if (table_.is_category(node.extents.feature[place])) {
      list_splits(node, place, work_);
      masses.push_back(weigh(work_));
    } else {
      find_gaps(node, place);
      masses.push_back(weigh_gaps(node, place));
    }
    out.log_scale = std::max(out.log_scale, masses.back().log_scale);
  }
  double sum = 0;
  for (const auto& [log_scale, size] : masses) {
    if (size > 0) sum += size * std::exp(log_scale - out.log_scale);
    out.cumulative.push_back(sum);
  }
  return out;
}

template <CutLeafModel Model>
double SplitTabler<Model>::largest_tilt(const FeatureSplits& splits) const {
  double largest = splits.rest > 0 ? log_tilt(splits.log_rest_ratio) : NO_MASS;
  for (const auto& entry : splits.entries) largest = std::max(largest, log_tilt(entry.log_ratio));
  return largest;
}

// The largest tilt of a feature's splits, and their mass as a multiple of its exponential.
template <CutLeafModel Model>
typename SplitTabler<Model>::Mass SplitTabler<Model>::weigh(const FeatureSplits& splits) const {
  Mass mass{largest_tilt(splits), 0};
  for (const auto& entry : splits.entries) {
    const double tilt = log_tilt(entry.log_ratio) - mass.log_scale;
    if (tilt > LEAST_TILT) mass.size += entry.base * std::exp(tilt);
  }
  if (splits.rest > 0)
    mass.size += splits.rest * std::exp(log_tilt(splits.log_rest_ratio) - mass.log_scale);
  return mass;
}

template <CutLeafModel Model>
void SplitTabler<Model>::add_up(FeatureSplits& splits) const {
  const double log_scale = largest_tilt(splits);
  double sum = 0;
  splits.cumulative.clear();
  for (const auto& entry : splits.entries) {
    const double tilt = log_tilt(entry.log_ratio) - log_scale;
    if (tilt > LEAST_TILT) sum += entry.base * std::exp(tilt);
    splits.cumulative.push_back(sum);
  }
  if (splits.rest > 0)
    splits.cumulative.push_back(sum + splits.rest *
                                          std::exp(log_tilt(splits.log_rest_ratio) - log_scale));
}

template <CutLeafModel Model>
TableDraw SplitTabler<Model>::draw(const Node& node, SplitTable& table, Stream& stream) {
  return draw_of(node, table, find_place(table.cumulative, stream.next_uniform()), stream);
}

template <CutLeafModel Model>
TableDraw SplitTabler<Model>::draw_of(const Node& node, SplitTable& table, std::size_t place,
                                      Stream& stream) {
  const auto [found, is_new] = table.drawn.try_emplace(place);
  FeatureSplits& splits = found->second;
  if (is_new) {
    list_splits(node, place, splits);
    add_up(splits);
  }
  TableDraw out;
  const std::uint32_t j = out.rule.feature = node.extents.feature[place];
  const std::size_t at = find_place(splits.cumulative, stream.next_uniform());
  const bool is_rest = at == splits.entries.size();
  const SplitEntry entry = is_rest ? SplitEntry{} : splits.entries[at];
  out.log_tilt = log_tilt(is_rest ? splits.log_rest_ratio : entry.log_ratio);
  if (!is_rest && splits.has_directions) {
    out.rule.missing_left = entry.missing_left;
  } else if (table_.has_missing(j)) {
    out.rule.missing_left = (stream.next() >> 63) != 0;
  }
  if (is_rest) {
    draw_rest(j, splits, out.rule, stream);
  } else if (table_.is_category(j)) {
    out.rule.left_levels = splits.sets[static_cast<std::size_t>(entry.low)];
  } else {
    const double low = table_.value(j, entry.low);
    const double high = table_.value(j, entry.high);
    out.rule.cut = entry.low;
    out.rule.threshold = draw_between(low, high, stream.next_uniform());
    if (settings_.is_empirical) {
      const double share = gap_share(j, {entry.low, entry.high}, node.extents.extent[place]);
      out.log_base_ratio = std::log((splits.has_directions ? share / 2 : share) / entry.base);
    }
  }
  return out;
}

template <CutLeafModel Model>
void SplitTabler<Model>::list_splits(const Node& node, std::size_t place, FeatureSplits& out) {
  out.entries.clear();
  out.sets.clear();
  out.levels.clear();
  out.rest = 0;
  if (table_.is_category(node.extents.feature[place])) {
    list_subsets(node, place, out);
  } else {
    list_gaps(node, place, out);
  }
}

// --- numbers -----------------------------------------------------------------------------------

template <CutLeafModel Model>
void SplitTabler<Model>::find_gaps(const Node& node, std::size_t place) {
  const Extent& extent = node.extents.extent[place];
  const bool has_histogram = fill_histogram(node, place);
  if (!has_histogram) sort_rows(node, place);
  if (gaps_.size() < 2 * node.rows.size()) gaps_.resize(2 * node.rows.size());
  n_gaps_ = 0;
  for (const bool missing_left : {false, true}) {
    if (missing_left) n_missing_right_ = n_gaps_;
    if (missing_left && missing_.empty()) break;
    if (has_histogram) {
      walk_histogram(node, extent, missing_left);
    } else {
      walk_rows(node, extent, missing_left);
    }
  }
}

template <CutLeafModel Model>
typename SplitTabler<Model>::Mass SplitTabler<Model>::weigh_gaps(const Node& node,
                                                                 std::size_t place) const {
  Mass mass{NO_MASS, 0};
  for (std::size_t g = 0; g < n_gaps_; ++g)
    mass.log_scale = std::max(mass.log_scale, log_tilt(gaps_[g].log_ratio));
  const std::uint32_t feature = node.extents.feature[place];
  for (std::size_t g = 0; g < n_gaps_; ++g) {
    const double tilt = log_tilt(gaps_[g].log_ratio) - mass.log_scale;
    if (tilt > LEAST_TILT)
      mass.size += gap_base(feature, gaps_[g], node.extents.extent[place]) * std::exp(tilt);
  }
  return mass;
}

template <CutLeafModel Model>
void SplitTabler<Model>::list_gaps(const Node& node, std::size_t place, FeatureSplits& out) {
  find_gaps(node, place);
  out.has_directions = !missing_.empty();
  out.entries.reserve(n_gaps_);
  for (std::size_t g = 0; g < n_gaps_; ++g) {
    const Gap& gap = gaps_[g];
    const double base = gap_base(node.extents.feature[place], gap, node.extents.extent[place]);
    out.entries.push_back({base, gap.log_ratio, gap.low, gap.high, g >= n_missing_right_});
  }
}

// Counts by rank and class, where that takes less than sorting the rows.
template <CutLeafModel Model>
bool SplitTabler<Model>::fill_histogram(const Node& node, std::size_t place) {
  if constexpr (Model::IS_CLASSIFIER) {
    const Extent& extent = node.extents.extent[place];
    const std::size_t n_classes = model_.n_classes();
    const std::size_t size = static_cast<std::size_t>(extent.high - extent.low + 1) * n_classes;
    if (size > 2 * node.rows.size()) return false;
    histogram_.assign(size, 0);
    missing_.clear();
    const std::int32_t* column = table_.column(node.extents.feature[place]);
    for (const auto i : node.rows) {
      if (column[i] == MISSING_RANK) {
        missing_.push_back(i);
      } else {
        histogram_[static_cast<std::size_t>(column[i] - extent.low) * n_classes +
                   static_cast<std::size_t>(model_.label(i))] += model_.copies()[i];
      }
    }
    return true;
  }
  return false;
}

template <CutLeafModel Model>
void SplitTabler<Model>::sort_rows(const Node& node, std::size_t place) {
  const Extent& extent = node.extents.extent[place];
  const std::int32_t* column = table_.column(node.extents.feature[place]);
  order_.clear();
  missing_.clear();
  for (const auto i : node.rows) {
    if (column[i] == MISSING_RANK) {
      missing_.push_back(i);
    } else {
      order_.push_back(std::uint64_t{static_cast<std::uint32_t>(column[i] - extent.low)} << 32 | i);
    }
  }
  if (order_.size() <= FEW_ROWS) {
    std::sort(order_.begin(), order_.end());
    return;
  }
  unsigned n_bits = 8;
  while ((static_cast<std::uint64_t>(extent.high - extent.low) >> n_bits) != 0) n_bits += 8;
  scratch_.resize(order_.size());
  radix_sort(order_.data(), scratch_.data(), order_.size(), 32, n_bits);
}

// False if nothing need be counted on the way.
template <CutLeafModel Model>
bool SplitTabler<Model>::start_walk(const Node& node, bool missing_left) {
  n_groups_ = 0;
  if (settings_.tau == 0 && settings_.min_samples_leaf <= 1) return false;
  walk_.start(node.stats);
  if (!missing_left) return true;
  for (const auto i : missing_) walk_.move(i);
  return true;
}

template <CutLeafModel Model>
void SplitTabler<Model>::walk_histogram(const Node& node, const Extent& extent, bool missing_left) {
  if constexpr (Model::IS_CLASSIFIER) {
    const std::size_t n_classes = model_.n_classes();
    const bool walks = start_walk(node, missing_left);
    std::int32_t below = -1;
    for (std::int32_t rank = extent.low; rank <= extent.high; ++rank) {
      const std::int32_t* counts =
          histogram_.data() + static_cast<std::size_t>(rank - extent.low) * n_classes;
      if (std::all_of(counts, counts + n_classes, [](std::int32_t m) { return m == 0; })) continue;
      if (below >= 0) add_gap(node, below, rank);
      below = rank;
      for (std::size_t c = 0; walks && c < n_classes; ++c) {
        if (counts[c] > 0) walk_.move(c, counts[c]);
      }
    }
  }
}

template <CutLeafModel Model>
void SplitTabler<Model>::walk_rows(const Node& node, const Extent& extent, bool missing_left) {
  const bool walks = start_walk(node, missing_left);
  std::uint64_t below = order_[0] >> 32;
  for (const std::uint64_t entry : order_) {
    const std::uint64_t here = entry >> 32;
    if (here != below) {
      add_gap(node, extent.low + static_cast<std::int32_t>(below),
              extent.low + static_cast<std::int32_t>(here));
      below = here;
    }
    if (walks) walk_.move(static_cast<std::uint32_t>(entry));
  }
}

// Length of a gap as a share of the extent.
template <CutLeafModel Model>
double SplitTabler<Model>::gap_share(std::uint32_t feature, const Extent& gap,
                                     const Extent& extent) const {
  const auto value = [&](std::int32_t rank) { return table_.value(feature, rank); };
  const double range = value(extent.high) - value(extent.low);
  if (std::isfinite(range)) return (value(gap.high) - value(gap.low)) / range;
  return (value(gap.high) / 2 - value(gap.low) / 2) /
         (value(extent.high) / 2 - value(extent.low) / 2);
}

// --- categories --------------------------------------------------------------------------------

template <CutLeafModel Model>
void SplitTabler<Model>::list_subsets(const Node& node, std::size_t place, FeatureSplits& out) {
  const std::uint32_t j = node.extents.feature[place];
  sum_levels(node, j, out);
  const std::int32_t n_levels = table_.n_levels()[j];
  const bool is_whole = out.levels.size() <= MOST_LEVELS;
  out.sets = is_whole ? all_subsets(n_levels, out) : ordered_subsets(node, n_levels, out);
  const double base = std::exp(-log_subsets(out.levels.size()));
  add_subset(node, out.has_directions ? base / 2 : base, out);
  if (is_whole) return;
  out.rest = std::max(0.0, 1 - base * static_cast<double>(out.sets.size()));
  out.log_rest_ratio = 0;
  for (const auto& entry : out.entries)
    out.log_rest_ratio += entry.log_ratio / static_cast<double>(out.entries.size());
}

template <CutLeafModel Model>
void SplitTabler<Model>::sum_levels(const Node& node, std::uint32_t feature, FeatureSplits& out) {
  const std::int32_t* column = table_.column(feature);
  out.levels = present_levels(table_, node.rows, feature);
  std::vector<std::int32_t> place(static_cast<std::size_t>(table_.n_levels()[feature]), -1);
  for (std::size_t l = 0; l < out.levels.size(); ++l)
    place[static_cast<std::size_t>(out.levels[l])] = static_cast<std::int32_t>(l);
  level_stats_.assign(out.levels.size(), model_.nothing());
  missing_stats_ = model_.nothing();
  out.has_directions = false;
  for (const auto i : node.rows) {
    const std::int32_t rank = column[i];
    out.has_directions |= rank == MISSING_RANK;
    model_.add(i,
               rank == MISSING_RANK
                   ? missing_stats_
                   : level_stats_[static_cast<std::size_t>(place[static_cast<std::size_t>(rank)])]);
  }
}

template <CutLeafModel Model>
std::vector<std::vector<std::uint64_t>> SplitTabler<Model>::all_subsets(
    std::int32_t n_levels, const FeatureSplits& out) const {
  std::vector<Set> sets;
  for (std::uint32_t bits = 1; bits + 1 < (1U << out.levels.size()); ++bits) {
    Set set(set_words(n_levels), 0);
    for (std::size_t l = 0; l < out.levels.size(); ++l)
      set[out.levels[l] >> 6] |= std::uint64_t{(bits >> l) & 1} << (out.levels[l] & 63);
    sets.push_back(std::move(set));
  }
  return sets;
}

// The outputs by whose share levels are ordered: the most frequent classes, but one of two.
template <CutLeafModel Model>
std::vector<std::size_t> SplitTabler<Model>::orders(const Node& node) const {
  std::vector<std::size_t> found{0};
  if constexpr (Model::IS_CLASSIFIER) {
    found.resize(model_.n_classes());
    for (std::size_t c = 0; c < found.size(); ++c) found[c] = c;
    std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
      return node.stats.counts[a] > node.stats.counts[b];
    });
    found.resize(found.size() <= 2 ? 1 : std::min<std::size_t>(found.size(), 8));
  }
  return found;
}

template <CutLeafModel Model>
std::vector<std::vector<std::uint64_t>> SplitTabler<Model>::ordered_subsets(
    const Node& node, std::int32_t n_levels, const FeatureSplits& out) const {
  std::vector<Set> sets;
  std::vector<std::size_t> order(out.levels.size());
  for (const auto c : orders(node)) {
    for (std::size_t l = 0; l < order.size(); ++l) order[l] = l;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return model_.order_share(level_stats_[a], c) < model_.order_share(level_stats_[b], c);
    });
    Set low(set_words(n_levels), 0);
    Set high(set_words(n_levels), 0);
    for (const auto level : out.levels) high[level >> 6] |= 1ULL << (level & 63);
    for (std::size_t k = 0; k + 1 < order.size(); ++k) {
      const std::int32_t level = out.levels[order[k]];
      low[level >> 6] |= 1ULL << (level & 63);
      high[level >> 6] &= ~(1ULL << (level & 63));
      sets.push_back(low);
      sets.push_back(high);
    }
  }
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  return sets;
}

// One entry, or one for each direction of the missing values, for every set.
template <CutLeafModel Model>
void SplitTabler<Model>::add_subset(const Node& node, double base, FeatureSplits& out) {
  for (std::size_t s = 0; s < out.sets.size(); ++s) {
    for (const bool missing_left : {false, true}) {
      if (missing_left && !out.has_directions) break;
      Stats left = missing_left ? missing_stats_ : model_.nothing();
      for (std::size_t l = 0; l < out.levels.size(); ++l) {
        if (in_set(out.sets[s].data(), static_cast<std::uint32_t>(out.levels[l])))
          model_.add(level_stats_[l], left);
      }
      Stats right = node.stats;
      model_.subtract(left, right);
      if (std::min<std::int64_t>(left.n, right.n) < settings_.min_samples_leaf) continue;
      const double log_ratio = model_.powered_log_marginal(left) +
                               model_.powered_log_marginal(right) - node.log_marginal;
      out.entries.push_back({base, log_ratio, static_cast<std::int32_t>(s), 0, missing_left});
    }
  }
}

// A subset without an entry, uniformly.
template <CutLeafModel Model>
void SplitTabler<Model>::draw_rest(std::uint32_t feature, const FeatureSplits& splits, Rule& rule,
                                   Stream& stream) const {
  do {
    draw_levels(splits.levels, table_.n_levels()[feature], rule, stream);
  } while (std::binary_search(splits.sets.begin(), splits.sets.end(), rule.left_levels));
}

template class SplitTabler<ClassLeaves>;
template class SplitTabler<NumberLeaves>;

}  // namespace bayeswood
