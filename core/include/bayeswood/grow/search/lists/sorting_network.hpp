// Batcher's odd-even merge sort as layers of exchanges: the same for any data, so that several
// lists are sorted side by side without a branch.
#pragma once

#include <cstdint>
#include <vector>

namespace bayeswood {

struct Exchange {
  std::uint8_t low, high;  // afterwards the entry at `low` is the smaller one
};

// Exchanges that may be done in any order. A double one stands for two: (low, high) and
// (low + 1, high + 1).
struct Layer {
  std::vector<Exchange> doubles, singles;
};
using Network = std::vector<Layer>;

constexpr std::uint32_t MAX_NETWORK_ROWS = 256;
constexpr std::uint32_t NETWORK_STEP = 8;

// The network that sorts `n` entries, n a multiple of NETWORK_STEP up to MAX_NETWORK_ROWS.
const Network& sorting_network(std::uint32_t n);

}  // namespace bayeswood
