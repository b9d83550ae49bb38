#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "bayeswood/forest/leaves/leaf_responses.hpp"
#include "bayeswood/forest/leaves/member_spread.hpp"
#include "bayeswood/forest/leaves/oob_votes.hpp"
#include "bayeswood/forest/leaves/shrinkage.hpp"
#include "module.hpp"
#include "running.hpp"
#include "weight_scheme.hpp"

namespace bayeswood::bindings {
namespace {

using OptionalWeights = std::optional<Vector<double>>;

std::span<const double> optional_span(const OptionalWeights& weights) {
  return weights ? span(*weights) : std::span<const double>{};
}

void check_table(const Forest& forest, const MatrixView& table) {
  if (table.n_columns() != static_cast<std::size_t>(forest.shape().n_features)) {
    throw std::invalid_argument("X has the wrong number of columns");
  }
}

void check_tree_weights(const Forest& forest, const Vector<double>& weights) {
  if (weights.shape(0) != forest.n_trees())
    throw std::invalid_argument("tree_weights: one per tree");
}

using Predict = void (*)(const Forest&, const MatrixView&, std::span<const double>, double*,
                         const Running&);

template <Predict PREDICT>
nb::object predict(const Forest& forest, const AnyMatrix& X, const Vector<double>& tree_weights,
                   unsigned n_jobs, const nb::object& progress) {
  const MatrixView table = view(X);
  check_table(forest, table);
  check_tree_weights(forest, tree_weights);
  std::vector<double> out(table.n_rows() * forest.n_outputs());
  run_released(n_jobs, progress, [&](const Running& run) {
    PREDICT(forest, table, span(tree_weights), out.data(), run);
  });
  return to_numpy(std::move(out), {table.n_rows(), forest.n_outputs()});
}

nb::object votes(const Forest& forest, const AnyMatrix& X, const Vector<double>& tree_weights,
                 unsigned n_jobs, const nb::object& progress) {
  if (!forest.shape().is_classifier) throw std::invalid_argument("only classifiers vote");
  return predict<predict_votes>(forest, X, tree_weights, n_jobs, progress);
}

std::size_t count_members(const Forest& forest, std::size_t trees_per_member) {
  if (trees_per_member < 1 || forest.n_trees() % trees_per_member != 0)
    throw std::invalid_argument("trees_per_member: a divisor of the number of trees");
  return forest.n_trees() / trees_per_member;
}

nb::object draws(const Forest& forest, const AnyMatrix& X, unsigned n_jobs,
                 std::size_t trees_per_member) {
  const MatrixView table = view(X);
  check_table(forest, table);
  const std::size_t n_members = count_members(forest, trees_per_member);
  RawArray<double> out(n_members * table.n_rows() * forest.n_outputs());
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    predict_draws(forest, table, trees_per_member, {}, out.data(), run);
  });
  return std::move(out).to_numpy({n_members, table.n_rows(), forest.n_outputs()});
}

// Each tree's weight over the sum of its bag; equal ones in a bag that weighs nothing.
std::vector<double> shares_in_bags(std::span<const double> tree_weights, std::size_t bag_size) {
  std::vector<double> shares(tree_weights.begin(), tree_weights.end());
  for (std::size_t first = 0; first < shares.size(); first += bag_size) {
    const std::span<double> bag(shares.data() + first, std::min(bag_size, shares.size() - first));
    const double sum = std::accumulate(bag.begin(), bag.end(), 0.0);
    for (double& share : bag) share = sum > 0 ? share / sum : 1.0 / double(bag.size());
  }
  return shares;
}

nb::object bag_means(const Forest& forest, const AnyMatrix& X, const Vector<double>& tree_weights,
                     std::size_t trees_per_bag, unsigned n_jobs) {
  const MatrixView table = view(X);
  check_table(forest, table);
  check_tree_weights(forest, tree_weights);
  if (trees_per_bag < 1) throw std::invalid_argument("trees_per_bag: at least 1");
  const auto shares = shares_in_bags(span(tree_weights), trees_per_bag);
  const std::size_t n_bags = (forest.n_trees() + trees_per_bag - 1) / trees_per_bag;
  RawArray<double> out(n_bags * table.n_rows() * forest.n_outputs());
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    predict_draws(forest, table, trees_per_bag, shares, out.data(), run);
  });
  return std::move(out).to_numpy({n_bags, table.n_rows(), forest.n_outputs()});
}

