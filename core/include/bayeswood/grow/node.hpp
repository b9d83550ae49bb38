// What every part of the grower knows of the tree it grows, and the rules by which a node ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bayeswood/grow/cart.hpp"
#include "bayeswood/grow/impurity/class_impurity.hpp"
#include "bayeswood/grow/impurity/squared_error.hpp"
#include "bayeswood/grow/split.hpp"
#include "bayeswood/grow/tree_builder.hpp"

namespace bayeswood {

struct TreeContext {
  const EncodedMatrix& matrix;
  const Target& target;
  const GrowOptions& options;
  const StopFlag& stop;
  TreeBuilder& builder;
  FeatureOrder& features;
  Stream& choices;     // among the best splits
  double* importance;  // per feature
  double min_weight;   // of a leaf

  bool must_stop(const NodeTotals& node, std::uint32_t depth) const {
    return node.pure || node.n < 2 * options.min_samples_leaf ||
           node.n < options.min_samples_split ||
           (options.max_depth != 0 && depth >= options.max_depth);
  }
  Limits limits(const NodeTotals& node) const {
    // The slack keeps children of exactly the minimum weight, whatever the order of summation.
    return {options.min_samples_leaf, std::max(min_weight * (1 - 1e-12), WEIGHT_ROUNDING * node.w),
            TIE_TOLERANCE * node.impurity};
  }
  void count_gain(const Split& split, const NodeTotals& node) const {
    importance[split.feature] += std::max(0.0, split.score + split.price - node.score);
  }
};

// One accumulator of each kind over the same rows; `visit` calls back with the one that fits.
class SideSet {
 public:
  SideSet(const RowData& rows, const Target& target)
      : target_(target),
        scalar_(rows),
        gini_(rows, target.kind == TargetKind::CLASSES ? target.n_outputs : 0),
        entropy_(rows, target.kind == TargetKind::CLASSES ? target.n_outputs : 0),
        multi_(rows, target.kind == TargetKind::MULTI ? target.n_outputs : 0) {}

  template <class F>
  auto visit(F&& f) {
    if (target_.kind == TargetKind::SCALAR) return f(scalar_);
    if (target_.kind == TargetKind::MULTI) return f(multi_);
    return target_.criterion == Criterion::GINI ? f(gini_) : f(entropy_);
  }

  MultiSide& multi() { return multi_; }
  std::vector<double>& class_weights() { return class_w_; }  // all zero between uses

 private:
  const Target& target_;
  std::vector<double> class_w_;
  ScalarSide scalar_;
  ClassSide<Gini> gini_;
  ClassSide<Entropy> entropy_;
  MultiSide multi_;
};

// Adds up rows of numbers one after another.
struct ScalarTotals {
  double w = 0, wy = 0, wyy = 0;
  double y_min = std::numeric_limits<double>::infinity();
  double y_max = -std::numeric_limits<double>::infinity();

  ScalarTotals() = default;
  explicit ScalarTotals(const NumberSums& sums)
      : w(sums.w), wy(sums.wy), wyy(sums.wyy), y_min(sums.y_min), y_max(sums.y_max) {}

