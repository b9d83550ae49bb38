#include "bayeswood/grow/search/lists/sorting_network.hpp"

#include <array>

namespace bayeswood {
namespace {

// Exchanges of the network for the next power of two; those that reach past n would meet entries
// that are already in place.
Layer make_layer(std::uint32_t n, std::uint32_t p, std::uint32_t k) {
  Layer layer;
  for (std::uint32_t j = k % p; j + k < n; j += 2 * k) {
    const auto belongs = [&](std::uint32_t i) {
      return i < j + k && i + k < n && i / (2 * p) == (i + k) / (2 * p);
    };
    for (std::uint32_t i = j; i < j + k && i + k < n; ++i) {
      if (!belongs(i)) continue;
      const Exchange exchange{static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i + k)};
      if (belongs(i + 1)) {
        layer.doubles.push_back(exchange);
        ++i;
      } else {
        layer.singles.push_back(exchange);
      }
    }
  }
  return layer;
}

Network make_network(std::uint32_t n) {
  Network network;
  for (std::uint32_t p = 1; p < n; p *= 2) {
    for (std::uint32_t k = p; k >= 1; k /= 2) network.push_back(make_layer(n, p, k));
  }
  return network;
}

}  // namespace

const Network& sorting_network(std::uint32_t n) {
  static const auto networks = [] {
    std::array<Network, MAX_NETWORK_ROWS / NETWORK_STEP + 1> all;
    for (std::uint32_t k = 1; k < all.size(); ++k) all[k] = make_network(k * NETWORK_STEP);
    return all;
  }();
  return networks[n / NETWORK_STEP];
}

}  // namespace bayeswood
