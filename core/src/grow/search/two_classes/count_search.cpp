#include "bayeswood/grow/search/two_classes/count_search.hpp"

#include <algorithm>

#include "bayeswood/base/prefetch.hpp"
#include "bayeswood/grow/search/lists/entry_sort.hpp"
#include "bayeswood/grow/search/two_classes/row_bins.hpp"

namespace bayeswood {
namespace {

constexpr std::uint32_t MAX_LANE_ROWS = 128;  // with more, bins are cheaper than sorting all rows

}  // namespace

template <class Rows>
CountBins CountSearch<Rows>::Slot::view(const Node& node) {
  return {static_cast<std::uint32_t>(gain.size()),
          bins.data(),
          before.data(),
          gain.data(),
          node.totals.n,
          node.totals.w,
          node.totals.wy,
          node.limits.min_rows,
          node.limits.min_weight};
}

template <class Rows>
void CountSearch<Rows>::set_slot(Slot& slot, std::uint32_t feature) {
  const FeatureCodes& codes = matrix_.feature(feature);
  slot.feature = feature;
  slot.shift = LOCAL ? bin_shift(codes.n_codes, rows_.ids.size()) : codes.shift;
  slot.n_bins = ((codes.n_codes - 1) >> slot.shift) + 1;
  const std::uint32_t padded = (slot.n_bins + BIN_STEP - 1) / BIN_STEP * BIN_STEP;
  slot.bins.assign(padded, 0);
  slot.before.resize(padded);
  slot.gain.resize(padded);
  slot.codes.resize(std::max(slot.codes.size(), rows_.ids.size()));
}

template <>
void CountSearch<LocalRows>::fill(std::size_t n_slots) {
  BinFill<PackedCount> task{rows_.ids.data(), rows_.ids.size(), rows_.data.counts, {}, {}, {}, {}};
  idle_bins_.resize(MAX_BINS);
  idle_codes_.resize(std::max(idle_codes_.size(), rows_.ids.size()));
  for (std::size_t k = 0; k < LANES; ++k) {
    Slot& slot = slots_[std::min(k, n_slots - 1)];
    task.columns[k] = rows_.column(slot.feature);
    task.shifts[k] = slot.shift;
    task.bins[k] = k < n_slots ? slot.bins.data() : idle_bins_.data();
    task.codes[k] = k < n_slots ? slot.codes.data() : idle_codes_.data();
  }
  node_->kernels.fill_counts(task);
}

template <>
void CountSearch<TableRows>::fill(std::size_t n_slots) {
  constexpr std::size_t AHEAD = 16;
  const auto ids = rows_.ids;
  const RowTail* tails = rows_.data.tails;  // less memory than the counts
  PackedCount* bins[LANES];
  std::uint16_t* kept[LANES];
  std::uint32_t features[LANES];
  for (std::size_t k = 0; k < LANES; ++k) {
    Slot& slot = slots_[std::min(k, n_slots - 1)];
    features[k] = slot.feature;
    bins[k] = slot.bins.data();
    kept[k] = slot.codes.data();
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i + AHEAD < ids.size()) {
      prefetch(matrix_.coarse_row(ids[i + AHEAD]));
      prefetch(tails + ids[i + AHEAD]);
    }
    const std::uint8_t* codes = matrix_.coarse_row(ids[i]);
    const PackedCount row = count_of(tails[ids[i]]);
    for (std::size_t k = 0; k < n_slots; ++k) {
      const std::uint8_t code = codes[features[k]];
      kept[k][i] = code;
      bins[k][code] += row;
    }
  }
}

// The entries of all rows in opened bins, sorted; returns how many.
template <class Rows>
std::size_t CountSearch<Rows>::open_bins(const Slot& slot) {
  const auto ids = rows_.ids;
  const std::uint16_t* column = rows_.column(slot.feature);
  places_.resize(std::max(places_.size(), ids.size() + 16));
  const std::size_t n = node_->kernels.open_bins(
      {slot.codes.data(), ids.size(), LOCAL ? slot.shift : 0, marks_.opened, places_.data()});
  entries_.resize(std::max(entries_.size(), n));
  for (std::size_t i = 0; i < n; ++i) {
    const auto id = ids[places_[i]];
    const std::uint32_t code = LOCAL ? slot.codes[places_[i]] : column[id];
    entries_[i] = make_entry<SmallEntry>(code, rows_.data.tails[id]);
  }
  sort_entries(entries_.data(), scratch_, n, node_->kernels);
  return n;
}

