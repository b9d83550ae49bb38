// Monotone constraints on trees however they were grown: leaves are moved until they keep them.
//
// A cut of a constrained feature bounds all leaves below it by the middle of its two sides' values,
// from above on one side and from below on the other; a leaf's value is moved within the bounds of
// all cuts above it. Two rows that differ in this feature alone part at such a cut, so that no
// rounding can reverse them. Missing values against the rest is no cut along the feature and bounds
// nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "bayeswood/forest/tree.hpp"

namespace bayeswood {

// Between what the values of a node's leaves must lie.
struct ValueBounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

// Bounds the children of a cut by the middle of their values; sign: 1 never falls, -1 never rises.
void bound_children(int sign, double left_value, double right_value, ValueBounds& left,
                    ValueBounds& right);

// `monotone`: 1, 0 or -1 by feature, 0 for categories. One response, or two classes and then of the
// second. Empty: nothing is moved.
void bound_leaves(Tree& tree, const ForestShape& shape, std::span<const std::int8_t> monotone);

}  // namespace bayeswood
