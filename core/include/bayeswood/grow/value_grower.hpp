// Subtrees of random cuts on a table of numbers without a missing one, see random_grower.hpp.
//
// The rows of a subtree are copied together, values row after row: the range of a feature in a
// node and what lies below a threshold are found from values alone. Four features are looked at
// together; the random numbers, and the sums, are those of one after another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/line_vector.hpp"
#include "bayeswood/base/random.hpp"
#include "bayeswood/grow/row_partition.hpp"
#include "bayeswood/grow/search/random_cuts/code_grid.hpp"
#include "bayeswood/grow/search/random_cuts/cut_sums.hpp"
#include "bayeswood/grow/search/random_cuts/ones_sums.hpp"
#include "bayeswood/grow/search/random_cuts/picked_sums.hpp"
#include "bayeswood/grow/search/random_cuts/random_cut.hpp"
#include "bayeswood/grow/value_rows.hpp"

namespace bayeswood {

template <class Value>
class ValueGrower {
 public:
  ValueGrower(const EncodedMatrix& matrix, const Target& target, const ValueRows<Value>& table,
              std::span<const CodeGrid> grids);

  // Whether every row of a tree of numbers weighs 1.
  void set_units(bool are_units) { sums_.set_units(are_units); }

  // Whether so many rows are few enough to be copied.
  bool takes(std::size_t n_rows) const;

  // All below a node. `order`: training rows of the nodes of the tree, those of the node reordered
  // in place. `scalars`: of a SCALAR target, by row.
  void grow(TreeContext& tree, const GrowTask& task, std::vector<std::uint32_t>& order,
            const RowData& data, const ScalarRows& scalars, Stream& draws);

  // When all nodes of the tree are grown.
  void settle_thresholds(TreeBuilder& builder);

 private:
  std::span<const std::uint32_t> rows_of(const GrowTask& task) const {
    return parts_.rows_of(task);
  }
  // Rows that stand together, in the order of the node that they were copied for.
  struct Block {
    LineVector<Value> values;
    std::vector<std::uint32_t> training_row;
    std::vector<NumberRow> numbers;  // SCALAR, or
    std::vector<std::uint8_t> ones;  // two classes that weigh 1
    ScalarRows scalars;
    std::vector<WeightedValue> pair;  // regression, with `natural`
    std::vector<double> w, natural;
    std::vector<std::int32_t> label;
    RowData data;
  };
  // A threshold that may lie inside a bin.
  struct Drawn {
    std::uint32_t place;  // see TreeBuilder
    Value largest;        // of the feature in the node
    double threshold;
  };
  // The best cut so far.
  struct Best {
    double score = NO_SCORE;
    double threshold = 0;  // as drawn
    Value cut = 0;         // what lies at or below it goes left
    Value largest = 0;     // of the feature in the node
    std::uint32_t feature = 0;
    bool picked = false;  // its sides stand in picked_
    bool found() const { return score > NO_SCORE; }
  };

  void grow_node(TreeContext& tree, const GrowTask& task);
  void push_or_end(TreeContext& tree, const GrowTask& task);
  void end(TreeContext& tree, const GrowTask& task);
  bool counts() const { return block_.scalars.ones != nullptr; }
  void load_node(const GrowTask& task);
  void find_gains(const GrowTask& task, const LaneRows<Value>& rows, const Value* cuts,
                  const Limits& limits, const LaneKernels<Value>& kernels, double* gains);
  void keep(std::uint32_t lane);
  void part(const Best& best, const GrowTask& task, const LaneKernels<Value>& kernels,
            GrowTask& left, GrowTask& right);
  void copy_rows(std::span<std::uint32_t> rows, const RowData& data, const ScalarRows& scalars);
  Best find_best(TreeContext& tree, const GrowTask& task);
  std::size_t try_features(TreeContext& tree, const GrowTask& task, const Limits& limits,
                           std::size_t size, Best& best);
  bool takes_all(const TreeContext& tree) const;
  bool picks(const LaneKernels<Value>& kernels) const;
  Best pick_best(TreeContext& tree, const GrowTask& task, const Limits& limits, std::size_t wanted);
  // Features that vary in the node, and a cut of each.
  struct Picked {
    std::size_t size = 0;
    std::uint32_t feature[LANES] = {}, place[LANES] = {};
    DrawnCuts<Value> drawn;
  };
  Picked pick(FeatureOrder& features, std::size_t most, const LaneKernels<Value>& kernels);
  void try_all(TreeContext& tree, const GrowTask& task, const Limits& limits, Best& best);

  const EncodedMatrix& matrix_;
  const Target& target_;
  const ValueRows<Value>& table_;
  std::span<const CodeGrid> grids_;
  Stream* draws_ = nullptr;
  RowPartition parts_;
  CutSums sums_;
  PickedSums picked_;
  OnesSums ones_;
  bool is_loaded_ = false;  // whether the node stands in sums_
  Block block_;
  std::vector<Value> lanes_;
  std::vector<Value> least_, largest_, cut_;  // of all features
  std::vector<double> threshold_, gains_;     // of all features
  std::vector<GrowTask> stack_;
  std::vector<std::vector<Drawn>> drawn_;  // of bins, by feature
};

}  // namespace bayeswood
