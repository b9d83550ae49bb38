#include <nanobind/stl/string.h>

#include <stdexcept>

#include "arrays.hpp"
#include "bayeswood/attribution/tree_shap.hpp"
#include "module.hpp"
#include "running.hpp"

namespace bayeswood::bindings {
namespace {

// Checked; the weights must outlive it.
ShapOptions options_of(const Forest& forest, const Vector<double>& tree_weights,
                       std::size_t trees_per_member, bool by_member, const std::string& use) {
  if (tree_weights.shape(0) != forest.n_trees())
    throw std::invalid_argument("tree_weights: one per tree");
  if (trees_per_member < 1) throw std::invalid_argument("trees_per_member: at least 1");
  return {trees_per_member, span(tree_weights), by_member, instruction_set(use)};
}

void check_columns(const Forest& forest, const MatrixView& table) {
  if (table.n_columns() != static_cast<std::size_t>(forest.shape().n_features))
    throw std::invalid_argument("X has the wrong number of columns");
}

template <class Work>
nb::object attributions(const Forest& forest, const MatrixView& table, const ShapOptions& options,
                        unsigned n_jobs, const nb::object& progress, Work work) {
  const std::size_t n = table.n_rows(), d = table.n_columns(), k = forest.n_outputs();
  const std::size_t members = options.n_members(forest.n_trees());
  RawArray<double> out(members * n * d * k);
  run_released(n_jobs, progress, [&](const Running& run) { work(out.data(), run); });
  if (!options.by_member) return std::move(out).to_numpy({n, d, k});
  return std::move(out).to_numpy({members, n, d, k});
}

nb::object along_paths(const Forest& forest, const AnyMatrix& X, const Vector<double>& tree_weights,
                       std::size_t trees_per_member, bool by_member, unsigned n_jobs,
                       const nb::object& progress, const std::string& use) {
  const MatrixView table = view(X);
  check_columns(forest, table);
  const auto options = options_of(forest, tree_weights, trees_per_member, by_member, use);
  return attributions(
      forest, table, options, n_jobs, progress,
      [&](double* out, const Running& run) { shap_values(forest, table, options, out, run); });
}

nb::object against(const Forest& forest, const AnyMatrix& X, const AnyMatrix& background,
                   const Vector<double>& tree_weights, std::size_t trees_per_member, bool by_member,
                   unsigned n_jobs, const nb::object& progress) {
  const MatrixView table = view(X), others = view(background);
  check_columns(forest, table);
  check_columns(forest, others);
  if (others.n_rows() == 0) throw std::invalid_argument("background: at least one row");
  const auto options = options_of(forest, tree_weights, trees_per_member, by_member, "portable");
  return attributions(forest, table, options, n_jobs, progress,
                      [&](double* out, const Running& run) {
                        shap_against(forest, table, others, options, out, run);
                      });
}

nb::object pairs(const Forest& forest, const AnyMatrix& X, const Vector<double>& tree_weights,
                 unsigned n_jobs, const nb::object& progress) {
  const MatrixView table = view(X);
  check_columns(forest, table);
  options_of(forest, tree_weights, 1, false, "portable");
  const std::size_t n = table.n_rows(), d = table.n_columns(), k = forest.n_outputs();
  RawArray<double> out(n * d * d * k);
  run_released(n_jobs, progress, [&](const Running& run) {
    shap_interactions(forest, table, span(tree_weights), out.data(), run);
  });
  return std::move(out).to_numpy({n, d, d, k});
}

nb::object bases(const Forest& forest) {
  return to_numpy(shap_base(forest), {forest.n_trees(), forest.n_outputs()});
}

}  // namespace

void bind_attribution(nb::module_& m) {
  m.def("shap_values", &along_paths, nb::arg("forest"), nb::arg("X"), nb::arg("tree_weights"),
        nb::arg("trees_per_member") = 1, nb::arg("by_member") = false, nb::arg("n_jobs") = 1,
        nb::arg("progress") = nb::none(), nb::arg("instructions") = "auto");
  m.def("shap_against", &against, nb::arg("forest"), nb::arg("X"), nb::arg("background"),
        nb::arg("tree_weights"), nb::arg("trees_per_member") = 1, nb::arg("by_member") = false,
        nb::arg("n_jobs") = 1, nb::arg("progress") = nb::none());
  m.def("shap_interactions", &pairs, nb::arg("forest"), nb::arg("X"), nb::arg("tree_weights"),
        nb::arg("n_jobs") = 1, nb::arg("progress") = nb::none());
  m.def("shap_base", &bases, nb::arg("forest"));
}

}  // namespace bayeswood::bindings
