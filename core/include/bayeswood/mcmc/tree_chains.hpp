// Independent chains over trees, run side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/forest/forest.hpp"
#include "bayeswood/mcmc/metropolis.hpp"
#include "bayeswood/mcmc/tree_draws.hpp"

namespace bayeswood {

struct ChainPlan {
  std::uint64_t seed = 0;
  std::size_t n_chains = 1;
  std::size_t n_burn_in = 0;
  std::size_t n_draws = 1;
  std::size_t thin = 1;
  ChainSettings settings;
  // Denison's restriction: at most so many leaves in the first so many iterations.
  std::uint32_t growth_leaves = std::numeric_limits<std::uint32_t>::max();
  std::size_t growth_iterations = 0;

  std::size_t n_iterations() const { return n_burn_in + n_draws * thin; }
};

// One chain, as far as it came.
struct ChainRecord {
  std::vector<double> log_likelihood, log_posterior;  // after every iteration, as the next
  std::vector<std::int32_t> n_leaves, depth;
  std::vector<std::uint8_t> move, accepted;
  std::vector<std::uint32_t> draw;  // number of the tree
};

struct ChainsResult {
  std::vector<ChainRecord> chains;
  std::vector<DrawnTree> trees;  // distinct, over all chains
  bool interrupted = false;
};

// How far all chains are, while they run.
struct ChainProgress {
  std::size_t chains_done, n_chains;
  std::size_t iterations_done, n_iterations;  // over all chains
  std::size_t n_accepted;
};
using ChainPoll = std::function<bool(const ChainProgress&)>;

// Chain c depends on (seed, c) alone. A poll that returns false stops all chains where they are.
template <LeafModel Leaves>
ChainsResult run_chains(const TreeLaw& law, const Leaves& leaves, const ChainPlan& plan,
                        unsigned n_threads, const ChainPoll& poll);

}  // namespace bayeswood