void check_member_weights(const Forest& forest, const Vector<double>& member_weights,
                          std::size_t trees_per_member) {
  if (member_weights.shape(0) != count_members(forest, trees_per_member))
    throw std::invalid_argument("member_weights: one per member");
  for (const double weight : span(member_weights)) {
    if (weight > 0) return;
  }
  throw std::invalid_argument("member_weights: one of them positive");
}

nb::object member_quantiles(const Forest& forest, const AnyMatrix& X,
                            const Vector<double>& member_weights, const Vector<double>& levels,
                            unsigned n_jobs, std::size_t trees_per_member) {
  const MatrixView table = view(X);
  check_table(forest, table);
  check_member_weights(forest, member_weights, trees_per_member);
  const std::size_t n = table.n_rows(), k = forest.n_outputs();
  RawArray<double> out(n * k * levels.shape(0));
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    predict_member_quantiles(forest, table, trees_per_member, span(member_weights), span(levels),
                             out.data(), run);
  });
  return std::move(out).to_numpy({n, k, levels.shape(0)});
}

nb::tuple member_moments(const Forest& forest, const AnyMatrix& X,
                         const Vector<double>& member_weights, unsigned n_jobs,
                         std::size_t trees_per_member) {
  const MatrixView table = view(X);
  check_table(forest, table);
  check_member_weights(forest, member_weights, trees_per_member);
  const std::size_t n = table.n_rows(), k = forest.n_outputs();
  std::vector<double> mean(n * k), variance(n * k);
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    predict_member_moments(forest, table, trees_per_member, span(member_weights), mean.data(),
                           variance.data(), run);
  });
  return nb::make_tuple(to_numpy(std::move(mean), {n, k}), to_numpy(std::move(variance), {n, k}));
}

nb::object sum_votes(const Forest& forest, const AnyMatrix& X, const Vector<double>& member_weights,
                     std::size_t trees_per_member, unsigned n_jobs) {
  const MatrixView table = view(X);
  check_table(forest, table);
  if (member_weights.shape(0) != count_members(forest, trees_per_member))
    throw std::invalid_argument("member_weights: one per member");
  std::vector<double> out(table.n_rows() * forest.n_outputs());
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    predict_sum_votes(forest, table, trees_per_member, span(member_weights), out.data(), run);
  });
  return to_numpy(std::move(out), {table.n_rows(), forest.n_outputs()});
}

nb::object apply_trees(const Forest& forest, const AnyMatrix& X, unsigned n_jobs,
                       const std::optional<Matrix<std::uint8_t>>& where) {
  const MatrixView table = view(X);
  check_table(forest, table);
  if (where && (where->shape(0) != forest.n_trees() || where->shape(1) != table.n_rows()))
    throw std::invalid_argument("where: (n_trees, n_rows)");
  RawArray<std::int32_t> out(forest.n_trees() * table.n_rows());
  if (where) std::fill_n(out.data(), forest.n_trees() * table.n_rows(), 0);
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    where ? apply_where(forest, table, span(*where), out.data(), run)
          : apply(forest, table, out.data(), run);
  });
  return std::move(out).to_numpy({table.n_rows(), forest.n_trees()});
}

void check_sample_weight(const OptionalWeights& sample_weight, std::size_t n_rows) {
  if (sample_weight && sample_weight->shape(0) != n_rows)
    throw std::invalid_argument("sample_weight: one per row");
}

// `n_training` 0 stands for as many rows as the table has.
void check_rows(const MatrixView& table, std::size_t first_row, std::size_t& n_training) {
  if (n_training == 0) n_training = table.n_rows();
  if (first_row > n_training || table.n_rows() > n_training - first_row)
    throw std::invalid_argument("first_row: rows beyond the training rows");
}

// Which training rows the table's are, where they do not follow one another.
void check_chosen(const MatrixView& table, const OptionalGroups& rows, std::size_t n_training) {
  if (!rows) return;
  if (rows->shape(0) != table.n_rows()) throw std::invalid_argument("rows: one per row of X");
  for (const std::int32_t row : span(*rows)) {
    if (row < 0 || static_cast<std::size_t>(row) >= n_training)
      throw std::invalid_argument("rows: beyond the training rows");
  }
}

