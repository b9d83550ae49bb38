#include "bayeswood/grow/boost_classes.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "module.hpp"
#include "monotone.hpp"
#include "running.hpp"
#include "weight_scheme.hpp"

namespace bayeswood::bindings {
namespace {

void check_boosted_labels(std::span<const std::int32_t> labels, std::size_t n_rows,
                          std::uint32_t n_classes) {
  if (n_rows == 0 || labels.size() != n_rows || n_classes < 2)
    throw std::invalid_argument("labels: one per row, of two classes or more");
  for (const auto label : labels)
    if (label < 0 || static_cast<std::uint32_t>(label) >= n_classes)
      throw std::invalid_argument("labels: 0, ..., n_classes - 1");
}

void make_boosted_classes(BoostedClasses* self, const EncodedMatrix& encoded,
                          const Vector<std::int32_t>& labels, std::uint32_t n_classes,
                          const OptionalVector& sample_weight, std::size_t n_bags,
                          double learning_rate, double damping, std::uint32_t max_features,
                          std::uint32_t max_depth, std::uint32_t min_samples_leaf,
                          const std::string& scheme, std::uint64_t seed, double weight_threshold,
                          const OptionalGroups& row_groups, const OptionalGroups& row_parts,
                          std::uint64_t trees_per_draw, std::uint32_t n_draws, unsigned n_jobs,
                          const std::vector<std::int8_t>& monotonic_cst) {
  const std::size_t n = encoded.n_rows();
  check_boosted_labels(span(labels), n, n_classes);
  if (sample_weight && sample_weight->shape(0) != n)
    throw std::invalid_argument("sample_weight: one per row");
  if (n_bags < 1 || max_features < 1 || max_depth < 1 || min_samples_leaf < 1)
    throw std::invalid_argument("nothing to grow");
  if (!(damping > 0)) throw std::invalid_argument("damping must be positive");
  ClassBoostOptions options;
  if (!monotonic_cst.empty()) check_monotone(monotonic_cst, encoded.n_levels(), n_classes - 1);
  options.stage = {max_features, min_samples_leaf, max_depth, 0.0, seed, monotonic_cst};
  options.learning_rate = learning_rate;
  options.damping = damping;
  options.n_bags = n_bags;
  const ClassBoostData data{span(labels), n_classes,
                            sample_weight ? span(*sample_weight) : std::span<const double>{}};
  const WeightScheme law =
      scheme_of(scheme, seed, weight_threshold, row_groups, n, row_parts, trees_per_draw, n_draws);
  run_released(
      n_jobs, nb::none(),
      [&](const Running& run) { new (self) BoostedClasses(encoded, data, law, options, run); },
      n * encoded.n_features() * n_bags <= FEW_CELLS);
}

void grow_classes(BoostedClasses& self, std::size_t n_stages, unsigned n_jobs,
                  const nb::object& progress) {
  run_released(n_jobs, progress, [&](const Running& run) { self.grow(n_stages, run); });
}

std::shared_ptr<Forest> forest_of(const BoostedClasses& self, std::size_t n_stages) {
  if (n_stages > self.n_stages()) throw std::invalid_argument("n_stages: not grown yet");
  Trees trees;
  for (std::size_t bag = 0; bag < self.n_bags(); ++bag) {
    const auto first = self.trees(bag).begin();
    trees.insert(trees.end(), first, first + static_cast<std::ptrdiff_t>(n_stages));
  }
  const EncodedMatrix& encoded = self.matrix();
  ForestShape shape{static_cast<std::int32_t>(encoded.n_features()),
                    static_cast<std::int32_t>(self.n_outputs()), false, encoded.n_levels()};
  return std::make_shared<Forest>(std::move(shape), std::move(trees));
}

nb::tuple out_of_bag(const BoostedClasses& self) {
  const std::size_t n = self.n_rows(), c = self.n_classes();
  std::vector<double> sums(2 * n * c);
  std::vector<std::int32_t> counts(2 * n);
  self.out_of_bag(sums.data(), counts.data());
  return nb::make_tuple(to_numpy(std::move(sums), {2, n, c}), to_numpy(std::move(counts), {2, n}));
}

}  // namespace

void bind_boost_classes(nb::module_& m) {
  nb::class_<BoostedClasses>(m, "BoostedClasses")
      .def("__init__", &make_boosted_classes, nb::arg("encoded"), nb::arg("labels"),
           nb::arg("n_classes"), nb::arg("sample_weight").none(), nb::kw_only(), nb::arg("n_bags"),
           nb::arg("learning_rate"), nb::arg("damping"), nb::arg("max_features"),
           nb::arg("max_depth"), nb::arg("min_samples_leaf"), nb::arg("scheme"), nb::arg("seed"),
           nb::arg("weight_threshold") = 0.0, nb::arg("row_groups") = nb::none(),
           nb::arg("row_parts") = nb::none(), nb::arg("trees_per_draw") = 1, nb::arg("n_draws") = 0,
           nb::arg("n_jobs") = 1, nb::arg("monotonic_cst") = std::vector<std::int8_t>{},
           nb::keep_alive<1, 2>())
      .def("grow", &grow_classes, nb::arg("n_stages"), nb::arg("n_jobs") = 1,
           nb::arg("progress") = nb::none())
      .def("forest", &forest_of, nb::arg("n_stages"))
      .def("out_of_bag", &out_of_bag);
}

}  // namespace bayeswood::bindings
