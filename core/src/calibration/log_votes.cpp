#include "bayeswood/calibration/log_votes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bayeswood/base/vector_math.hpp"
#include "class_rows.hpp"

namespace bayeswood {
namespace {

// Entries looked at together: they stay in the first-level cache.
constexpr std::size_t BLOCK_ENTRIES = 1024;
// Odds against the first class below which a row is as good as certain.
constexpr double LEAST_OPEN = 1e-3;

}  // namespace

// Rows first, ..., end - 1, while their probabilities are computed.
struct LogVotes::Block {
  std::size_t first = 0, end = 0;
  std::vector<double> share;     // of every entry, e^(score - top)
  std::vector<double> minus;     // of every row, e^-top
  std::vector<double> total;     // of every row, Z e^-top
  std::vector<double> log_z;     // of every row, log Z
  std::vector<double> scale;     // of every row, w / total
  std::vector<double> top;       // of every row
  std::vector<double> at_floor;  // of every class, e^score without a vote
  // Of every class, the sum of f = w e^-top / total over the rows that lack some class but have an
  // entry of this one, and over all that lack some; then of f^2 / w.
  std::vector<double> below, below_squares;
  double below_all = 0, below_squares_all = 0;
  double sum_at_floor = 0;
  double top_floor = 0;
};

LogVotes::LogVotes(const VotesView& votes, std::span<const double> mean,
                   std::span<const double> weights, double n_trees)
    : n_classes_(votes.n_classes), floor_(-std::log(n_trees + 1.0)), start_(1, 0) {
  const double c = static_cast<double>(n_classes_);
  for (std::size_t i = 0; i < votes.n_rows(); ++i) {
    const auto n = static_cast<std::size_t>(votes.start[i + 1] - votes.start[i]);
    if (weights[i] > 0) start_.push_back(start_.back() + n);
  }
  label_.reserve(start_.back());
  log_.reserve(start_.back());
  for (std::size_t i = 0; i < votes.n_rows(); ++i) {
    if (!(weights[i] > 0)) continue;
    const auto begin = votes.start[i], end = votes.start[i + 1];
    label_.insert(label_.end(), votes.label.begin() + begin, votes.label.begin() + end);
    log_.insert(log_.end(), mean.begin() + begin, mean.begin() + end);
  }
  for (double& log : log_) log = (n_trees * (c * log) + 1.0) / (n_trees + 1.0);
  log_in_place(log_);
}

double LogVotes::at(std::size_t i, std::int32_t label) const {
  const auto begin = label_.begin() + static_cast<std::ptrdiff_t>(start_[i]);
  const auto end = label_.begin() + static_cast<std::ptrdiff_t>(start_[i + 1]);
  const auto found = std::lower_bound(begin, end, label);
  if (found == end || *found != label) return floor_;
  return log_[static_cast<std::size_t>(found - label_.begin())];
}

std::size_t LogVotes::end_of_block(std::size_t first) const {
  std::size_t end = first + 1;
  while (end < n_rows() && start_[end + 1] - start_[first] <= BLOCK_ENTRIES &&
         end - first < BLOCK_ENTRIES) {
    ++end;
  }
  return end;
}

bool LogVotes::is_full(const Block& block) const {
  return start_[block.end] - start_[block.first] == (block.end - block.first) * n_classes_;
}

ClassRows LogVotes::rows(const ClassMap& map, Block& block) const {
  return {block.end - block.first,           n_classes_,        map.slope.data(), map.offset.data(),
          log_.data() + start_[block.first], block.share.data()};
}

void LogVotes::score(const ClassMap& map, Block& block) const {
  const std::size_t n = block.end - block.first;
  block.share.resize(start_[block.end] - start_[block.first]);
  block.minus.resize(n);
  block.total.resize(n);
  block.top.resize(n);
  if (!is_full(block)) return score_some(map, block);
  const ClassRows full = rows(map, block);
  score_rows(full, block.top.data());
  for (std::size_t i = 0; i < n; ++i) block.minus[i] = -block.top[i];
  exp_in_place(block.share);
  sum_shares(full, block.total.data());
}

void LogVotes::score_some(const ClassMap& map, Block& block) const {
  const std::size_t n = block.end - block.first;
  const std::size_t entries = start_[block.first];
  double* share = block.share.data() - entries;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t begin = start_[block.first + i], end = start_[block.first + i + 1];
    double top = end - begin < n_classes_ ? block.top_floor : -HUGE_VAL;
    for (std::size_t e = begin; e < end; ++e) {
      const auto c = static_cast<std::size_t>(label_[e]);
      share[e] = map.slope[c] * log_[e] + map.offset[c];
      top = std::max(top, share[e]);
    }
    for (std::size_t e = begin; e < end; ++e) share[e] -= top;
    block.top[i] = top;
    block.minus[i] = -top;
  }
  exp_in_place(block.share);
  exp_in_place(block.minus);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t begin = start_[block.first + i], end = start_[block.first + i + 1];
    double sum = 0, taken = 0;
    for (std::size_t e = begin; e < end; ++e) sum += share[e];
    if (end - begin < n_classes_) {
      for (std::size_t e = begin; e < end; ++e)
        taken += block.at_floor[static_cast<std::size_t>(label_[e])];
      sum += std::max(block.sum_at_floor - taken, 0.0) * block.minus[i];
    }
    block.total[i] = sum;
  }
}

