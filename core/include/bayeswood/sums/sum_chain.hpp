// One chain over sums of trees, for each kind of response.
//
// Numbers: y = f(x) + noise, noise ~ N(0, sigma^2 / weight), sigma^2 fixed or inverse chi square,
// nu lambda / chi^2_nu. Two classes: y = 1[z > 0], z ~ N(f(x), 1) (Albert and Chib 1993). More: P(y
// = k) = exp f_k(x) / sum_j exp f_j(x), each f_k given the others by Polya-gamma weights (Polson,
// Scott and Windle 2013). f, or each f_k, is an offset and a sum of trees.
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
  std::vector<float> y;        // less the offset; or class numbers
  std::vector<float> weight;   // of numbers; empty: all 1
  std::vector<double> offset;  // of classes: what each sum starts from

  std::size_t n_sums() const { return kind == ResponseKind::CLASSES ? offset.size() : 1; }
};

struct SumPrior {
  double leaf_variance = 1;
  // Numbers: of the noise. With noise_freedom = 0 it is noise_variance for good, else that is where
  // it starts and lambda.
  double noise_variance = 1;
  double noise_freedom = 0;
};

class SumChain {
 public:
  virtual ~SumChain() = default;
  // One sweep over all trees, by Metropolis steps or from their roots.
  virtual void sweep(bool regrow) = 0;
  // Takes up what rounding has added to the rows' rests.
  virtual void refresh() = 0;
  virtual double noise_variance() const { return 1; }
  std::size_t n_sums() const { return sums_.size(); }
  TreeSum<MeanLeaves>& sum(std::size_t k) { return sums_[k]; }
  const TreeSum<MeanLeaves>& sum(std::size_t k) const { return sums_[k]; }
  std::uint64_t n_leaves() const;

 protected:
  SumChain(const SumLaw& law, const SumMoveSettings& settings, std::size_t n_trees,
           std::size_t n_sums, const Stream& stream);
  void sweep_sum(std::size_t k, bool regrow, const MeanLeaves& leaves, const float* weight) {
    regrow ? sums_[k].regrow(leaves, weight, stream_) : sums_[k].sweep(leaves, weight, stream_);
  }

  Stream stream_;
  std::vector<TreeSum<MeanLeaves>> sums_;
};

std::unique_ptr<SumChain> make_chain(const SumLaw& law, const SumMoveSettings& settings,
                                     std::size_t n_trees, const SumResponse& response,
                                     const SumPrior& prior, const Stream& stream);

}  // namespace bayeswood
