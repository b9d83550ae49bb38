#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/safe_bayes/class_posterior.hpp"
#include "bayeswood/safe_bayes/leaf_counts.hpp"
#include "bayeswood/safe_bayes/number_posterior.hpp"
#include "bayeswood/safe_bayes/row_trees.hpp"
#include "bayeswood/safe_bayes/to_forest.hpp"
#include "leaf_model.hpp"
#include "module.hpp"
#include "running.hpp"

namespace bayeswood::bindings {
namespace {

using Counts = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

const LeafKernels& choose_leaf_kernels(const std::string& name) {
  const bool portable = instruction_set(name) == InstructionSet::PORTABLE;
  return portable ? portable_leaf_kernels() : *avx2_leaf_kernels();
}

// `n_edges`: per feature; edges and transforms one feature after another.
CutCodes make_codes(const Vector<std::int32_t>& n_levels, const Vector<std::int64_t>& n_edges,
                    const Vector<double>& edges, const Vector<double>& transform) {
  if (n_edges.shape(0) != n_levels.shape(0))
    throw std::invalid_argument("n_edges: one per feature");
  std::vector<CutCodes::Feature> features(n_levels.shape(0));
  std::size_t edge = 0;
  std::size_t value = 0;
  for (std::size_t j = 0; j < features.size(); ++j) {
    features[j].n_levels = n_levels.data()[j];
    if (features[j].n_levels > 0) continue;
    const std::int64_t n = n_edges.data()[j];
    if (n < 0 || edge + n > edges.shape(0) || value + n + 1 > transform.shape(0))
      throw std::invalid_argument("edges or transform: too short");
    features[j].edges.assign(edges.data() + edge, edges.data() + edge + n);
    features[j].transform.assign(transform.data() + value, transform.data() + value + n + 1);
    edge += n;
    value += n + 1;
  }
  if (edge != edges.shape(0) || value != transform.shape(0))
    throw std::invalid_argument("edges or transform: too long");
  return CutCodes(std::move(features));
}

void make_trees(PriorTrees* self, std::uint64_t seed, std::size_t n_trees,
                const Vector<std::int32_t>& n_levels, const Vector<std::int64_t>& n_edges,
                const Vector<double>& edges, const Vector<double>& transform, std::uint32_t depth,
                double split_probability, std::uint32_t max_leaves, unsigned n_jobs) {
  CutCodes codes = make_codes(n_levels, n_edges, edges, transform);
  const TreePrior prior{depth > 0, depth > 0 ? depth : 1, split_probability, max_leaves};
  if (n_trees < 1) throw std::invalid_argument("n_trees: at least 1");
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    new (self) PriorTrees(prior, seed, n_trees, std::move(codes), run);
  });
}

void check_columns(const CutCodes& codes, const MatrixView& table) {
  if (table.n_columns() != codes.n_features())
    throw std::invalid_argument("X has the wrong number of columns");
}
void check_columns(const PriorTrees& trees, const MatrixView& table) {
  check_columns(trees.codes(), table);
}

std::unique_ptr<PriorTrees> over_rows(std::uint64_t seed, std::size_t n_trees,
                                      const Vector<std::int32_t>& n_levels,
                                      const Vector<std::int64_t>& n_edges,
                                      const Vector<double>& edges, const Vector<double>& transform,
                                      const AnyMatrix& X, std::uint32_t max_leaves,
                                      unsigned n_jobs) {
  CutCodes codes = make_codes(n_levels, n_edges, edges, transform);
  const MatrixView table = view(X);
  check_columns(codes, table);
  if (n_trees < 1 || table.n_rows() < 1) throw std::invalid_argument("nothing to draw");
  std::vector<PriorTree> trees;
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    const RowCodes rows(codes, table, seed);
    trees = draw_over_rows(codes, rows, seed, n_trees, max_leaves, run);
  });
  return std::make_unique<PriorTrees>(std::move(codes), std::move(trees));
}

std::unique_ptr<PriorTrees> from_rules(const Vector<std::int32_t>& n_levels,
                                       const Vector<std::int64_t>& n_edges,
                                       const Vector<double>& edges, const Vector<double>& transform,
                                       const Vector<std::int64_t>& n_leaves,
                                       const Vector<std::uint32_t>& rules,
                                       const Vector<std::uint64_t>& sets) {
  CutCodes codes = make_codes(n_levels, n_edges, edges, transform);
  auto trees = read_rules(codes, span(n_leaves), span(rules), span(sets));
  if (trees.empty()) throw std::invalid_argument("n_trees: at least 1");
  return std::make_unique<PriorTrees>(std::move(codes), std::move(trees));
}