void LogVotes::add(const ClassMap& map, Block& block, std::span<const double> weights,
                   ClassSums& out) const {
  const std::size_t n = block.end - block.first;
  block.log_z = block.total;
  block.scale.resize(n);
  log_in_place(block.log_z);
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = weights[block.first + i];
    block.scale[i] = weight / block.total[i];
    out.log_z += weight * (block.top[i] + block.log_z[i]);
  }
  if (!is_full(block)) return add_some(block, out);
  add_rows(rows(map, block), block.scale.data(), out.mass.data(), out.moment.data());
}

void LogVotes::add_some(Block& block, ClassSums& out) const {
  const std::size_t entries = start_[block.first];
  for (std::size_t i = 0; i < block.end - block.first; ++i) {
    const std::size_t begin = start_[block.first + i], end = start_[block.first + i + 1];
    const double below = end - begin < n_classes_ ? block.scale[i] * block.minus[i] : 0.0;
    block.below_all += below;
    for (std::size_t e = begin; e < end; ++e) {
      const auto c = static_cast<std::size_t>(label_[e]);
      const double mass = block.scale[i] * block.share[e - entries];
      out.mass[c] += mass;
      out.moment[c] += mass * log_[e];
      block.below[c] += below;
    }
  }
}

void LogVotes::add_second(Block& block, std::span<const double> weights, ClassSums& out) const {
  const std::size_t entries = start_[block.first];
  for (std::size_t i = 0; i < block.end - block.first; ++i) {
    const double weight = weights[block.first + i];
    const std::size_t begin = start_[block.first + i], end = start_[block.first + i + 1];
    const double below = block.minus[i] / block.total[i];
    const double square = end - begin < n_classes_ ? weight * below * below : 0.0;
    block.below_squares_all += square;
    for (std::size_t e = begin; e < end; ++e) {
      block.below_squares[static_cast<std::size_t>(label_[e])] += square;
      const auto c = static_cast<std::size_t>(label_[e]);
      const double q = block.share[e - entries] / block.total[i];
      const double spread = weight * q * (1.0 - q);
      out.spread[c] += spread;
      out.bend[c] += spread * log_[e] * log_[e];
    }
  }
}

// What the classes without an entry have: e^score is the same in all rows.
void LogVotes::add_floor(const Block& block, ClassSums& out) const {
  for (std::size_t c = 0; c < n_classes_; ++c) {
    const double mass = block.at_floor[c] * std::max(block.below_all - block.below[c], 0.0);
    out.mass[c] += mass;
    out.moment[c] += mass * floor_;
    if (out.spread.empty()) continue;
    const double squares = std::max(block.below_squares_all - block.below_squares[c], 0.0);
    const double spread = mass - block.at_floor[c] * block.at_floor[c] * squares;
    out.spread[c] += spread;
    out.bend[c] += spread * floor_ * floor_;
  }
}

