// Squared error: sum w (y - mean)^2 = sum w y^2 - (sum w y)^2 / sum w   (Taddy eq. 4).
// Sufficient statistics of a side: sum w, sum w y. Its score (sum w y)^2 / sum w is to be
// maximised.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bayeswood/grow/target.hpp"

namespace bayeswood {

class ScalarSide {
 public:
  explicit ScalarSide(const RowData& rows) : rows_(rows) {}
  void reset() { w_ = wy_ = 0; }
  void add(std::uint32_t id) {
    w_ += rows_.pair[id].w;
    wy_ += rows_.pair[id].wy;
  }
  double weight() const { return w_; }
  double score() const { return wy_ * wy_ / w_; }
  double value() const { return wy_ / w_; }

 private:
  const RowData& rows_;
  double w_ = 0;
  double wy_ = 0;
};

class MultiSide {
 public:
  MultiSide(const RowData& rows, std::uint32_t n_outputs) : rows_(rows), wy_(n_outputs) {}
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
    for (const double wy : wy_) sum += wy * wy;
    return sum / w_;
  }
  double value() const { return wy_[0] / w_; }  // of the first output

 private:
  const RowData& rows_;
  double w_ = 0;
  std::vector<double> wy_;
};

}  // namespace bayeswood
