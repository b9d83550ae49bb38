// Gini and entropy over class weights W_c with W = sum W_c.
//   Gini:    W (1 - sum p_c^2)      -> score sum W_c^2 / W, to be maximised
//   Entropy: -W sum p_c log p_c     -> score sum W_c log W_c - W log W, to be maximised
// Both sums are kept up to date as rows are added. Terms are only ever added, never subtracted, so
// nothing cancels: the scan builds the right side by a backward pass of its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bayeswood/grow/target.hpp"

namespace bayeswood {

// Not a lambda: compilers would try its loop as a constant expression, in every file, in vain.
inline std::vector<double> x_log_x_table() {
  std::vector<double> table(65537, 0.0);
  for (std::size_t x = 2; x < table.size(); ++x) {
    table[x] = static_cast<double>(x) * std::log(static_cast<double>(x));
  }
  return table;
}

// Whole numbers, such as counts of rows, are looked up.
inline const std::vector<double> X_LOG_X = x_log_x_table();

inline double x_log_x(double x) {
  if (x < static_cast<double>(X_LOG_X.size())) {
    if (!(x > 0)) return 0;
    const auto whole = static_cast<std::size_t>(x);
    if (static_cast<double>(whole) == x) return X_LOG_X[whole];
  }
  return x * std::log(x);
}

struct Gini {
  static double term(double x) { return x * x; }
  static double increase(double before, double added) { return added * (2 * before + added); }
  static double score(double sum, double w) { return sum / w; }
};

struct Entropy {
  static double term(double x) { return x_log_x(x); }
  static double increase(double before, double added) {
    return x_log_x(before + added) - x_log_x(before);
  }
  static double score(double sum, double w) { return sum - x_log_x(w); }
};

template <class Impurity>
class ClassSide {
 public:
  ClassSide(const RowData& rows, std::uint32_t n_classes) : rows_(rows), class_w_(n_classes) {}
  void reset() {
    for (const auto label : touched_) class_w_[label] = 0;
    touched_.clear();
    w_ = sum_ = 0;
  }
  void add(std::uint32_t id) {
    const std::int32_t label = rows_.label[id];
    const double w = rows_.w[id];
    double& mine = class_w_[label];
    if (mine == 0) touched_.push_back(label);
    sum_ += Impurity::increase(mine, w);
    mine += w;
    w_ += w;
  }
  double weight() const { return w_; }
  double score() const { return Impurity::score(sum_, w_); }
  double value() const { return class_w_[1] / w_; }  // share of the second class

 private:
  const RowData& rows_;
  double w_ = 0;
  double sum_ = 0;
  std::vector<double> class_w_;
  std::vector<std::int32_t> touched_;
};

// One end of a sorted list, added up towards the other: running weight and sum after each row.
template <class Impurity>
class ClassRun {
 public:
  void reset(std::size_t n_classes, std::size_t n) {
    class_w_.assign(n_classes, 0.0);
    if (w.size() < n) {
      w.resize(n);
      sum.resize(n);
    }
    w_ = sum_ = 0;
  }
  void add(const RowData& rows, std::uint32_t id, std::uint32_t at) {
    const double row_w = rows.w[id];
    double& mine = class_w_[rows.label[id]];
    sum_ += Impurity::increase(mine, row_w);
    mine += row_w;
    w_ += row_w;
    w[at] = w_;
    sum[at] = sum_;
  }
  std::vector<double> w, sum;  // by place in the list

 private:
  double w_ = 0;
  double sum_ = 0;
  std::vector<double> class_w_;
};

}  // namespace bayeswood
