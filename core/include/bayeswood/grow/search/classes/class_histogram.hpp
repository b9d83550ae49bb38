// Splits for CLASSES from class weights by code, without sorting: for numeric features whose codes
// are few beside the node's rows. Sums of each cut are made afresh from the class weights of both
// sides. Several features are filled together: what a row adds to one need not wait for another.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/node.hpp"
#include "bayeswood/grow/search/classes/class_lanes.hpp"

namespace bayeswood {

class ClassHistogram {
 public:
  explicit ClassHistogram(const Target& target)
      : n_classes_(target.n_outputs), gini_(target.criterion == Criterion::GINI) {}

  // A node, then up to LANES features by slot, then their bins.
  void restart(const Limits& limits) {
    counts_rows_ = limits.min_rows > 1;
    filled_.clear();
  }
  void add(std::uint32_t slot, const std::uint16_t* column, const FeatureCodes& codes) {
    Slot& mine = slots_[slot];
    mine.column = column;
    mine.n_codes = codes.n_codes;
    clear_sums(mine.sums, (std::size_t{codes.n_codes} + 1) * n_classes_);
    mine.has_missing = codes.has_missing;
    if (counts_rows_) mine.count.assign(codes.n_codes + 1, 0);
    filled_.push_back(&mine);
  }
  void fill(std::span<const std::uint16_t> ids, const RowData& rows) {
    if (filled_.size() == LANES) {
      fill_slots<LANES>(filled_.data(), ids, rows);
    } else {
      for (Slot*& slot : filled_) fill_slots<1>(&slot, ids, rows);
    }
    for (Slot* slot : filled_) {
      if (counts_rows_) count_rows(*slot, ids);
    }
  }

  Split search(std::uint32_t slot, std::uint32_t feature, const NodeTotals& node,
               const Limits& limits) {
    const Slot& mine = slots_[slot];
    add_totals(mine);
    Split best = sweep(mine, node, limits, false);
    const bool missing = mine.has_missing && !is_empty(mine, mine.n_codes);
    if (missing) keep_better(best, sweep(mine, node, limits, true), limits.tolerance);
    best.feature = feature;
    best.missing_seen = missing;
    return best;
  }

 private:
  struct Slot {
    const std::uint16_t* column;
    std::uint32_t n_codes;  // missing values stand behind the last code
    bool has_missing;
    LineVector<double> sums;           // of every class
    std::vector<std::uint32_t> count;  // of rows, where they are limited
  };

  // All rows weigh something.
  bool is_empty(const Slot& slot, std::uint32_t code) const {
    const double* sums = slot.sums.data() + code * n_classes_;
    return are_zero(sums, n_classes_);
  }

  void count_rows(Slot& slot, std::span<const std::uint16_t> ids) const {
    for (const auto id : ids) ++slot.count[std::min<std::uint32_t>(slot.column[id], slot.n_codes)];
  }

  template <std::size_t N>
  void fill_slots(Slot* const* slots, std::span<const std::uint16_t> ids, const RowData& rows) {
    std::array<const std::uint16_t*, N> columns;
    std::array<std::uint32_t, N> last;
    std::array<double*, N> sums;
    for (std::size_t k = 0; k < N; ++k) {
      columns[k] = slots[k]->column;
      last[k] = slots[k]->n_codes;
      sums[k] = slots[k]->sums.data();
    }
    const std::size_t n_classes = n_classes_;
    const std::int32_t* label = rows.label;
    const double* w = rows.w;
    for (const auto id : ids) {
      const double row_w = w[id];
      const auto own = static_cast<std::size_t>(label[id]);
      for (std::size_t k = 0; k < N; ++k) {
        const std::uint32_t code = std::min<std::uint32_t>(columns[k][id], last[k]);
        sums[k][code * n_classes + own] += row_w;
      }
    }
  }

  void add_totals(const Slot& slot) {
    total_.assign(n_classes_, 0.0);
    const std::size_t end = (std::size_t{slot.n_codes} + 1) * n_classes_;
    for (std::size_t at = 0; at < end; at += n_classes_) {
      for (std::size_t c = 0; c < n_classes_; ++c) total_[c] += slot.sums[at + c];
    }
  }

  Split sweep(const Slot& slot, const NodeTotals& node, const Limits& limits, bool missing_left) {
    return gini_ ? sweep<Gini>(slot, node, limits, missing_left)
                 : sweep<Entropy>(slot, node, limits, missing_left);
  }

  template <class Impurity>
  Split sweep(const Slot& slot, const NodeTotals& node, const Limits& limits, bool missing_left) {
    const std::uint32_t n_codes = slot.n_codes;
    Split best;
    left_.assign(n_classes_, 0.0);
    std::uint32_t n_left = 0;
    std::uint32_t last =
        MISSING_CODE;  // of the best cut so far, whose upper neighbour is still to come
    const std::uint32_t end = end_of_rows(slot, missing_left);
    if (missing_left) n_left = move_left(slot, n_codes);
    for (std::uint32_t code = 0; code < n_codes; ++code) {
      if (is_empty(slot, code)) continue;
      if (best.found() && best.cut_code == last) best.upper_code = code;
      last = code;
      if (code + 1 == end) break;  // nothing lies right of it
      n_left += move_left(slot, code);
      if (counts_rows_ && (n_left < limits.min_rows || node.n - n_left < limits.min_rows)) continue;
      double w_left = 0;
      double w_right = 0;
      double sum_left = 0;
      double sum_right = 0;
      for (std::size_t c = 0; c < n_classes_; ++c) {
        const double left = left_[c];
        const double right = total_[c] - left;
        w_left += left;
        w_right += right;
        sum_left += Impurity::term(left);
        sum_right += Impurity::term(right);
      }
      if (std::min(w_left, w_right) < limits.min_weight) continue;
      const double score = Impurity::score(sum_left, w_left) + Impurity::score(sum_right, w_right);
      if (!(score > best.score + limits.tolerance)) continue;
      best.score = score;
      best.cut_code = code;
      best.upper_code = MISSING_CODE;
    }
    best.missing_left = missing_left;
    return best;
  }

  // The codes that rows have come before this one; beyond all of them if missing values stand
  // right.
  std::uint32_t end_of_rows(const Slot& slot, bool missing_left) const {
    std::uint32_t end = slot.n_codes + 1;
    if (slot.has_missing && !missing_left && !is_empty(slot, slot.n_codes)) return end;
    do --end;
    while (end > 0 && is_empty(slot, end - 1));
    return end;
  }

  std::uint32_t move_left(const Slot& slot, std::uint32_t code) {
    const double* sums = slot.sums.data() + code * n_classes_;
    for (std::size_t c = 0; c < n_classes_; ++c) left_[c] += sums[c];
    return counts_rows_ ? slot.count[code] : 0;
  }

  std::size_t n_classes_;
  bool gini_;
  bool counts_rows_ = false;
  std::array<Slot, LANES> slots_;
  std::vector<Slot*> filled_;
  std::vector<double> total_, left_;
};

}  // namespace bayeswood
