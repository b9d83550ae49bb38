#include "bayeswood/grow/stage/bag_rows.hpp"

#include <algorithm>
#include <stdexcept>

namespace bayeswood {

BagRows draw_bag(const WeightScheme& scheme, std::uint64_t tree,
                 std::span<const double> sample_weight, std::size_t n_rows, bool mean_one) {
  BagRows bag;
  std::vector<double>& weights = bag.weights;
  weights.resize(n_rows);
  draw_weights(scheme, tree, sample_weight, weights);
  std::vector<std::uint32_t> left_out;
  double sum = 0;
  for (std::uint32_t i = 0; i < n_rows; ++i) {
    if (weights[i] == 0) left_out.push_back(i);
    if (!sample_weight.empty()) weights[i] *= sample_weight[i];
    if (weights[i] > 0) bag.rows.push_back(i);
    sum += weights[i];
  }
  bag.n_inside = bag.rows.size();
  if (bag.rows.empty()) throw std::invalid_argument("every row has weight 0");
  if (mean_one) {
    const double unit = sum / static_cast<double>(bag.n_inside);
    for (double& w : weights) w /= unit;
  }
  bag.rows.insert(bag.rows.end(), left_out.begin(), left_out.end());
  const auto weighs_one = [](double w) { return w == 0 || w == 1; };
  if (std::all_of(weights.begin(), weights.end(), weighs_one)) weights = {};
  return bag;
}

}  // namespace bayeswood
