// The k best splits of a node, of which one is drawn (Dietterich's randomised trees).
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/grow/split.hpp"

namespace bayeswood {

class TopSplits {
 public:
  // A later split must be better by more than the tolerance.
  void restart(std::size_t size, double tolerance) {
    size_ = size;
    tolerance_ = tolerance;
    splits_.clear();
    worst_ = 0;
  }
  // A split is among the best so far only if it scores more than this.
  double floor() const {
    return splits_.size() < size_ ? NO_SCORE : splits_[worst_].score + tolerance_;
  }

  void offer(Split&& split) {
    if (!split.found() || !(split.score > floor())) return;
    if (splits_.size() < size_) {
      splits_.push_back(std::move(split));
    } else {
      splits_[worst_] = std::move(split);
    }
    worst_ = 0;
    for (std::size_t i = 1; i < splits_.size(); ++i) {
      if (splits_[i].score < splits_[worst_].score - tolerance_) worst_ = i;
    }
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
  std::vector<Split> splits_;
};

}  // namespace bayeswood
