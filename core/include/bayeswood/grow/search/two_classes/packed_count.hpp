// Rows, weight and weight of class 1 of a set of rows in one word: sets add up like numbers.
#pragma once

#include <cstdint>

namespace bayeswood {

using PackedCount = std::uint64_t;

constexpr unsigned COUNT_BITS = 22;
constexpr std::uint32_t MAX_COUNT = (1U << COUNT_BITS) - 1;  // weight of a set
constexpr std::uint32_t MAX_COUNTED_ROWS = (1U << 20) - 1;   // rows of a set

constexpr PackedCount pack_count(std::uint32_t n, std::uint32_t w, std::uint32_t wy) {
  return PackedCount{n} << (2 * COUNT_BITS) | PackedCount{w} << COUNT_BITS | wy;
}
constexpr std::uint32_t count_n(PackedCount c) {
  return static_cast<std::uint32_t>(c >> (2 * COUNT_BITS));
}
constexpr std::uint32_t count_w(PackedCount c) {
  return static_cast<std::uint32_t>(c >> COUNT_BITS) & MAX_COUNT;
}
constexpr std::uint32_t count_wy(PackedCount c) {
  return static_cast<std::uint32_t>(c) & MAX_COUNT;
}

// A row by itself in 16 bits: its weight above its class.
using RowTail = std::uint16_t;
constexpr std::uint32_t MAX_ROW_COUNT = 32767;

constexpr RowTail row_tail(std::uint32_t w, bool is_one) {
  return static_cast<RowTail>(w << 1 | (is_one ? 1U : 0U));
}
constexpr PackedCount count_of(RowTail tail) {
  const std::uint32_t w = tail >> 1;
  return pack_count(1, w, w & -(tail & 1U));
}

// Rows by number in both forms.
struct CountedRows {
  const PackedCount* counts = nullptr;
  const RowTail* tails = nullptr;
};

}  // namespace bayeswood
