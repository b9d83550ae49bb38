// Several chains over sums of trees: they run side by side, stop, and go on.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "bayeswood/forest/forest.hpp"
#include "bayeswood/sums/sum_chain.hpp"

namespace bayeswood {

struct SumSettings {
  std::uint64_t seed = 0;
  std::size_t n_chains = 1;
  std::vector<double> unit;    // of each sum's responses, on the user's scale
  std::vector<double> offset;  // on the user's scale, of each sum
  ChipmanPrior tree_prior{0.95, 2.0};
  SumModel model;
};

// A part of a run: sweeps from the root, other sweeps that are dropped, and draws.
struct SumRun {
  std::size_t n_regrown = 0, n_burn_in = 0, n_draws = 0, thin = 1;
  Sweep how = Sweep::METROPOLIS;  // of all but the first part
  std::size_t n_sweeps() const { return n_regrown + n_burn_in + n_draws * thin; }
};

// Trees of draws, one after another, and the values of their leaves.
struct RecordedTrees {
  Trees trees;
  std::vector<double> values;
};

// What one chain recorded.
struct SumRecord {
  std::vector<double> noise_sd;  // after every sweep, of each sum
  std::vector<double> n_leaves;  // after every sweep, of a tree in the mean
  std::vector<double> shares;    // of features, by draw; empty if they have none
  MoveCounts counts;             // of the sweeps for draws
  RecordedTrees sums;            // of each draw: sum after sum
  RecordedTrees products;        // of each draw: logarithms, product after product
  std::size_t n_draws = 0;
};

class SumSampler {
 public:
  SumSampler(const EncodedMatrix& matrix, SumResponse response, SumSettings settings,
             const RowKernels& kernels);
  SumSampler(const SumSampler&) = delete;  // the chains point into it
  SumSampler& operator=(const SumSampler&) = delete;

  // One record per chain, as far as they came; `interrupted` says if a poll stopped them. It is
  // told of sweeps over all chains.
  std::vector<SumRecord> run(const SumRun& run, unsigned n_threads, const Poll& poll,
                             bool& interrupted);
  // Other responses of the same rows, laid out as those before; the chains keep their trees.
  void replace_responses(std::vector<float> y) {
    response_.y = std::move(y);
    for (const auto& chain : chains_) chain->refresh();
  }
  const SumResponse& responses() const { return response_; }
  const SumSettings& settings() const { return settings_; }
  ForestShape shape() const;
  bool has_products() const { return settings_.model.n_variance_trees > 0; }

 private:
  using Shapes = std::vector<std::shared_ptr<const Tree>>;

  // By so many threads.
  void run_chain(std::size_t c, const SumRun& run, unsigned n_threads, SumRecord& record,
                 std::atomic<std::size_t>& done, const StopFlag& stop);
  void sweep_chain(std::size_t c, const SumRun& run, SumRecord& record,
                   std::atomic<std::size_t>& done, const StopFlag& stop);
  void record_draw(std::size_t c, SumRecord& record);
  // The trees of one sum or product; the value of a leaf goes to one of the outputs.
  template <class Leaves, class ValueOf>
  void record_trees(TreeSum<Leaves>& trees, std::shared_ptr<const Tree>* shapes, std::size_t output,
                    ValueOf value_of, RecordedTrees& record) const;
  std::shared_ptr<const Tree> copy_shape(const SumTree& tree, const Slot* slots) const;

  CodeTable table_;
  SumResponse response_;
  SumSettings settings_;
  std::vector<SumLaw> laws_;  // of each chain
  std::vector<std::unique_ptr<SumChain>> chains_;
  std::vector<std::size_t> n_swept_;
  // The shape of every tree when it was recorded last, by chain, sum and tree.
  std::vector<Shapes> sum_shapes_, product_shapes_;
};

}  // namespace bayeswood
