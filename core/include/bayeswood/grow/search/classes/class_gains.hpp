// What LANES cuts gain, from the sums on both sides: of classes from their weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "bayeswood/grow/impurity/class_impurity.hpp"
#include "bayeswood/grow/search/scan.hpp"
#include "bayeswood/grow/target.hpp"

namespace bayeswood {

// The sums of a class: LANES of left, then LANES of right. What was written is soon read again,
// which takes long if it lies across two cache lines.
struct alignas(64) ClassSlot {
  double sums[2 * LANES];
};
constexpr std::size_t class_slot(std::int32_t label) {
  return static_cast<std::size_t>(label) * 2 * LANES;
}

struct LaneClassSums {
  const double* sums;                  // by class
  std::span<const std::int32_t> seen;  // the node's classes, in the order to add them up
  const std::uint32_t* n_left;         // rows, by cut
};

inline bool is_allowed(std::uint32_t n, std::uint32_t n_left, double left, double right,
                       const Limits& limits) {
  // All of it: which is not fulfilled cannot be foreseen.
  return (n_left >= limits.min_rows) & (n - n_left >= limits.min_rows) &
         (left >= limits.min_weight) & (right >= limits.min_weight);
}

// Takes away the gains of cuts that are not allowed. `n`: rows of the node.
inline void forbid_cuts(std::uint32_t n, const std::uint32_t* n_left, const double* left,
                        const double* right, const Limits& limits, double* gains) {
  for (std::size_t k = 0; k < LANES; ++k)
    gains[k] = is_allowed(n, n_left[k], left[k], right[k], limits) ? gains[k] : NO_SCORE;
}

// Which of the first `size` cuts is left when each in turn replaces one that it exceeds by more
// than the tolerance, the first one `score`; LANES where none does. Without a branch.
inline std::uint32_t better_lane(const double* gains, std::size_t size, double score,
                                 double tolerance) {
  std::uint32_t found = LANES;
  for (std::uint32_t k = 0; k < size; ++k) {
    const bool better = gains[k] > score + tolerance;
    found = better ? k : found;
    score = better ? gains[k] : score;
  }
  return found;
}

// Of numbers, centred on the node's mean.
struct LaneNumberSums {
  const double *left_w, *left_wy, *right_w, *right_wy;
};
inline void find_number_gains(const LaneNumberSums& of, std::uint32_t n,
                              const std::uint32_t* n_left, const Limits& limits, double* gains) {
  for (std::size_t k = 0; k < LANES; ++k)
    gains[k] = of.left_wy[k] * of.left_wy[k] / of.left_w[k] +
               of.right_wy[k] * of.right_wy[k] / of.right_w[k];
  forbid_cuts(n, n_left, of.left_w, of.right_w, limits, gains);
}

// Sums over the classes, kept in variables of its own, so that they stay in registers.
template <class Impurity>
void add_class_terms(const LaneClassSums& of, double* w, double* terms) {
  double all_w[2 * LANES] = {}, all_terms[2 * LANES] = {};
  for (const std::int32_t own : of.seen) {
    const double* sums = of.sums + class_slot(own);
    for (std::size_t s = 0; s < 2 * LANES; ++s) all_w[s] += sums[s];
    for (std::size_t s = 0; s < 2 * LANES; ++s) all_terms[s] += Impurity::term(sums[s]);
  }
  std::copy_n(all_w, 2 * LANES, w);
  std::copy_n(all_terms, 2 * LANES, terms);
}

inline void find_class_gains(const LaneClassSums& of, Criterion criterion, const NodeTotals& node,
                             const Limits& limits, double* gains) {
  double w[2 * LANES], terms[2 * LANES];
  const double *left = w, *right = w + LANES;
  if (criterion == Criterion::GINI) {
    add_class_terms<Gini>(of, w, terms);
    for (std::size_t k = 0; k < LANES; ++k)
      gains[k] = terms[k] / left[k] + terms[LANES + k] / right[k] - node.score;
  } else {
    add_class_terms<Entropy>(of, w, terms);
    for (std::size_t k = 0; k < LANES; ++k)
      gains[k] = Entropy::score(terms[k], left[k]) + Entropy::score(terms[LANES + k], right[k]) -
                 node.score;
  }
  forbid_cuts(node.n, of.n_left, left, right, limits, gains);
}

}  // namespace bayeswood
