// One chain over sums of trees, for each kind of response.
//
// Numbers: y = f(x) + noise, noise ~ N(0, sigma^2 / weight), sigma^2 fixed or inverse chi square,
// nu lambda / chi^2_nu; several responses independently of each other. With
// variance trees sigma^2(x) is a product of trees (Pratola and others 2020). Two classes: y = 1[z >
// 0], z ~ N(f(x), 1) (Albert and Chib 1993). More: P(y = k) = exp f_k(x) / sum_j exp f_j(x), each
// f_k given the others by Polya-gamma weights (Polson, Scott and Windle 2013). f, or each f_k, is
// an offset and a sum of trees.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayeswood/sums/feature_shares.hpp"
#include "bayeswood/sums/tree_sum.hpp"

namespace bayeswood {

// How a sweep treats every tree: a Metropolis step, anew from the root, or anew by particles.
enum class Sweep : std::uint8_t { METROPOLIS, FROM_ROOT, PARTICLES };

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

struct SumModel {
  std::size_t n_trees = 1;           // of each sum
  std::vector<SumPrior> prior;       // of each sum
  std::size_t n_variance_trees = 0;  // numbers: whose product is the variance of the noise
  bool has_shares = false;           // features have shares of their own
  std::size_t n_particles = 10;      // of sweeps by particles
  SumMoveSettings moves;
};

class SumChain {
 public:
  virtual ~SumChain() = default;
  // One sweep over all trees; cut short by the stop.
  void sweep(Sweep how, const StopFlag& stop);
  // Takes up what rounding has added to the rows' rests.
  virtual void refresh() = 0;
  virtual double noise_variance(std::size_t) const { return 1; }
  std::size_t n_sums() const { return sums_.size(); }
  TreeSum<MeanLeaves>& sum(std::size_t k) { return sums_[k]; }
  const TreeSum<MeanLeaves>& sum(std::size_t k) const { return sums_[k]; }
  // The variance of each sum's noise, where trees make it.
  std::size_t n_products() const { return products_.size(); }
  TreeSum<VarianceLeaves>& product(std::size_t k) { return products_[k]; }
  const FeatureShares* shares() const { return model_.has_shares ? &shares_ : nullptr; }
  std::uint64_t n_leaves() const;

 protected:
  SumChain(SumLaw& law, const SumModel& model, std::size_t n_sums, const Stream& stream);
  virtual void sweep_sums(Sweep how, const StopFlag& stop) = 0;
  template <class Leaves>
  void sweep_trees(TreeSum<Leaves>& trees, Sweep how, const Leaves& leaves, const float* weight,
                   const StopFlag& stop);
  const SumModel& model() const { return model_; }
  const SumPrior& prior(std::size_t k) const { return model_.prior[k]; }

  SumLaw& law_;
  Stream stream_;
  std::vector<TreeSum<MeanLeaves>> sums_;
  std::vector<TreeSum<VarianceLeaves>> products_;

 private:
  const SumModel& model_;
  FeatureShares shares_;
};

std::unique_ptr<SumChain> make_chain(SumLaw& law, const SumModel& model,
                                     const SumResponse& response, const Stream& stream);

}  // namespace bayeswood