// Rules and sets of trees that are not full, one tree after another.
nb::tuple rules_of(const PriorTrees& trees) {
  std::vector<std::uint32_t> rules;
  std::vector<std::uint64_t> sets;
  for (std::size_t t = 0; t < trees.n_trees(); ++t) {
    const PriorTree& tree = trees.tree(t);
    rules.insert(rules.end(), tree.rule.begin(), tree.rule.end());
    sets.insert(sets.end(), tree.set_words.begin(), tree.set_words.end());
  }
  return nb::make_tuple(to_numpy(std::move(rules)), to_numpy(std::move(sets)));
}

template <class Array>
void check_leaves(const PriorTrees& trees, const Array& array, const char* name) {
  if (array.shape(0) != trees.n_leaves() || array.shape(1) < 1)
    throw std::invalid_argument(std::string(name) + ": one row per leaf");
}

void check_one_per_row(const MatrixView& table, const Vector<std::int32_t>& y) {
  if (y.shape(0) != table.n_rows()) throw std::invalid_argument("y: one per row of X");
}

// Responses, copies and sign of rows that are counted.
void check_rows(const MatrixView& table, const Vector<std::int32_t>& y,
                const OptionalCopies& copies, std::int32_t sign) {
  check_one_per_row(table, y);
  if (copies && copies->shape(0) != table.n_rows())
    throw std::invalid_argument("copies: one per row of X");
  if (sign != 1 && sign != -1) throw std::invalid_argument("sign: 1 or -1");
}

void count_rows(const PriorTrees& trees, const AnyMatrix& X, const Vector<std::int32_t>& y,
                const OptionalCopies& copies, std::int32_t sign, const Counts& counts,
                const std::string& instruction_set, unsigned n_jobs, const nb::object& progress) {
  const MatrixView table = view(X);
  check_columns(trees, table);
  check_leaves(trees, counts, "counts");
  check_rows(table, y, copies, sign);
  check_labels(span(y), counts.shape(1));
  const LabelledRows rows{table, span(y), copies_span(copies),
                          static_cast<std::uint32_t>(counts.shape(1))};
  const LeafKernels& kernels = choose_leaf_kernels(instruction_set);
  run_released(n_jobs, progress, [&](const Running& run) {
    add_counts(trees, rows, sign, counts.data(), kernels, run);
  });
}

using Sums = nb::ndarray<std::int64_t, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;
using ConstSums = nb::ndarray<const std::int64_t, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;
static_assert(sizeof(LeafSums) == 4 * sizeof(std::int64_t));

void sum_rows(const PriorTrees& trees, const AnyMatrix& X, const Vector<std::int32_t>& y,
              const OptionalCopies& copies, std::int32_t sign, const Sums& sums,
              const std::string& instruction_set, unsigned n_jobs, const nb::object& progress) {
  const MatrixView table = view(X);
  check_columns(trees, table);
  check_leaves(trees, sums, "sums");
  check_rows(table, y, copies, sign);
  check_units(span(y));
  const MeasuredRows rows{table, span(y), copies_span(copies)};
  const LeafKernels& kernels = choose_leaf_kernels(instruction_set);
  run_released(n_jobs, progress, [&](const Running& run) {
    add_sums(trees, rows, sign, reinterpret_cast<LeafSums*>(sums.data()), kernels, run);
  });
}

std::span<const LeafSums> leaf_sums(const PriorTrees& trees, const ConstSums& sums) {
  check_leaves(trees, sums, "sums");
  const std::span<const LeafSums> leaves{reinterpret_cast<const LeafSums*>(sums.data()),
                                         sums.shape(0)};
  for (const auto& leaf : leaves) {
    if (leaf.n < 0) throw std::invalid_argument("sums: not fewer than no rows");
  }
  return leaves;
}

nb::tuple summarise_sums(const PriorTrees& trees, const ConstSums& sums, double unit,
                         double strength, double shape, double scale, bool average_prunings,
                         unsigned n_jobs) {
  const auto leaves = leaf_sums(trees, sums);
  const NumberPrior prior = number_prior(unit, strength, shape, scale);
  NumberSummary found;
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    found = summarise_numbers(trees, leaves, prior, average_prunings, run);
  });
  std::vector<double> predictive;
  predictive.reserve(3 * found.predictive.size());
  for (const auto& p : found.predictive)
    predictive.insert(predictive.end(), {p.mean, p.variance, p.freedom});
  return nb::make_tuple(
      to_numpy(std::move(found.log_evidence)),
      to_numpy(std::move(predictive), {trees.n_leaves(), 3}),
      to_numpy(std::move(found.importances), {trees.n_trees(), trees.codes().n_features()}));
}

