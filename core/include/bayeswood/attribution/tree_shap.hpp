// Shapley values of trees, exactly.
//
// A leaf of value v is reached by the features U on its path. For a row, o_j says whether the row
// keeps every condition on feature j there (1 or 0), and z_j is the share of the training weight
// that does, condition by condition. Where only the features S are known, the leaf's part of the
// expectation is v prod_{j in S} o_j prod_{j in U \ S} z_j, and the Shapley value of feature i is
//
//   phi_i = v (o_i - z_i) integral_0^1 prod_{j in U \ i} (z_j + t (o_j - z_j)) dt,
//
// for |S|! (m - |S| - 1)! / m! is the integral of t^|S| (1 - t)^(m - |S| - 1). The integrand is a
// polynomial of degree m - 1, so that ceil(m / 2) points of Gauss and Legendre give it exactly, and
// all its factors are positive: nothing cancels. Products along paths are kept at every point, sums
// over leaves are taken on the way up, and a tree costs O(nodes x points) per row.
//
// The game is that of Lundberg and others, From local explanations to global understanding with
// explainable AI for trees, Nature Machine Intelligence 2, 2020 (expectations along the paths);
// with a background, features that are not known come from its rows, one after another.
#pragma once

#include <span>
#include <vector>

#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/forest/forest.hpp"

namespace bayeswood {

struct ShapOptions {
  std::size_t trees_per_member = 1;  // the last member has those that are left
  // Factor of each tree in what is added up; one per tree.
  std::span<const double> tree_weights;
  // Whether members are told apart: (n_members x) n_rows x n_features x n_outputs.
  bool by_member = false;
  InstructionSet instructions = InstructionSet::PORTABLE;

  // That are told apart.
  std::size_t n_members(std::size_t n_trees) const {
    return by_member ? (n_trees + trees_per_member - 1) / trees_per_member : 1;
  }
};

// Expectation of each tree where no feature is known, n_trees x n_outputs.
std::vector<double> shap_base(const Forest& forest);
void shap_values(const Forest& forest, const MatrixView& table, const ShapOptions& options,
                 double* out, const Running& run);
// n_rows x n_features x n_features x n_outputs. The pair (i, j) and the pair (j, i) have one half
// each of what the two do together; rows sum to the Shapley values.
void shap_interactions(const Forest& forest, const MatrixView& table,
                       std::span<const double> tree_weights, double* out, const Running& run);
// Features that are not known are those of the rows of `background`, the mean over these.
void shap_against(const Forest& forest, const MatrixView& table, const MatrixView& background,
                  const ShapOptions& options, double* out, const Running& run);

}  // namespace bayeswood
