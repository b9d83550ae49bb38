// The best cut of a number along which the response may go one way only.
#pragma once

#include <cstdint>
#include <span>

#include "bayeswood/grow/split.hpp"
#include "bayeswood/grow/stage/bin_sums.hpp"

namespace bayeswood {

// Bins as in BinSums, and scores of responses times 2^exponent. `sign`: 1 where the mean must not
// fall from left to right, -1 where it must not rise. Missing values against the rest is no cut
// along the number and free. One response.
Split best_ordered_cut(const ByteBins& bins, std::uint32_t feature,
                       std::span<const std::uint32_t> rows, const StageTarget& target, int exponent,
                       int sign, const Limits& limits);

}  // namespace bayeswood
