#include "bayeswood/grow/search/count_search.hpp"

#include <algorithm>

#include "bayeswood/base/prefetch.hpp"
#include "bayeswood/grow/search/entry_sort.hpp"
#include "bayeswood/grow/search/row_bins.hpp"

namespace bayeswood {
namespace {

constexpr std::uint32_t MAX_LANE_ROWS = 128;  // with more, bins are cheaper than sorting all rows

}  // namespace

template <class Rows>
CountBins CountSearch<Rows>::Slot::view(const Node& node) {
  const auto n_padded = static_cast<std::uint32_t>(gain.size());
  return {n_padded,      bins.data(),    n.data(),      w.data(),
          wy.data(),     gain.data(),    excess.data(), static_cast<std::int32_t>(node.totals.n),
          node.totals.w, node.totals.wy, node.limits};
}

template <class Rows>
void CountSearch<Rows>::set_slot(Slot& slot, std::uint32_t feature) {
  const FeatureCodes& codes = matrix_.feature(feature);
  slot.feature = feature;
  slot.shift = LOCAL ? bin_shift(codes.n_codes, rows_.ids.size()) : codes.shift;
  slot.n_bins = ((codes.n_codes - 1) >> slot.shift) + 1;
  const std::uint32_t padded = (slot.n_bins + LANES - 1) / LANES * LANES;
  slot.bins.assign(padded, 0);
  slot.gain.resize(padded);
  slot.excess.resize(padded);
  for (auto* sums : {&slot.n, &slot.w, &slot.wy}) sums->resize(padded + 1);
}

template <>
void CountSearch<LocalRows>::fill(std::size_t n_slots) {
  CountFill task{rows_.ids.data(), rows_.ids.size(), rows_.data.counts, {}, {}, {}};
  idle_bins_.resize(std::max<std::size_t>(idle_bins_.size(), MAX_BINS));
  for (std::size_t k = 0; k < LANES; ++k) {
    Slot& slot = slots_[std::min(k, n_slots - 1)];
    task.columns[k] = rows_.column(slot.feature);
    task.shifts[k] = slot.shift;
    task.bins[k] = k < n_slots ? slot.bins.data() : idle_bins_.data();
  }
  node_->kernels.fill_counts(task);
}

template <>
void CountSearch<TableRows>::fill(std::size_t n_slots) {
  constexpr std::size_t AHEAD = 16;
  const auto ids = rows_.ids;
  const PackedCount* counts = rows_.data.counts;
  PackedCount* bins[LANES];
  std::uint32_t features[LANES];
  for (std::size_t k = 0; k < LANES; ++k) {
    Slot& slot = slots_[std::min(k, n_slots - 1)];
    features[k] = slot.feature;
    bins[k] = slot.bins.data();
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i + AHEAD < ids.size()) {
      prefetch(matrix_.coarse_row(ids[i + AHEAD]));
      prefetch(counts + ids[i + AHEAD]);
    }
    const std::uint8_t* codes = matrix_.coarse_row(ids[i]);
    const PackedCount row = counts[ids[i]];
    for (std::size_t k = 0; k < n_slots; ++k) bins[k][codes[features[k]]] += row;
  }
}

// The entries of all rows in bins marked as opened, sorted; returns how many.
template <class Rows>
std::size_t CountSearch<Rows>::open_bins(const Slot& slot) {
  const std::uint16_t* column = rows_.column(slot.feature);
  entries_.resize(std::max(entries_.size(), rows_.ids.size() + 1));
  std::size_t n = 0;
  if constexpr (LOCAL) {
    n = node_->kernels.open_counts({rows_.ids.data(), rows_.ids.size(), rows_.data.tails, column,
                                    slot.shift, opened_.data(), entries_.data()});
  } else {
    for (const auto id : rows_.ids) {
      const std::uint32_t code = column[id];
      entries_[n] = make_entry<SmallEntry>(code, rows_.data.tails[id]);
      n += opened_[code >> slot.shift];
    }
  }
  sort_entries(entries_, scratch_, n);
  return n;
}

// The best cut that gains more than `to_beat`, between and inside the bins, the lowest of equals.
template <class Rows>
auto CountSearch<Rows>::best_cut(Slot& slot, double to_beat) -> Found {
  const Node& node = *node_;
  Found found;
  const double excess = node.kernels.count_bounds(slot.view(node), to_beat);
  if (excess <= 0 && slot.top_gain <= to_beat) return found;
  bool any_opened = false;
  opened_.resize(std::max<std::size_t>(opened_.size(), slot.n_bins));
  for (std::uint32_t b = 0; b < slot.n_bins; ++b) {
    const bool exceeds = slot.excess[b] > 0, has_several = slot.n[b + 1] - slot.n[b] > 1;
    const bool opens = exceeds & has_several & (slot.shift > 0);
    opened_[b] = opens;
    any_opened |= opens;
  }
  const std::size_t n_entries = any_opened ? open_bins(slot) : 0;
  const double mean = node.totals.wy / node.totals.w;
  const double tolerance = node.limits.tolerance / node.totals.w;
  const auto offer = [&](double gain, std::uint32_t code, PackedCount left) {
    if (gain > found.gain + (found.gain < 0 ? 0 : tolerance)) found = {gain, code, left};
  };
  std::size_t at = 0;
  for (std::uint32_t b = 0; b < slot.n_bins; ++b) {
    PackedCount left = pack_count(slot.n[b], slot.w[b], slot.wy[b]);
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
    if (slot.gain[b] > to_beat && slot.n[b + 1] > slot.n[b]) {
      offer(slot.gain[b], ((b + 1) << slot.shift) - 1,
            pack_count(slot.n[b + 1], slot.w[b + 1], slot.wy[b + 1]));
    }
  }
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
    sort_entries(entries_, scratch_, n);
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
