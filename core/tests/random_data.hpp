// Random tables for the tests: continuous, tied and categorical columns, with missing cells.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/grow/cart.hpp"
#include "bayeswood/grow/encoded_matrix.hpp"

struct RandomData {
  std::size_t n;
  std::size_t d;
  std::vector<double> cells;
  std::vector<std::int32_t> n_levels;
  std::vector<double> y;
  std::vector<std::int32_t> labels;

  RandomData(std::size_t rows, std::size_t columns, double missing, std::uint64_t seed)
      : n(rows), d(columns), cells(rows * columns), n_levels(columns, 0), y(rows), labels(rows) {
    bayeswood::Stream stream(seed, 0, bayeswood::Purpose::WEIGHTS);
    std::uint64_t at = 0;
    const auto uniform = [&] { return stream.uniform_at(at++); };
    for (std::size_t j = 0; j < d; ++j) n_levels[j] = j % 4 == 3 ? 5 : 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        double value = uniform();
        if (j % 4 == 1) value = std::floor(8 * value);
        if (j % 4 == 3) value = std::floor(5 * value);
        if (uniform() < missing) value = std::numeric_limits<double>::quiet_NaN();
        cells[i * d + j] = value;
      }
      const double first = std::isnan(cells[i * d]) ? 0.5 : cells[i * d];
      y[i] = std::sin(6 * first) + uniform();
      labels[i] = static_cast<std::int32_t>(3 * uniform() * first) % 3;
    }
  }

  bayeswood::MatrixView view() const {
    return {cells.data(), false, n, d, static_cast<std::ptrdiff_t>(d), 1};
  }
  bayeswood::EncodedMatrix encoded(std::uint32_t max_codes = bayeswood::MAX_CODES) const {
    return {view(), n_levels, 1, max_codes};
  }
  bayeswood::ForestShape shape(const bayeswood::Target& target) const {
    return {static_cast<std::int32_t>(d), static_cast<std::int32_t>(target.n_outputs),
            target.is_classifier, n_levels};
  }
};
