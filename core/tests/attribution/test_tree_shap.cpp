#include <cmath>

#include "bayeswood/attribution/path_table.hpp"
#include "bayeswood/attribution/tree_shap.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

Forest forest_of(const RandomData& data, const Target& target) {
  GrowOptions options;
  options.max_features = 2;
  options.scheme = {WeightKind::EXPONENTIAL, 3};
  options.kernels = &portable_kernels();
  const EncodedMatrix matrix = data.encoded();
  return {data.shape(target), grow_forest({matrix, target, {}, {}, 0, 3}, options, {}).trees};
}

bool is_close(double a, double b) {
  return std::abs(a - b) < 1e-10;
}

// Sums over the features of all that is found, and that of all pairs.
void check_sums(const RandomData& data, const Target& target) {
  const Forest forest = forest_of(data, target);
  const std::size_t n = 40, d = data.d, k = forest.n_outputs();
  const MatrixView rows = data.view().rows(0, n), others = data.view().rows(n, 5);
  const std::vector<double> weights{0.5, 0.2, 0.3};
  const ShapOptions options{1, weights, false, InstructionSet::PORTABLE};
  std::vector<double> values(n * d * k), against(n * d * k), pairs(n * d * d * k), said(n * k),
      of_others(5 * k);
  shap_values(forest, rows, options, values.data(), {2, {}});
  shap_against(forest, rows, others, options, against.data(), {2, {}});
  shap_interactions(forest, rows, weights, pairs.data(), {2, {}});
  predict_mean(forest, rows, weights, said.data(), {});
  predict_mean(forest, others, weights, of_others.data(), {});
  const std::vector<double> base = shap_base(forest);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      double sum = 0, sum_against = 0;
      for (std::size_t t = 0; t < 3; ++t) sum += weights[t] * base[t * k + j];
      for (std::size_t b = 0; b < 5; ++b) sum_against += of_others[b * k + j] / 5;
      for (std::size_t f = 0; f < d; ++f) {
        const double value = values[(i * d + f) * k + j];
        double of_pairs = 0;
        for (std::size_t g = 0; g < d; ++g) of_pairs += pairs[((i * d + f) * d + g) * k + j];
        CHECK(is_close(of_pairs, value));
        sum += value;
        sum_against += against[(i * d + f) * k + j];
      }
      CHECK(is_close(sum, said[i * k + j]));
      CHECK(is_close(sum_against, said[i * k + j]));
    }
  }
}

}  // namespace

TEST(gauss_and_legendre_are_exact) {
  for (std::size_t n : {1, 2, 4, 8, 33}) {
    const Quadrature rule(n);
    for (std::size_t power = 0; power < 2 * n; ++power) {
      double sum = 0;
      for (std::size_t q = 0; q < n; ++q) sum += rule.weight[q] * std::pow(rule.point[q], power);
      CHECK(std::abs(sum * static_cast<double>(power + 1) - 1) < 1e-12);
    }
  }
}

TEST(shapley_values_sum_to_predictions) {
  const RandomData data(150, 11, 0.1, 5);
  check_sums(data, Target::regression(data.y, 1, {}));
  check_sums(data, Target::classification(data.labels, 3, Criterion::GINI));
}

TEST(a_tree_of_one_leaf_moves_nothing) {
  RandomData data(20, 2, 0.0, 5);
  std::fill(data.y.begin(), data.y.end(), 2.0);
  const Forest forest = forest_of(data, Target::regression(data.y, 1, {}));
  const std::vector<double> weights(3, 1.0);
  std::vector<double> values(20 * 2, 9.0);
  shap_values(forest, data.view(), {1, weights}, values.data(), {});
  for (const double value : values) CHECK(value == 0);
}
