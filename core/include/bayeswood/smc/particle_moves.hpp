// Particles that go on as Markov chains: resample-move (Gilks and Berzuini 2001).
//
// When a filter has decided about every node, its weighted particles estimate the posterior over
// trees, and the steps of metropolis.hpp leave that posterior as it is. So some particles may be
// drawn by their weights and each moved by a fixed number of steps: what they estimate stays the
// same, the evidence was estimated before, and copies of one tree become different trees. The
// number of steps must not depend on the tree, or the posterior would not be left as it is. Few
// particles that are moved far are worth more than many that stay close to their start.
//
// The target is the same in both: Chipman's prior of tree_law.hpp is that of tree_prior.hpp, with a
// coin for every level that a node does not hold, and with the same limits on leaves and rows.
#pragma once

#include <vector>

#include "bayeswood/mcmc/metropolis.hpp"
#include "bayeswood/smc/particle_tree.hpp"

namespace bayeswood {

struct MoveSettings {
  std::uint32_t n_moves = 0;  // of every particle that is drawn
  std::uint32_t n_drawn = 1;  // particles, over all islands
  ChainSettings chain;
};

// A chain that starts at a finished tree. A rule of a particle says nothing about levels that its
// node does not hold; in a chain they are fair coins, drawn from `levels`.
template <CutLeafModel Model>
Metropolis<Model> start_chain(const std::vector<TreePiece<Model>>& pieces, const TreeLaw& law,
                              const Model& model, const ChainSettings& settings, Stream levels);

}  // namespace bayeswood