nb::tuple oob(const Forest& forest, const AnyMatrix& X, const std::string& scheme,
              std::uint64_t seed, bool hard, const OptionalWeights& sample_weight, unsigned n_jobs,
              const nb::object& progress, double weight_threshold, const OptionalGroups& row_groups,
              std::uint64_t first_tree, std::size_t first_row, std::size_t n_training,
              const OptionalGroups& row_parts, std::uint64_t trees_per_draw,
              std::uint32_t n_draws) {
  const MatrixView table = view(X);
  check_table(forest, table);
  check_rows(table, first_row, n_training);
  check_sample_weight(sample_weight, n_training);
  if (hard && !forest.shape().is_classifier) throw std::invalid_argument("only classifiers vote");
  std::vector<double> sums(table.n_rows() * forest.n_outputs());
  std::vector<std::int32_t> counts(table.n_rows());
  const auto weights = scheme_of(scheme, seed, weight_threshold, row_groups, n_training, row_parts,
                                 trees_per_draw, n_draws);
  const OutOfBag bag{weights, optional_span(sample_weight), first_tree, first_row, n_training};
  run_released(n_jobs, progress, [&](const Running& run) {
    predict_oob(forest, table, bag, hard, sums.data(), counts.data(), run);
  });
  return nb::make_tuple(to_numpy(std::move(sums), {table.n_rows(), forest.n_outputs()}),
                        to_numpy(std::move(counts)));
}

void check_trial(const Forest& forest, const ShrinkageTrial& trial) {
  for (const double strength : trial.strengths) {
    if (!(strength >= 0) || std::isinf(strength))
      throw std::invalid_argument("strengths: finite numbers >= 0");
  }
  if (trial.kind.size() != forest.n_trees()) throw std::invalid_argument("kind: one per tree");
  for (const std::int32_t kind : trial.kind) {
    if (kind < 0 || static_cast<std::size_t>(kind) >= trial.n_kinds)
      throw std::invalid_argument("kind: 0, ..., n_kinds - 1");
  }
}

nb::tuple oob_shrunk(const Forest& forest, const AnyMatrix& X, const std::string& scheme,
                     std::uint64_t seed, const Vector<double>& strengths,
                     const Vector<std::int32_t>& kind, std::size_t n_kinds, unsigned n_jobs,
                     double weight_threshold, const OptionalGroups& row_groups,
                     std::size_t first_row, std::size_t n_training, const OptionalGroups& row_parts,
                     const OptionalGroups& rows, std::uint64_t trees_per_draw,
                     std::uint32_t n_draws) {
  const MatrixView table = view(X);
  check_table(forest, table);
  check_rows(table, rows ? 0 : first_row, n_training);
  check_chosen(table, rows, n_training);
  const ShrinkageTrial trial{span(strengths), span(kind), n_kinds};
  check_trial(forest, trial);
  const std::size_t n = table.n_rows();
  std::vector<double> sums(n_kinds * trial.strengths.size() * n * forest.n_outputs());
  std::vector<std::int32_t> counts(n_kinds * n);
  const auto weights = scheme_of(scheme, seed, weight_threshold, row_groups, n_training, row_parts,
                                 trees_per_draw, n_draws);
  const OutOfBag bag{weights, {}, 0, first_row, n_training, bindings::optional_span(rows)};
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    predict_oob_shrunk(forest, table, bag, trial, sums.data(), counts.data(), run);
  });
  return nb::make_tuple(
      to_numpy(std::move(sums), {n_kinds, strengths.shape(0), n, forest.n_outputs()}),
      to_numpy(std::move(counts), {n_kinds, n}));
}

nb::tuple oob_votes(const Forest& forest, const AnyMatrix& X, const std::string& scheme,
                    std::uint64_t seed, const Vector<double>& tree_weights,
                    const Vector<std::int32_t>& half, unsigned n_jobs, double weight_threshold,
                    const OptionalGroups& row_groups, const OptionalGroups& row_parts,
                    std::uint64_t trees_per_draw, std::uint32_t n_draws) {
  const MatrixView table = view(X);
  check_table(forest, table);
  check_tree_weights(forest, tree_weights);
  if (!forest.shape().is_classifier) throw std::invalid_argument("only classifiers vote");
  if (half.shape(0) != forest.n_trees()) throw std::invalid_argument("half: one per tree");
  for (const std::int32_t h : span(half)) {
    if (h != 0 && h != 1) throw std::invalid_argument("half: 0 or 1");
  }
  const std::size_t n = table.n_rows();
  const auto weights =
      scheme_of(scheme, seed, weight_threshold, row_groups, n, row_parts, trees_per_draw, n_draws);
  const OutOfBag bag{weights, {}};
  OobVotes out;
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    out = predict_oob_votes(forest, table, bag, span(tree_weights), span(half), run);
  });
  return nb::make_tuple(to_numpy(std::move(out.start)), to_numpy(std::move(out.label)),
                        to_numpy(std::move(out.mean)), to_numpy(std::move(out.half[0])),
                        to_numpy(std::move(out.half[1])), to_numpy(std::move(out.counts)),
                        to_numpy(std::move(out.n_effective)));
}

