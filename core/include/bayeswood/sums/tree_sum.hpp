// A sum (or product) of trees that a chain improves, tree by tree: Bayesian backfitting (Hastie and
// Tibshirani 2000; Chipman, George and McCulloch 2010, eq. 12).
//
// `rest` holds what the trees leave over: responses less their sum, or squared errors over their
// product. For each tree, its own part is given back, a proposal is weighed with the leaves' values
// integrated out, and the values are drawn.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bayeswood/base/parallel.hpp"
#include "bayeswood/sums/grow_from_root.hpp"
#include "bayeswood/sums/particle_gibbs.hpp"
#include "bayeswood/sums/sum_leaves.hpp"
#include "bayeswood/sums/tree_moves.hpp"

namespace bayeswood {

// How often each move was drawn, and accepted.
struct MoveCounts {
  std::array<std::uint64_t, N_SUM_MOVES> tried{}, accepted{};
};

template <class Leaves>
class TreeSum {
 public:
  // Trees of one leaf each; their values leave `rest` as it is.
  TreeSum(const SumLaw& law, const SumMoveSettings& settings, std::size_t n_trees);

  std::size_t n_trees() const { return trees_.size(); }
  const SumTree& tree(std::size_t t) const { return trees_[t]; }
  SumTree& tree(std::size_t t) { return trees_[t]; }
  const Slot* slots(std::size_t t) const { return slots_[t].data(); }
  float value(std::size_t t, std::int32_t leaf) const { return values_[t][trees_[t][leaf].slot]; }
  std::vector<float>& rest() { return rest_; }
  const std::vector<float>& rest() const { return rest_; }
  const MoveCounts& counts() const { return counts_; }
  void forget_counts() { counts_ = {}; }

  // Gives the leaf of every tree, which has one, this value.
  void start_at(double value);
  // Sum (or product) of the trees' values at every row.
  void put_totals(std::vector<double>& totals) const;

  // One step of Metropolis-Hastings for every tree, up to the stop. `weight`: of the rows, or
  // nullptr.
  void sweep(const Leaves& leaves, const float* weight, Stream& stream, const StopFlag& stop);
  // Every tree drawn anew from its root: see grow_from_root.hpp.
  void regrow(const Leaves& leaves, const float* weight, Stream& stream, const StopFlag& stop);
  // Every tree drawn anew by particles: see particle_gibbs.hpp.
  void resample(const Leaves& leaves, const float* weight, std::size_t n_particles, Stream& stream,
                const StopFlag& stop);

 private:
  using Values = std::array<float, MOST_SLOTS>;
  using Sums = std::array<double, MOST_SLOTS>;

  // What a row loses or gains by a value: itself, or a factor.
  static float neutral() { return Leaves::MULTIPLY ? 1.0F : 0.0F; }
  static float inverse(float value) { return Leaves::MULTIPLY ? 1.0F / value : value; }
  // Takes the values of the tree before from the rows, gives back those of tree t; sums.
  void pass(std::size_t t, const Slot* proposed, std::size_t n_proposed, const float* weight);
  void finish(const float* weight);
  void count_rows(const SumTree& tree, double* mass) const;
  void sum_present(std::size_t t, const float* weight);
  void sum_both(std::size_t t, bool possible, const float* weight);
  double log_marginal(const Leaves& leaves, const std::vector<Slot>& of, const Sums& rest,
                      const Sums& mass) const;
  void step(std::size_t t, const Leaves& leaves, const float* weight, Stream& stream);
  void draw_values(std::size_t t, const Leaves& leaves, Stream& stream);
  // Replaces every tree by draw(t), given what the others leave over.
  template <class Draw>
  void replace_trees(const Leaves& leaves, const float* weight, Stream& stream,
                     const StopFlag& stop, Draw draw);

  const SumLaw& law_;
  TreeMoves moves_;
  RootGrower grower_;
  ParticleGibbs particles_;
  std::vector<SumTree> trees_;
  std::vector<std::vector<Slot>> slots_;
  std::vector<Values> values_;
  std::vector<float> rest_;
  MoveCounts counts_;
  // Of the tree before: what its rows still have to lose.
  std::size_t before_ = 0;
  bool has_before_ = false;
  Values take_, give_;
  // Sums by slot: of a proposal, and of the tree as it is.
  Sums new_rest_, new_mass_, old_rest_, old_mass_;
};

extern template class TreeSum<MeanLeaves>;
extern template class TreeSum<VarianceLeaves>;

}  // namespace bayeswood
