// Half the Poisson deviance: sum w y log(y / mean), of y >= 0.
// Sufficient statistics of a side: sum w, sum w y. Its score (sum w y) log(sum w y / sum w) is to
// be maximised. A side whose responses are all 0 has no deviance: it is not allowed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bayeswood/grow/target.hpp"

namespace bayeswood {

class PoissonSide {
 public:
  PoissonSide(const RowData& rows, std::uint32_t n_outputs) : rows_(rows), wy_(n_outputs) {}
  void reset() {
    w_ = 0;
    std::fill(wy_.begin(), wy_.end(), 0.0);
  }
  void add(std::uint32_t id) {
    const double w = rows_.w[id];
    const double* y = rows_.values + static_cast<std::size_t>(id) * wy_.size();
    w_ += w;
    for (std::size_t k = 0; k < wy_.size(); ++k) wy_[k] += w * y[k];
  }
  double weight() const { return w_; }
  double score() const {
    double sum = 0;
    for (const double wy : wy_) {
      if (!(wy > 0)) return -std::numeric_limits<double>::infinity();
      sum += wy * std::log(wy / w_);
    }
    return sum;
  }
  double value() const { return wy_[0] / w_; }
  double mean(std::size_t k) const { return wy_[k] / w_; }

 private:
  const RowData& rows_;
  double w_ = 0;
  std::vector<double> wy_;
};

}  // namespace bayeswood
