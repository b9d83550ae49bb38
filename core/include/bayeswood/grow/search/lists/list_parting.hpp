// Splitting the sorted lists of a node stably, from which side each row goes to.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayeswood {

// Of so few rows the sides are a table of bits that stays in registers.
constexpr std::uint32_t MAX_TWIG_ROWS = 1024;

// One bit per row: 1 goes left.
struct RowSides {
  alignas(64) std::uint64_t words[MAX_TWIG_ROWS / 64];
};

struct ListParting {
  std::uint32_t* lists;  // of entries, whose last ten bits are the row
  std::size_t stride;    // from list to list
  std::uint32_t n_lists;
  std::uint32_t skipped;  // the number of a list that stays as it is
  std::uint32_t n;        // entries of each
  const RowSides& sides;
  std::uint32_t* scratch;  // room for n + LIST_ROOM
  // Of long lists, in place of `sides`: one byte per row, whose number has 16 bits.
  const std::uint8_t* side = nullptr;
};
constexpr std::uint32_t LIST_ROOM = 16;
// Left entries first, both in order.
using ListPart = void (*)(const ListParting& task);
// Where one side is not needed any more, its entries are lost.
struct ListParts {
  ListPart both, left, right;
};

// Bits from the bytes of MAX_TWIG_ROWS rows, which are 0 or 1.
using SidePacking = void (*)(const std::uint8_t* side, RowSides& sides);

// Numbers the rows of a list anew, and leaves out those that have no number. `to` has room for
// LIST_ROOM more.
constexpr std::uint16_t NO_NUMBER = 65535;
using ListPicking = void (*)(const std::uint32_t* list, std::uint32_t n,
                             const std::uint16_t* number, std::uint32_t* to);

}  // namespace bayeswood
