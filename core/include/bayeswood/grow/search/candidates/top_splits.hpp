// The k best splits of a node, of which one is drawn (Dietterich's randomised trees).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bayeswood/grow/split.hpp"

namespace bayeswood {

class TopSplits {
 public:
  // A later split must be better by more than the tolerance.
  void restart(std::size_t size, double tolerance) {
    size_ = size;
    tolerance_ = tolerance;
    scores_.clear();
    splits_.clear();
    floor_ = NO_SCORE;
  }
  std::size_t size() const { return size_; }
  const std::vector<double>& scores() const { return scores_; }
  // A split is among the best so far only if it scores more than this.
  double floor() const { return floor_; }

  void offer(Split&& split) {
    if (!split.found() || !(split.score > floor_)) return;
    if (splits_.size() < size_) {
      scores_.push_back(split.score);
      splits_.push_back(std::move(split));
      if (splits_.size() < size_) return;
    } else {
      scores_[worst_] = split.score;
      splits_[worst_] = std::move(split);
    }
    worst_ = 0;
    double to_beat = scores_[0] - tolerance_;
    for (std::size_t i = 1; i < scores_.size(); ++i) {
      if (scores_[i] >= to_beat) continue;
      worst_ = i;
      to_beat = scores_[i] - tolerance_;
    }
    floor_ = scores_[worst_] + tolerance_;
  }

  // One of them, each as likely; none if there is none.
  Split draw(Stream& stream) {
    if (splits_.empty()) return {};
    return std::move(splits_[stream.below(static_cast<std::uint32_t>(splits_.size()))]);
  }

 private:
  std::size_t size_ = 0;
  std::size_t worst_ = 0;
  double tolerance_ = 0;
  double floor_ = NO_SCORE;
  std::vector<double> scores_;  // of the splits
  std::vector<Split> splits_;
};

}  // namespace bayeswood
