// Every cut of a sorted list with its score by entropy, in one pass: what a row adds to the left it
// takes from the right. Each class remembers its term x log x on both sides, so that a row costs
// two new terms and a cut two more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/scan.hpp"
#include "bayeswood/grow/target.hpp"
#include "bayeswood/leaf/class_impurity.hpp"

namespace bayeswood {

class EntropyScan {
 public:
  // The rows of the node, whatever list they will come in.
  template <class Id>
  void set_node(std::span<const Id> ids, const RowData& rows, std::size_t n_classes) {
    whole_.assign(n_classes, ClassTerms{0, 0, 0, 0});
    w_ = sum_ = 0;
    for (const auto id : ids) {
      whole_[rows.label[id]].right += rows.w[id];
      w_ += rows.w[id];
    }
    for (ClassTerms& terms : whole_) sum_ += terms.right_term = x_log_x(terms.right);
  }

  // offer(score, position) for every allowed cut after one of first_cut .. n - 2.
  template <class Entry, class Offer>
  void scan(const Entry* list, std::uint32_t n, std::uint32_t first_cut, const RowData& rows,
            const Limits& limits, Offer offer) {
    if (n < 2 * limits.min_rows || n < 2) return;
    const std::uint32_t first = std::max(first_cut, limits.min_rows - 1);
    const std::uint32_t end = n - limits.min_rows;
    classes_.assign(whole_.begin(), whole_.end());
    double left = 0;
    double right = sum_;
    double w_left = 0;
    for (std::uint32_t i = 0; i < end; ++i) {
      const std::uint32_t id = id_of(list[i]);
      ClassTerms& terms = classes_[rows.label[id]];
      const double w = rows.w[id];
      terms.left += w;
      terms.right -= w;
      const double left_term = x_log_x(terms.left);
      const double right_term = x_log_x(terms.right);
      left += left_term - terms.left_term;
      right += right_term - terms.right_term;
      terms.left_term = left_term;
      terms.right_term = right_term;
      w_left += w;
      if (i < first || code_of(list[i]) == code_of(list[i + 1])) continue;
      const double w_right = w_ - w_left;
      if (std::min(w_left, w_right) < limits.min_weight) continue;
      offer((left - x_log_x(w_left)) + (right - x_log_x(w_right)), i);
    }
  }

 private:
  struct ClassTerms {
    double left, right, left_term, right_term;
  };
  std::vector<ClassTerms> whole_, classes_;  // of the node; as the scan has left them
  double w_ = 0;
  double sum_ = 0;
};

}  // namespace bayeswood
