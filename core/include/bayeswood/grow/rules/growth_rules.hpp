// Rules that a tree may have to keep besides the limits of its leaves. What asks for none of them
// is grown by the faster growers.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/grow/target.hpp"

namespace bayeswood {

struct GrowthRules {
  std::uint32_t max_leaf_nodes = 0;  // 0: no limit; else the node that gains most is split next
  // Least decrease of the tree's impurity per weight by a split, after what a category pays.
  double min_impurity_decrease = 0;
  double ccp_alpha = 0;  // what each leaf costs, in impurity per weight: dear subtrees are pruned
  std::vector<std::int8_t> monotone;  // by feature: 1 never falls, -1 never rises; empty: none
  // Sets of features that may meet on a path from the root; empty: all may.
  std::vector<std::vector<std::uint32_t>> interactions;

  bool empty() const {
    return max_leaf_nodes == 0 && min_impurity_decrease <= 0 && ccp_alpha <= 0 &&
           monotone.empty() && interactions.empty();
  }
};

// Whether the splits need RuledGrower.
inline bool needs_rules(const Target& target, const GrowthRules& rules) {
  return !rules.empty() || target.criterion == Criterion::POISSON ||
         target.criterion == Criterion::ABSOLUTE_ERROR;
}

}  // namespace bayeswood
