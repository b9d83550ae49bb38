// Which way a row goes at one node of a tree.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "bayeswood/base/matrix_view.hpp"
#include "bayeswood/forest/tree.hpp"

namespace bayeswood {

// Rows that a thread explains at a time.
constexpr std::size_t ROWS_PER_TASK = 16;

inline bool goes_left(const Tree& tree, const ForestShape& shape, std::uint32_t node,
                      const MatrixView& table, std::size_t row) {
  const std::int32_t feature = tree.feature[node];
  const double value = table(row, static_cast<std::size_t>(feature));
  const std::int32_t levels = shape.n_levels[feature];
  if (levels == 0 && !std::isnan(value)) return value <= tree.threshold[node];
  if (levels > 0 && value >= 0 && value < levels)
    return in_set(tree.category_words.data() + tree.category_offset[node],
                  static_cast<std::uint32_t>(value));
  return tree.missing_left[node] != 0;
}

// Calls add(output, value) for what a leaf says.
template <class Add>
void for_each_value(const Tree& tree, const ForestShape& shape, std::span<const double> values,
                    std::uint32_t leaf, Add add) {
  if (shape.is_classifier) {
    for (std::int32_t e = tree.leaf_offset[leaf]; e < tree.leaf_offset[leaf + 1]; ++e)
      add(static_cast<std::size_t>(tree.leaf_class[e]), values[e]);
    return;
  }
  const auto n_outputs = static_cast<std::size_t>(shape.n_outputs);
  for (std::size_t k = 0; k < n_outputs; ++k) add(k, values[leaf * n_outputs + k]);
}

}  // namespace bayeswood
