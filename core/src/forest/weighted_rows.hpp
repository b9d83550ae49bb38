// Rows with weights, asked at which of them, in the order of their ranks, the weights reach a sum.
//
// They are put into buckets of ranks, and a bucket is sorted only when an answer lies in it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace bayeswood {

struct WeightedRow {
  std::uint32_t row;
  std::uint32_t rank;
  double w;
};

class WeightedRows {
 public:
  // `rows`: at least one.
  void load(std::span<const WeightedRow> rows) {
    std::uint32_t most = first_ = rows.front().rank;
    for (const auto& row : rows) {
      first_ = std::min(first_, row.rank);
      most = std::max(most, row.rank);
    }
    const std::uint32_t span = most - first_;
    const auto bits = static_cast<int>(std::bit_width(span));
    shift_ = std::max(0, bits - static_cast<int>(std::bit_width(rows.size())) + 1);
    const std::size_t n_buckets = (span >> shift_) + 1;
    ends_.assign(n_buckets, 0);
    for (const auto& row : rows) ++ends_[bucket(row)];
    std::uint32_t before = 0;
    for (auto& end : ends_) before += std::exchange(end, before);  // begins, until they are filled
    rows_.resize(rows.size());
    for (const auto& row : rows) rows_[ends_[bucket(row)]++] = row;
    reached_.resize(n_buckets);
    double sum = 0;
    for (std::size_t b = 0, at = 0; b < n_buckets; ++b) {
      for (; at < ends_[b]; ++at) sum += rows_[at].w;
      reached_[b] = sum;
    }
    is_sorted_.assign(n_buckets, 0);
  }

  double total() const { return reached_.back(); }

  // The first row at which the weights reach a sum; the last if they do not.
  std::uint32_t row_at(double sum) {
    const auto found = std::lower_bound(reached_.begin(), reached_.end() - 1, sum);
    const auto b = static_cast<std::size_t>(found - reached_.begin());
    const auto begin = rows_.begin() + (b > 0 ? ends_[b - 1] : 0);
    const auto end = rows_.begin() + ends_[b];
    if (!is_sorted_[b]) {
      std::sort(begin, end, [](const auto& a, const auto& b) { return a.rank < b.rank; });
      is_sorted_[b] = 1;
    }
    double reached = b > 0 ? reached_[b - 1] : 0;
    const auto last = std::find_if(begin, end - 1, [&](const WeightedRow& row) {
      reached += row.w;
      return reached >= sum;
    });
    return last->row;
  }

 private:
  std::size_t bucket(const WeightedRow& row) const { return (row.rank - first_) >> shift_; }

  std::vector<WeightedRow> rows_;    // bucket after bucket
  std::vector<std::uint32_t> ends_;  // of the buckets in rows_
  std::vector<double> reached_;      // weight up to the end of each
  std::vector<std::uint8_t> is_sorted_;
  std::uint32_t first_ = 0;
  int shift_ = 0;
};

}  // namespace bayeswood