// The best cut that gains more than `to_beat`, between and inside the bins, the lowest of equals.
template <class Rows>
auto CountSearch<Rows>::best_cut(Slot& slot, double to_beat) -> Found {
  const Node& node = *node_;
  Found found;
  const auto padded = static_cast<std::uint32_t>(slot.gain.size());
  if (!node.kernels.mark_counts(slot.view(node), to_beat, marks_)) return found;
  if (slot.shift == 0) std::fill(std::begin(marks_.opened), std::end(marks_.opened), 0);
  const std::size_t n_entries = any_marked(marks_.opened, padded) ? open_bins(slot) : 0;
  const double mean = node.totals.wy / node.totals.w;
  const double tolerance = node.limits.tolerance / node.totals.w;
  const auto offer = [&](double gain, std::uint32_t code, PackedCount left) {
    if (gain > found.gain + (found.gain < 0 ? 0 : tolerance)) found = {gain, code, left};
  };
  std::size_t at = 0;
  each_marked(marks_, padded, [&](std::uint32_t b) {
    PackedCount left = slot.before[b];
    for (; at < n_entries && code_of(entries_[at]) >> slot.shift == b; ++at) {
      const SmallEntry entry = entries_[at];
      left += count_of(tail_of(entry));
      if (at + 1 == n_entries || code_of(entries_[at + 1]) == code_of(entry)) continue;
      const double w = count_w(left);
      const double w_right = node.totals.w - w;
      const bool enough = count_n(left) >= node.limits.min_rows &&
                          node.totals.n - count_n(left) >= node.limits.min_rows &&
                          std::min(w, w_right) >= std::max(1.0, node.limits.min_weight);
      if (!enough) continue;
      const double shift = count_wy(left) - mean * w;
      offer(shift * shift / (w * w_right), code_of(entry), left);
    }
    if (is_marked(marks_.offered, b)) {
      offer(slot.gain[b], ((b + 1) << slot.shift) - 1, slot.before[b] + slot.bins[b]);
    }
  });
  return found;
}

template <class Rows>
void CountSearch<Rows>::search_bins(std::size_t n_slots, Split& best) {
  const Node& node = *node_;
  fill(n_slots);
  const double slack = 2 * node.limits.tolerance / node.totals.w;  // ties are opened too
  const double known = best.found() ? (best.score - node.totals.score) / node.totals.w : -1;
  const std::span<Slot> slots(slots_, n_slots);
  for (Slot& slot : slots) slot.top_gain = node.kernels.count_gains(slot.view(node));
  const auto cuts = best_cuts(slots, known, slack,
                              [&](Slot& slot, double to_beat) { return best_cut(slot, to_beat); });
  Found found;
  std::size_t from = 0;
  for (std::size_t k = 0; k < n_slots; ++k) {
    if (cuts[k].gain <= found.gain + (found.gain < 0 ? 0 : slack / 2)) continue;
    found = cuts[k];
    from = k;
  }
  const double score = node.totals.score + node.totals.w * found.gain;
  if (found.gain < 0 || (best.found() && score <= best.score + node.limits.tolerance)) return;
  best.score = score;
  best.feature = slots_[from].feature;
  best.cut_code = found.code;
  best.upper_code = 0;
  best.left = found.left;
}

template <class Rows>
std::uint32_t CountSearch<Rows>::search(std::span<const std::uint32_t> features, Split& best) {
  if (LOCAL && rows_.ids.size() <= MAX_LANE_ROWS) {
    search_lanes(features, best);
    return 0;
  }
  for (std::size_t k = 0; k < features.size(); ++k) set_slot(slots_[k], features[k]);
  search_bins(features.size(), best);
  return 0;
}

template <class Rows>
void CountSearch<Rows>::sort_each_lane(SmallEntry* lanes, std::uint32_t n) {
  entries_.resize(std::max<std::size_t>(entries_.size(), n));
  for (std::uint32_t l = 0; l < LANES; ++l) {
    for (std::uint32_t i = 0; i < n; ++i) entries_[i] = lanes[i * LANES + l];
    sort_entries(entries_.data(), scratch_, n, node_->kernels);
    for (std::uint32_t i = 0; i < n; ++i) lanes[i * LANES + l] = entries_[i];
  }
}

template <class Rows>
void CountSearch<Rows>::search_lanes(std::span<const std::uint32_t> features, Split& best) {
  const Node& node = *node_;
  alignas(32) SmallEntry lanes[MAX_LANE_ROWS * LANES];
  const auto n = static_cast<std::uint32_t>(rows_.ids.size());
  const std::uint32_t padded = (n + NETWORK_STEP - 1) / NETWORK_STEP * NETWORK_STEP;
  std::fill(lanes + std::size_t{n} * LANES, lanes + std::size_t{padded} * LANES, ~SmallEntry{0});
  const std::uint16_t* columns[LANES];
  for (std::size_t l = 0; l < LANES; ++l) {
    columns[l] = rows_.column(features[std::min(l, features.size() - 1)]);
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint16_t id = rows_.ids[i];
    const RowTail tail = rows_.data.tails[id];
    for (std::size_t l = 0; l < LANES; ++l) {
      lanes[i * LANES + l] = make_entry<SmallEntry>(columns[l][id], tail);
    }
  }
  if (node.kernels.sort_lanes != nullptr) {
    node.kernels.sort_lanes(lanes, sorting_network(padded));
  } else {
    sort_each_lane(lanes, n);
  }
  Cut cuts[LANES];
  node.kernels.scan_count_lanes({lanes, n, node.totals.w, node.totals.wy, node.limits}, cuts);
  std::size_t won = LANES;
  for (std::size_t l = 0; l < features.size(); ++l) {
    if (!cuts[l].found()) continue;
    const double score = node.totals.score + node.totals.w * cuts[l].score;
    if (best.found() && score <= best.score + node.limits.tolerance) continue;
    best.score = score;
    best.feature = features[l];
    best.cut_code = code_of(lanes[cuts[l].position * LANES + l]);
    best.upper_code = code_of(lanes[(cuts[l].position + 1) * LANES + l]);
    won = l;
  }
  if (won == LANES) return;
  best.left = 0;
  for (std::uint32_t i = 0; i <= cuts[won].position; ++i) {
    best.left += count_of(tail_of(lanes[i * LANES + won]));
  }
}

template class CountSearch<LocalRows>;
template class CountSearch<TableRows>;

}  // namespace bayeswood
