// The way of rows down one tree of a CompiledForest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "bayeswood/forest/walk/compiled_forest.hpp"

namespace bayeswood {

// LANES: those of the layout of the cells. IS_DOUBLE: see PlacedRows.
template <bool HAS_SETS, bool IS_DOUBLE, std::size_t LANES, class AnyNode, class Cell>
struct TreeDescent {
  const Tree& tree;
  const AnyNode* nodes;
  const Cell* cells;
  std::size_t n_columns;
  const TopLevels* top = nullptr;  // of the tree, if rows are to enter it by these
  EnterTree enter = nullptr;

  // Row after row.
  void each(std::span<const std::uint32_t> places, std::uint32_t* leaf) const {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Cell* row = row_of(places[i]);
      std::uint32_t at = 0, before = 1;
      while (at != before) {
        before = at;
        at = next(at, row);
      }
      leaf[i] = at;
    }
  }

  // Many at once, `n_steps` steps before it is asked who is there. `going`: memory to work with.
  void all(std::span<const std::uint32_t> places, std::uint32_t n_steps, std::uint32_t* leaf,
           std::vector<std::uint32_t>& going) const {
    const std::size_t n = places.size();
    going.resize(n + 1);  // one is written before it is known whether it counts
    std::size_t n_going = 0;
    std::uint32_t entry[TopLevels::ROWS], entered = 0;
    for (std::size_t i = 0; i < n; i += WIDTH) {
      const std::size_t end = std::min(n - i, WIDTH);
      if (i % TopLevels::ROWS == 0) entered = enter_rows(places.subspan(i), entry);
      std::uint32_t at[WIDTH];
      std::copy_n(entry + i % TopLevels::ROWS, WIDTH, at);
      bool moved[WIDTH];
      start(places.subspan(i, end), n_steps > entered ? n_steps - entered : 1, at, moved);
      for (std::size_t r = 0; r < end; ++r) {
        leaf[i + r] = at[r];
        going[n_going] = static_cast<std::uint32_t>(i + r);
        n_going += moved[r] ? 1 : 0;
      }
    }
    while (n_going > 0) n_going = go_on(places, std::span(going).first(n_going), leaf);
  }

 private:
  static constexpr std::size_t WIDTH = CellLayout::GROUP;
  static constexpr std::uint32_t STEPS_AT_A_TIME = 4;

  const Cell* row_of(std::size_t place) const {
    return cells + place / LANES * LANES * n_columns + place % LANES;
  }

  static std::size_t column_of(std::uint16_t node_column) {
    if constexpr (!std::is_same_v<Cell, std::uint16_t>) return node_column;
    return cell_column(node_column, IS_DOUBLE);
  }

  // A leaf leads to itself.
  std::uint32_t next(std::uint32_t at, const Cell* row) const {
    const AnyNode node = nodes[at];
    if (HAS_SETS && (node.column & SET_FLAG) != 0) {
      const auto level = static_cast<std::uint16_t>(row[column_of(node.column ^ SET_FLAG) * LANES]);
      const std::uint64_t* words = tree.category_words.data() + tree.category_offset[at];
      const bool right = level == UNSEEN_LEVEL ? tree.missing_left[at] == 0 : !in_set(words, level);
      return node.child + (right ? 1 : 0);
    }
    return node.child + (row[column_of(node.column) * LANES] <= node.place ? 0 : 1);  // NaN is not
  }

  // Steps of WIDTH rows, and whether the last of them led anywhere.
  template <class RowAt>
  void step(RowAt row, std::uint32_t n_steps, std::uint32_t* at, bool* moved) const {
    for (std::uint32_t s = 1; s < n_steps; ++s)
      for (std::size_t r = 0; r < WIDTH; ++r) at[r] = next(at[r], row(r));
    for (std::size_t r = 0; r < WIDTH; ++r) {
      const std::uint32_t before = at[r];
      at[r] = next(before, row(r));
      moved[r] = at[r] != before;
    }
  }

  // Where the first of these rows begin to walk, and on which level: further down than at the root
  // if they follow one another.
  std::uint32_t enter_rows(std::span<const std::uint32_t> places, std::uint32_t* at) const {
    constexpr std::size_t N = TopLevels::ROWS;
    if constexpr (std::is_same_v<Cell, std::uint16_t>) {
      if (top != nullptr && places.size() >= N && is_run(places.first(N))) {
        enter(*top, row_of(places[0]), WIDTH * n_columns, at);
        return top->n_levels;
      }
    }
    std::fill_n(at, N, 0U);
    return 0;
  }

  // Whether rows, which ascend, stand side by side from the first of a group on.
  static bool is_run(std::span<const std::uint32_t> places) {
    return places[0] % WIDTH == 0 && places.back() - places[0] == places.size() - 1;
  }

  // From where they are. Rows of a whole group stand side by side.
  void start(std::span<const std::uint32_t> places, std::uint32_t n_steps, std::uint32_t* at,
             bool* moved) const {
    if (places.size() == WIDTH && is_run(places)) {
      const Cell* first = row_of(places[0]);
      return step([first](std::size_t r) { return first + r; }, n_steps, at, moved);
    }
    const Cell* row[WIDTH];
    for (std::size_t r = 0; r < WIDTH; ++r) row[r] = row_of(places[std::min(r, places.size() - 1)]);
    step([&row](std::size_t r) { return row[r]; }, n_steps, at, moved);
  }

  // Some steps of the rows that are on the way; those that have not arrived come to the front, and
  // their number is returned.
  std::size_t go_on(std::span<const std::uint32_t> places, std::span<std::uint32_t> going,
                    std::uint32_t* leaf) const {
    std::size_t n_left = 0;
    for (std::size_t i = 0; i < going.size(); i += WIDTH) {
      const std::size_t end = std::min(going.size() - i, WIDTH);
      std::uint32_t number[WIDTH], at[WIDTH];
      const Cell* row[WIDTH];
      bool moved[WIDTH];
      for (std::size_t r = 0; r < WIDTH; ++r) {
        number[r] = going[i + std::min(r, end - 1)];
        row[r] = row_of(places[number[r]]);
        at[r] = leaf[number[r]];
      }
      step([&row](std::size_t r) { return row[r]; }, STEPS_AT_A_TIME, at, moved);
      for (std::size_t r = 0; r < end; ++r) {
        leaf[number[r]] = at[r];
        going[n_left] = number[r];
        n_left += moved[r] ? 1 : 0;
      }
    }
    return n_left;
  }
};

}  // namespace bayeswood
