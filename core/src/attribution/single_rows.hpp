// What Shapley values of single rows share: the way of a row, and what leaves say.
#pragma once

#include <cstdint>
#include <span>

#include "bayeswood/forest/walk/walk_tree.hpp"

namespace bayeswood {

// Rows that a thread explains at a time.
constexpr std::size_t ROWS_PER_TASK = 16;

// Calls add(output, value) for what a leaf says.
template <class Add>
void for_each_value(const Tree& tree, const ForestShape& shape, std::span<const double> values,
                    std::uint32_t leaf, Add add) {
  if (shape.is_classifier) {
    const double* value = values.data() + tree.leaf_offset[leaf];
    for (const std::int32_t label : tree.classes_of(leaf))
      add(static_cast<std::size_t>(label), *value++);
    return;
  }
  const auto n_outputs = static_cast<std::size_t>(shape.n_outputs);
  for (std::size_t k = 0; k < n_outputs; ++k) add(k, values[leaf * n_outputs + k]);
}

}  // namespace bayeswood