using OptionalMatrix = std::optional<Matrix<double>>;

// The variances of the leaves, if there are any: one row per leaf.
std::span<const double> leaf_span(const Forest& forest, const OptionalMatrix& leaf_variance) {
  if (forest.shape().is_classifier) throw std::invalid_argument("classes have no variance");
  if (!leaf_variance) return {};
  std::size_t n_leaves = 0;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) n_leaves += forest.tree(t).n_leaves();
  if (leaf_variance->shape(0) != n_leaves || leaf_variance->shape(1) != forest.n_outputs())
    throw std::invalid_argument("leaf_variance: (n_leaves, n_outputs)");
  return span(*leaf_variance);
}

nb::tuple moments(const Forest& forest, const AnyMatrix& X, const Vector<double>& tree_weights,
                  const OptionalMatrix& leaf_variance, unsigned n_jobs,
                  const nb::object& progress) {
  const MatrixView table = view(X);
  check_table(forest, table);
  check_tree_weights(forest, tree_weights);
  const auto leaves = leaf_span(forest, leaf_variance);
  std::vector<double> mean(table.n_rows() * forest.n_outputs());
  std::vector<double> variance(mean.size());
  run_released(n_jobs, progress, [&](const Running& run) {
    predict_moments(forest, table, span(tree_weights), leaves, {mean.data(), variance.data()}, run);
  });
  return nb::make_tuple(to_numpy(std::move(mean), {table.n_rows(), forest.n_outputs()}),
                        to_numpy(std::move(variance), {table.n_rows(), forest.n_outputs()}));
}

nb::tuple oob_moments(const Forest& forest, const AnyMatrix& X, const std::string& scheme,
                      std::uint64_t seed, const OptionalMatrix& leaf_variance,
                      const OptionalWeights& sample_weight, unsigned n_jobs,
                      const nb::object& progress, double weight_threshold,
                      const OptionalGroups& row_groups, std::uint64_t first_tree,
                      const OptionalGroups& row_parts, std::uint64_t trees_per_draw,
                      std::uint32_t n_draws) {
  const MatrixView table = view(X);
  check_table(forest, table);
  check_sample_weight(sample_weight, table.n_rows());
  const auto leaves = leaf_span(forest, leaf_variance);
  std::vector<double> mean(table.n_rows() * forest.n_outputs());
  std::vector<double> variance(mean.size());
  std::vector<std::int32_t> counts(table.n_rows());
  const auto weights = scheme_of(scheme, seed, weight_threshold, row_groups, table.n_rows(),
                                 row_parts, trees_per_draw, n_draws);
  const OutOfBag bag{weights, optional_span(sample_weight), first_tree};
  run_released(n_jobs, progress, [&](const Running& run) {
    predict_oob_moments(forest, table, bag, leaves, {mean.data(), variance.data()}, counts.data(),
                        run);
  });
  return nb::make_tuple(to_numpy(std::move(mean), {table.n_rows(), forest.n_outputs()}),
                        to_numpy(std::move(variance), {table.n_rows(), forest.n_outputs()}),
                        to_numpy(std::move(counts)));
}

// The responses with the forest they belong to, which Python may let go of.
struct BoundResponses {
  std::shared_ptr<Forest> forest;
  LeafResponses responses;
  std::size_t n_training;
};

void make_responses(BoundResponses* self, const std::shared_ptr<Forest>& forest,
                    const Matrix<double>& y, const OptionalWeights& sample_weight,
                    const std::string& scheme, std::uint64_t seed, unsigned n_jobs,
                    double weight_threshold, const OptionalGroups& row_groups,
                    const OptionalGroups& row_parts, std::uint64_t trees_per_draw,
                    std::uint32_t n_draws) {
  if (forest->shape().is_classifier) throw std::invalid_argument("classes have no quantiles");
  if (y.shape(1) != forest->n_outputs()) throw std::invalid_argument("y: one column per output");
  const auto weights = scheme_of(scheme, seed, weight_threshold, row_groups, y.shape(0), row_parts,
                                 trees_per_draw, n_draws);
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    new (self) BoundResponses{
        forest, LeafResponses(*forest, span(y), optional_span(sample_weight), weights, run),
        y.shape(0)};
  });
}

