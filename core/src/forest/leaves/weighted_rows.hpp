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
#include <utility>
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
    slot_of_.resize(n_groups * GROUP, NONE);
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
    slots_.clear();
    // Rounding of the sum must not push a share past the row it belongs to.
    for (const double share : shares) found_.push_back(find_bucket(share * total_ * (1 - 1e-12)));
    sort_found();
    for (const Found& one : found_) put(number_in(one));
  }

 private:
  static constexpr std::size_t GROUP = 32;
  static constexpr std::uint32_t NONE = 0xffffffff;

  struct Found {
    std::uint32_t slot;  // of the bucket's rows
    double before, sum;  // what is reached before the bucket, and looked for
  };
  struct Slot {
    std::uint32_t bucket, end;  // place behind its last row
  };

  Found find_bucket(double sum) {
    double reached = 0;
    const std::size_t group =
        place_of(sum, 0, in_group_.size(), reached, [this](std::size_t g) { return in_group_[g]; });
    const std::size_t bucket = place_of(sum, group * GROUP, (group + 1) * GROUP, reached,
                                        [this](std::size_t b) { return in_bucket_[b]; });
    std::uint32_t& slot = slot_of_[bucket];
    if (slot == NONE) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.push_back({static_cast<std::uint32_t>(bucket), 0});
    }
    return {slot, reached, sum};
  }

  // The rows of buckets that were found, bucket after bucket.
  void sort_found() {
    picked_.clear();
    for (std::uint32_t i = 0; i < rank_.size(); ++i) {
      const std::uint32_t slot = slot_of_[rank_[i] >> shift_];
      if (slot == NONE) continue;
      picked_.push_back({slot, i});
      ++slots_[slot].end;
    }
    std::uint32_t begin = 0;
    for (Slot& slot : slots_) {
      slot_of_[slot.bucket] = NONE;
      begin += std::exchange(slot.end, begin);
    }
    sorted_.resize(picked_.size());
    for (const auto& [slot, i] : picked_) sorted_[slots_[slot].end++] = i;
    begin = 0;
    for (const Slot& slot : slots_) {
      std::sort(sorted_.begin() + begin, sorted_.begin() + slot.end,
                [this](std::uint32_t a, std::uint32_t b) { return rank_[a] < rank_[b]; });
      begin = slot.end;
    }
  }

  std::uint32_t number_in(const Found& found) const {
    const std::size_t begin = found.slot == 0 ? 0 : slots_[found.slot - 1].end;
    double reached = found.before;
    const std::size_t place = place_of(found.sum, begin, slots_[found.slot].end, reached,
                                       [this](std::size_t s) { return w_[sorted_[s]]; });
    return number_[sorted_[place]];
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
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> slot_of_;                           // of a bucket
  std::vector<std::pair<std::uint32_t, std::uint32_t>> picked_;  // slot and row
  std::vector<std::uint32_t> sorted_;
  double total_ = 0;
  int shift_ = 0;
};

}  // namespace bayeswood
