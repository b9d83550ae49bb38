// How finely the rows of a node are binned by code, and the rows of opened bins in order of code.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bayeswood/grow/search/lists/entry_sort.hpp"
#include "bayeswood/grow/search/scan.hpp"

namespace bayeswood {

constexpr std::uint32_t ROWS_PER_BIN = 6;
constexpr std::uint32_t MIN_BINS = 32;

// So coarse that the feature's codes fall into about one bin for ROWS_PER_BIN rows.
inline std::uint32_t bin_shift(std::uint32_t n_codes, std::size_t n_rows) {
  const auto wanted = static_cast<std::uint32_t>(n_rows / ROWS_PER_BIN);
  const std::uint32_t n_bins = std::bit_floor(std::clamp(wanted, MIN_BINS, MAX_BINS));
  const int code_bits = std::bit_width(n_codes - 1);
  const int bin_bits = std::bit_width(n_bins) - 1;
  return static_cast<std::uint32_t>(std::max(0, code_bits - bin_bits));
}

inline void sort_entries(SmallEntry* entries, std::vector<SmallEntry>& scratch, std::size_t n,
                         const Kernels& kernels) {
  const auto size = static_cast<std::uint32_t>(n);
  if (kernels.sort_few != nullptr && n <= FEW_ENTRIES) return kernels.sort_few(entries, size);
  if (n <= INSERTION_ROWS) return insertion_sort(entries, size);
  DigitStarts starts;
  for (std::size_t i = 0; i < n; ++i) starts.count(code_of(entries[i]));
  scratch.resize(std::max(scratch.size(), n));
  sort_counted(entries, scratch.data(), size, starts);
}

// Calls act(bin) for each bin with a mark, in order.
template <class Act>
void each_marked(const BinMarks& marks, std::uint32_t n_bins, Act act) {
  for (std::uint32_t first = 0; first < n_bins; first += BIN_STEP) {
    std::uint32_t bits = marks.opened[first / 8] | marks.offered[first / 8];
    for (; bits != 0; bits &= bits - 1)
      act(first + static_cast<std::uint32_t>(std::countr_zero(bits)));
  }
}
inline bool is_marked(const std::uint8_t* bits, std::uint32_t bin) {
  return (bits[bin / 8] >> (bin % 8) & 1U) != 0;
}
inline bool any_marked(const std::uint8_t* bits, std::uint32_t n_bins) {
  return std::any_of(bits, bits + n_bins / 8, [](std::uint8_t byte) { return byte != 0; });
}

// best_cut(slot, to_beat) of every slot. What gains within `slack` of the best so far is a tie and
// searched too; the most promising slots come first, for that saves opening the bins of others.
template <class Slot, class BestCut>
auto best_cuts(std::span<Slot> slots, double best_gain, double slack, BestCut best_cut) {
  std::array<std::size_t, LANES> order{0, 1, 2, 3};
  for (std::size_t k = 1; k < slots.size(); ++k) {
    for (auto j = k; j > 0 && slots[order[j]].top_gain > slots[order[j - 1]].top_gain; --j)
      std::swap(order[j], order[j - 1]);
  }
  best_gain = std::max(best_gain, slots[order[0]].top_gain);
  std::array<decltype(best_cut(slots[0], best_gain)), LANES> cuts;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    cuts[order[k]] = best_cut(slots[order[k]], best_gain - slack);
    best_gain = std::max(best_gain, cuts[order[k]].gain);
  }
  return cuts;
}

}  // namespace bayeswood
