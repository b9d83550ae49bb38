// Sums of small trees for the log odds of classes, one sum for each bag of rows (Friedman 2001).
//
//   p_c = exp(f_c) / sum_k exp(f_k),   f_0 = log of the bag's class shares,   f_s = f_(s - 1) + v
//   h_s.
//
// Of two classes f is one number, the log odds of the second. h_s is a tree by least squares on the
// gradient r_c = 1[y = c] - p_c of the second class or, of several, on one random combination of
// the gradients of all, drawn anew for each stage: a tree for all classes, whose cuts cost no more
// than those of one number (Iosipoi and Vakhrushev 2022). Its leaves hold one step of Newton for
// every class, damped,
//
//   (1 - 1/C)  sum w r_c / (sum w p_c (1 - p_c) + damping)     (two classes: without the factor),
//
// the diagonal of the Hessian in place of all of it. The first tree holds f_0 too, so that a bag is
// the sum of its trees. f of all rows, in the bag or not, is kept: sums can go on, and what they
// say of the rows they have not seen is known at every stage.
//
// Memory: 8 bytes per row, output and bag, 4 per row and bag (12 with weights), and the bins.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayeswood/base/row_weights.hpp"
#include "bayeswood/forest/forest.hpp"
#include "bayeswood/grow/stage/bag_rows.hpp"
#include "bayeswood/grow/stage/stage_grower.hpp"

namespace bayeswood {

struct ClassBoostOptions {
  StageOptions stage;
  double learning_rate = 0.1;
  double damping = 1;  // in rows: weights are scaled to a mean of 1
  std::size_t n_bags = 1;
};

struct ClassBoostData {
  std::span<const std::int32_t> labels;
  std::uint32_t n_classes = 2;
  std::span<const double> sample_weight;  // empty: 1 each
};

class BoostedClasses {
 public:
  // The scheme says which rows are in bag b, and their weights: draw b. It and the data are not
  // needed later, the matrix is. A row that the draw keeps but whose sample_weight is 0 is neither
  // in a bag nor left out.
  BoostedClasses(const EncodedMatrix& matrix, const ClassBoostData& data,
                 const WeightScheme& scheme, const ClassBoostOptions& options, const Running& run);

  std::size_t n_bags() const { return bags_.size(); }
  const EncodedMatrix& matrix() const { return bins_.matrix(); }
  std::size_t n_rows() const { return bins_.n_rows(); }
  std::size_t n_classes() const { return n_classes_; }
  // Numbers in a leaf: 1 of two classes, else one for each.
  std::size_t n_outputs() const { return n_classes_ == 2 ? 1 : n_classes_; }
  std::size_t n_stages() const { return bags_.empty() ? 0 : bags_[0].trees.size(); }
  // Trees of a bag, stage after stage.
  const Trees& trees(std::size_t bag) const { return bags_[bag].trees; }

  // So many more stages of all bags. After an interrupt some have more than others.
  void grow(std::size_t n_stages, const Running& run);

  // Class probabilities summed over the bags of even and of odd number that left a row out,
  // 2 x n_rows x n_classes, and how many these are, 2 x n_rows.
  void out_of_bag(double* sums, std::int32_t* counts) const;

 private:
  struct Bag : BagRows {
    std::vector<double> scores;  // f, n_rows x n_outputs
    std::vector<double> first;   // f_0
    Trees trees;
  };
  class Worker;

  void start(std::size_t b, const ClassBoostData& data, const WeightScheme& scheme);
  void set_first(Bag& bag) const;

  ByteBins bins_;
  ClassBoostOptions options_;
  std::uint32_t n_classes_;
  std::vector<std::int32_t> labels_;
  std::vector<Bag> bags_;
};

// Class probabilities of scores, n x n_outputs: n x n_classes.
void class_probabilities(std::span<const double> scores, std::size_t n_classes,
                         std::vector<double>& out);

}  // namespace bayeswood
