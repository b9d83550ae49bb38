// Sums of small trees, each grown on what the sum so far leaves of the responses (Friedman 2001,
// with squared error), one sum for each bag of rows.
//
//   f_0 = the mean of y in the bag,   f_s = f_(s - 1) + v h_s,   h_s a tree on y - f_(s - 1).
//
// v is the learning rate. The first tree holds f_0 too, so that a bag is the sum of its trees. What
// the sums leave of all rows, in the bag or not, is kept, so that they can go on, and what they say
// of the rows they have not seen is known at every stage.
//
// Memory: 8 bytes per row, response and bag, 4 per row and bag (12 with weights), and the bins.
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

struct BoostOptions {
  StageOptions stage;
  double learning_rate = 0.1;
  std::uint64_t first_bag = 0;
  std::size_t n_bags = 1;
};

struct BoostData {
  std::span<const double> responses;  // n_rows x n_outputs
  std::uint32_t n_outputs = 1;
  std::span<const double> sample_weight;  // empty: 1 each
};

class BoostedBags {
 public:
  // The scheme says which rows are in bag b, and their weights: draw `first_bag` + b. It and the
  // data are not needed later, the matrix is. A row that the draw keeps but whose sample_weight is
  // 0 is neither in a bag nor left out.
  BoostedBags(const EncodedMatrix& matrix, const BoostData& data, const WeightScheme& scheme,
              const BoostOptions& options, const Running& run);

  std::size_t n_bags() const { return bags_.size(); }
  const EncodedMatrix& matrix() const { return bins_.matrix(); }
  std::size_t n_rows() const { return bins_.n_rows(); }
  std::size_t n_outputs() const { return n_outputs_; }
  std::size_t n_stages(std::size_t bag) const { return bags_[bag].trees.size(); }
  // Trees of a bag, stage after stage.
  const Trees& trees(std::size_t bag) const { return bags_[bag].trees; }
  // By feature: what the squared error fell by, as a share of that around the bag's mean.
  std::span<const double> importance(std::size_t bag) const { return bags_[bag].importance; }

  // So many more stages of these bags. After an interrupt some have more than others.
  void grow(std::size_t n_stages, std::span<const std::size_t> bags, const Running& run);

  // Sums over the bags that left a row out of what they say of it, n_rows x n_outputs, and their
  // number.
  void out_of_bag(double* sums, std::int32_t* counts) const;

 private:
  struct Bag : BagRows {
    std::vector<double> residuals;  // n_rows x n_outputs
    std::vector<double> mean;
    int exponent = 0;    // of a scale on which squares neither overflow nor vanish
    double squares = 0;  // around the mean, on that scale
    std::vector<double> importance;
    Trees trees;
  };
  class Worker;

  void start(std::size_t b, const BoostData& data, const WeightScheme& scheme);
  void centre(Bag& bag) const;

  ByteBins bins_;
  BoostOptions options_;
  std::uint32_t n_outputs_;
  std::vector<double> responses_;
  std::vector<Bag> bags_;
};

}  // namespace bayeswood
