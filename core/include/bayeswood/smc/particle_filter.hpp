// Top-down particle filtering for Bayesian decision trees (Lakshminarayanan, Roy and Teh 2013).
//
// Every particle is a tree with some open nodes, at first the root. In each stage a particle
// decides about one of its open nodes, or about all of them, and its weight changes by the ratio of
// target and proposal (see proposal.hpp). When the effective sample size of an island falls below a
// share of its particles they are drawn anew by their weights. The mean weights between drawings
// multiply to an unbiased estimate of the evidence p(Y | X). Islands are independent filters; each
// has a stream per particle and one for resampling, so that the result does not depend on threads.
// Particles whose trees are finished may then be moved (see particle_moves.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/forest/forest.hpp"
#include "bayeswood/smc/particle_moves.hpp"
#include "bayeswood/smc/proposal.hpp"
#include "bayeswood/smc/resampling.hpp"

namespace bayeswood {

enum class Expansion { OLDEST, LEAST_LIKELY, LAYER };

struct FilterSettings {
  ProposalSettings proposal;
  Expansion expansion = Expansion::OLDEST;
  Resampling resampling = Resampling::MULTINOMIAL;
  double ess_threshold = 0.1;
  std::uint32_t n_particles = 1000;  // over all islands
  std::uint32_t n_islands = 5;
  std::uint32_t max_stages = 5000;
  std::uint32_t max_leaves = 0xffffffff;
  std::uint64_t seed = 0;
  MoveSettings moves;  // of the chain, its limits are those above
};

// What becomes of one island.
struct Island {
  double log_evidence = 0;       // -inf if all its particles had weight 0
  std::uint32_t n_filtered = 0;  // particles of the filter, of which some were moved
  std::vector<double> ess;       // after every stage
  std::uint32_t n_open = 0;      // particles with open nodes when the stages ended
  std::vector<double> weights;   // of its particles, normalised
  std::vector<std::size_t> tree_of_particle;
  std::vector<Tree> trees;            // distinct ones
  std::vector<double> importances;    // trees x features: log gain of splits, where positive
  std::vector<double> leaf_variance;  // of the predictives, tree after tree; numbers only
};

template <CutLeafModel Model>
std::vector<Island> run_islands(const RankedTable& table, const Model& model,
                                const FilterSettings& settings, const Running& run);

// Islands put together: the distinct trees of all, and per particle its island, tree and weight.
struct ParticleForest {
  std::vector<Tree> trees;
  std::vector<double> importances;
  std::vector<double> leaf_variance;
  std::vector<std::int32_t> island;  // per particle
  std::vector<std::int64_t> tree;
  std::vector<double> weight;  // within its island
};
ParticleForest gather(std::vector<Island>& islands, std::size_t n_features);

}  // namespace bayeswood
