// What a category pays for being ordered by the response.
//
// k levels ordered by their own responses part the rows well whatever they mean: rows of one level
// each are parted perfectly. Let a node have rows of weight w_i, W = sum w_i, q = sum w_i^2, levels
// of weight W_l with q_l = sum of w_i^2 over the level, impurity I, and let B be the part of I that
// lies between the levels, the most that any subset can gain. If levels meant nothing,
//   E[B] = v e  with  e = sum_l q_l / W_l - q / W,  v = I / (W - q / W),
// where e = k - 1 and v is the variance of the rows if weights are equal (the analysis of
// variance). The share R = B / I then is near a beta variable,
//   r = E[R] = e / (W - q / W),  s^2 = 2 r (1 - r) / (W^2 / q + 1),
// so z = (R - r) / s says how far beyond chance the levels differ. Trust in the category is
//   g = max(0, 1 - (CHANCE / z)^2), z > 0,
// the larger of that at the tree's root and that in the node: rows of a deep node are too few to
// prove anew what the whole sample has shown. A category with more than FREE_LEVELS levels in the
// node pays
//   (1 - g) v e (k - FREE_LEVELS) / (k - 1)
// of its gain, which is v for each further level if weights are equal; where nothing is left, it is
// no split. Up to FREE_LEVELS levels there are no more subsets (7) than cuts of a number of eight
// values. But where every row has a level of its own, any response is parted well and nothing is
// free: the price is (1 - g) I. A category of at most FREE_LEVELS levels in the table has trust 1.
// Classes of shares p_c vary in several directions, and B / I the less by chance: s^2 is divided by
//   m = (1 - sum p^2)^2 / (sum p^2 - 2 sum p^3 + (sum p^2)^2),
// the square of the trace of their covariance over the trace of its square; 1 for two classes and
// C - 1 for C equal ones. For several outputs m = 1 is cautious.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bayeswood/grow/split.hpp"
#include "bayeswood/grow/target.hpp"

namespace bayeswood {

constexpr std::size_t FREE_LEVELS = 4;
constexpr double CHANCE = 2;  // standard deviations

// Sums over the levels of a node.
class LevelSpread {
 public:
  // A level of rows with sum of weights w, of squared weights ww and the criterion's score.
  void add(double w, double ww, double score) {
    ++n_levels_;
    sum_ww_ += ww;
    sum_ww_per_w_ += ww / w;
    score_ += score;
  }
  // Classes: the sums over classes of p^2 and p^3.
  void set_classes(double sum_p2, double sum_p3) {
    const double trace = 1 - sum_p2;
    const double trace_of_square = sum_p2 - 2 * sum_p3 + sum_p2 * sum_p2;
    if (trace_of_square > 0) n_directions_ = trace * trace / trace_of_square;
  }
  double trust(const NodeTotals& node) const;
  // Whether so many levels pay anything.
  static bool pays(std::size_t n_levels, const NodeTotals& node, double root_trust) {
    return root_trust < 1 && (n_levels > FREE_LEVELS || n_levels == node.n);
  }
  // Whether no split leaves more than `tolerance` of its gain: none gains more than all levels
  // apart.
  bool is_too_dear(const NodeTotals& node, double root_trust, double tolerance) const;
  // Takes the price from the score of the category's best split, or the split away if not more than
  // `tolerance` is left. `root_trust` is the trust at the root of the tree.
  void charge(Split& split, const NodeTotals& node, double root_trust, double tolerance) const;

 private:
  double lost_weight(const NodeTotals& node) const { return sum_ww_ / node.w; }  // q / W
  double price(const NodeTotals& node, double root_trust) const;

  std::size_t n_levels_ = 0;
  double n_directions_ = 1;  // m
  double sum_ww_ = 0;
  double sum_ww_per_w_ = 0;
  double score_ = 0;
};

}  // namespace bayeswood
