// Absolute error: sum w |y - median|, the median by weight. Its negative is the score.
//
// The responses of a node are ranked once. A side then keeps weights and weighted responses by rank
// in two Fenwick trees: a row is added, and the median found, in log n steps. With prefix sums W_-
// and S_- of what lies below the median m, and W and S of all,
//   sum w |y - m| = m W_- - S_- + (S - S_-) - m (W - W_-).
// Where exactly half of the weight lies below a gap, the median is the middle of the gap.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/target.hpp"

namespace bayeswood {

// Of one output, over the ranks of a node.
class MedianSums {
 public:
  // What the ranks 0, 1, ... stand for; no row is in yet.
  void set_ranks(std::vector<double>& sorted) {
    sorted_.swap(sorted);
    sums_.assign(sorted_.size() + 1, {0, 0});
    first_step_ = static_cast<std::uint32_t>(std::bit_floor(sorted_.size()));
  }
  void add(std::uint32_t rank, double w) { change(rank, {w, w * sorted_[rank]}); }
  void clear(std::uint32_t rank) {
    for (std::size_t i = rank + 1; i < sums_.size(); i += i & (~i + 1)) sums_[i] = {0, 0};
  }
  void clear_totals() { all_ = {0, 0}; }
  double error() const {
    const Place at = place([half = all_.w / 2](double w) { return w < half; });
    const double median = sorted_[at.rank];
    return std::max(0.0, median * at.below.w - at.below.wy + (all_.wy - at.below.wy) -
                             median * (all_.w - at.below.w));
  }
  double median() const {
    const double half = all_.w / 2;
    const double lower = sorted_[place([half](double w) { return w < half; }).rank];
    const double upper = sorted_[place([half](double w) { return w <= half; }).rank];
    return lower / 2 + upper / 2;
  }

 private:
  struct Place {
    std::uint32_t rank;
    WeightedValue below;
  };

  void change(std::uint32_t rank, WeightedValue by) {
    all_.w += by.w;
    all_.wy += by.wy;
    for (std::size_t i = rank + 1; i < sums_.size(); i += i & (~i + 1)) {
      sums_[i].w += by.w;
      sums_[i].wy += by.wy;
    }
  }
  // The first rank up to which the weight is not `low` any more.
  template <class Low>
  Place place(Low low) const {
    std::size_t at = 0;
    WeightedValue below{0, 0};
    for (std::size_t step = first_step_; step > 0; step /= 2) {
      if (at + step >= sums_.size() || !low(below.w + sums_[at + step].w)) continue;
      at += step;
      below.w += sums_[at].w;
      below.wy += sums_[at].wy;
    }
    return {static_cast<std::uint32_t>(std::min(at, sorted_.size() - 1)), below};
  }

  std::vector<double> sorted_;
  std::vector<WeightedValue> sums_;  // Fenwick tree, from 1 on
  std::uint32_t first_step_ = 0;
  WeightedValue all_{0, 0};
};

class AbsoluteSide {
 public:
  AbsoluteSide(const RowData& rows, std::uint32_t n_outputs) : rows_(rows), outputs_(n_outputs) {}

  // The rows among which sides are taken from now on.
  void set_node(std::span<const std::uint32_t> ids) {
    added_.clear();
    w_ = 0;
    ranks_.resize(outputs_.size());
    for (std::size_t k = 0; k < outputs_.size(); ++k) rank(ids, k);
  }
  void reset() {
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      for (const auto id : added_) outputs_[k].clear(ranks_[k][id]);
      outputs_[k].clear_totals();
    }
    added_.clear();
    w_ = 0;
  }
  void add(std::uint32_t id) {
    added_.push_back(id);
    w_ += rows_.w[id];
    for (std::size_t k = 0; k < outputs_.size(); ++k) outputs_[k].add(ranks_[k][id], rows_.w[id]);
  }
  double weight() const { return w_; }
  double score() const {
    double sum = 0;
    for (const auto& output : outputs_) sum -= output.error();
    return sum;
  }
  double value() const { return outputs_[0].median(); }
  double median(std::size_t k) const { return outputs_[k].median(); }

 private:
  void rank(std::span<const std::uint32_t> ids, std::size_t k) {
    order_.assign(ids.begin(), ids.end());
    const auto y = [&](std::uint32_t id) { return rows_.values[id * outputs_.size() + k]; };
    std::sort(order_.begin(), order_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return y(a) != y(b) ? y(a) < y(b) : a < b; });
    sorted_.clear();
    for (const auto id : order_) {
      if (id >= ranks_[k].size()) ranks_[k].resize(id + 1);
      ranks_[k][id] = static_cast<std::uint32_t>(sorted_.size());
      sorted_.push_back(y(id));
    }
    outputs_[k].set_ranks(sorted_);
    outputs_[k].clear_totals();
  }

  const RowData& rows_;
  double w_ = 0;
  std::vector<MedianSums> outputs_;
  std::vector<std::vector<std::uint32_t>> ranks_;  // by output and row
  std::vector<std::uint32_t> added_, order_;
  std::vector<double> sorted_;
};

}  // namespace bayeswood
