// The best split of a feature under any criterion, with bounds on what both sides may predict.
//
// Exact and plain: a node's rows are sorted by the feature's code, and every cut is scored. A cut
// along a monotone feature (see ruled_grower.hpp) counts only if both sides' values lie within the
// node's bounds and differ in the right direction, as in scikit-learn.
//
// Categories: as in category.hpp, and for absolute errors the levels are ordered by their medians.
// What a category pays (level_trust.hpp) is in the units of the criterion.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/forest/monotone.hpp"
#include "bayeswood/grow/category.hpp"
#include "bayeswood/grow/impurity/absolute_error.hpp"
#include "bayeswood/grow/impurity/poisson.hpp"
#include "bayeswood/grow/node.hpp"
#include "bayeswood/grow/rules/growth_rules.hpp"

namespace bayeswood {

// A node as the search sees it.
struct RuledNode {
  std::span<const std::uint32_t> rows;
  NodeTotals totals;
  ValueBounds bounds;
};

class RuledSearch {
 public:
  RuledSearch(const EncodedMatrix& matrix, const Target& target, const GrowthRules& rules);

  // The rows of the next tree.
  void set_rows(const RowData& rows) { data_ = rows; }
  // Sums by the criterion; `impurity` is 0 where the rows are pure.
  NodeTotals totals(std::span<const std::uint32_t> rows);
  // From the rows of a tree's root: how far its categories are trusted.
  void set_trust(const RuledNode& root);
  // The node whose features will be searched.
  void set_node(const RuledNode& node);
  Split search(const RuledNode& node, std::uint32_t feature, const Limits& limits);
  // What a leaf of these rows predicts, unbounded: numbers as given, or of two classes the share of
  // the second.
  std::vector<double> values(const RuledNode& node);

 private:
  struct Direction {
    int sign = 0;
    std::uint32_t first_missing;  // cuts before this place part missing values from the others
  };

  template <class F>
  auto visit(F&& f) {
    if (target_.criterion == Criterion::POISSON) return f(poisson_);
    if (target_.criterion == Criterion::ABSOLUTE_ERROR) return f(absolute_);
    return sides_.visit(f);
  }
  void sort_rows(const RuledNode& node, std::uint32_t feature);
  Split search_number(const RuledNode& node, std::uint32_t feature, const Limits& limits);
  Split search_category(const RuledNode& node, std::uint32_t feature, const Limits& limits);
  Split search_orders(const RuledNode& node, const Limits& limits);
  LevelSpread spread(std::uint32_t n);
  void set_shares(std::uint32_t n, LevelSpread& spread);
  std::size_t n_orders(const RuledNode& node);
  double order_key(const Run& run, std::size_t order);
  template <class Side>
  Cut scan(const std::vector<LargeEntry>& list, std::uint32_t first_cut, Side& side,
           const RuledNode& node, const Limits& limits, const Direction& direction);
  template <class Side>
  void scan_right(const std::vector<LargeEntry>& list, std::uint32_t first, Side& side,
                  const Limits& limits, bool bounded);
  bool allows(double left, double right, int sign, const ValueBounds& bounds) const;

  const EncodedMatrix& matrix_;
  const Target& target_;
  const GrowthRules& rules_;
  RowData data_;
  SideSet sides_;
  PoissonSide poisson_;
  AbsoluteSide absolute_;
  std::vector<double> trust_;  // by feature, in categories
  std::vector<LargeEntry> list_, scratch_, ordered_;
  std::vector<double> right_, right_value_;
  std::vector<double> class_w_;        // zero between uses
  std::vector<std::int32_t> classes_;  // whose shares order levels
};

// By weight; the middle of the gap where exactly half lies below it. Reorders.
double weighted_median(std::vector<WeightedValue>& values);

}  // namespace bayeswood
