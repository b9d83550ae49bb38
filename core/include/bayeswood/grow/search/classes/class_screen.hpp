// Rules out most cuts of a sorted list for Gini, whatever the number of classes.
//
// With c_k the weight of class k on the side that lies nearer to its end of the list, T_k that of
// the node and C = sum c_k, adding a row of weight w and class k changes
//   S = sum c_k^2      by  w (2 c_k + w)
//   D = sum c_k T_k    by  w T_k
// and the other side's sum of squares is sum T_k^2 - 2 D + S: a cut costs the same for any number
// of classes. Such scores differ from the exact ones by rounding, which is bounded; cuts that may
// be the best by these bounds are then scored exactly, and nothing depends on the others.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/search/scan.hpp"

namespace bayeswood {

class ClassScreen {
 public:
  static constexpr std::uint32_t MAX_LABELS = 65536;  // a label must fit its bits

  // With few rows it does not pay; of extreme weights, products of three are no numbers.
  static bool fits(const NodeTotals& node) {
    return node.n >= 32 && node.w > 1e-60 && node.w < 1e60;
  }

  // The rows of a subtree, by id.
  void load(std::span<const double> w, std::span<const std::int32_t> label,
            std::uint32_t n_classes) {
    constexpr std::uint64_t LABEL_BITS = MAX_LABELS - 1;
    tagged_.resize(w.size());
    for (std::size_t i = 0; i < w.size(); ++i) {
      const auto bits = std::bit_cast<std::uint64_t>(w[i]) & ~LABEL_BITS;
      tagged_[i] = std::bit_cast<double>(bits | static_cast<std::uint64_t>(label[i]));
    }
    left_.resize(n_classes);
    right_.resize(n_classes);
    for (auto* column : {&end_squares_, &end_products_, &end_w_, &bound_}) {
      if (column->size() < w.size()) column->resize(w.size());
    }
  }

  // The node to be searched: its classes, each with its weight.
  void restart() {
    labels_.clear();
    w_ = squares_ = 0;
  }
  void add_class(std::int32_t label, double w) {
    labels_.push_back(label);
    left_[label].total = right_[label].total = w;
    w_ += w;
    squares_ += w * w;
  }

  // The cuts of a sorted list between which all lie that may be the best and score more than
  // `floor`.
  CutRange screen(const SmallEntry* list, std::uint32_t n, CutRange cuts, double floor,
                  double tolerance, const Kernels& kernels) {
    if (cuts.empty()) return cuts;
    for (const auto label : labels_) left_[label].sum = right_[label].sum = 0;
    const double error = ERROR * w_;
    // Later cuts must be better by the tolerance: those that decide lie within three of the best.
    return kernels.screen_classes({list, n, cuts, tagged_.data(), left_.data(), right_.data(), w_,
                                   squares_, ERROR * squares_, floor - error,
                                   2 * error + 4 * tolerance, end_squares_.data(),
                                   end_products_.data(), end_w_.data(), bound_.data()});
  }

 private:
  // Tags change a weight by 2^-36 at most, sums of 65,536 rows round by less: the scores' parts
  // differ by no more than 3e-10 of the node's.
  static constexpr double ERROR = 1e-9;

  std::vector<double> tagged_;
  std::vector<ScreenCell> left_, right_;  // by label
  std::vector<std::int32_t> labels_;      // the node's
  double w_ = 0, squares_ = 0;
  std::vector<double> end_squares_, end_products_, end_w_, bound_;
};

}  // namespace bayeswood
