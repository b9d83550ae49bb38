// What every part of the grower knows of the tree it grows, and the rules by which a node ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/cart.hpp"
#include "bayeswood/grow/split.hpp"
#include "bayeswood/grow/tree_builder.hpp"
#include "bayeswood/leaf/class_impurity.hpp"
#include "bayeswood/leaf/squared_error.hpp"

namespace bayeswood {

struct TreeContext {
  const EncodedMatrix& matrix;
  const Target& target;
  const GrowOptions& options;
  const StopFlag& stop;
  TreeBuilder& builder;
  FeatureOrder& features;
  double* importance;  // per feature
  double min_weight;   // of a leaf

  bool must_stop(const NodeTotals& node, std::uint32_t depth) const {
    return node.pure || node.n < 2 * options.min_samples_leaf ||
           (options.max_depth != 0 && depth >= options.max_depth);
  }
  Limits limits(const NodeTotals& node) const {
    // The slack keeps children of exactly the minimum weight, whatever the order of summation.
    return {options.min_samples_leaf, std::max(min_weight * (1 - 1e-12), WEIGHT_ROUNDING * node.w),
            TIE_TOLERANCE * node.impurity};
  }
  void count_gain(const Split& split, const NodeTotals& node) const {
    importance[split.feature] += std::max(0.0, split.score - node.score);
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

 private:
  const Target& target_;
  ScalarSide scalar_;
  ClassSide<Gini> gini_;
  ClassSide<Entropy> entropy_;
  MultiSide multi_;
};

template <class Id>
NodeTotals scalar_totals(std::span<const Id> ids, const RowData& rows) {
  NodeTotals t;
  t.n = static_cast<std::uint32_t>(ids.size());
  t.y_min = t.y_max = rows.y[ids[0]];
  double wyy = 0;
  for (const auto id : ids) {
    const double y = rows.y[id];
    t.w += rows.pair[id].w;
    t.wy += rows.pair[id].wy;
    wyy += rows.pair[id].wy * y;
    t.y_min = std::min(t.y_min, y);
    t.y_max = std::max(t.y_max, y);
  }
  t.pure = t.y_min == t.y_max;
  t.score = t.wy * t.wy / t.w;
  t.impurity = std::max(0.0, wyy - t.score);
  return t;
}

template <class Id>
bool same_response(std::span<const Id> ids, const RowData& rows, const Target& target) {
  const std::size_t k = target.n_outputs;
  return std::all_of(ids.begin(), ids.end(), [&](Id id) {
    if (target.kind == TargetKind::CLASSES) return rows.label[id] == rows.label[ids[0]];
    const double* first = rows.values + ids[0] * k;
    return std::equal(first, first + k, rows.values + id * k);
  });
}

template <class Id>
NodeTotals node_totals(std::span<const Id> ids, const RowData& rows, const Target& target, SideSet& sides) {
  if (target.kind == TargetKind::SCALAR) return scalar_totals(ids, rows);
  NodeTotals t;
  t.n = static_cast<std::uint32_t>(ids.size());
  t.pure = same_response(ids, rows, target);
  sides.visit([&](auto& side) {
    side.reset();
    for (const auto id : ids) side.add(id);
    t.w = side.weight();
    t.score = side.score();
  });
  double whole = target.criterion == Criterion::GINI ? t.w : 0;  // score of a node without impurity
  if (target.kind == TargetKind::MULTI) {
    for (const auto id : ids) {
      for (std::size_t k = 0; k < target.n_outputs; ++k) {
        const double y = rows.values[id * static_cast<std::size_t>(target.n_outputs) + k];
        whole += rows.w[id] * y * y;
      }
    }
  }
  t.impurity = std::max(0.0, whole - t.score);
  return t;
}

}  // namespace bayeswood
