// One row down one tree as it is, value by value.
#pragma once

#include <cmath>
#include <cstdint>

#include "bayeswood/base/matrix_view.hpp"
#include "bayeswood/forest/tree.hpp"

namespace bayeswood {

// Which way a row goes at an inner node.
inline bool goes_left(const Tree& tree, const ForestShape& shape, std::uint32_t node,
                      const MatrixView& table, std::size_t row) {
  const std::int32_t feature = tree.feature[node];
  const double value = table(row, static_cast<std::size_t>(feature));
  const std::int32_t levels = shape.n_levels[feature];
  if (levels > 0 && value >= 0 && value < levels)
    return in_set(tree.category_words.data() + tree.category_offset[node],
                  static_cast<std::uint32_t>(value));
  if (levels == 0 && !std::isnan(value)) return value <= tree.threshold[node];
  return tree.missing_left[node] != 0;
}

// The leaf node of a row. For a few rows, and for forests that cannot be packed.
inline std::uint32_t walk_tree(const Tree& tree, const ForestShape& shape, const MatrixView& table,
                               std::size_t row) {
  std::uint32_t node = 0;
  while (tree.feature[node] != LEAF)
    node = tree.child[node] + (goes_left(tree, shape, node, table, row) ? 0 : 1);
  return node;
}

}  // namespace bayeswood
