#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "bayeswood/calibration/cross_calibration.hpp"
#include "bayeswood/calibration/member_trial.hpp"
#include "bayeswood/forest/leaves/bag_spread.hpp"
#include "module.hpp"
#include "running.hpp"
#include "weight_scheme.hpp"

namespace bayeswood::bindings {
namespace {

using Cube = nb::ndarray<const double, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using OptionalVector = std::optional<Vector<double>>;

std::span<const double> optional_values(const OptionalVector& values) {
  return values ? span(*values) : std::span<const double>{};
}

void check_vote_labels(std::span<const std::int32_t> label, std::size_t n, std::size_t n_classes) {
  if (label.size() != n) throw std::invalid_argument("label: one per row");
  for (const std::int32_t c : label) {
    if (c < 0 || static_cast<std::size_t>(c) >= n_classes)
      throw std::invalid_argument("label: 0, ..., n_classes - 1");
  }
}

// The votes as Python hands them over, and what goes with them.
struct Votes {
  Vector<std::int64_t> start;
  Vector<std::int32_t> entry_label;
  Vector<double> mean;
  OptionalVector first_half, second_half;
  std::size_t n_classes;
  double n_trees, beyond;
};

void make_votes(Votes* self, Vector<std::int64_t> start, Vector<std::int32_t> entry_label,
                Vector<double> mean, OptionalVector first_half, OptionalVector second_half,
                std::size_t n_classes, double n_trees, double beyond) {
  const std::size_t n_entries = mean.shape(0);
  const auto first = span(start);
  bool lawful = n_classes > 0 && !first.empty() && first.front() == 0 &&
                first.back() == static_cast<std::int64_t>(n_entries) &&
                entry_label.shape(0) == n_entries;
  for (std::size_t i = 1; lawful && i < first.size(); ++i) lawful = first[i - 1] <= first[i];
  for (const OptionalVector& half : {first_half, second_half})
    lawful = lawful && (!half || half->shape(0) == n_entries);
  lawful = lawful && first_half.has_value() == second_half.has_value();
  if (!lawful) throw std::invalid_argument("votes: entries that follow one another row by row");
  for (const std::int32_t c : span(entry_label)) {
    if (c < 0 || static_cast<std::size_t>(c) >= n_classes)
      throw std::invalid_argument("entry_label: 0, ..., n_classes - 1");
  }
  if (!(n_trees > 0) || !(beyond >= 0) || beyond > 1)
    throw std::invalid_argument("n_trees > 0 and beyond in [0, 1]");
  new (self) Votes{start, entry_label, mean, first_half, second_half, n_classes, n_trees, beyond};
}

LabelledVotes labelled(const Votes& votes, const Vector<std::int32_t>& label,
                       const Vector<double>& weights) {
  const VotesView view{span(votes.start),
                       span(votes.entry_label),
                       span(votes.mean),
                       optional_values(votes.first_half),
                       optional_values(votes.second_half),
                       votes.n_classes};
  check_vote_labels(span(label), view.n_rows(), votes.n_classes);
  if (weights.shape(0) != view.n_rows()) throw std::invalid_argument("weights: one per row");
  return {view, span(label), span(weights), votes.n_trees, votes.beyond};
}

nb::tuple fit(const Votes& votes, const Vector<std::int32_t>& label,
              const Vector<double>& weights) {
  const LabelledVotes rows = labelled(votes, label, weights);
  ClassCalibration found;
  run_released(1, nb::none(), [&](const Running&) { found = fit_class_calibration(rows); });
  return nb::make_tuple(found.power, to_numpy(std::move(found.offset)),
                        to_numpy(std::move(found.slopes)));
}

double loss(const Votes& votes, const Vector<std::int32_t>& label, const Vector<double>& weights) {
  return calibration_loss(labelled(votes, label, weights));
}

nb::tuple judge(const Votes& votes, const Vector<std::int32_t>& label,
                const Vector<double>& weights, const Vector<std::int32_t>& fold,
                std::size_t n_folds, double power, const Vector<double>& offset,
                const Vector<double>& slopes, unsigned n_jobs) {
  const LabelledVotes rows = labelled(votes, label, weights);
  const std::size_t n = rows.votes.n_rows();
  if (fold.shape(0) != n) throw std::invalid_argument("fold: one per row");
  for (const std::int32_t f : span(fold)) {
    if (f >= 0 && static_cast<std::size_t>(f) >= n_folds)
      throw std::invalid_argument("fold: below n_folds");
  }
  if (offset.shape(0) != votes.n_classes || slopes.shape(0) != votes.n_classes)
    throw std::invalid_argument("offset, slopes: one per class");
  const ClassCalibration start{power, copy(offset), copy(slopes)};
  JudgedVotes found;
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    found = judge_votes(rows, span(fold), n_folds, start, run.n_threads);
  });
  return nb::make_tuple(to_numpy(std::move(found.scores), {N_ROW_SCORES, n, 2}),
                        to_numpy(std::move(found.mean_proba)));
}

