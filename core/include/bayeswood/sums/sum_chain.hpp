// One chain over sums of trees, for each kind of response.
//
// Numbers: y = f(x) + noise, noise ~ N(0, sigma^2 / weight), sigma^2 fixed or inverse chi square,
// nu lambda / chi^2_nu; several responses independently of each other. Two classes: y = 1[z > 0], z
// ~ N(f(x), 1) (Albert and Chib 1993). More: P(y = k) = exp f_k(x) / sum_j exp f_j(x), each f_k
// given the others by Polya-gamma weights (Polson, Scott and Windle 2013). f, or each f_k, is an
// offset and a sum of trees.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayeswood/sums/tree_sum.hpp"

namespace bayeswood {

enum class ResponseKind : std::uint8_t { NUMBER, TWO_CLASSES, CLASSES };

struct SumResponse {
  ResponseKind kind = ResponseKind::NUMBER;
  std::size_t n_rows = 0;
  std::vector<float> y;        // less the offset, response after response; or class numbers
  std::vector<float> weight;   // of numbers; empty: all 1
  std::vector<double> offset;  // what each sum starts from

  std::size_t n_sums() const { return offset.size(); }
  // What a prediction consists of; of two classes the second has the sum, the first none.
  std::size_t n_outputs() const { return kind == ResponseKind::TWO_CLASSES ? 2 : n_sums(); }
  std::size_t output_of(std::size_t sum) const { return sum + n_outputs() - n_sums(); }
};

struct SumPrior {
  double leaf_variance = 1;
  // Numbers: lambda and nu of the noise; with nu = 0 it stays where it starts.
  double noise_variance = 1;
  double noise_freedom = 0;
  double noise_start = 1;
};

class SumChain {
 public:
  virtual ~SumChain() = default;
  // One sweep over all trees, by Metropolis steps or from their roots; cut short by the stop.
  virtual void sweep(bool regrow, const StopFlag& stop) = 0;
  // Takes up what rounding has added to the rows' rests.
  virtual void refresh() = 0;
  virtual double noise_variance(std::size_t) const { return 1; }
  std::size_t n_sums() const { return sums_.size(); }
  TreeSum<MeanLeaves>& sum(std::size_t k) { return sums_[k]; }
  const TreeSum<MeanLeaves>& sum(std::size_t k) const { return sums_[k]; }
  std::uint64_t n_leaves() const;

 protected:
  SumChain(const SumLaw& law, const SumMoveSettings& settings, std::size_t n_trees,
           std::size_t n_sums, const Stream& stream);
  void sweep_sum(std::size_t k, bool regrow, const MeanLeaves& leaves, const float* weight,
                 const StopFlag& stop) {
    regrow ? sums_[k].regrow(leaves, weight, stream_, stop)
           : sums_[k].sweep(leaves, weight, stream_, stop);
  }

  Stream stream_;
  std::vector<TreeSum<MeanLeaves>> sums_;
};

std::unique_ptr<SumChain> make_chain(const SumLaw& law, const SumMoveSettings& settings,
                                     std::size_t n_trees, const SumResponse& response,
                                     const std::vector<SumPrior>& prior, const Stream& stream);

}  // namespace bayeswood
