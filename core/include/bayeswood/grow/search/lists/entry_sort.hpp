// Sorting the packed entries of one list by code: by insertion where there are few, by counting the
// two bytes of the code where there are many.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "bayeswood/grow/search/scan.hpp"

namespace bayeswood {

constexpr std::uint32_t INSERTION_ROWS = 40;

inline void insertion_sort(SmallEntry* list, std::uint32_t n) {
  for (std::uint32_t i = 1; i < n; ++i) {
    const SmallEntry entry = list[i];
    std::uint32_t at = i;
    for (; at > 0 && list[at - 1] > entry; --at) list[at] = list[at - 1];
    list[at] = entry;
  }
}

// How often each digit occurs, and then where its entries begin.
struct DigitStarts {
  std::array<std::uint32_t, 256> low{}, high{};
  void count(std::uint32_t code) {
    ++low[code & 0xff];
    ++high[code >> 8];
  }
  static void accumulate(std::array<std::uint32_t, 256>& counts) {
    std::uint32_t total = 0;
    for (auto& count : counts) {
      const std::uint32_t here = count;
      count = total;
      total += here;
    }
  }
};

// Sorts by code, stably; `starts` holds the counts of both bytes of the codes.
inline void sort_counted(SmallEntry* list, SmallEntry* scratch, std::uint32_t n,
                         DigitStarts& starts) {
  const bool one_low = starts.low[code_of(list[0]) & 0xff] == n;
  const bool one_high = starts.high[code_of(list[0]) >> 8] == n;
  SmallEntry* from = list;
  SmallEntry* to = scratch;
  if (!one_low) {
    DigitStarts::accumulate(starts.low);
    for (std::uint32_t i = 0; i < n; ++i) to[starts.low[code_of(from[i]) & 0xff]++] = from[i];
    std::swap(from, to);
  }
  if (!one_high) {
    DigitStarts::accumulate(starts.high);
    for (std::uint32_t i = 0; i < n; ++i) to[starts.high[code_of(from[i]) >> 8]++] = from[i];
    std::swap(from, to);
  }
  if (from != list) std::copy(from, from + n, list);
}

// A list of n rows by their codes, sorted by code and then by row; `scratch` has room for n.
inline void fill_sorted_codes(SmallEntry* list, SmallEntry* scratch, std::uint32_t n,
                              const std::uint16_t* codes) {
  DigitStarts starts;
  for (std::uint32_t i = 0; i < n; ++i) starts.count(codes[i]);
  DigitStarts::accumulate(starts.low);
  DigitStarts::accumulate(starts.high);
  for (std::uint32_t i = 0; i < n; ++i)
    scratch[starts.low[codes[i] & 0xff]++] = make_entry<SmallEntry>(codes[i], i);
  for (std::uint32_t i = 0; i < n; ++i) list[starts.high[code_of(scratch[i]) >> 8]++] = scratch[i];
}

// A list of n entries, `entry(i)` the i-th, sorted by code and then by row; `scratch` has room for
// n.
template <class EntryOf>
void fill_sorted(SmallEntry* list, SmallEntry* scratch, std::uint32_t n, EntryOf entry) {
  if (n <= INSERTION_ROWS) {
    for (std::uint32_t i = 0; i < n; ++i) list[i] = entry(i);
    return insertion_sort(list, n);
  }
  DigitStarts starts;
  for (std::uint32_t i = 0; i < n; ++i) {
    list[i] = entry(i);
    starts.count(code_of(list[i]));
  }
  sort_counted(list, scratch, n, starts);
}

}  // namespace bayeswood