nb::object quantiles(const BoundResponses& self, const AnyMatrix& X,
                     const Vector<double>& tree_weights, const Vector<double>& alpha,
                     unsigned n_jobs, const nb::object& progress) {
  const Forest& forest = *self.forest;
  const MatrixView table = view(X);
  check_table(forest, table);
  check_tree_weights(forest, tree_weights);
  std::vector<double> out(table.n_rows() * forest.n_outputs() * alpha.shape(0));
  run_released(n_jobs, progress, [&](const Running& run) {
    self.responses.quantiles(table, span(tree_weights), span(alpha), out.data(), run);
  });
  return to_numpy(std::move(out), {table.n_rows(), forest.n_outputs(), alpha.shape(0)});
}

// And what predict_mean says, found on the way.
nb::tuple quantiles_and_mean(const BoundResponses& self, const AnyMatrix& X,
                             const Vector<double>& tree_weights, const Vector<double>& alpha,
                             unsigned n_jobs) {
  const Forest& forest = *self.forest;
  const MatrixView table = view(X);
  check_table(forest, table);
  check_tree_weights(forest, tree_weights);
  const std::size_t n = table.n_rows(), k = forest.n_outputs();
  std::vector<double> out(n * k * alpha.shape(0)), mean(n * k);
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    self.responses.quantiles(table, span(tree_weights), span(alpha), out.data(), run, mean.data());
  });
  return nb::make_tuple(to_numpy(std::move(out), {n, k, alpha.shape(0)}),
                        to_numpy(std::move(mean), {n, k}));
}

nb::object oob_quantiles(const BoundResponses& self, const AnyMatrix& X,
                         const Vector<std::int32_t>& rows, const Vector<double>& alpha,
                         const std::string& scheme, std::uint64_t seed, unsigned n_jobs,
                         double weight_threshold, const OptionalGroups& row_groups,
                         const OptionalGroups& row_parts, std::uint64_t trees_per_draw,
                         std::uint32_t n_draws) {
  const Forest& forest = *self.forest;
  const MatrixView table = view(X);
  check_table(forest, table);
  check_chosen(table, rows, self.n_training);
  const auto weights = scheme_of(scheme, seed, weight_threshold, row_groups, self.n_training,
                                 row_parts, trees_per_draw, n_draws);
  const OutOfBag bag{weights, {}, 0, 0, self.n_training, span(rows)};
  std::vector<double> out(table.n_rows() * forest.n_outputs() * alpha.shape(0));
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    self.responses.oob_quantiles(table, bag, span(alpha), out.data(), run);
  });
  return to_numpy(std::move(out), {table.n_rows(), forest.n_outputs(), alpha.shape(0)});
}

nb::object leaf_variances(const BoundResponses& self, unsigned n_jobs) {
  const std::size_t n = self.responses.n_leaves();
  std::vector<double> out(n * self.forest->n_outputs());
  run_released(n_jobs, nb::none(),
               [&](const Running& run) { self.responses.leaf_variances(out.data(), run); });
  return to_numpy(std::move(out), {n, self.forest->n_outputs()});
}

}  // namespace

