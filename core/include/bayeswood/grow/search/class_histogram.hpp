// Splits for CLASSES from class weights by code, without sorting: for numeric features whose codes
// are few beside the node's rows. Sums of each cut are made afresh from the class weights of both
// sides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/node.hpp"

namespace bayeswood {

class ClassHistogram {
 public:
  explicit ClassHistogram(const Target& target)
      : n_classes_(target.n_outputs), gini_(target.criterion == Criterion::GINI) {}

  Split search(const std::uint16_t* column, std::span<const std::uint16_t> ids, const RowData& rows,
               const FeatureCodes& codes, std::uint32_t feature, const NodeTotals& node,
               const Limits& limits) {
    fill(column, ids, rows, codes.n_codes);
    Split best = gini_ ? sweep<Gini>(codes.n_codes, node, limits, false)
                       : sweep<Entropy>(codes.n_codes, node, limits, false);
    const bool missing = count_[codes.n_codes] > 0;
    if (missing) {
      keep_better(best,
                  gini_ ? sweep<Gini>(codes.n_codes, node, limits, true)
                        : sweep<Entropy>(codes.n_codes, node, limits, true),
                  limits.tolerance);
    }
    best.feature = feature;
    best.missing_seen = missing;
    return best;
  }

 private:
  // The missing values stand behind the last code.
  void fill(const std::uint16_t* column, std::span<const std::uint16_t> ids, const RowData& rows,
            std::uint32_t n_codes) {
    sums_.assign((std::size_t{n_codes} + 1) * n_classes_, 0.0);
    count_.assign(n_codes + 1, 0);
    total_.assign(n_classes_, 0.0);
    double* sums = sums_.data();
    std::uint32_t* count = count_.data();
    const std::size_t n_classes = n_classes_;
    const std::int32_t* label = rows.label;
    const double* w = rows.w;
    for (const auto id : ids) {
      const std::uint32_t code = std::min<std::uint32_t>(column[id], n_codes);
      sums[code * n_classes + label[id]] += w[id];
      ++count[code];
    }
    for (std::size_t at = 0; at < sums_.size(); at += n_classes_) {
      for (std::size_t c = 0; c < n_classes_; ++c) total_[c] += sums_[at + c];
    }
  }

  template <class Impurity>
  Split sweep(std::uint32_t n_codes, const NodeTotals& node, const Limits& limits,
              bool missing_left) {
    Split best;
    left_.assign(n_classes_, 0.0);
    std::uint32_t n_left = 0;
    std::uint32_t last =
        MISSING_CODE;  // of the best cut so far, whose upper neighbour is still to come
    if (missing_left) n_left = move_left(n_codes);
    for (std::uint32_t code = 0; code < n_codes; ++code) {
      if (count_[code] == 0) continue;
      if (best.found() && best.cut_code == last) best.upper_code = code;
      last = code;
      n_left += move_left(code);
      if (n_left < limits.min_rows || node.n - n_left < limits.min_rows) continue;
      double w_left = 0;
      double w_right = 0;
      double sum_left = 0;
      double sum_right = 0;
      for (std::size_t c = 0; c < n_classes_; ++c) {
        const double left = left_[c];
        const double right = total_[c] - left;
        w_left += left;
        w_right += right;
        sum_left += Impurity::term(left);
        sum_right += Impurity::term(right);
      }
      if (std::min(w_left, w_right) < limits.min_weight) continue;
      const double score = Impurity::score(sum_left, w_left) + Impurity::score(sum_right, w_right);
      if (!(score > best.score + limits.tolerance)) continue;
      best.score = score;
      best.cut_code = code;
      best.upper_code = MISSING_CODE;
    }
    best.missing_left = missing_left;
    return best;
  }

  std::uint32_t move_left(std::uint32_t code) {
    const double* sums = sums_.data() + code * n_classes_;
    for (std::size_t c = 0; c < n_classes_; ++c) left_[c] += sums[c];
    return count_[code];
  }

  std::size_t n_classes_;
  bool gini_;
  std::vector<double> sums_, total_, left_;
  std::vector<std::uint32_t> count_;
};

}  // namespace bayeswood
