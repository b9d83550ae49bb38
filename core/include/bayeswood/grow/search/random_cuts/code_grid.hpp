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
    for (std::uint32_t n = largest - least; n > 7; n -= n / 2) step(n / 2, largest, value, least);
    for (const std::uint32_t n : {4U, 2U, 1U}) step(n, largest, value, least);
    return least;
  }

 private:
  // Moves n codes up where the value is not less, without a branch.
  void step(std::uint32_t n, std::uint32_t largest, double value, std::uint32_t& least) const {
    const std::uint32_t next = std::min(least + n, largest);
    least += (next - least) & (0U - static_cast<std::uint32_t>(low_[next] <= value));
  }

  const CodeValues& low_;
  ValueCells cells_;
};

}  // namespace bayeswood
