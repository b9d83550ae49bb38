// What bags of trees say of training rows that they left out, and how far chance of the trees alone
// moves a bag's average: one-way analysis of variance within bags.
#pragma once

#include <cstdint>
#include <span>

#include "bayeswood/forest/forest.hpp"

namespace bayeswood {

// A bag is `trees_per_draw` trees that follow one another; those left at the end are none. Of every
// bag and row, n_bags x n_rows x n_outputs, 0 where the bag did not leave the row out:
//   mean:   the average of the bag's trees by their weights;
//   within: its variance by the chance of the trees, sum over kinds of (share of the kind)^2
//           (variance between its trees) / (number of its trees). Where some kind has a single tree
//           in the bag, all count as one kind. A bag has at least two trees.
void predict_bag_spread(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                        std::span<const double> tree_weights, std::span<const std::int32_t> kind,
                        double* mean, double* within, const Running& run);

}  // namespace bayeswood
