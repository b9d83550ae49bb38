// Several chains over sums of trees: they run side by side, stop, and go on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "bayeswood/forest/forest.hpp"
#include "bayeswood/sums/sum_chain.hpp"

namespace bayeswood {

struct SumSettings {
  std::uint64_t seed = 0;
  std::size_t n_chains = 1;
  std::size_t n_trees = 1;     // of each sum
  std::vector<double> unit;    // of each sum's responses, on the user's scale
  std::vector<double> offset;  // on the user's scale, of each sum
  ChipmanPrior tree_prior{0.95, 2.0};
  std::vector<SumPrior> prior;  // of each sum
  SumMoveSettings moves;
};

// A part of a run: sweeps from the root, Metropolis sweeps that are dropped, and draws.
struct SumRun {
  std::size_t n_regrown = 0, n_burn_in = 0, n_draws = 0, thin = 1;
  bool regrow_draws = false;  // draws are sweeps from the root too
  std::size_t n_sweeps() const { return n_regrown + n_burn_in + n_draws * thin; }
};

// What one chain recorded.
struct SumRecord {
  std::vector<double> noise_sd;  // after every sweep, of each sum
  std::vector<double> n_leaves;  // after every sweep, of a tree in the mean
  MoveCounts counts;             // of the sweeps for draws
  Trees trees;                   // of the draws: sums one after another, tree by tree
  std::vector<double> values;    // of their leaves
  std::size_t n_draws = 0;
};

struct SumProgress {
  std::size_t sweeps_done, n_sweeps;  // over all chains
};
using SumPoll = std::function<bool(const SumProgress&)>;

class SumSampler {
 public:
  SumSampler(const EncodedMatrix& matrix, SumResponse response, SumSettings settings,
             const RowKernels& kernels);
  SumSampler(const SumSampler&) = delete;  // the chains point into it
  SumSampler& operator=(const SumSampler&) = delete;

  // One record per chain, as far as they came; `interrupted` says if a poll stopped them.
  std::vector<SumRecord> run(const SumRun& run, unsigned n_threads, const SumPoll& poll,
                             bool& interrupted);
  ForestShape shape() const;

 private:
  void run_chain(std::size_t c, const SumRun& run, SumRecord& record,
                 std::atomic<std::size_t>& done, const StopFlag& stop);
  void record_draw(std::size_t c, SumRecord& record);
  std::shared_ptr<const Tree> copy_shape(const SumTree& tree, const Slot* slots) const;

  CodeTable table_;
  SumResponse response_;
  SumSettings settings_;
  SumLaw law_;
  std::vector<std::unique_ptr<SumChain>> chains_;
  std::vector<std::size_t> n_swept_;
  // The shape of every tree when it was recorded last, by chain, sum and tree.
  std::vector<std::vector<std::shared_ptr<const Tree>>> shapes_;
};

}  // namespace bayeswood
