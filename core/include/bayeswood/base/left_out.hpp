// Which of some rows a tree left out, without drawing for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/row_weights.hpp"

namespace bayeswood {

// What `draw_left_out` says of the rows `rows` of n_rows. Where rows stand alone and all weigh
// something, a draw depends on the row's number alone, and no others are asked as long as one of
// these is kept: then the tree keeps some row.
void draw_left_out_of(const WeightScheme& scheme, std::uint64_t tree,
                      std::span<const double> sample_weight, std::size_t n_rows,
                      std::span<const std::int32_t> rows, std::vector<bool>& out);

}  // namespace bayeswood