nb::object losses(const Cube& sums, const Matrix<std::int32_t>& counts,
                  const Vector<std::int32_t>& strength, const Matrix<double>& kind_weight,
                  const Vector<std::int32_t>& label, const Vector<double>& weights,
                  unsigned n_jobs) {
  const KindSums kinds{{sums.data(), sums.size()},
                       span(counts),
                       sums.shape(0),
                       sums.shape(1),
                       sums.shape(2),
                       sums.shape(3)};
  if (counts.shape(0) != kinds.n_kinds || counts.shape(1) != kinds.n_rows)
    throw std::invalid_argument("counts: (n_kinds, n_rows)");
  if (kind_weight.shape(0) != strength.shape(0) || kind_weight.shape(1) != kinds.n_kinds)
    throw std::invalid_argument("kind_weight: (n_trials, n_kinds)");
  check_vote_labels(span(label), kinds.n_rows, kinds.n_classes);
  if (weights.shape(0) != kinds.n_rows) throw std::invalid_argument("weights: one per row");
  std::vector<MemberTrial> trials;
  for (std::size_t i = 0; i < strength.shape(0); ++i) {
    const auto s = static_cast<std::size_t>(span(strength)[i]);
    if (s >= kinds.n_strengths) throw std::invalid_argument("strength: 0, ..., n_strengths - 1");
    trials.push_back({s, span(kind_weight).subspan(i * kinds.n_kinds, kinds.n_kinds)});
  }
  std::vector<double> found;
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    found = trial_losses(kinds, span(label), span(weights), trials, run.n_threads);
  });
  return to_numpy(std::move(found));
}

nb::tuple bag_spread(const Forest& forest, const AnyMatrix& X, const Vector<std::int32_t>& rows,
                     std::size_t n_training, const Vector<double>& tree_weights,
                     const Vector<std::int32_t>& kind, const std::string& scheme,
                     std::uint64_t seed, double weight_threshold, const OptionalGroups& row_groups,
                     const OptionalGroups& row_parts, std::uint64_t trees_per_draw,
                     std::uint32_t n_draws, unsigned n_jobs) {
  const MatrixView table = view(X);
  const std::size_t n = table.n_rows(), k = forest.n_outputs();
  if (!forest.shape().is_classifier) throw std::invalid_argument("only classifiers have bags");
  if (table.n_columns() != static_cast<std::size_t>(forest.shape().n_features))
    throw std::invalid_argument("X has the wrong number of columns");
  if (tree_weights.shape(0) != forest.n_trees() || kind.shape(0) != forest.n_trees())
    throw std::invalid_argument("tree_weights, kind: one per tree");
  if (trees_per_draw < 2) throw std::invalid_argument("trees_per_draw: at least 2");
  if (rows.shape(0) != n) throw std::invalid_argument("rows: one per row of X");
  for (const std::int32_t row : span(rows)) {
    if (row < 0 || static_cast<std::size_t>(row) >= n_training)
      throw std::invalid_argument("rows: beyond the training rows");
  }
  const auto weights = scheme_of(scheme, seed, weight_threshold, row_groups, n_training, row_parts,
                                 trees_per_draw, n_draws);
  const OutOfBag bag{weights, {}, 0, 0, n_training, span(rows)};
  const std::size_t n_bags = forest.n_trees() / trees_per_draw;
  std::vector<double> mean(n_bags * n * k), within(mean.size());
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    predict_bag_spread(forest, table, bag, span(tree_weights), span(kind), mean.data(),
                       within.data(), run);
  });
  return nb::make_tuple(to_numpy(std::move(mean), {n_bags, n, k}),
                        to_numpy(std::move(within), {n_bags, n, k}));
}

}  // namespace

void bind_calibration(nb::module_& m) {
  nb::class_<Votes>(m, "ClassVotes")
      .def("__init__", &make_votes, nb::arg("start"), nb::arg("entry_label"), nb::arg("mean"),
           nb::arg("first_half").none(), nb::arg("second_half").none(), nb::arg("n_classes"),
           nb::arg("n_trees"), nb::arg("beyond"))
      .def("fit", &fit, nb::arg("label"), nb::arg("weights"))
      .def("loss", &loss, nb::arg("label"), nb::arg("weights"))
      .def("judge", &judge, nb::arg("label"), nb::arg("weights"), nb::arg("fold"),
           nb::arg("n_folds"), nb::arg("power"), nb::arg("offset"), nb::arg("slopes"),
           nb::arg("n_jobs") = 1);
  m.def("bag_spread", &bag_spread, nb::arg("forest"), nb::arg("X"), nb::arg("rows"),
        nb::arg("n_training"), nb::arg("tree_weights"), nb::arg("kind"), nb::arg("scheme"),
        nb::arg("seed"), nb::arg("weight_threshold") = 0.0, nb::arg("row_groups") = nb::none(),
        nb::arg("row_parts") = nb::none(), nb::arg("trees_per_draw") = 1, nb::arg("n_draws") = 0,
        nb::arg("n_jobs") = 1);
  m.def("trial_losses", &losses, nb::arg("sums"), nb::arg("counts"), nb::arg("strength"),
        nb::arg("kind_weight"), nb::arg("label"), nb::arg("weights"), nb::arg("n_jobs") = 1);
}

}  // namespace bayeswood::bindings
