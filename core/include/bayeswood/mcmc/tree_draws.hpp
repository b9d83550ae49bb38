// The trees that a chain visited, each kept once.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "bayeswood/forest/tree.hpp"
#include "bayeswood/mcmc/metropolis.hpp"

namespace bayeswood {

// A tree outside the chain, and what is known of it.
struct DrawnTree {
  Tree tree;
  std::vector<double> leaf_variance;  // regression: of the predictive, by leaf
  // Evidence that each feature's splits bring: log marginal likelihood of two children less that of
  // their parent, where positive; by feature.
  std::vector<float> importance;
  double log_likelihood = 0;
  double log_posterior = 0;
  // Trees that divide the training rows alike by the same features differ by their thresholds
  // within gaps alone. Their posterior mass together, and a number by which to know them.
  double log_mass = 0;
  std::uint64_t mass_key = 0;
};

// 64 bits of all that tells trees apart: features, thresholds, sides.
std::uint64_t tree_key(const Tree& tree);
bool same_rules(const Tree& a, const Tree& b);

// `sums`: memory to work in, which the next call may use again.
template <LeafModel Leaves>
DrawnTree copy_tree(const Metropolis<Leaves>& chain, std::vector<typename Leaves::Stats>& sums);

// Distinct trees in order of their first visit.
class TreeDraws {
 public:
  // Number of the tree, which is kept if it is new.
  std::uint32_t add(DrawnTree&& drawn);
  std::vector<DrawnTree>& trees() { return trees_; }
  const std::vector<DrawnTree>& trees() const { return trees_; }

 private:
  std::vector<DrawnTree> trees_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> number_;
};

}  // namespace bayeswood
