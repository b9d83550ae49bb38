// Which code a value falls on.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bayeswood/base/value_cells.hpp"
#include "bayeswood/grow/encoded_matrix.hpp"

namespace bayeswood {

class CodeGrid {
 public:
  explicit CodeGrid(const CodeValues& low) : low_(low), cells_(low) {}

  const ValueCells& cells() const { return cells_; }

  // The largest code from `least` to `largest` whose least value does not exceed `value`; that of
  // `least` does not.
  std::uint32_t code_below(std::uint32_t least, std::uint32_t largest, double value) const {
    const ValueCells::Cell cell = cells_.around(value);
    largest = std::min(largest, cell.end - 1);
    least = std::min(largest, std::max(least, std::max(cell.first, 1U) - 1));
    std::uint32_t n = largest - least + 1;
    while (n > 1) {  // branch-free halving
      const std::uint32_t half = n / 2;
      least += half & (0U - static_cast<std::uint32_t>(low_[least + half] <= value));
      n -= half;
    }
    return least;
  }

 private:
  const CodeValues& low_;
  ValueCells cells_;
};

}  // namespace bayeswood
