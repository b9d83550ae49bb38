// Sums by slot in eight lanes of floats, which a vector of eight can take as well.
#pragma once

#include <cstring>

#include "bayeswood/sums/row_kernels.hpp"

namespace bayeswood {

constexpr std::size_t SUM_LANES = 8;

class LaneSums {
 public:
  static constexpr std::size_t BLOCK = 1024;

  LaneSums(const SlotSums& out, std::size_t n_slots, bool weighted)
      : out_(out), n_slots_(n_slots), weighted_(weighted) {
    std::memset(rest_, 0, n_slots * sizeof(rest_[0]));
    if (weighted) std::memset(weight_, 0, n_slots * sizeof(weight_[0]));
    for (std::size_t s = 0; s < n_slots; ++s) out.rest[s] = 0;
    for (std::size_t s = 0; weighted && s < n_slots; ++s) out.weight[s] = 0;
  }

  void add(std::size_t row, Slot slot, float rest, const float* weight) {
    const std::size_t lane = row % SUM_LANES;
    if (!weighted_) {
      rest_[slot][lane] += rest;
      return;
    }
    rest_[slot][lane] += rest * weight[row];
    weight_[slot][lane] += weight[row];
  }

  // The end of a block.
  void flush() {
    for (std::size_t s = 0; s < n_slots_; ++s) out_.rest[s] += taken(rest_[s]);
    for (std::size_t s = 0; weighted_ && s < n_slots_; ++s) out_.weight[s] += taken(weight_[s]);
  }

  float* rest(std::size_t slot) { return rest_[slot]; }
  float* weight(std::size_t slot) { return weight_[slot]; }

 private:
  // The sum of eight lanes, which start again.
  static double taken(float* lanes) {
    double sum = 0;
    for (std::size_t l = 0; l < SUM_LANES; ++l) {
      sum += static_cast<double>(lanes[l]);
      lanes[l] = 0;
    }
    return sum;
  }

  SlotSums out_;
  std::size_t n_slots_;
  bool weighted_;
  float rest_[MOST_SLOTS][SUM_LANES];
  float weight_[MOST_SLOTS][SUM_LANES];
};

}  // namespace bayeswood
