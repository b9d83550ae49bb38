// Which nodes of a tree have children, and which are leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/forest/tree.hpp"

namespace bayeswood {

// In order. Listed without a branch: whether a node is a leaf cannot be foreseen, and who goes over
// a list need not ask.
template <bool LEAVES>
void list_nodes(const Tree& tree, std::vector<std::uint32_t>& out) {
  const std::size_t n_nodes = tree.n_nodes();
  const std::int32_t* feature = tree.feature.data();
  out.resize(n_nodes);
  std::size_t n = 0;
  for (std::size_t i = 0; i < n_nodes; ++i) {
    out[n] = static_cast<std::uint32_t>(i);
    n += (feature[i] == LEAF) == LEAVES ? 1 : 0;
  }
  out.resize(n);
}
// The k-th has the children 1 + 2k and 2 + 2k.
inline void list_inner_nodes(const Tree& tree, std::vector<std::uint32_t>& out) {
  list_nodes<false>(tree, out);
}
// The k-th is leaf k.
inline void list_leaves(const Tree& tree, std::vector<std::uint32_t>& out) {
  list_nodes<true>(tree, out);
}

}  // namespace bayeswood
