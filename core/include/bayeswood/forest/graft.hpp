// Branches grafted onto a trunk: tree t of the result is the trunk with, in place of its leaf b,
// tree t of branch b (the empirical Bayesian forest of Taddy et al. 2015, section 4).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/forest/forest.hpp"

namespace bayeswood {

// What grows out of one leaf of the trunk.
struct Branch {
  const Forest& forest;
  std::span<const std::int32_t> rows;  // training row of each row of the branch; empty: the same
};

// One branch per leaf of the trunk, in leaf order, all of the trunk's shape and with as many trees;
// throws std::invalid_argument otherwise.
std::vector<Tree> graft(const Forest& trunk, std::span<const Branch> branches, const Running& run);

}  // namespace bayeswood
