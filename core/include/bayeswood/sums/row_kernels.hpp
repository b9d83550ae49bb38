// What a sweep does to all rows at once: the loops that take its time.
//
// Every row holds, for each tree, the slot of its leaf: one byte. A node that is not a leaf has the
// slot of its first leaf, so that rows can be sent down from any node by giving those that go right
// another slot. AVX2 and portable loops give the same bits: sums of floats are taken in eight lanes
// over blocks of BLOCK rows, and these in doubles.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayeswood {

using Slot = std::uint8_t;
constexpr std::size_t MOST_SLOTS = 256;

// Least and largest code of a node's rows that are not missing; low > high if there are none.
struct CodeRange {
  std::int32_t low, high;
  bool varies() const { return low < high; }
};

// Rows of a node that go right get another slot.
struct RowSplit {
  Slot slot, right;
  std::int32_t cut;   // codes above it go right
  bool missing_left;  // or missing ones stay
};

// What a pass takes away from the rows, by their slots in the tree before, and gives back, by those
// in the tree at hand; then sums by the slots of a proposal.
struct RowPass {
  std::size_t n_rows;
  float* rest;          // of the rows: responses less the sum of trees, or their ratio
  const float* weight;  // of the rows; nullptr: all 1
  const Slot* before;
  const Slot* present;
  const Slot* proposed;
  const float* take;  // by slot
  const float* give;
  std::size_t n_before, n_present, n_proposed;  // slots in use
};

// Sums by slot, of rest * weight and of weight (only where rows have weights).
struct SlotSums {
  double* rest;
  double* weight;
};

struct RowKernels {
  CodeRange (*narrow_range)(const Slot* slots, Slot slot, const std::uint8_t* codes, std::size_t n);
  CodeRange (*wide_range)(const Slot* slots, Slot slot, const std::uint16_t* codes, std::size_t n);
  // Into `out`; the number of rows that go right.
  std::size_t (*narrow_split)(const Slot* slots, const RowSplit& split, const std::uint8_t* codes,
                              std::size_t n, Slot* out);
  std::size_t (*wide_split)(const Slot* slots, const RowSplit& split, const std::uint16_t* codes,
                            std::size_t n, Slot* out);
  // Every slot by another, of 256; those in use lie below n_slots.
  void (*relabel)(const Slot* slots, const Slot* to, std::size_t n_slots, std::size_t n, Slot* out);
  // rest = rest - take + give, or rest * take * give; sums of the proposal.
  void (*add_pass)(const RowPass& pass, const SlotSums& proposed);
  void (*multiply_pass)(const RowPass& pass, const SlotSums& proposed);
  // Sums of rest and weight as they are, by other slots.
  void (*sum_slots)(const float* rest, const float* weight, const Slot* slots, std::size_t n_slots,
                    std::size_t n_rows, const SlotSums& out);

  CodeRange range(const Slot* slots, Slot slot, const std::uint8_t* codes, std::size_t n) const {
    return narrow_range(slots, slot, codes, n);
  }
  CodeRange range(const Slot* slots, Slot slot, const std::uint16_t* codes, std::size_t n) const {
    return wide_range(slots, slot, codes, n);
  }
  std::size_t split(const Slot* slots, const RowSplit& split, const std::uint8_t* codes,
                    std::size_t n, Slot* out) const {
    return narrow_split(slots, split, codes, n, out);
  }
  std::size_t split(const Slot* slots, const RowSplit& split, const std::uint16_t* codes,
                    std::size_t n, Slot* out) const {
    return wide_split(slots, split, codes, n, out);
  }
};

const RowKernels& portable_row_kernels();
// nullptr where the compiler or the machine has no AVX2.
const RowKernels* avx2_row_kernels();

}  // namespace bayeswood