void bind_predict(nb::module_& m, nb::class_<Forest>& forest) {
  forest
      .def("predict_mean", &predict<predict_mean>, nb::arg("X"), nb::arg("tree_weights"),
           nb::arg("n_jobs") = 1, nb::arg("progress") = nb::none())
      .def("predict_votes", &votes, nb::arg("X"), nb::arg("tree_weights"), nb::arg("n_jobs") = 1,
           nb::arg("progress") = nb::none())
      .def("predict_draws", &draws, nb::arg("X"), nb::arg("n_jobs") = 1,
           nb::arg("trees_per_member") = 1)
      .def("predict_bags", &bag_means, nb::arg("X"), nb::arg("tree_weights"),
           nb::arg("trees_per_bag"), nb::arg("n_jobs") = 1)
      .def("predict_member_quantiles", &member_quantiles, nb::arg("X"), nb::arg("member_weights"),
           nb::arg("levels"), nb::arg("n_jobs") = 1, nb::arg("trees_per_member") = 1)
      .def("predict_member_moments", &member_moments, nb::arg("X"), nb::arg("member_weights"),
           nb::arg("n_jobs") = 1, nb::arg("trees_per_member") = 1)
      .def("predict_sum_votes", &sum_votes, nb::arg("X"), nb::arg("member_weights"),
           nb::arg("trees_per_member"), nb::arg("n_jobs") = 1)
      .def("apply", &apply_trees, nb::arg("X"), nb::arg("n_jobs") = 1,
           nb::arg("where") = nb::none())
      .def("predict_oob", &oob, nb::arg("X"), nb::arg("scheme"), nb::arg("seed"),
           nb::arg("hard") = false, nb::arg("sample_weight") = nb::none(), nb::arg("n_jobs") = 1,
           nb::arg("progress") = nb::none(), nb::arg("weight_threshold") = 0.0,
           nb::arg("row_groups") = nb::none(), nb::arg("first_tree") = 0, nb::arg("first_row") = 0,
           nb::arg("n_training") = 0, nb::arg("row_parts") = nb::none(),
           nb::arg("trees_per_draw") = 1, nb::arg("n_draws") = 0)
      .def("predict_oob_shrunk", &oob_shrunk, nb::arg("X"), nb::arg("scheme"), nb::arg("seed"),
           nb::arg("strengths"), nb::arg("kind"), nb::arg("n_kinds"), nb::arg("n_jobs") = 1,
           nb::arg("weight_threshold") = 0.0, nb::arg("row_groups") = nb::none(),
           nb::arg("first_row") = 0, nb::arg("n_training") = 0, nb::arg("row_parts") = nb::none(),
           nb::arg("rows") = nb::none(), nb::arg("trees_per_draw") = 1, nb::arg("n_draws") = 0)
      .def("predict_oob_votes", &oob_votes, nb::arg("X"), nb::arg("scheme"), nb::arg("seed"),
           nb::arg("tree_weights"), nb::arg("half"), nb::arg("n_jobs") = 1,
           nb::arg("weight_threshold") = 0.0, nb::arg("row_groups") = nb::none(),
           nb::arg("row_parts") = nb::none(), nb::arg("trees_per_draw") = 1, nb::arg("n_draws") = 0)
      .def("predict_moments", &moments, nb::arg("X"), nb::arg("tree_weights"),
           nb::arg("leaf_variance") = nb::none(), nb::arg("n_jobs") = 1,
           nb::arg("progress") = nb::none())
      .def("predict_oob_moments", &oob_moments, nb::arg("X"), nb::arg("scheme"), nb::arg("seed"),
           nb::arg("leaf_variance") = nb::none(), nb::arg("sample_weight") = nb::none(),
           nb::arg("n_jobs") = 1, nb::arg("progress") = nb::none(),
           nb::arg("weight_threshold") = 0.0, nb::arg("row_groups") = nb::none(),
           nb::arg("first_tree") = 0, nb::arg("row_parts") = nb::none(),
           nb::arg("trees_per_draw") = 1, nb::arg("n_draws") = 0);
  nb::class_<BoundResponses>(m, "LeafResponses")
      .def("__init__", &make_responses, nb::arg("forest"), nb::arg("y"),
           nb::arg("sample_weight").none(), nb::arg("scheme"), nb::arg("seed"),
           nb::arg("n_jobs") = 1, nb::arg("weight_threshold") = 0.0,
           nb::arg("row_groups") = nb::none(), nb::arg("row_parts") = nb::none(),
           nb::arg("trees_per_draw") = 1, nb::arg("n_draws") = 0)
      .def("leaf_variances", &leaf_variances, nb::arg("n_jobs") = 1)
      .def("oob_quantiles", &oob_quantiles, nb::arg("X"), nb::arg("rows"), nb::arg("alpha"),
           nb::arg("scheme"), nb::arg("seed"), nb::arg("n_jobs") = 1,
           nb::arg("weight_threshold") = 0.0, nb::arg("row_groups") = nb::none(),
           nb::arg("row_parts") = nb::none(), nb::arg("trees_per_draw") = 1, nb::arg("n_draws") = 0)
      .def("quantiles", &quantiles, nb::arg("X"), nb::arg("tree_weights"), nb::arg("alpha"),
           nb::arg("n_jobs") = 1, nb::arg("progress") = nb::none())
      .def("quantiles_and_mean", &quantiles_and_mean, nb::arg("X"), nb::arg("tree_weights"),
           nb::arg("alpha"), nb::arg("n_jobs") = 1);
}

}  // namespace bayeswood::bindings
