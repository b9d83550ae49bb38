// Where a value falls among many in ascending order: these are first found by cells of equal width
// over their range, so that the search among them is short, and reads few cache lines.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/prefetch.hpp"

namespace bayeswood {

class ValueCells {
 public:
  ValueCells() = default;

  // Of at most 65,535 values, ascending; infinite ones may be among them.
  template <class Values>
  explicit ValueCells(const Values& values) : n_values_(static_cast<std::uint32_t>(values.size())) {
    constexpr std::size_t VALUES_PER_CELL = 4, FEW_VALUES = 64;
    const std::size_t n = values.size();
    if (n < FEW_VALUES) return;
    const std::size_t n_cells = n / VALUES_PER_CELL;
    std::size_t first = 0, last = n - 1;
    while (first < last && std::isinf(values[first])) ++first;
    while (first < last && std::isinf(values[last])) --last;
    origin_ = values[first];
    scale_ = static_cast<double>(n_cells) / (values[last] - origin_);
    if (!(scale_ > 0 && scale_ < 1e300)) return;  // no range, or one beyond a double
    last_cell_ = static_cast<double>(n_cells - 1);
    before_.assign(n_cells + 1, 0);
    for (std::size_t i = 0; i < n; ++i) ++before_[cell_of(values[i]) + 1];
    for (std::size_t c = 1; c <= n_cells; ++c)
      before_[c] = static_cast<std::uint16_t>(before_[c] + before_[c - 1]);
  }

  // The values first .. end - 1 share a cell with a value: lower ones are less, others are greater.
  struct Cell {
    std::uint32_t first, end;
  };
  // All values, where there are no cells.
  Cell around(double value) const {
    if (empty()) return {0, n_values_};
    const std::size_t cell = cell_of(value);
    return {before_[cell], before_[cell + 1]};
  }
  bool empty() const { return before_.empty(); }
  void ask_for(double value) const {
    if (!empty()) prefetch(before_.data() + cell_of(value));
  }
  std::size_t nbytes() const { return before_.size() * sizeof(std::uint16_t); }

 private:
  // Never falls as values rise.
  std::size_t cell_of(double value) const {
    return static_cast<std::size_t>(std::clamp((value - origin_) * scale_, 0.0, last_cell_));
  }

  std::uint32_t n_values_ = 0;
  double origin_ = 0, scale_ = 0, last_cell_ = 0;
  std::vector<std::uint16_t> before_;  // values of lower cells; empty where all are searched
};

// How many of the cells' values lie below each number: it is <= values[k] exactly where its place
// is <= k. All numbers halve the list around theirs at the same time, and by a mask: a branch would
// be guessed wrong every other time. A list may be longer than its cell: what lies around it is as
// it should be.
template <std::size_t WIDTH>
void find_places(std::span<const double> values, const ValueCells& cells, const double* number,
                 std::uint16_t* place) {
  std::size_t at[WIDTH];
  std::size_t n = 0;
  for (std::size_t r = 0; r < WIDTH; ++r) {
    const ValueCells::Cell cell = cells.around(number[r]);
    at[r] = cell.first;
    n = std::max<std::size_t>(n, cell.end - cell.first);
  }
  for (std::size_t r = 0; r < WIDTH; ++r) at[r] = std::min(at[r], values.size() - n);
  for (; n > 1; n -= n / 2) {
    const double* middle = values.data() + n / 2 - 1;
    for (std::size_t r = 0; r < WIDTH; ++r)
      at[r] += n / 2 & -static_cast<std::size_t>(middle[at[r]] < number[r]);
  }
  for (std::size_t r = 0; r < WIDTH; ++r)
    place[r] = static_cast<std::uint16_t>(at[r] + (n == 1 && values[at[r]] < number[r] ? 1 : 0));
}

}  // namespace bayeswood
