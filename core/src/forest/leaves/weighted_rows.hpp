// Rows with weights, asked at which of them, in the order of their ranks, the weights reach shares
// of their sum.
//
// Weights are added up in buckets of ranks, and buckets in groups; rows are looked at, and sorted,
// only in buckets that answers lie in.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace bayeswood {

// The first `n` are there.
struct LeafMates {
  std::vector<std::uint32_t> number;
  std::vector<double> w;
  std::size_t n = 0;

  // Leaves room for some.
  void clear(std::size_t most) {
    n = 0;
    if (number.size() >= most) return;
    number.resize(most);
    w.resize(most);
  }
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
    is_found_.resize(n_groups * GROUP);
  }

  // `rank` by number; empty where numbers are ranks.
  void load(const LeafMates& mates, std::span<const std::uint32_t> rank) {
    number_ = std::span(mates.number).first(mates.n);
    w_ = mates.w.data();
    rank_ = number_;
    if (!rank.empty()) {
      ranks_.resize(mates.n);
      for (std::size_t i = 0; i < mates.n; ++i) ranks_[i] = rank[number_[i]];
      rank_ = ranks_;
    }
    std::fill(in_bucket_.begin(), in_bucket_.end(), 0.0);
    for (std::size_t i = 0; i < mates.n; ++i) in_bucket_[rank_[i] >> shift_] += w_[i];
    total_ = 0;
    for (std::size_t g = 0; g < in_group_.size(); ++g) {
      in_group_[g] = group_sum(in_bucket_.data() + g * GROUP);
      total_ += in_group_[g];
    }
  }

  double total() const { return total_; }

  // For each share of the total, which must be above 0, the number of the first row at which the
  // weights reach it.
  template <class Put>
  void find(std::span<const double> shares, Put put) {
    found_.clear();
    // Rounding of the sum must not push a share past the row it belongs to.
    for (const double share : shares) found_.push_back(find_bucket(share * total_ * (1 - 1e-12)));
    sort_found();
    for (const Found& one : found_) put(number_in(one));
  }

 private:
  static constexpr std::size_t GROUP = 32;

  struct Found {
    std::uint32_t bucket;
    double before, sum;  // what is reached before the bucket, and looked for
  };

  Found find_bucket(double sum) const {
    double reached = 0;
    const std::size_t group =
        place_of(sum, 0, in_group_.size(), reached, [this](std::size_t g) { return in_group_[g]; });
    const std::size_t bucket = place_of(sum, group * GROUP, (group + 1) * GROUP, reached,
                                        [this](std::size_t b) { return in_bucket_[b]; });
    return {static_cast<std::uint32_t>(bucket), reached, sum};
  }

  // The rows of buckets that were found.
  void sort_found() {
    for (const Found& one : found_) is_found_[one.bucket] = 1;
    sorted_.clear();
    const int shift = shift_;
    const std::uint8_t* is_found = is_found_.data();
    for (std::uint32_t i = 0; i < rank_.size(); ++i) {
      if (is_found[rank_[i] >> shift]) sorted_.push_back(i);
    }
    for (const Found& one : found_) is_found_[one.bucket] = 0;
    std::sort(sorted_.begin(), sorted_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return rank_[a] < rank_[b]; });
  }

  std::uint32_t number_in(const Found& found) const {
    const auto bucket = [this](std::uint32_t i) { return rank_[i] >> shift_; };
    const auto rows = std::ranges::equal_range(sorted_, found.bucket, {}, bucket);
    double reached = found.before;
    const std::size_t place =
        place_of(found.sum, 0, rows.size(), reached, [&](std::size_t s) { return w_[rows[s]]; });
    return number_[rows[place]];
  }

  // Four sums side by side, none of which waits for another.
  static double group_sum(const double* w) {
    double sums[4] = {};
    for (std::size_t b = 0; b < GROUP; b += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += w[b + lane];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  // The first of some parts at which the sum is reached, or the last that weighs anything;
  // `reached` before it.
  template <class Weight>
  static std::size_t place_of(double sum, std::size_t begin, std::size_t end, double& reached,
                              Weight weight) {
    std::size_t found = begin;
    double before = reached;
    for (std::size_t i = begin; i < end; ++i) {
      const double w = weight(i);
      if (w == 0) continue;
      found = i;
      before = reached;
      reached += w;
      if (reached >= sum) break;
    }
    reached = before;
    return found;
  }

  std::span<const std::uint32_t> number_, rank_;  // of each row
  const double* w_ = nullptr;
  std::vector<std::uint32_t> ranks_;          // where they are not the numbers
  std::vector<double> in_group_, in_bucket_;  // sums of weights
  std::vector<Found> found_;
  std::vector<std::uint8_t> is_found_;  // by bucket
  std::vector<std::uint32_t> sorted_;   // the rows there
  double total_ = 0;
  int shift_ = 0;
};

}  // namespace bayeswood
