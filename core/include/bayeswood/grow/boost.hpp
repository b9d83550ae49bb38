// Sums of small trees, each grown on what the sum so far leaves of the responses (Friedman 2001,
// with squared error), one sum for each bag of rows.
//
//   f_0 = the mean of y in the bag,   f_s = f_(s - 1) + v h_s,   h_s a tree on y - f_(s - 1).
//
// v is the learning rate. The first tree holds f_0 too, so that a bag is the sum of its trees.
#pragma once

#include "bayeswood/grow/cart.hpp"

namespace bayeswood {

struct BoostOptions {
  GrowOptions tree;
  std::size_t n_stages = 1;
  double learning_rate = 0.1;
};

// Sums that are to go on: the first stages of all bags, and the rows that they were grown on.
struct BoostStart {
  const Forest& forest;
  const MatrixView& table;
};

// `request.n_trees` bags, each `n_stages` trees, one bag after another. The scheme of the options
// says which rows are in bag b: those of positive weight in draw `first_tree` + b. Importances have
// one row per bag. Regression only. With a start, the stages that come after it: the same trees, to
// the bit of their splits, as in one go.
GrownForest boost_bags(const GrowRequest& request, const BoostOptions& options,
                       const BoostStart* start, const Running& run);

}  // namespace bayeswood
