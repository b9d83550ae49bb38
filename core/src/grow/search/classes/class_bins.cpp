#include "bayeswood/grow/search/classes/class_bins.hpp"

#include <algorithm>
#include <array>

namespace bayeswood {

void ClassBins::restart(std::span<const std::uint16_t> ids, const RowData& rows,
                        const Limits& limits) {
  ids_ = ids;
  rows_ = &rows;
  counts_rows_ = limits.min_rows > 1;
  filled_.clear();
}

void ClassBins::add(std::uint32_t slot, const std::uint16_t* column, const FeatureCodes& codes) {
  Slot& mine = slots_[slot];
  mine.column = column;
  mine.n_codes = codes.n_codes;
  mine.has_missing = codes.has_missing;
  clear_sums(mine.sums, (std::size_t{codes.n_codes} + 1) * lanes_.width());
  filled_.push_back(&mine);
}

void ClassBins::fill() {
  const bool missing =
      std::any_of(filled_.begin(), filled_.end(), [](Slot* slot) { return slot->has_missing; });
  if (filled_.size() == LANES) {
    missing ? fill_slots<LANES, true>(filled_.data()) : fill_slots<LANES, false>(filled_.data());
  } else {
    for (Slot*& slot : filled_) fill_slots<1, true>(&slot);
  }
  for (Slot* slot : filled_) {
    if (counts_rows_) count_rows(*slot);
  }
}

template <std::size_t N, bool MISSING>
void ClassBins::fill_slots(Slot* const* slots) {
  std::array<const std::uint16_t*, N> columns;
  std::array<double*, N> sums;
  std::array<std::size_t, N> last;
  for (std::size_t k = 0; k < N; ++k) {
    columns[k] = slots[k]->column;
    sums[k] = slots[k]->sums.data();
    last[k] = slots[k]->n_codes;
  }
  const std::uint32_t width = lanes_.width();
  const double* w = rows_->w;
  const std::int32_t* label = rows_->label;
  for (const auto id : ids_) {
    const double row_w = w[id];
    const std::size_t lane = lanes_.lane(label[id]);
    for (std::size_t k = 0; k < N; ++k) {
      const std::size_t code = columns[k][id];
      sums[k][(MISSING ? std::min(code, last[k]) : code) * width + lane] += row_w;
    }
  }
}

void ClassBins::count_rows(Slot& slot) const {
  slot.n_below.assign(slot.n_codes + 1, 0);
  for (const auto id : ids_) {
    ++slot.n_below[std::min<std::uint32_t>(slot.column[id], slot.n_codes)];
  }
  for (std::uint32_t code = 1; code < slot.n_codes; ++code) {
    slot.n_below[code] += slot.n_below[code - 1];
  }
}

bool ClassBins::is_empty(const Slot& slot, std::uint32_t code) const {
  const double* sums = slot.sums.data() + std::size_t{code} * lanes_.width();
  return are_zero(sums, lanes_.width());
}

// A cut after an empty bin never wins: it scores as the one before it, or, where only missing
// values lie left of it, as that which sends just them to the right.
Split ClassBins::sweep(const Slot& slot, bool missing_left, const Limits& limits) {
  static constexpr double NOTHING[MAX_CLASS_VECTORS * LANES] = {};
  const double* missing = slot.sums.data() + std::size_t{slot.n_codes} * lanes_.width();
  const std::uint32_t n_missing = counts_rows_ && missing_left ? slot.n_below[slot.n_codes] : 0;
  const auto allowed = [&](std::uint32_t code) {
    if (!counts_rows_) return true;
    const std::uint32_t n_left = slot.n_below[code] + n_missing;
    return n_left >= limits.min_rows && ids_.size() - n_left >= limits.min_rows;
  };
  const bool missing_right = slot.has_missing && !missing_left && !is_empty(slot, slot.n_codes);
  std::uint32_t n_cuts = slot.n_codes;
  while (!missing_right && n_cuts > 0 && is_empty(slot, n_cuts - 1)) --n_cuts;
  if (!missing_right && n_cuts > 0) --n_cuts;  // rows must lie right of a cut, not dust of rounding
  const Cut cut =
      lanes_.scan_bins(slot.sums.data(), n_cuts, missing_left ? missing : NOTHING, limits, allowed);
  Split split;
  if (!cut.found()) return split;
  split.score = cut.score;
  split.cut_code = cut.position;
  split.upper_code = cut.position + 1;
  while (split.upper_code < slot.n_codes && is_empty(slot, split.upper_code)) ++split.upper_code;
  if (split.upper_code == slot.n_codes) split.upper_code = MISSING_CODE;
  split.missing_left = missing_left;
  return split;
}

Split ClassBins::search(std::uint32_t slot, std::uint32_t feature, const Limits& limits) {
  const Slot& mine = slots_[slot];
  Split best = sweep(mine, false, limits);
  const bool missing = mine.has_missing && !is_empty(mine, mine.n_codes);
  if (missing) keep_better(best, sweep(mine, true, limits), limits.tolerance);
  best.feature = feature;
  best.missing_seen = missing;
  return best;
}

}  // namespace bayeswood
