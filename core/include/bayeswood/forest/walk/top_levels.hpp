// The first splits of a large tree, put to many rows at once.
//
// Where a row is on a level is a number of few bits, its way so far. Places and columns of a
// level's splits are looked up by it in registers, and what rows have in each of the columns is
// picked: a few instructions for 16 rows, where a walk takes a few for each row. The leaves that
// are found are those of a walk from the root.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayeswood {

struct PlaceNode;

struct TopLevels {
  static constexpr std::size_t MOST = 6, WIDEST = std::size_t{1} << (MOST - 1);
  static constexpr std::size_t LANES = 16, GROUPS = 4, ROWS = LANES * GROUPS;

  // By the way to a node: the node's place and the number of its column among those of the level.
  struct Level {
    std::uint16_t place[WIDEST] = {}, which[WIDEST] = {}, column[WIDEST] = {};
    std::uint32_t n_columns = 0;
  };

  // Of a tree as CompiledForest has it; up to the first level with a set of categories.
  // `is_double`: of the rows that are to enter, see PlacedRows.
  static TopLevels of(const PlaceNode* nodes, bool is_double);

  std::uint32_t n_levels = 0;
  Level levels[MOST];
  std::uint16_t node[2 * WIDEST] = {};  // by the way through all levels
};

// The nodes that ROWS rows come to. `cells`: of GROUPS groups of LANES rows, `stride` apart.
using EnterTree = void (*)(const TopLevels& top, const std::uint16_t* cells, std::size_t stride,
                           std::uint32_t* at);
// nullptr where the machine, or the compiler, has no AVX-512: there rows walk from the root.
EnterTree enter_tree();
// To be called only where it runs.
void enter_tree_avx512(const TopLevels& top, const std::uint16_t* cells, std::size_t stride,
                       std::uint32_t* at);

}  // namespace bayeswood
