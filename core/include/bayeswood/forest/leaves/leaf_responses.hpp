// The training responses in the leaves of a forest, made ready for quantiles of y itself.
//
// The distribution of y at x is the mixture over trees of the responses that share x's leaf,
// weighted as the tree weighted them (Meinshausen 2006, with the Bayesian bootstrap's weights).
// Memory: per training row 8 bytes (16 if the rows are in parts) and 4 per output, 4 per leaf, and
// per row and tree 1 for bootstrap counts or 8 for Exp(1) draws; of more than 16 million rows in
// leaves these are made again on the spot. Quantiles take 4 MB in each thread besides. That a
// threshold left rows out needs no second look, for such rows are in no leaf.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/forest/forest.hpp"

namespace bayeswood {

struct WeightedRow;
class WeightedRows;

class LeafResponses {
 public:
  // `y`: n_train x n_outputs. `forest` must have kept its rows, and outlive this.
  LeafResponses(const Forest& forest, std::span<const double> y,
                std::span<const double> sample_weight, const WeightScheme& scheme,
                const Running& run);

  // out: n_rows x n_outputs x n_alpha. The quantile at level a is the smallest training response of
  // positive weight whose cumulative weight, over the leaves the row falls in, reaches a.
  void quantiles(const MatrixView& table, std::span<const double> tree_weights,
                 std::span<const double> alpha, double* out, const Running& run) const;

  // The same for training rows, `bag.rows` of them in the table, by the trees that left them out,
  // all alike. Each must have been left out by one.
  void oob_quantiles(const MatrixView& table, const OutOfBag& bag, std::span<const double> alpha,
                     double* out, const Running& run) const;

  // out: n_leaves x n_outputs, tree after tree. Variance of the responses in each leaf, weighted as
  // the tree weighted them; 0 where the leaf has no rows.
  void leaf_variances(double* out, const Running& run) const;
  std::size_t n_leaves() const;

 private:
  struct LeafRows {  // places in the tree's leaf_rows
    std::uint32_t begin, end;
  };
  struct Question {
    const MatrixView& table;
    std::span<const double> tree_weights;
    std::span<const double> alpha;
    double* out;
    // Where each tree is to be asked about the rows that it left out only.
    const OutOfBag* bag = nullptr;
    const std::vector<std::vector<bool>>* left_out = nullptr;

    bool asks(std::size_t t, std::size_t row) const {
      if (bag == nullptr) return tree_weights[t] > 0;
      return (*left_out)[bag->scheme.draw_of(t)][bag->training_row(row)];
    }
    double weight(std::size_t t) const { return bag == nullptr ? tree_weights[t] : 1.0; }
  };

  void load_parts(const WeightScheme& scheme);
  void load_tree(std::size_t t);
  void rank_output(std::size_t k, const StopFlag& stop);
  double drawn_weight(std::size_t t, std::size_t row) const;
  // Of the row at a place in the tree's leaf_rows.
  double row_weight(std::size_t t, std::size_t place) const;
  LeafRows rows_of(std::size_t t, std::uint32_t leaf) const;
  void ask_for(std::size_t t, std::size_t place) const;
  // Number of rows put.
  std::size_t put_leaf_rows(std::size_t t, LeafRows rows, double tree_weight,
                            WeightedRow* shares) const;
  void tree_variances(std::size_t t, double* out) const;
  void answer_row(const Question& question, std::size_t i, std::span<const WeightedRow> shares,
                  WeightedRows& sums) const;
  // Of the rows [begin, end), n_trees each.
  std::vector<LeafRows> find_leaves(const Question& question, std::size_t begin, std::size_t end,
                                    const StopFlag& stop) const;
  void answer_rows(const Question& question, std::size_t begin, std::size_t end,
                   const StopFlag& stop) const;
  void answer(const Question& question, const Running& run) const;

  const Forest& forest_;
  WeightScheme scheme_;
  double least_weight_;  // of a row in a tree that its group is in
  std::vector<double> y_, sample_weight_;
  std::vector<std::vector<std::uint32_t>> rank_;  // per output
  std::vector<std::vector<std::uint32_t>>
      starts_;                               // per tree: first place of each leaf in leaf_rows
  std::vector<Stream> streams_;              // Exp(1) draws of each tree and part
  std::vector<std::uint32_t> part_, place_;  // of each row, and there; empty: one part
  // Of each tree, by places in leaf_rows: bootstrap counts, and Exp(1) weights where they are kept.
  std::vector<std::vector<std::uint8_t>> counts_;
  std::vector<std::vector<double>> drawn_;
};

}  // namespace bayeswood