nb::object leave_one_out_sums(const PriorTrees& trees, const AnyMatrix& X,
                              const Vector<std::int32_t>& y, const ConstSums& sums, double unit,
                              double strength, double shape, double scale, bool average_prunings,
                              unsigned n_jobs) {
  const MatrixView table = view(X);
  check_columns(trees, table);
  check_one_per_row(table, y);
  const auto leaves = leaf_sums(trees, sums);
  const NumberPrior prior = number_prior(unit, strength, shape, scale);
  RawArray<double> out(trees.n_trees() * table.n_rows() * 3);
  static_assert(sizeof(LeftOutNumber) == 3 * sizeof(double));
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    leave_one_out_numbers(trees, leaves, prior, average_prunings, table, span(y),
                          reinterpret_cast<LeftOutNumber*>(out.data()), choose_leaf_kernels("auto"),
                          run);
  });
  return std::move(out).to_numpy({trees.n_trees(), table.n_rows(), 3});
}

nb::object apply_prior(const PriorTrees& trees, const AnyMatrix& X,
                       const std::string& instruction_set, unsigned n_jobs) {
  const MatrixView table = view(X);
  check_columns(trees, table);
  RawArray<std::int64_t> out(table.n_rows() * trees.n_trees());
  const LeafKernels& kernels = choose_leaf_kernels(instruction_set);
  run_released(n_jobs, nb::none(),
               [&](const Running& run) { find_leaves(trees, table, out.data(), kernels, run); });
  return std::move(out).to_numpy({table.n_rows(), trees.n_trees()});
}

nb::object pool(const PriorTrees& trees, const AnyMatrix& X, const Matrix<double>& values,
                const Vector<double>& tree_weights, unsigned n_jobs, const nb::object& progress) {
  const MatrixView table = view(X);
  check_columns(trees, table);
  check_leaves(trees, values, "values");
  if (tree_weights.shape(0) != trees.n_trees())
    throw std::invalid_argument("tree_weights: one per tree");
  const std::size_t k = values.shape(1);
  RawArray<double> out(table.n_rows() * k);
  run_released(n_jobs, progress, [&](const Running& run) {
    pool_leaves(trees, table, span(values), k, span(tree_weights), out.data(),
                choose_leaf_kernels("auto"), run);
  });
  return std::move(out).to_numpy({table.n_rows(), k});
}

ClassCounts class_counts(const PriorTrees& trees, const Matrix<std::int32_t>& counts,
                         const Vector<double>& alpha, bool average) {
  check_leaves(trees, counts, "counts");
  if (alpha.shape(0) != counts.shape(1)) throw std::invalid_argument("alpha: one for each class");
  for (const auto m : span(counts)) {
    if (m < 0) throw std::invalid_argument("counts: not negative");
  }
  return {span(counts), DirichletPrior(span(alpha)), average};
}

nb::tuple summarise(const PriorTrees& trees, const Matrix<std::int32_t>& counts,
                    const Vector<double>& alpha, bool average_prunings, unsigned n_jobs) {
  const ClassCounts data = class_counts(trees, counts, alpha, average_prunings);
  ClassSummary found;
  run_released(n_jobs, nb::none(),
               [&](const Running& run) { found = summarise_classes(trees, data, run); });
  return nb::make_tuple(
      to_numpy(std::move(found.log_evidence)),
      to_numpy(std::move(found.probability), {trees.n_leaves(), data.n_classes()}),
      to_numpy(std::move(found.importances), {trees.n_trees(), trees.codes().n_features()}));
}

nb::object leave_one_out(const PriorTrees& trees, const AnyMatrix& X, const Vector<std::int32_t>& y,
                         const Matrix<std::int32_t>& counts, const Vector<double>& alpha,
                         bool average_prunings, unsigned n_jobs) {
  const MatrixView table = view(X);
  check_columns(trees, table);
  const ClassCounts data = class_counts(trees, counts, alpha, average_prunings);
  check_one_per_row(table, y);
  check_labels(span(y), data.n_classes());
  RawArray<double> out(trees.n_trees() * table.n_rows() * data.n_classes());
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    leave_one_out_classes(trees, data, table, span(y), out.data(), choose_leaf_kernels("auto"),
                          run);
  });
  return std::move(out).to_numpy({trees.n_trees(), table.n_rows(), data.n_classes()});
}

