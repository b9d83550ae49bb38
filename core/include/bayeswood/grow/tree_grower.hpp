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

  // Takes the weights of the rows from now on; those of weight 0 take no part.
  void set_weights(std::span<const double> weights);
  std::span<const double> weights() const { return weights_; }
  std::span<const std::uint32_t> rows() const { return rows_; }

  // A tree whose random numbers have this number. Adds to `importance` the decrease of impurity by
  // feature, as a share of the root's.
  void grow(std::uint64_t number, Tree& tree, double* importance, const StopFlag& stop);

 private:
  bool shuffles() const;
  ForestShape shape() const;
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
  std::vector<std::uint32_t> rows_;      // that take part, ascending
  std::vector<std::uint32_t> shuffled_;  // the same, in the order that growing leaves
  std::vector<PackedCount> counts_;
  std::vector<RowTail> tails_;
  std::vector<WeightedValue> pair_;
  RowData data_;
};

}  // namespace bayeswood
