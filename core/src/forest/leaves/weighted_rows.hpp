// Rows with weights, asked at which of them, in the order of their ranks, the weights reach a sum.
//
// Weights are added up in buckets of ranks, and in groups of buckets; rows are looked at, and
// sorted, only in a bucket that an answer lies in.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace bayeswood {

struct WeightedRow {
  std::uint32_t row;
  double w;
};

class WeightedRows {
 public:
  // `n_ranks`: ranks are less.
  explicit WeightedRows(std::size_t n_ranks) {
    constexpr int BITS = 10;
    shift_ = std::max(0, static_cast<int>(std::bit_width(n_ranks)) - BITS);
    const std::size_t n_groups = (n_ranks >> shift_) / GROUP + 1;
    in_group_.resize(n_groups);
    in_bucket_.resize(n_groups * GROUP);
    last_.resize(n_groups * GROUP);
  }

  // `rows`: at least one.
  void load(std::span<const WeightedRow> rows, std::span<const std::uint32_t> rank) {
    std::fill(in_group_.begin(), in_group_.end(), 0.0);
    std::fill(in_bucket_.begin(), in_bucket_.end(), 0.0);
    std::fill(last_.begin(), last_.end(), NONE);
    rank_.resize(rows.size());
    before_.resize(rows.size());
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      rank_[i] = rank[rows[i].row];
      const std::size_t b = rank_[i] >> shift_;
      in_bucket_[b] += rows[i].w;
      in_group_[b / GROUP] += rows[i].w;
      before_[i] = last_[b];
      last_[b] = i;
    }
    rows_ = rows;
    total_ = 0;
    for (const double w : in_group_) total_ += w;
  }

  double total() const { return total_; }

  // The first row at which the weights reach a sum; the last if they do not.
  std::uint32_t row_at(double sum) {
    double reached = 0;
    const std::size_t group = place_of(sum, 0, in_group_.size(), reached, [this](std::size_t g) {
      const auto first = last_.begin() + static_cast<std::ptrdiff_t>(g * GROUP);
      return std::any_of(first, first + GROUP, [](std::uint32_t i) { return i != NONE; })
                 ? in_group_[g]
                 : EMPTY;
    });
    const std::size_t bucket =
        place_of(sum, group * GROUP, (group + 1) * GROUP, reached,
                 [this](std::size_t b) { return last_[b] == NONE ? EMPTY : in_bucket_[b]; });
    sort_bucket(bucket);
    const std::size_t place =
        place_of(sum, 0, sorted_.size(), reached, [this](std::size_t s) { return weight(s); });
    return rows_[sorted_[place]].row;
  }

 private:
  static constexpr std::size_t GROUP = 32;
  static constexpr std::uint32_t NONE = 0xffffffff;
  static constexpr double EMPTY = -1;  // no weight is less than 0

  double weight(std::size_t s) const { return rows_[sorted_[s]].w; }

  // The first of some parts at which the sum is reached, or the last that is not empty; `reached`
  // before it.
  template <class Weight>
  static std::size_t place_of(double sum, std::size_t begin, std::size_t end, double& reached,
                              Weight weight) {
    std::size_t found = begin;
    double before = reached;
    for (std::size_t i = begin; i < end; ++i) {
      const double w = weight(i);
      if (w == EMPTY) continue;
      found = i;
      before = reached;
      reached += w;
      if (reached >= sum) break;
    }
    reached = before;
    return found;
  }

  void sort_bucket(std::size_t bucket) {
    sorted_.clear();
    for (std::uint32_t i = last_[bucket]; i != NONE; i = before_[i]) sorted_.push_back(i);
    std::sort(sorted_.begin(), sorted_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return rank_[a] < rank_[b]; });
  }

  std::span<const WeightedRow> rows_;
  std::vector<std::uint32_t> rank_;           // of each row
  std::vector<double> in_group_, in_bucket_;  // sums of weights
  std::vector<std::uint32_t> last_, before_;  // row of a bucket, and the row there before it
  std::vector<std::uint32_t> sorted_;         // rows of one bucket
  double total_ = 0;
  int shift_ = 0;
};

}  // namespace bayeswood
