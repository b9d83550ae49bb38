// Metropolis-Hastings proposals for one tree of a sum (Chipman, George and McCulloch 2010).
//
// A proposal is made before the responses are looked at: where the rows would go, and the log of
// the ratio of priors times that of proposals. With k leaves, G of them growable and D prunable
// nodes,
//   birth    a growable leaf, uniformly, gets a rule from the prior of its node;
//   death    a prunable node, uniformly, becomes a leaf: the reverse of a birth;
//   change   a split node, uniformly, gets a rule from the prior of its node: the prior of that
//   rule
//            and its proposal cancel, and what is left are the nodes below, whose rows have
//            changed;
//   swap     a split node other than the root, uniformly, exchanges rules with its parent; if its
//            sibling has the very same rule, both get that of the parent;
//   shift    a split node, uniformly, gets another of the cuts near its own (SumLaw::shift): the
//            prior of its rule stays, the numbers of cuts near by are the ratio of the proposals.
// A tree that is a single leaf can only grow, one with a single split cannot swap and changes
// instead. Growable: something varies, and there are at least 2 min_leaf rows.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/sums/sum_law.hpp"

namespace bayeswood {

enum class SumMove : std::uint8_t { BIRTH, DEATH, CHANGE, SWAP, SHIFT };
constexpr std::size_t N_SUM_MOVES = 5;

struct SumMoveSettings {
  std::array<double, N_SUM_MOVES> probability{0.25, 0.25, 0.4, 0.1, 0};
  // Added to the log acceptance ratio of each move: for tests, which must notice a wrong ratio.
  std::array<double, N_SUM_MOVES> log_error{};
  std::uint32_t min_leaf = 1;
};

class TreeMoves {
 public:
  TreeMoves(const SumLaw& law, const SumMoveSettings& settings);

  // Draws a move and what it would do to the tree. False: it can do nothing, or nothing lawful.
  bool propose(SumTree& tree, const Slot* slots, Stream& stream);
  SumMove move() const { return move_; }
  double log_ratio() const { return log_ratio_; }
  // Where the rows would be: the present slots after a death, which merges two of them.
  const Slot* slots() const { return move_ == SumMove::DEATH ? present_ : proposed_.data(); }
  std::size_t n_slots() const { return n_slots_; }
  // Leaves that differ, as slots of the proposal and of the present.
  const std::vector<Slot>& new_leaves() const { return new_leaves_; }
  const std::vector<Slot>& old_leaves() const { return old_leaves_; }
  // Rows of the leaves that differ, by the proposal's slots; not after a death.
  void put_counts(const SumTree& tree, double* rows) const;
  // Does it; the rows' slots are exchanged with the proposed ones.
  void accept(SumTree& tree, std::vector<Slot>& slots);

  // The prior's log factor of a leaf.
  double log_leaf(std::uint32_t depth, bool varies) const {
    return varies ? law_.log_stop(depth) : 0.0;
  }
  bool is_growable(const SumNode& leaf) const {
    return leaf.varies && leaf.n >= 2 * settings_.min_leaf;
  }

 private:
  // A node below a change, as it would be.
  struct Measured {
    std::int32_t node;
    std::uint32_t n;
    bool varies;
    Varying varying;
    double log_cut;
  };
  using NewRules = std::initializer_list<std::pair<std::int32_t, const Rule*>>;

  bool birth(SumTree& tree, const Slot* slots, Stream& stream);
  bool death(SumTree& tree, Stream& stream);
  bool change(SumTree& tree, const Slot* slots, Stream& stream);
  bool swap(SumTree& tree, const Slot* slots, Stream& stream);
  bool shift(SumTree& tree, const Slot* slots, Stream& stream);
  // A node that is split, uniformly.
  std::int32_t draw_split(const SumTree& tree, Stream& stream);
  SumMove draw_move(const SumTree& tree, Stream& stream) const;
  double birth_probability(std::uint32_t n_inner) const;
  double death_probability() const { return settings_.probability[1]; }
  const Varying& varying_of(SumTree& tree, std::int32_t node, const NodeRows& rows) const;
  // Gives the rows below `top` its slot.
  void gather(const SumTree& tree, std::int32_t top, const Slot* slots);
  // Sends them down again by other rules; false if a node has one that it cannot have.
  bool measure(SumTree& tree, std::int32_t top, NewRules rules);
  // Log prior of the measured nodes, new less old; without the rule of the top where it is drawn.
  double log_prior_gain(const SumTree& tree, std::int32_t top, NewRules rules, bool with_top) const;

  const SumLaw& law_;
  SumMoveSettings settings_;
  SumMove move_ = SumMove::BIRTH;
  double log_ratio_ = 0;
  std::int32_t node_ = NOWHERE;
  Rule rule_;
  double log_cut_ = 0;
  std::uint32_t n_left_ = 0, n_right_ = 0;
  bool left_varies_ = false, right_varies_ = false;
  std::int32_t swapped_ = NOWHERE,
               twin_ = NOWHERE;  // the child, and its sibling if it has the rule
  const Slot* present_ = nullptr;
  std::vector<Slot> proposed_;
  std::size_t n_slots_ = 0;
  std::vector<Slot> new_leaves_, old_leaves_;
  std::vector<Measured> measured_;
  std::vector<std::int32_t> candidates_;
};

}  // namespace bayeswood
