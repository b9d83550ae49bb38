// Metropolis-Hastings over trees: one chain, one step at a time.
//
// Target: p(T) p(Y | T)^power, where p(T) is a TreeLaw's prior times the indicator that every leaf
// has at least min_leaf rows and that there are at most max_leaves leaves.
//
// A step draws one of six moves by fixed probabilities. Where a move has nothing to act on, or
// what it proposes has probability 0, the tree stays. Otherwise it is accepted with probability
// min(1, A), where for a tree T with k leaves, G of them growable, and D prunable nodes
//   birth         a growable leaf, uniformly, gets a rule from the prior of its node:
//                 A = p(T') L' / (p(T) L) * [p_death / D'] / [p_birth / G * p(rule)];
//   death         a prunable node, uniformly, becomes a leaf: the reverse of a birth;
//   change split  a split node, uniformly, gets a rule from the prior of its node;
//   change rule   the same with its feature kept: in both the prior of the new rule and its
//                 proposal cancel, and what is left of A is the ratio of likelihoods and of the
//                 prior factors of all nodes below, whose rows have changed;
//   shift rule    a split node, uniformly, gets a rule near its own (TreeLaw::shift): A is the
//   ratio
//                 of targets and of the densities of the way back and the way there;
//   swap          a split node other than the root, uniformly, exchanges rules with its parent; if
//                 its sibling has the very same rule, both get that of the parent. Symmetric: A is
//                 the ratio of targets.
// Growable: at least 2 min_leaf rows and, where rules ask the node, a feature that has one there.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/leaf/class_leaves.hpp"
#include "bayeswood/leaf/leaf_model.hpp"
#include "bayeswood/leaf/number_leaves.hpp"
#include "bayeswood/mcmc/row_tree.hpp"
#include "bayeswood/mcmc/tree_law.hpp"

namespace bayeswood {

enum class Move : std::uint8_t { BIRTH, DEATH, CHANGE_SPLIT, CHANGE_RULE, SWAP, SHIFT_RULE };
constexpr std::size_t N_MOVES = 6;

struct ChainSettings {
  std::array<double, N_MOVES> probability{};
  // Added to the log acceptance ratio of each move: for tests, which must notice a wrong ratio.
  std::array<double, N_MOVES> log_error{};
  std::int64_t min_leaf = 1;
  std::uint32_t max_leaves = std::numeric_limits<std::uint32_t>::max();
};

struct StepInfo {
  Move move;
  bool accepted;
};

template <LeafModel Leaves>
class Metropolis {
 public:
  using Stats = typename Leaves::Stats;

  // Starts from a tree drawn node by node from Chipman's prior (under Denison's with its rules);
  // nodes that this would split unlawfully, or beyond `start_leaves`, stay leaves.
  Metropolis(const TreeLaw& law, const Leaves& leaves, const ChainSettings& settings, Stream start,
             Stream moves, std::uint32_t start_leaves);

  // Gives a leaf this rule and two leaves; false, and nothing changes, where the target is 0 then.
  bool split_leaf(std::int32_t node, const Rule& rule);
  // What later steps draw from; the copies of a chain take one each.
  void draw_from(const Stream& moves) { stream_ = moves; }

  // Births beyond `max_leaves`, or beyond the settings' own, are rejected.
  StepInfo step(std::uint32_t max_leaves);

  const RowTree& tree() const { return tree_; }
  const TreeLaw& law() const { return law_; }
  const Leaves& leaves() const { return leaves_; }
  const Stats& stats(std::int32_t leaf) const { return stats_[leaf]; }
  double log_likelihood() const { return log_likelihood_; }
  double log_prior() const { return log_prior_ + law_.log_shape(tree_.n_leaves()); }
  double log_posterior() const { return log_prior() + leaves_.power() * log_likelihood_; }
  // Sums log likelihood and prior anew: after many steps their rounding errors add up.
  void refresh();

 private:
  // A node of the touched subtree as a proposal would make it.
  struct Touched {
    std::int32_t node;
    std::uint32_t begin, end;
    std::int64_t n;
    std::uint32_t n_varying;
    std::size_t stats_at;
    double log_marginal;
    bool varies;
    Division division;
  };
  using NewRules = std::initializer_list<std::pair<std::int32_t, const Rule*>>;

  void start(Stream& stream, std::uint32_t start_leaves);
  // A rule from the prior instead.
  bool try_split(std::int32_t node, Stream& stream);
  bool split_by(std::int32_t node, const Rule& rule, std::uint32_t n_varying);
  bool birth(std::uint32_t max_leaves);
  bool death();
  bool change(bool keep_feature);
  bool swap();
  bool shift();

  bool accept(Move move, double log_ratio);
  bool is_growable(std::int64_t n, bool varies) const {
    return varies && n >= 2 * settings_.min_leaf;
  }
  // The prior's factor of a leaf.
  double log_stop(std::uint32_t depth, bool varies) const {
    return varies ? law_.log_stop(depth) : 0.0;
  }
  std::int64_t count_rows(Rows rows) const { return leaves_.copies().total(rows); }
  void sum_rows(Rows rows, Stats& stats) const;
  Stats& mutable_stats(std::int32_t node);
  // Splits a leaf whose rows are divided already, and settles what its children hold.
  struct Halves {
    std::int64_t n_left, n_right;
    double left_marginal, right_marginal;
    bool left_varies, right_varies;
  };
  bool measure_halves(std::int32_t node, std::uint32_t n_left, Halves& halves);
  void adopt_halves(std::int32_t node, const Rule& rule, const Division& division,
                    std::uint32_t n_varying, const Halves& halves);

  // Divides the rows of `top` anew, some nodes below having other rules; false if unlawful.
  bool measure_subtree(std::int32_t top, NewRules rules);
  bool measure_inner(std::size_t at, NewRules rules, std::int32_t top);
  bool measure_leaf(Touched& touched);
  // New less old, over the touched nodes: prior (without the rule of the top) and likelihood.
  struct Gain {
    double top_rule, prior, likelihood;
  };
  Gain gain() const;
  void adopt_subtree(std::int32_t top, NewRules rules);

  const TreeLaw& law_;
  const Leaves& leaves_;
  ChainSettings settings_;
  Stream stream_;
  RowTree tree_;
  Stats nothing_;
  std::vector<Stats> stats_;  // of the leaves, by node
  std::array<double, N_MOVES> cumulative_{};
  double log_likelihood_ = 0;
  double log_prior_ = 0;  // without the factor of the shape

  RuleScratch scratch_;
  Rule rule_;
  std::vector<std::uint32_t> new_rows_;
  std::vector<Touched> touched_;
  std::vector<std::size_t> waiting_;
  std::vector<Stats> new_stats_;  // the first n_new_stats_ count, the others keep their memory
  std::size_t n_new_stats_ = 0;
  std::array<Stats, 2> halves_;
};

extern template class Metropolis<ClassLeaves>;
extern template class Metropolis<NumberLeaves>;

}  // namespace bayeswood
