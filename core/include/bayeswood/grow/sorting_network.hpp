// Batcher's odd-even merge sort as a list of exchanges: the same for any data, so that several
// lists are sorted side by side without a branch.
#pragma once

#include <cstdint>
#include <vector>

namespace bayeswood {

struct Exchange {
  std::uint8_t low, high;  // afterwards the entry at `low` is the smaller one
};

constexpr std::uint32_t MAX_NETWORK_ROWS = 128;
constexpr std::uint32_t NETWORK_STEP = 8;

// The network that sorts `n` entries, n a multiple of NETWORK_STEP up to MAX_NETWORK_ROWS.
const std::vector<Exchange>& sorting_network(std::uint32_t n);

}  // namespace bayeswood
