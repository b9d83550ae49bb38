// Values of all nodes of one tree after another.
#pragma once

#include <span>
#include <vector>

#include "bayeswood/forest/tree.hpp"

namespace bayeswood {

// As `node_values` gives them, into a vector that is used again.
void fill_node_values(const Tree& tree, const ForestShape& shape,
                      std::span<const double> leaf_value, std::vector<double>& values);

}  // namespace bayeswood
