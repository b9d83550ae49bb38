#include "bayeswood/grow/sorting_network.hpp"

#include <array>

namespace bayeswood {
namespace {

// Exchanges of the network for the next power of two; those that reach past n would meet entries
// that are already in place.
std::vector<Exchange> make_network(std::uint32_t n) {
  std::vector<Exchange> network;
  for (std::uint32_t p = 1; p < n; p *= 2) {
    for (std::uint32_t k = p; k >= 1; k /= 2) {
      for (std::uint32_t j = k % p; j + k < n; j += 2 * k) {
        for (std::uint32_t i = j; i < j + k && i + k < n; ++i) {
          if (i / (2 * p) != (i + k) / (2 * p)) continue;
          network.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i + k)});
        }
      }
    }
  }
  return network;
}

}  // namespace

const std::vector<Exchange>& sorting_network(std::uint32_t n) {
  static const auto networks = [] {
    std::array<std::vector<Exchange>, MAX_NETWORK_ROWS / NETWORK_STEP + 1> all;
    for (std::uint32_t k = 1; k < all.size(); ++k) all[k] = make_network(k * NETWORK_STEP);
    return all;
  }();
  return networks[n / NETWORK_STEP];
}

}  // namespace bayeswood