  void add(const WeightedValue& row, double y) {
    w += row.w;
    wy += row.wy;
    wyy += row.wy * y;
    y_min = std::min(y_min, y);
    y_max = std::max(y_max, y);
  }
  // Written where they belong: what is written number by number, and copied right away as vectors,
  // is waited for.
  void finish(std::uint32_t n, NodeTotals& t) const {
    t.n = n;
    t.w = w;
    t.wy = wy;
    t.y_min = y_min;
    t.y_max = y_max;
    t.pure = y_min == y_max;
    t.score = wy * wy / w;
    t.impurity = std::max(0.0, wyy - t.score);
  }
  NodeTotals finish(std::uint32_t n) const {
    NodeTotals t;
    finish(n, t);
    return t;
  }
};

template <class Id>
NodeTotals scalar_totals(std::span<const Id> ids, const RowData& rows) {
  ScalarTotals sums;
  for (const auto id : ids) sums.add(rows.pair[id], rows.y[id]);
  return sums.finish(static_cast<std::uint32_t>(ids.size()));
}

// The same of two classes, labels 0 and 1. Every row weighs something, so that wy tells the class,
// and the sum of w y^2 is that of w y.
template <class Id>
NodeTotals two_class_totals(std::span<const Id> ids, const RowData& rows) {
  ScalarTotals sums;
  std::size_t n_ones = 0;
  for (const auto id : ids) {
    const WeightedValue row = rows.pair[id];
    sums.w += row.w;
    sums.wy += row.wy;
    n_ones += row.wy > 0 ? 1 : 0;
  }
  sums.wyy = sums.wy;
  sums.y_min = n_ones == ids.size() ? 1 : 0;
  sums.y_max = n_ones > 0 ? 1 : 0;
  return sums.finish(static_cast<std::uint32_t>(ids.size()));
}

// The same where every row weighs 1.
inline void count_two_classes(std::uint32_t n, std::uint32_t n_ones, NodeTotals& to) {
  to.n = n;
  to.w = n;
  to.wy = n_ones;
  to.y_min = n_ones == n ? 1 : 0;
  to.y_max = n_ones > 0 ? 1 : 0;
  to.pure = n_ones == n || n_ones == 0;
  to.score = to.wy * to.wy / to.w;
  to.impurity = std::max(0.0, to.wy - to.score);
}

// Where the mean of numbers lies far outside the spread, responses are centred anew: differences of
// large sums would drown the gains of deep nodes.
inline bool is_far(const NodeTotals& totals, const Target& target) {
  constexpr double FAR = 1e4;
  return !target.is_classifier && !totals.pure && totals.score > FAR * totals.impurity;
}

template <class Id>
void center(std::span<const Id> ids, const NodeTotals& totals, double* y, WeightedValue* pair) {
  const double mean = totals.wy / totals.w;
  for (const auto id : ids) {
    y[id] -= mean;
    pair[id].wy = pair[id].w * y[id];
  }
}

// From the weights of all classes, summed up in the order of the rows; they are 0 afterwards.
template <class Id>
NodeTotals summed_class_totals(std::span<const Id> ids, const RowData& rows, const Target& target,
                               std::vector<double>& class_w) {
  NodeTotals t;
  t.n = static_cast<std::uint32_t>(ids.size());
  double sum = 0;
  std::uint32_t n_present = 0;
  const bool gini = target.criterion == Criterion::GINI;
  const auto take = [&](double& w) {
    n_present += w > 0 ? 1 : 0;
    t.w += w;
    sum += gini ? Gini::term(w) : Entropy::term(w);
    w = 0;
  };
  if (ids.size() < class_w.size()) {
    for (const auto id : ids) take(class_w[rows.label[id]]);  // a class met again is 0 by now
  } else {
    for (double& w : class_w) take(w);
  }
  t.pure = n_present == 1;
  t.score = gini ? Gini::score(sum, t.w) : Entropy::score(sum, t.w);
  t.impurity = std::max(0.0, (gini ? t.w : 0) - t.score);
  return t;
}

template <class Id>
NodeTotals class_totals(std::span<const Id> ids, const RowData& rows, const Target& target,
                        std::vector<double>& class_w) {
  class_w.resize(target.n_outputs, 0.0);
  for (const auto id : ids) class_w[rows.label[id]] += rows.w[id];
  return summed_class_totals(ids, rows, target, class_w);
}

template <class Id>
NodeTotals multi_totals(std::span<const Id> ids, const RowData& rows, const Target& target,
                        MultiSide& side) {
  NodeTotals t;
  const std::size_t k = target.n_outputs;
  t.n = static_cast<std::uint32_t>(ids.size());
  side.reset();
  const double* first = rows.values + ids[0] * k;
  double wyy = 0;
  for (const auto id : ids) {
    const double* y = rows.values + id * k;
    side.add(id);
    t.pure &= std::equal(first, first + k, y);
    for (std::size_t j = 0; j < k; ++j) wyy += rows.w[id] * y[j] * y[j];
  }
  t.w = side.weight();
  t.score = side.score();
  t.impurity = std::max(0.0, wyy - t.score);
  return t;
}

inline NodeTotals count_totals(PackedCount rows) {
  NodeTotals t;
  t.n = count_n(rows);
  t.w = count_w(rows);
  t.wy = count_wy(rows);
  t.y_min = t.wy == t.w ? 1 : 0;
  t.y_max = t.wy == 0 ? 0 : 1;
  t.pure = t.y_min == t.y_max;
  t.score = t.wy * t.wy / t.w;
  t.impurity = std::max(0.0, t.wy - t.score);
  return t;
}

inline PackedCount counts_of(const NodeTotals& t) {
  return pack_count(t.n, static_cast<std::uint32_t>(t.w), static_cast<std::uint32_t>(t.wy));
}

template <class Id>
NodeTotals node_totals(std::span<const Id> ids, const RowData& rows, const Target& target,
                       SideSet& sides) {
  if (target.kind == TargetKind::SCALAR)
    return target.is_classifier ? two_class_totals(ids, rows) : scalar_totals(ids, rows);
  if (target.kind == TargetKind::MULTI) return multi_totals(ids, rows, target, sides.multi());
  return class_totals(ids, rows, target, sides.class_weights());
}

}  // namespace bayeswood
