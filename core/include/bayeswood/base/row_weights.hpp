// How a tree weights the training rows: Exp(1) draws (the Bayesian bootstrap), bootstrap counts,
// or 1.
//
// Thresholded Exp(1) weights leave rows out of a tree: a draw below the threshold c counts as 0,
// which happens with probability 1 - exp(-c). Rows of one group are left out together: one Exp(1)
// draw per group decides, and the rows of a group that stays weigh c + Exp(1) each. The excess of
// an Exp(1) draw over c is Exp(1) again, so that groups of one row have the law of no groups.
//
// A subsample has the rows that thresholded Exp(1) weights keep, with weight 1. Trees that follow
// one another may share a draw: bags of trees that leave out the same rows.
//
// Rows in parts (the branches of a trunk, disjoint sub-samples) are weighted as if each part were
// a table of its own: the seed is the part's, and a row's place is that among the part's rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bayeswood {

enum class WeightKind { EXPONENTIAL, SUBSAMPLE, BOOTSTRAP, UNIT, GIVEN };

WeightKind weight_kind(const std::string& name);

struct WeightScheme {
  WeightKind kind = WeightKind::UNIT;
  std::uint64_t seed = 0;
  double threshold = 0;  // EXPONENTIAL and SUBSAMPLE only
  // The group of each row, 0 .. n_groups - 1; empty where rows stand alone. Needs a threshold.
  std::span<const std::int32_t> row_groups = {};
  std::uint32_t n_groups = 0;
  // The part of each row, 0 .. n_parts - 1; empty where there is one part. EXPONENTIAL only, and
  // not with groups.
  std::span<const std::int32_t> row_parts = {};
  std::uint32_t n_parts = 1;
  std::uint64_t trees_per_draw = 1;
  std::uint32_t n_draws = 0;  // BOOTSTRAP only: rows drawn, 0 for as many as there are

  std::uint64_t draw_of(std::uint64_t tree) const { return tree / trees_per_draw; }
};

// The scheme of these settings, checked; `row_groups` must outlive it.
WeightScheme make_scheme(const std::string& kind, std::uint64_t seed, double threshold,
                         std::span<const std::int32_t> row_groups, std::size_t n_rows);

// The same scheme on rows in parts, which must outlive it.
WeightScheme in_parts(WeightScheme scheme, std::span<const std::int32_t> row_parts,
                      std::size_t n_rows);

// The weights of one tree before sample_weight. Bootstrap draws among the rows whose sample_weight
// is positive (all rows where `sample_weight` is empty), `n_draws` of them or as many as there are.
// Where the threshold would leave out all of these, the row (or the group) of the largest draw
// stays; so it does in each part.
void draw_weights(const WeightScheme& scheme, std::uint64_t tree,
                  std::span<const double> sample_weight, std::span<double> out);

// Which rows have weight 0 in a tree, their sample_weight counting: what `draw_weights` says,
// found without taking a logarithm per row.
void draw_left_out(const WeightScheme& scheme, std::uint64_t tree,
                   std::span<const double> sample_weight, std::vector<bool>& out);

}  // namespace bayeswood
