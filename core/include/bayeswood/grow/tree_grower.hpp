// Grows one weighted tree after another; its buffers are reused from tree to tree.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayeswood/grow/cart.hpp"
#include "bayeswood/grow/large_grower.hpp"
#include "bayeswood/grow/random_grower.hpp"
#include "bayeswood/grow/rules/ruled_grower.hpp"
#include "bayeswood/grow/search/search_choice.hpp"

namespace bayeswood {

class TreeGrower {
 public:
  // The target may change between trees (its responses, not its kind); it must outlive the grower.
  // `values`: for trees of random cuts, see value_rows.hpp; none: from codes alone.
  TreeGrower(const EncodedMatrix& matrix, const Target& target, const GrowOptions& options,
             const ValueTable& values);

  // The weights of the rows, to be written before a tree is grown, unless it shares a draw with the
  // last one; those of weight 0 take no part.
  std::span<double> weights() {
    weights_.resize(matrix_.n_rows());
    return weights_;
  }

  // A tree whose random numbers have this number. Adds to `importance` the decrease of impurity by
  // feature, as a share of the root's.
  void grow(std::uint64_t number, Tree& tree, double* importance, const StopFlag& stop);

 private:
  bool shuffles() const;
  ForestShape shape() const;
  void list_rows();
  void drop_weights();
  void load();
  NodeTotals root_totals();
  bool count_rows();

  const EncodedMatrix& matrix_;
  const Target& target_;
  const GrowOptions& options_;
  const ValueTable& values_;
  TreeBuilder builder_;
  std::unique_ptr<LargeGrower> large_;  // one of the three
  std::unique_ptr<RandomGrower> random_;
  std::unique_ptr<RuledGrower> ruled_;  // where rules are asked for
  SearchChoice choice_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> rows_;  // that take part, ascending; growing reorders them
  std::vector<PackedCount> counts_;
  std::vector<RowTail> tails_;
  std::vector<WeightedValue> pair_;
  RowData data_;
};

}  // namespace bayeswood
