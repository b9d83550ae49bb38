// Stable least-significant-digit radix sort of unsigned keys on a range of bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace bayeswood {

struct NothingBetweenPasses {
  void operator()() const {}
};

// Sorts `keys` by bits [first_bit, first_bit + n_bits), 8 at a time; `scratch` has the same length.
// Digits that all keys share cost one counting pass. `between` is called before each pass.
template <class Key, class Between = NothingBetweenPasses>
void radix_sort(Key* keys, Key* scratch, std::size_t n, unsigned first_bit, unsigned n_bits,
                Between between = {}) {
  constexpr unsigned DIGIT = 8;
  Key* from = keys;
  Key* to = scratch;
  for (unsigned bit = first_bit; bit < first_bit + n_bits; bit += DIGIT) {
    between();
    std::array<std::uint32_t, 1U << DIGIT> start{};
    for (std::size_t i = 0; i < n; ++i) ++start[(from[i] >> bit) & 0xff];
    if (start[(from[0] >> bit) & 0xff] == n) continue;
    std::uint32_t total = 0;
    for (auto& count : start) {
      const std::uint32_t here = count;
      count = total;
      total += here;
    }
    for (std::size_t i = 0; i < n; ++i) to[start[(from[i] >> bit) & 0xff]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys) std::copy(from, from + n, keys);
}

}  // namespace bayeswood
