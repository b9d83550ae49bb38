// Averaged class probabilities as a calibration sees them, and the sums over rows that fits need.
//
// With p the average over B trees and C classes, p~ = (B p + 1/C) / (B + 1), and
//
//   log q_c = k_c log(C p~_c) + b_c - log Z,      k_c = power * slope_c.
//
// Classes that no tree voted for have p = 0 and share one floor, log(C p~) = -log(B + 1), for all
// rows: only the others are kept, so that neither time nor memory grows with the number of classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bayeswood {

struct ClassRows;

// Averages of rows, as the classes of positive probability. Row i has entries start[i], ...,
// start[i + 1] - 1, their labels ascending.
struct VotesView {
  std::span<const std::int64_t> start;
  std::span<const std::int32_t> label;
  std::span<const double> mean;
  std::span<const double> first_half;   // over every other tree, as the next over the others
  std::span<const double> second_half;  // empty, both, where nothing is known of halves
  std::size_t n_classes = 0;

  std::size_t n_rows() const { return start.size() - 1; }
};

// The map from averages to probabilities, by class.
struct ClassMap {
  std::span<const double> slope;  // k
  std::span<const double> offset;
};

// Sums over rows i of weight w.
struct ClassSums {
  double log_z = 0;            // w log Z
  std::vector<double> mass;    // w q_c
  std::vector<double> moment;  // w q_c log(C p~_c)
  std::vector<double> spread;  // w q_c (1 - q_c), as the next only if asked for
  std::vector<double> bend;    // w q_c (1 - q_c) log(C p~_c)^2
};

// log(C p~) of the rows that count.
class LogVotes {
 public:
  // Rows of weight 0 are left out. `mean` is one of the view's.
  LogVotes(const VotesView& votes, std::span<const double> mean, std::span<const double> weights,
           double n_trees);

  std::size_t n_rows() const { return start_.size() - 1; }
  std::size_t n_classes() const { return n_classes_; }

  // log(C p~) of one class of the i-th row that counts.
  double at(std::size_t i, std::int32_t label) const;

  // The sums, with one weight per row that counts.
  ClassSums sums(const ClassMap& map, std::span<const double> weights, bool second = false) const;

  // Second derivatives of the sum of w log Z by k and b, in this order, 2 C x 2 C, what is above
  // the diagonal left 0: from at most `most_rows` rows, evenly spaced, in place of all. Rows whose
  // class is as good as certain add next to nothing, and are passed over unless all are.
  std::vector<double> second_derivatives(const ClassMap& map, std::span<const double> weights,
                                         std::size_t most_rows) const;

  // q of all classes of the i-th row that counts.
  void probabilities(const ClassMap& map, std::size_t i, std::span<double> out) const;

 private:
  struct Block;
  Block start(const ClassMap& map) const;
  std::size_t end_of_block(std::size_t first) const;
  std::vector<std::size_t> open_rows(const ClassMap& map) const;
  // Whether its rows have an entry for every class.
  bool is_full(const Block& block) const;
  ClassRows rows(const ClassMap& map, Block& block) const;
  void score(const ClassMap& map, Block& block) const;
  void score_some(const ClassMap& map, Block& block) const;
  void add(const ClassMap& map, Block& block, std::span<const double> weights,
           ClassSums& out) const;
  void add_some(Block& block, ClassSums& out) const;
  void add_second(Block& block, std::span<const double> weights, ClassSums& out) const;
  void add_floor(const Block& block, ClassSums& out) const;

  std::size_t n_classes_;
  double floor_;
  std::vector<std::size_t> start_;
  std::vector<std::int32_t> label_;
  std::vector<double> log_;
};

}  // namespace bayeswood
