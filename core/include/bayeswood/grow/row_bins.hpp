// How finely the rows of a node are binned by code, and the rows of opened bins in order of code.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "bayeswood/grow/entry_sort.hpp"

namespace bayeswood {

constexpr std::uint32_t ROWS_PER_BIN = 6;
constexpr std::uint32_t MIN_BINS = 32;
constexpr std::uint32_t MAX_BINS = 512;

// So coarse that the feature's codes fall into about one bin for ROWS_PER_BIN rows.
inline std::uint32_t bin_shift(std::uint32_t n_codes, std::size_t n_rows) {
  const auto wanted = static_cast<std::uint32_t>(n_rows / ROWS_PER_BIN);
  const std::uint32_t n_bins = std::bit_floor(std::clamp(wanted, MIN_BINS, MAX_BINS));
  const int code_bits = std::bit_width(n_codes - 1);
  const int bin_bits = std::bit_width(n_bins) - 1;
  return static_cast<std::uint32_t>(std::max(0, code_bits - bin_bits));
}

inline void sort_entries(std::vector<SmallEntry>& entries, std::vector<SmallEntry>& scratch,
                         std::size_t n) {
  if (n <= INSERTION_ROWS) return insertion_sort(entries.data(), static_cast<std::uint32_t>(n));
  DigitStarts starts;
  for (std::size_t i = 0; i < n; ++i) starts.count(code_of(entries[i]));
  scratch.resize(std::max(scratch.size(), n));
  sort_counted(entries.data(), scratch.data(), static_cast<std::uint32_t>(n), starts);
}

}  // namespace bayeswood
