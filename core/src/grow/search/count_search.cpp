#include "bayeswood/grow/search/count_search.hpp"

#include <algorithm>

#include "bayeswood/base/prefetch.hpp"
#include "bayeswood/grow/search/entry_sort.hpp"
#include "bayeswood/grow/search/row_bins.hpp"

namespace bayeswood {
namespace {

constexpr std::uint32_t MAX_LANE_ROWS = 128;  // with more, bins are cheaper than sorting all rows

}  // namespace

CountBins CountSearch::Slot::view(const Node& node) {
  const auto n_padded = static_cast<std::uint32_t>(gain.size());
  return {n_padded,      bins.data(),    n.data(),      w.data(),
          wy.data(),     gain.data(),    excess.data(), static_cast<std::int32_t>(node.totals.n),
          node.totals.w, node.totals.wy, node.limits};
}

void CountSearch::set_slot(Slot& slot, std::uint32_t feature, std::uint32_t shift) {
  slot.feature = feature;
  slot.shift = shift;
  slot.n_bins = ((matrix_.feature(feature).n_codes - 1) >> shift) + 1;
  const std::uint32_t padded = (slot.n_bins + LANES - 1) / LANES * LANES;
  slot.bins.assign(padded, 0);
  slot.gain.resize(padded);
  slot.excess.resize(padded);
  for (auto* sums : {&slot.n, &slot.w, &slot.wy}) sums->resize(padded + 1);
}

void CountSearch::fill(const LocalRows& rows, const Node& node, std::size_t n_slots) {
  CountFill task{rows.ids.data(), rows.size(), rows.data.counts, {}, {}, {}};
  idle_bins_.resize(std::max<std::size_t>(idle_bins_.size(), MAX_BINS));
  for (std::size_t k = 0; k < LANES; ++k) {
    Slot& slot = slots_[std::min(k, n_slots - 1)];
    task.columns[k] = rows.column(slot.feature);
    task.shifts[k] = slot.shift;
    task.bins[k] = k < n_slots ? slot.bins.data() : idle_bins_.data();
  }
  node.kernels.fill_counts(task);
}

void CountSearch::fill(const TableRows& rows, const Node&, std::size_t n_slots) {
  constexpr std::size_t AHEAD = 16;
  const std::size_t n = rows.size();
  PackedCount* bins[LANES];
  std::uint32_t features[LANES];
  for (std::size_t k = 0; k < LANES; ++k) {
    Slot& slot = slots_[std::min(k, n_slots - 1)];
    features[k] = slot.feature;
    bins[k] = slot.bins.data();
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (i + AHEAD < n) {
      prefetch(rows.matrix.coarse_row(rows.ids[i + AHEAD]));
      prefetch(rows.data.counts + rows.ids[i + AHEAD]);
    }
    const std::uint8_t* codes = rows.matrix.coarse_row(rows.ids[i]);
    const PackedCount row = rows.data.counts[rows.ids[i]];
    for (std::size_t k = 0; k < n_slots; ++k) bins[k][codes[features[k]]] += row;
  }
}

// The entries of all rows in bins marked as opened, sorted; returns how many.
std::size_t CountSearch::open_bins(const Slot& slot, const LocalRows& rows, const Node& node) {
  entries_.resize(std::max(entries_.size(), rows.size() + 1));
  const std::size_t n = node.kernels.open_counts({rows.ids.data(), rows.size(), rows.data.tails,
                                                  rows.column(slot.feature), slot.shift,
                                                  opened_.data(), entries_.data()});
  sort_entries(entries_, scratch_, n);
  return n;
}

std::size_t CountSearch::open_bins(const Slot& slot, const TableRows& rows, const Node&) {
  const std::uint16_t* column = rows.column(slot.feature);
  entries_.resize(std::max(entries_.size(), rows.size() + 1));
  std::size_t n = 0;
  for (const auto id : rows.ids) {
    const std::uint32_t code = column[id];
    entries_[n] = make_entry<SmallEntry>(code, rows.data.tails[id]);
    n += opened_[code >> slot.shift];
  }
  sort_entries(entries_, scratch_, n);
  return n;
}

// The best cut that gains more than `to_beat`, between and inside the bins, the lowest of equals.
template <class Rows>
CountSearch::Found CountSearch::best_cut(Slot& slot, const Rows& rows, const Node& node,
                                         double to_beat) {
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
  const std::size_t n_entries = any_opened ? open_bins(slot, rows, node) : 0;
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
void CountSearch::search_bins(const Rows& rows, const Node& node, std::size_t n_slots,
                              Split& best) {
  fill(rows, node, n_slots);
  const double slack = 2 * node.limits.tolerance / node.totals.w;  // ties are opened too
  const double known = best.found() ? (best.score - node.totals.score) / node.totals.w : -1;
  const std::span<Slot> slots(slots_, n_slots);
  for (Slot& slot : slots) slot.top_gain = node.kernels.count_gains(slot.view(node));
  const auto cuts = best_cuts(slots, known, slack, [&](Slot& slot, double to_beat) {
    return best_cut(slot, rows, node, to_beat);
  });
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

void CountSearch::search(const LocalRows& rows, const Node& node,
                         std::span<const std::uint32_t> features, Split& best) {
  if (rows.size() <= MAX_LANE_ROWS) return search_lanes(rows, node, features, best);
  for (std::size_t k = 0; k < features.size(); ++k) {
    set_slot(slots_[k], features[k], bin_shift(matrix_.feature(features[k]).n_codes, rows.size()));
  }
  search_bins(rows, node, features.size(), best);
}

void CountSearch::search(const TableRows& rows, const Node& node,
                         std::span<const std::uint32_t> features, Split& best) {
  for (std::size_t k = 0; k < features.size(); ++k) {
    set_slot(slots_[k], features[k], matrix_.feature(features[k]).shift);
  }
  search_bins(rows, node, features.size(), best);
}

void CountSearch::sort_each_lane(SmallEntry* lanes, std::uint32_t n) {
  entries_.resize(std::max<std::size_t>(entries_.size(), n));
  for (std::uint32_t l = 0; l < LANES; ++l) {
    for (std::uint32_t i = 0; i < n; ++i) entries_[i] = lanes[i * LANES + l];
    sort_entries(entries_, scratch_, n);
    for (std::uint32_t i = 0; i < n; ++i) lanes[i * LANES + l] = entries_[i];
  }
}

void CountSearch::search_lanes(const LocalRows& rows, const Node& node,
                               std::span<const std::uint32_t> features, Split& best) {
  alignas(32) SmallEntry lanes[MAX_LANE_ROWS * LANES];
  const auto n = static_cast<std::uint32_t>(rows.size());
  const std::uint32_t padded = (n + NETWORK_STEP - 1) / NETWORK_STEP * NETWORK_STEP;
  std::fill(lanes + std::size_t{n} * LANES, lanes + std::size_t{padded} * LANES, ~SmallEntry{0});
  const std::uint16_t* columns[LANES];
  for (std::size_t l = 0; l < LANES; ++l) {
    columns[l] = rows.column(features[std::min(l, features.size() - 1)]);
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint16_t id = rows.ids[i];
    const RowTail tail = rows.data.tails[id];
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

}  // namespace bayeswood
