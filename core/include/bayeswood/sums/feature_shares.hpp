// Shares of features with a Dirichlet prior, which leaves most of many features out (Linero 2018).
//
// s ~ Dirichlet(theta/d, ..., theta/d), theta / (theta + d) ~ Beta(1/2, 1); a split of a node in
// which the features V vary asks feature j with probability s_j / sum_V s. Let s_j = g_j / sum g
// with independent g_j ~ Gamma(theta/d), and to every split an u ~ Exp(sum_V g): given these,
//   g_j ~ Gamma(theta/d + splits of j, rate 1 + sum of u over the splits where j varies),
// theta given s is drawn on a grid, and sum g given theta is Gamma(theta). All exact.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/sums/sum_law.hpp"
#include "bayeswood/sums/sum_tree.hpp"

namespace bayeswood {

class FeatureShares {
 public:
  explicit FeatureShares(std::size_t n_features);

  // Notes the splits of a tree.
  void add(const SumLaw& law, const SumTree& tree, Stream& stream);
  // Draws shares and theta given the splits that were noted, and forgets these.
  void draw(const SumLaw& law, Stream& stream);
  const std::vector<double>& shares() const { return shares_; }

 private:
  // A value that theta can have, and what its weight is made of besides the shares.
  struct GridPoint {
    double theta, log_norm, log_prior, weight;
  };

  void draw_theta(const std::vector<bool>& varies, std::size_t n_varying, Stream& stream);
  void make_grid(double d);

  double theta_ = 1;
  double total_ = 1;               // sum of g
  std::vector<double> shares_;     // g_j over their sum; never quite 0
  std::vector<double> n_splits_;   // of each feature
  double everywhere_ = 0;          // sum of u over splits of nodes in which all features vary
  std::vector<double> elsewhere_;  // over other splits, by feature that varies there
  std::vector<GridPoint> grid_;    // made once: which features vary in the table does not change
};

}  // namespace bayeswood
