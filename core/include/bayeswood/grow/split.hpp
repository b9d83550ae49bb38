// A split as the search finds it, in codes; and the choice of features at a node.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/grow/encoded_matrix.hpp"
#include "bayeswood/grow/search/scan.hpp"

namespace bayeswood {

// Category: the levels seen in the node, by side; a missing value is the level MISSING_CODE.
struct LevelSides {
  std::vector<std::uint16_t> left, right;
  std::size_t size() const { return left.size() + right.size(); }
};

struct Split {
  double score = NO_SCORE;
  double price = 0;  // what a category has paid of its score, see level_trust.hpp
  std::uint32_t feature = 0;
  std::uint32_t cut_code = 0;    // numeric: codes <= cut_code go left
  std::uint32_t upper_code = 0;  // numeric: the next code in the node, where the search knows it
  PackedCount left = 0;          // what goes left, where CountSearch found the split
  // Numeric: where the search chose it; else it will lie between the two codes.
  double threshold = std::numeric_limits<double>::quiet_NaN();
  bool missing_left = false;
  bool missing_seen = false;           // the node had missing values of this feature
  bool refused = false;                // no split: it gained less than it had to pay
  std::unique_ptr<LevelSides> levels;  // category
  bool found() const { return score > NO_SCORE; }
};

// Keeps the better of two; a later one must be better by more than the tolerance.
inline void keep_better(Split& best, Split&& other, double tolerance) {
  if (!other.found()) return;
  if (!best.found() || other.score > best.score + tolerance) best = std::move(other);
}

// Which side a code goes to, for both kinds of split.
class Sides {
 public:
  void set(const Split& split, const FeatureCodes& codes) {
    is_category_ = codes.is_category;
    cut_code_ = split.cut_code;
    missing_left_ = split.missing_left;
    if (!is_category_) return;
    left_.assign(codes.n_codes + 1, 0);
    for (const auto level : split.levels->left) {
      if (level != MISSING_CODE) left_[level] = 1;
    }
  }
  bool goes_left(std::uint32_t code) const {
    if (code == MISSING_CODE) return missing_left_;
    return is_category_ ? left_[code] != 0 : code <= cut_code_;
  }

 private:
  bool is_category_ = false;
  bool missing_left_ = false;
  std::uint32_t cut_code_ = 0;
  std::vector<std::uint8_t> left_;
};

// Features in random order without replacement, drawn as they are asked for.
class FeatureOrder {
 public:
  FeatureOrder(std::size_t n_features, Stream stream, bool shuffle)
      : order_(n_features), stream_(stream), shuffle_(shuffle) {
    std::iota(order_.begin(), order_.end(), 0U);
  }
  void restart() { drawn_ = 0; }
  std::size_t left() const { return order_.size() - drawn_; }
  std::span<const std::uint32_t> drawn() const { return std::span(order_).first(drawn_); }
  std::uint32_t next() {
    if (shuffle_) {
      const std::uint32_t k = stream_.below(static_cast<std::uint32_t>(left()));
      std::swap(order_[drawn_], order_[drawn_ + k]);
    }
    return order_[drawn_++];
  }
  // The next n.
  std::span<const std::uint32_t> draw(std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) next();
    return drawn().last(n);
  }

 private:
  std::vector<std::uint32_t> order_;
  Stream stream_;
  bool shuffle_;
  std::size_t drawn_ = 0;
};

}  // namespace bayeswood