LogVotes::Block LogVotes::start(const ClassMap& map) const {
  Block block;
  block.at_floor.resize(n_classes_);
  block.below.resize(n_classes_);
  block.below_squares.resize(n_classes_);
  for (std::size_t c = 0; c < n_classes_; ++c)
    block.at_floor[c] = map.slope[c] * floor_ + map.offset[c];
  block.top_floor = *std::max_element(block.at_floor.begin(), block.at_floor.end());
  exp_in_place(block.at_floor);
  for (const double value : block.at_floor) block.sum_at_floor += value;
  return block;
}

ClassSums LogVotes::sums(const ClassMap& map, std::span<const double> weights, bool second) const {
  ClassSums out{0, std::vector<double>(n_classes_), std::vector<double>(n_classes_), {}, {}};
  if (second) out.spread.resize(n_classes_);
  if (second) out.bend.resize(n_classes_);
  Block block = start(map);
  while (block.end < n_rows()) {
    block.first = block.end;
    block.end = end_of_block(block.first);
    score(map, block);
    add(map, block, weights, out);
    if (second) add_second(block, weights, out);
  }
  add_floor(block, out);
  return out;
}

std::vector<std::size_t> LogVotes::open_rows(const ClassMap& map) const {
  std::vector<std::size_t> found;
  Block block = start(map);
  while (block.end < n_rows()) {
    block.first = block.end;
    block.end = end_of_block(block.first);
    score(map, block);
    for (std::size_t i = block.first; i < block.end; ++i)
      if (block.total[i - block.first] > 1.0 + LEAST_OPEN) found.push_back(i);
  }
  if (found.empty()) {
    found.resize(n_rows());
    std::iota(found.begin(), found.end(), std::size_t{0});
  }
  return found;
}

std::vector<double> LogVotes::second_derivatives(const ClassMap& map,
                                                 std::span<const double> weights,
                                                 std::size_t most_rows) const {
  const std::size_t k = n_classes_, width = 2 * k;
  const std::vector<std::size_t> open = open_rows(map);
  const std::size_t n_asked = std::min(open.size(), most_rows);
  const double per_row = static_cast<double>(open.size()) / static_cast<double>(n_asked);
  std::vector<double> out(width * width, 0.0), by(width), logs(k), q(k);
  for (std::size_t asked = 0; asked < n_asked; ++asked) {
    const std::size_t i = open[asked * open.size() / n_asked];
    const double weight = per_row * weights[i];
    probabilities(map, i, q);
    std::fill(logs.begin(), logs.end(), floor_);
    for (std::size_t e = start_[i]; e < start_[i + 1]; ++e)
      logs[static_cast<std::size_t>(label_[e])] = log_[e];
    for (std::size_t c = 0; c < k; ++c) {
      by[c] = q[c] * logs[c];
      by[k + c] = q[c];
      out[c * width + c] += weight * by[c] * logs[c];
      out[(k + c) * width + c] += weight * by[c];
      out[(k + c) * width + k + c] += weight * q[c];
    }
    subtract_outer(width, by.data(), weight, out.data());
  }
  return out;
}

void LogVotes::probabilities(const ClassMap& map, std::size_t i, std::span<double> out) const {
  for (std::size_t c = 0; c < n_classes_; ++c) out[c] = map.slope[c] * floor_ + map.offset[c];
  for (std::size_t e = start_[i]; e < start_[i + 1]; ++e) {
    const auto c = static_cast<std::size_t>(label_[e]);
    out[c] = map.slope[c] * log_[e] + map.offset[c];
  }
  const double top = *std::max_element(out.begin(), out.end());
  for (double& score : out) score -= top;
  exp_in_place(out);
  double total = 0;
  for (const double share : out) total += share;
  for (double& share : out) share /= total;
}

}  // namespace bayeswood
