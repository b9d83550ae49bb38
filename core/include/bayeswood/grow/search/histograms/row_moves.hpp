// What is done to the rows of large nodes of numbers that stand together, see moved_rows.hpp.
#pragma once

#include <cstdint>

#include "bayeswood/grow/target.hpp"

namespace bayeswood {

// A bit per row says which side it goes to, 1: left. Words of 64 rows.
struct SideMarks {
  const std::uint16_t* codes;
  std::uint32_t n;
  std::uint32_t cut;     // codes up to it go left
  std::uint64_t* sides;  // to be written
  // The node's own neighbours of the cut, to be found: left and right of it.
  std::uint32_t below, above;
};

// An array of the rows' numbers, to be partitioned stably.
template <class Value>
struct ArrayPart {
  const Value* from;
  Value* to;  // the same place, or another
  std::uint32_t n;
  const std::uint64_t* sides;
  Value* scratch;  // room for n and a vector more
};

// Rows to be added to the bins of a few features.
constexpr std::uint32_t MOVED_FILL = 4;
struct MovedFill {
  std::uint32_t n;
  const WeightedValue* pair;
  const std::uint16_t* columns[MOVED_FILL];
  std::uint32_t shifts[MOVED_FILL];  // a bin holds the codes that are equal but for so many bits
  WeightedValue* sums[MOVED_FILL];
  std::uint32_t* counts[MOVED_FILL];
};

// Rows whose codes lie from `low` to `high`, to be listed by their places.
struct CodesWithin {
  const std::uint16_t* codes;
  std::uint32_t n;
  std::uint16_t low, high;
  std::uint32_t* places;  // room for n and a vector more
};

struct MoveKernels {
  template <class Value>
  using Part = void (*)(const ArrayPart<Value>& task);

  std::uint32_t (*mark)(SideMarks& task) = nullptr;  // how many go left
  Part<std::uint16_t> part_codes = nullptr;
  Part<std::uint32_t> part_rows = nullptr;
  Part<double> part_numbers = nullptr;
  Part<WeightedValue> part_pairs = nullptr;
  void (*fill)(const MovedFill& task) = nullptr;               // all features
  void (*fill_one)(const MovedFill& task) = nullptr;           // the first of them alone
  std::uint32_t (*within)(const CodesWithin& task) = nullptr;  // how many are listed
};

const MoveKernels& portable_moves();
// Where the compiler has no AVX2, those above.
const MoveKernels& avx2_moves();
const MoveKernels& avx512_moves();
// The same of processors that cannot press 16-bit lanes together.
const MoveKernels& older_avx512_moves();

}  // namespace bayeswood
