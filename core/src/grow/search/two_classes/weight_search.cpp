#include "bayeswood/grow/search/two_classes/weight_search.hpp"

#include <algorithm>

#include "bayeswood/grow/search/two_classes/row_bins.hpp"

namespace bayeswood {

WeightBins WeightSearch::Slot::view(const Node& node) {
  return {static_cast<std::uint32_t>(gain.size()),
          n_cuts,
          bins.data(),
          w.data(),
          wy.data(),
          gain.data(),
          node.totals.w,
          node.totals.wy,
          node.limits.min_weight};
}

void WeightSearch::set_slot(Slot& slot, std::uint32_t feature) {
  const std::uint32_t n_codes = subtree_.matrix().feature(feature).n_codes;
  slot.feature = feature;
  slot.shift = bin_shift(n_codes, ids_.size());
  slot.n_bins = ((n_codes - 1) >> slot.shift) + 1;
  const std::uint32_t padded = (slot.n_bins + BIN_STEP - 1) / BIN_STEP * BIN_STEP;
  slot.bins.assign(padded, WeightedValue{0, 0});
  slot.gain.resize(padded);
  slot.w.resize(padded + 1);
  slot.wy.resize(padded + 1);
  slot.codes.resize(std::max(slot.codes.size(), ids_.size()));
}

void WeightSearch::fill(std::size_t n_slots) {
  BinFill<WeightedValue> task{ids_.data(), ids_.size(), subtree_.rows().pair, {}, {}, {}, {}};
  idle_bins_.resize(MAX_BINS);
  idle_codes_.resize(std::max(idle_codes_.size(), ids_.size()));
  for (std::size_t k = 0; k < LANES; ++k) {
    Slot& slot = slots_[std::min(k, n_slots - 1)];
    task.columns[k] = subtree_.column(slot.feature);
    task.shifts[k] = slot.shift;
    task.bins[k] = k < n_slots ? slot.bins.data() : idle_bins_.data();
    task.codes[k] = k < n_slots ? slot.codes.data() : idle_codes_.data();
  }
  node_->kernels.fill_weights(task);
  for (std::size_t k = 0; k < n_slots; ++k) {
    Slot& slot = slots_[k];
    slot.n_cuts = slot.n_bins - 1;  // rows lie right of a cut, not dust of rounding
    while (slot.n_cuts > 0 && slot.bins[slot.n_cuts].w == 0) --slot.n_cuts;
  }
}

// The entries of all rows in opened bins, sorted; returns how many.
std::size_t WeightSearch::open_bins(const Slot& slot) {
  places_.resize(std::max(places_.size(), ids_.size() + 16));
  const std::size_t n = node_->kernels.open_bins(
      {slot.codes.data(), ids_.size(), slot.shift, marks_.opened, places_.data()});
  entries_.resize(std::max(entries_.size(), n));
  for (std::size_t i = 0; i < n; ++i)
    entries_[i] = make_entry<SmallEntry>(slot.codes[places_[i]], ids_[places_[i]]);
  sort_entries(entries_.data(), scratch_, n, node_->kernels);
  return n;
}

// The best cut that gains more than `to_beat`, between and inside the bins, the lowest of equals.
WeightSearch::Found WeightSearch::best_cut(Slot& slot, double to_beat) {
  const Node& node = *node_;
  Found found;
  const auto padded = static_cast<std::uint32_t>(slot.gain.size());
  if (!node.kernels.mark_weights(slot.view(node), to_beat, marks_)) return found;
  if (slot.shift == 0) std::fill(std::begin(marks_.opened), std::end(marks_.opened), 0);
  const std::size_t n_entries = any_marked(marks_.opened, padded) ? open_bins(slot) : 0;
  const double mean = node.totals.wy / node.totals.w;
  const double tolerance = node.limits.tolerance / node.totals.w;
  const auto offer = [&](double gain, std::uint32_t code) {
    if (gain > found.gain + (found.gain < 0 ? 0 : tolerance)) found = {gain, code};
  };
  std::size_t at = 0;
  each_marked(marks_, padded, [&](std::uint32_t b) {
    double w = slot.w[b];
    double wy = slot.wy[b];
    for (; at < n_entries && code_of(entries_[at]) >> slot.shift == b; ++at) {
      const WeightedValue& row = subtree_.rows().pair[id_of(entries_[at])];
      w += row.w;
      wy += row.wy;
      if (at + 1 == n_entries || code_of(entries_[at + 1]) == code_of(entries_[at])) continue;
      const double w_right = node.totals.w - w;
      if (std::min(w, w_right) < node.limits.min_weight) continue;
      const double shift = wy - mean * w;
      offer(shift * shift / (w * w_right), code_of(entries_[at]));
    }
    if (is_marked(marks_.offered, b)) offer(slot.gain[b], ((b + 1) << slot.shift) - 1);
  });
  return found;
}

std::uint32_t WeightSearch::search(std::span<const std::uint32_t> features, Split& best) {
  const Node& node = *node_;
  const std::size_t n_slots = features.size();
  for (std::size_t k = 0; k < n_slots; ++k) set_slot(slots_[k], features[k]);
  fill(n_slots);
  const double slack = 2 * node.limits.tolerance / node.totals.w;  // ties are opened too
  const double known = best.found() ? (best.score - node.totals.score) / node.totals.w : -1;
  const std::span<Slot> slots(slots_, n_slots);
  for (Slot& slot : slots) slot.top_gain = node.kernels.weight_gains(slot.view(node));
  const auto cuts = best_cuts(slots, known, slack,
                              [&](Slot& slot, double to_beat) { return best_cut(slot, to_beat); });
  for (std::size_t k = 0; k < n_slots; ++k) {
    const double score = node.totals.score + node.totals.w * cuts[k].gain;
    if (cuts[k].gain < 0 || (best.found() && score <= best.score + node.limits.tolerance)) continue;
    best.score = score;
    best.feature = slots_[k].feature;
    best.cut_code = cuts[k].code;
    best.upper_code = 0;
  }
  return 0;
}

}  // namespace bayeswood