std::shared_ptr<Forest> make_forest(const PriorTrees& trees, const Matrix<double>& values,
                                    const Vector<std::int32_t>& n_rows, bool is_classifier,
                                    unsigned n_jobs) {
  check_leaves(trees, values, "values");
  if (n_rows.shape(0) != trees.n_leaves()) throw std::invalid_argument("n_rows: one per leaf");
  const LeafValues leaves{span(values), span(n_rows), static_cast<std::int32_t>(values.shape(1)),
                          is_classifier};
  std::vector<Tree> made;
  run_released(n_jobs, nb::none(),
               [&](const Running& run) { made = to_trees(trees, leaves, run); });
  return std::make_shared<Forest>(forest_shape(trees, leaves), std::move(made));
}

nb::object leaves_per_tree(const PriorTrees& trees) {
  std::vector<std::int64_t> n;
  for (std::size_t t = 0; t < trees.n_trees(); ++t) n.push_back(trees.tree(t).n_leaves);
  return to_numpy(std::move(n));
}

}  // namespace

void bind_safe_bayes(nb::module_& m) {
  nb::class_<PriorTrees>(m, "PriorTrees")
      .def("__init__", &make_trees, nb::arg("seed"), nb::arg("n_trees"), nb::arg("n_levels"),
           nb::arg("n_edges"), nb::arg("edges"), nb::arg("transform"), nb::kw_only(),
           nb::arg("depth") = 0, nb::arg("split_probability") = 0.475,
           nb::arg("max_leaves") = 10000, nb::arg("n_jobs") = 1)
      .def_static("over_rows", &over_rows, nb::arg("seed"), nb::arg("n_trees"), nb::arg("n_levels"),
                  nb::arg("n_edges"), nb::arg("edges"), nb::arg("transform"), nb::arg("X"),
                  nb::kw_only(), nb::arg("max_leaves"), nb::arg("n_jobs") = 1)
      .def_static("from_rules", &from_rules, nb::arg("n_levels"), nb::arg("n_edges"),
                  nb::arg("edges"), nb::arg("transform"), nb::arg("n_leaves"), nb::arg("rules"),
                  nb::arg("sets"))
      .def_prop_ro("rules", &rules_of)
      .def_prop_ro("n_trees", &PriorTrees::n_trees)
      .def_prop_ro("n_leaves", &leaves_per_tree)
      .def_prop_ro("nbytes", &PriorTrees::nbytes)
      .def("count", &count_rows, nb::arg("X"), nb::arg("y"), nb::arg("copies").none(),
           nb::arg("sign"), nb::arg("counts").noconvert(), nb::arg("instruction_set") = "auto",
           nb::arg("n_jobs") = 1, nb::arg("progress") = nb::none())
      .def("apply", &apply_prior, nb::arg("X"), nb::arg("instruction_set") = "auto",
           nb::arg("n_jobs") = 1)
      .def("pool", &pool, nb::arg("X"), nb::arg("values"), nb::arg("tree_weights"),
           nb::arg("n_jobs") = 1, nb::arg("progress") = nb::none())
      .def("summarise_classes", &summarise, nb::arg("counts"), nb::arg("alpha"),
           nb::arg("average_prunings"), nb::arg("n_jobs") = 1)
      .def("leave_one_out_classes", &leave_one_out, nb::arg("X"), nb::arg("y"), nb::arg("counts"),
           nb::arg("alpha"), nb::arg("average_prunings"), nb::arg("n_jobs") = 1)
      .def("sum", &sum_rows, nb::arg("X"), nb::arg("y"), nb::arg("copies").none(), nb::arg("sign"),
           nb::arg("sums").noconvert(), nb::arg("instruction_set") = "auto", nb::arg("n_jobs") = 1,
           nb::arg("progress") = nb::none())
      .def("summarise_numbers", &summarise_sums, nb::arg("sums"), nb::arg("unit"),
           nb::arg("strength"), nb::arg("shape"), nb::arg("scale"), nb::arg("average_prunings"),
           nb::arg("n_jobs") = 1)
      .def("leave_one_out_numbers", &leave_one_out_sums, nb::arg("X"), nb::arg("y"),
           nb::arg("sums"), nb::arg("unit"), nb::arg("strength"), nb::arg("shape"),
           nb::arg("scale"), nb::arg("average_prunings"), nb::arg("n_jobs") = 1)
      .def("to_forest", &make_forest, nb::arg("values"), nb::arg("n_rows"),
           nb::arg("is_classifier"), nb::arg("n_jobs") = 1);
}

}  // namespace bayeswood::bindings
