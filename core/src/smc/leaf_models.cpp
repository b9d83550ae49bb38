#include "bayeswood/smc/leaf_models.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace bayeswood {

Copies::Copies(std::span<const std::int32_t> copies, std::size_t n_rows)
    : copies_(copies), total_(static_cast<std::int64_t>(n_rows)) {
  if (copies.empty()) return;
  if (copies.size() != n_rows) throw std::invalid_argument("copies: one per row");
  total_ = std::accumulate(copies.begin(), copies.end(), std::int64_t{0});
  if (total_ > 0x7fffffff) throw std::invalid_argument("copies: at most 2,147,483,647 in all");
}

RisingTable::RisingTable(double shift, std::int64_t largest) : beyond_(shift, 0) {
  constexpr std::int64_t MOST = 1 << 20;
  const std::int64_t last = std::min(largest, MOST);
  for (std::int64_t n = 0; n <= last + 1; ++n) sums_.push_back(beyond_(n));
  for (std::int64_t n = 0; n <= last; ++n)
    steps_.push_back(std::log(static_cast<double>(n) + shift));
}

ClassLeaves::Stats ClassLeaves::rest(const Stats& whole, const Stats& part) const {
  Stats left = whole;
  for (std::size_t c = 0; c < n_classes_; ++c) left.counts[c] -= part.counts[c];
  left.n -= part.n;
  return left;
}

void ClassLeaves::Walk::start(const Stats& whole) {
  left_.assign(whole.counts.size(), 0);
  right_ = whole.counts;
  left_sum_ = right_sum_ = 0;
  for (const auto m : right_) right_sum_ += model_.class_term_(m);
  n_left_ = 0;
  n_right_ = whole.n;
}

void NumberLeaves::add(const Stats& part, Stats& stats) const {
  stats.n += part.n;
  stats.sum += part.sum;
  stats.squares_high += part.squares_high;
  stats.squares_low += part.squares_low;
}

NumberLeaves::Stats NumberLeaves::rest(const Stats& whole, const Stats& part) const {
  Stats left = whole;
  left.n -= part.n;
  left.sum -= part.sum;
  left.squares_high -= part.squares_high;
  left.squares_low -= part.squares_low;
  return left;
}

}  // namespace bayeswood
