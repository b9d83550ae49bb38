// One row down one tree as it is, value by value.
#pragma once

#include <cmath>
#include <cstdint>

#include "bayeswood/base/matrix_view.hpp"
#include "bayeswood/forest/tree.hpp"

namespace bayeswood {

// The leaf node of a row. For a few rows, and for forests that cannot be packed.
inline std::uint32_t walk_tree(const Tree& tree, const ForestShape& shape, const MatrixView& table,
                               std::size_t row) {
  std::uint32_t node = 0;
  while (tree.feature[node] != LEAF) {
    const std::int32_t f = tree.feature[node];
    const double value = table(row, static_cast<std::size_t>(f));
    const std::int32_t levels = shape.n_levels[f];
    bool left = tree.missing_left[node] != 0;
    if (levels > 0 && value >= 0 && value < levels) {
      left = in_set(tree.category_words.data() + tree.category_offset[node],
                    static_cast<std::uint32_t>(value));
    } else if (levels == 0 && !std::isnan(value)) {
      left = value <= tree.threshold[node];
    }
    node = tree.child[node] + (left ? 0 : 1);
  }
  return node;
}

}  // namespace bayeswood
