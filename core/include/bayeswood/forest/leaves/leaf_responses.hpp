// The training responses in the leaves of a forest, made ready for quantiles of y itself.
//
// The distribution of y at x is the mixture over trees of the responses that share x's leaf,
// weighted as the tree weighted them (Meinshausen 2006, with the Bayesian bootstrap's weights).
// Rows are numbered by their first response, so that its ranks need no table.
// Memory: per training row 12 bytes per output (8 more if the rows are in parts), 4 per leaf, and
// per row and tree 4 for bootstrap counts or 12 for other weights; of more than 16 million rows in
// leaves 1 for counts, and draws are made again on the spot. Quantiles take 4 MB in each thread
// besides. That a threshold left rows out needs no second look, for such rows are in no leaf.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/forest/forest.hpp"

namespace bayeswood {

struct LeafMates;
class WeightedRows;

class LeafResponses {
 public:
  // `y`: n_train x n_outputs. `forest` must have kept its rows, and outlive this.
  LeafResponses(const Forest& forest, std::span<const double> y,
                std::span<const double> sample_weight, const WeightScheme& scheme,
                const Running& run);

  // out: n_rows x n_outputs x n_alpha. The quantile at level a is the smallest training response of
  // positive weight whose cumulative weight, over the leaves the row falls in, reaches a. `mean`,
  // n_rows x n_outputs and 0, if given: what predict_mean adds up, from the leaves that are found
  // anyway.
  void quantiles(const MatrixView& table, std::span<const double> tree_weights,
                 std::span<const double> alpha, double* out, const Running& run,
                 double* mean = nullptr) const;

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
    std::uint32_t size() const { return end - begin; }
  };
  struct WeighedRow {  // 12 bytes
    std::uint32_t number;
    std::array<std::uint32_t, 2> w;
  };
  struct Question {
    const MatrixView& table;
    std::span<const double> tree_weights;
    std::span<const double> alpha;
    double* out;
    // Where each tree is to be asked about the rows that it left out only.
    const OutOfBag* bag = nullptr;
    const std::vector<std::vector<bool>>* left_out = nullptr;
    double* mean = nullptr;

    bool asks(std::size_t t, std::size_t row) const {
      if (bag == nullptr) return tree_weights[t] > 0;
      return (*left_out)[bag->scheme.draw_of(t)][bag->training_row(row)];
    }
    double weight(std::size_t t) const { return bag == nullptr ? tree_weights[t] : 1.0; }
  };

  void load_parts(const WeightScheme& scheme);
  void number_rows(std::span<const double> y, const StopFlag& stop);
  void rank_output(std::size_t k, const StopFlag& stop);
  void load_tree(std::size_t t);
  void count_rows(std::size_t t);
  void keep_rows(std::size_t t);
  double drawn_weight(std::size_t t, std::size_t row) const;
  // Of the row at a place in the tree's leaf_rows.
  double row_weight(std::size_t t, std::size_t place) const;
  LeafRows rows_of(std::size_t t, std::uint32_t leaf) const;
  void ask_for(std::size_t t, LeafRows rows) const;
  // Adds a leaf's rows with weights that sum to tree_weight, or none if theirs sum to 0.
  void add_leaf_rows(std::size_t t, LeafRows rows, double tree_weight, LeafMates& mates) const;
  void tree_variances(std::size_t t, double* out) const;
  void answer_row(const Question& question, std::size_t i, const LeafMates& mates,
                  WeightedRows& sums) const;
  // Adds what a tree says to the means of rows, from `begin` on, that came to these nodes.
  void add_means(const Question& question, std::size_t t, std::size_t begin,
                 std::span<const std::uint32_t> nodes) const;
  // Of the rows [begin, end), n_trees each.
  std::vector<LeafRows> find_leaves(const Question& question, std::size_t begin, std::size_t end,
                                    const StopFlag& stop) const;
  void answer_rows(const Question& question, std::size_t begin, std::size_t end,
                   const StopFlag& stop) const;
  void answer(const Question& question, const Running& run) const;

  const Forest& forest_;
  WeightScheme scheme_;
  double least_weight_;  // of a row in a tree that its group is in
  std::size_t n_outputs_;
  std::vector<std::uint32_t> number_;             // of each row
  std::vector<double> y_;                         // by number
  std::vector<double> sample_weight_;             // by row
  std::vector<std::vector<std::uint32_t>> rank_;  // per output but the first, by number
  std::vector<std::vector<std::uint32_t>>
      starts_;                               // per tree: first place of each leaf in leaf_rows
  std::vector<Stream> streams_;              // Exp(1) draws of each tree and part
  std::vector<std::uint32_t> part_, place_;  // of each row, and there; empty: one part
  // Of each tree, by places in leaf_rows. Rows are kept with what they weigh, numbers above counts
  // of eight bits where weights are whole, or if they are too many, counts alone.
  std::vector<std::vector<std::uint32_t>> counted_;
  std::vector<std::vector<WeighedRow>> weighed_;
  std::vector<std::vector<std::uint8_t>> counts_;
};

}  // namespace bayeswood
