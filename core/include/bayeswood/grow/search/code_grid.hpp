// Which code a value falls on: codes are first found by cells of equal width over the feature's
// range, so that the search among them is short, and reads few cache lines of many values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bayeswood/grow/encoded_matrix.hpp"

namespace bayeswood {

class CodeGrid {
 public:
  explicit CodeGrid(const CodeValues& low) : low_(low) {
    constexpr std::size_t CODES_PER_CELL = 4, FEW_CODES = 64;
    const std::size_t n = low.size();
    if (n < FEW_CODES) return;
    const std::size_t n_cells = n / CODES_PER_CELL;
    origin_ = low[0];
    scale_ = static_cast<double>(n_cells) / (low[n - 1] - origin_);
    if (!(scale_ > 0 && scale_ < 1e300)) return;  // no range, or one beyond a double
    last_cell_ = static_cast<double>(n_cells - 1);
    before_.assign(n_cells + 1, 0);
    for (std::size_t code = 0; code < n; ++code) ++before_[cell_of(low[code]) + 1];
    for (std::size_t c = 1; c <= n_cells; ++c)
      before_[c] = static_cast<std::uint16_t>(before_[c] + before_[c - 1]);
  }

  // For what will be read first to find a value's code.
  void ask_for(double value) const {
    if (!before_.empty()) prefetch(before_.data() + cell_of(value));
  }

  // The largest code from `least` to `largest` whose least value does not exceed `value`; that of
  // `least` does not.
  std::uint32_t code_below(std::uint32_t least, std::uint32_t largest, double value) const {
    if (!before_.empty()) {
      // Cells never fall as values rise: codes of lower cells lie below, of higher ones above.
      const std::size_t cell = cell_of(value);
      const std::uint32_t n_below = before_[cell];
      largest = std::min<std::uint32_t>(largest, before_[cell + 1] - 1U);
      least = std::min(largest, std::max(least, std::max(n_below, 1U) - 1));
    }
    std::uint32_t n = largest - least + 1;
    while (n > 1) {  // branch-free halving
      const std::uint32_t half = n / 2;
      least += half & (0U - static_cast<std::uint32_t>(low_[least + half] <= value));
      n -= half;
    }
    return least;
  }

 private:
  std::size_t cell_of(double value) const {
    return static_cast<std::size_t>(std::clamp((value - origin_) * scale_, 0.0, last_cell_));
  }

  const CodeValues& low_;
  double origin_ = 0, scale_ = 0, last_cell_ = 0;
  std::vector<std::uint16_t> before_;  // codes of lower cells; empty where all are searched
};

}  // namespace bayeswood
