// What samplers of trees ask of the leaves: a likelihood with its rows, one class per likelihood.
//
// A leaf is known by statistics of its rows, `Stats`, which hold whole numbers alone: they add up
// and are taken apart to the bit, in whatever order, and two sets of rows with the same statistics
// are worth the same. `n` of them is the number of rows, copies included.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "bayeswood/leaf/normal_inverse_gamma.hpp"
#include "bayeswood/leaf/row_copies.hpp"

namespace bayeswood {

template <class L>
concept LeafModel =
    std::equality_comparable<typename L::Stats> &&
    requires(const L& leaves, std::size_t row, const typename L::Stats& part,
             typename L::Stats& stats) {
      { L::IS_CLASSIFIER } -> std::convertible_to<bool>;
      { leaves.n_outputs() } -> std::same_as<std::size_t>;  // classes, or 1
      { leaves.copies() } -> std::same_as<const RowCopies&>;
      { leaves.power() } -> std::same_as<double>;  // that the likelihood is raised to
      // Statistics of no rows; with one row more, with more rows, with rows fewer.
      { leaves.nothing() } -> std::same_as<typename L::Stats>;
      leaves.add(row, stats);
      leaves.add(part, stats);
      leaves.subtract(part, stats);
      { part.n } -> std::convertible_to<std::int64_t>;
      // Log of the likelihood with the leaf's parameters integrated out, not to the power.
      { leaves.log_marginal(part) } -> std::same_as<double>;
    } &&
    // What the leaf predicts: a number's distribution, or the probabilities of `n_outputs` classes.
    (
        requires(const L& leaves, const typename L::Stats& stats) {
          { leaves.predictive(stats) } -> std::same_as<NumberPredictive>;
          requires !L::IS_CLASSIFIER;
        } ||
        requires(const L& leaves, const typename L::Stats& stats, double* probabilities) {
          leaves.put_predictive(stats, probabilities);
          requires L::IS_CLASSIFIER;
        });

// What it takes besides to weigh all cuts of a leaf's rows against each other.
template <class L>
concept CutLeafModel =
    LeafModel<L> && std::constructible_from<typename L::Walk, const L&> &&
    requires(const L& leaves, bool goes_left, std::size_t row, std::size_t output,
             const typename L::Stats& part, typename L::Stats& stats) {
      leaves.add_if(goes_left, row, stats);  // without a branch
      { leaves.powered_log_marginal(part) } -> std::same_as<double>;
      // What levels of a category are ordered by: the share of an output.
      { leaves.order_share(part, output) } -> std::same_as<double>;
    } &&
    // Rows moved from the right side of a cut to its left, one after another.
    requires(typename L::Walk& walk, const typename L::Stats& whole, std::size_t row) {
      walk.start(whole);
      walk.move(row);
      { walk.n_left() } -> std::same_as<std::int64_t>;
      { walk.n_right() } -> std::same_as<std::int64_t>;
      { walk.powered_log_marginals() } -> std::same_as<double>;  // of both sides
    };

}  // namespace bayeswood
