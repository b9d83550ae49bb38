#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "bayeswood/grow/cart.hpp"
#include "module.hpp"
#include "running.hpp"
#include "weight_scheme.hpp"

namespace bayeswood::bindings {
namespace {

void make_encoded(EncodedMatrix* self, const AnyMatrix& X, const Vector<std::int32_t>& n_levels,
                  unsigned n_jobs, std::uint32_t max_codes) {
  const MatrixView table = view(X);
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    new (self) EncodedMatrix(table, copy(n_levels), run.n_threads, max_codes, run.poll);
  });
}

nb::object codes_of(const EncodedMatrix& matrix) {
  std::vector<std::uint16_t> codes(matrix.n_rows() * matrix.n_features());
  for (std::size_t j = 0; j < matrix.n_features(); ++j) {
    for (std::size_t i = 0; i < matrix.n_rows(); ++i) {
      codes[i * matrix.n_features() + j] = matrix.column(j)[i];
    }
  }
  return to_numpy(std::move(codes), {matrix.n_rows(), matrix.n_features()});
}

nb::object thresholds_of(const EncodedMatrix& matrix, std::size_t feature) {
  if (feature >= matrix.n_features()) throw nb::index_error("no such feature");
  const FeatureCodes& codes = matrix.feature(feature);
  std::vector<double> thresholds;
  for (std::uint32_t c = 0; c + 1 < codes.low.size(); ++c) {
    thresholds.push_back(codes.threshold_between(c, c + 1));
  }
  return to_numpy(std::move(thresholds));
}

Target make_target(const nb::object& y, const std::string& criterion, std::uint32_t n_classes,
                   std::size_t n_rows, std::span<const double> sample_weight) {
  if (criterion == "squared_error") {
    const auto values = cast_array<Matrix<double>>(y, "y: float64, two-dimensional");
    if (values.shape(0) != n_rows || values.shape(1) < 1)
      throw std::invalid_argument("y: one row per row of X");
    return Target::regression(span(values), static_cast<std::uint32_t>(values.shape(1)),
                              sample_weight);
  }
  if (criterion != "gini" && criterion != "entropy") {
    throw std::invalid_argument("criterion must be squared_error, gini or entropy, got " +
                                criterion);
  }
  const auto labels = cast_array<Vector<std::int32_t>>(y, "y: int32, one-dimensional");
  if (labels.shape(0) != n_rows) throw std::invalid_argument("y: one label per row of X");
  for (const auto label : span(labels)) {
    if (label < 0 || static_cast<std::uint32_t>(label) >= n_classes)
      throw std::invalid_argument("y: label out of range");
  }
  return Target::classification(span(labels), n_classes,
                                criterion == "gini" ? Criterion::GINI : Criterion::ENTROPY);
}

Splitter splitter_kind(const std::string& name) {
  if (name == "best") return Splitter::BEST;
  if (name == "random") return Splitter::RANDOM;
  throw std::invalid_argument("splitter must be best or random, got " + name);
}

const Kernels* choose_kernels(const std::string& name) {
  if (name == "portable") return &portable_kernels();
  const Kernels* avx2 = avx2_kernels();
  if (name == "avx2" && avx2 == nullptr) throw std::invalid_argument("this machine has no AVX2");
  if (name != "avx2" && name != "auto")
    throw std::invalid_argument("unknown instruction set " + name);
  return avx2 != nullptr ? avx2 : &portable_kernels();
}

std::vector<std::string> instruction_sets() {
  if (avx2_kernels() != nullptr) return {"avx2", "portable"};
  return {"portable"};
}

using OptionalVector = std::optional<Vector<double>>;
using OptionalMatrix = std::optional<Matrix<double>>;
nb::tuple grow(const EncodedMatrix& encoded, const nb::object& y,
               const OptionalVector& sample_weight, const std::string& criterion,
               const std::string& scheme, std::uint64_t seed, std::size_t n_trees,
               std::uint32_t n_classes, std::uint32_t max_features, std::uint32_t min_samples_leaf,
               double min_weight_fraction_leaf, std::uint32_t max_depth, bool keep_rows,
               std::uint64_t first_tree, const OptionalMatrix& given_weights, bool random_ties,
               const std::string& instruction_set, unsigned n_jobs, const nb::object& progress,
               const std::string& splitter, double weight_threshold,
               const OptionalGroups& row_groups, std::uint32_t n_candidates,
               double randomized_fraction) {
  const std::size_t n = encoded.n_rows();
  const auto weights = sample_weight ? span(*sample_weight) : std::span<const double>{};
  if (sample_weight && weights.size() != n)
    throw std::invalid_argument("sample_weight: one per row");
  const Target target = make_target(y, criterion, n_classes, n, weights);
  GrowOptions options;
  options.scheme = scheme_of(scheme, seed, weight_threshold, row_groups, n);
  options.splitter = splitter_kind(splitter);
  if (!(randomized_fraction >= 0 && randomized_fraction <= 1))
    throw std::invalid_argument("randomized_fraction must be in [0, 1]");
  options.randomized_fraction = randomized_fraction;
  options.max_features = max_features;
  options.min_samples_leaf = min_samples_leaf;
  options.min_weight_fraction_leaf = min_weight_fraction_leaf;
  options.max_depth = max_depth;
  options.keep_rows = keep_rows;
  options.random_ties = random_ties;
  options.n_candidates = n_candidates;
  if (n_candidates > 0 &&
      (criterion != "entropy" || options.splitter != Splitter::BEST || randomized_fraction > 0))
    throw std::invalid_argument("n_candidates: with entropy and the best splitter only");
  options.kernels = choose_kernels(instruction_set);
  if (n == 0 || max_features < 1 || min_samples_leaf < 1)
    throw std::invalid_argument("nothing to grow");
  GrowRequest request{encoded, target, weights, {}, first_tree, n_trees};
  if (options.scheme.kind == WeightKind::GIVEN) {
    if (!given_weights || given_weights->shape(0) != n_trees || given_weights->shape(1) != n) {
      throw std::invalid_argument("given_weights: (n_trees, n_rows)");
    }
    request.given_weights = span(*given_weights);
  }
  GrownForest grown;
  run_released(n_jobs, progress,
               [&](const Running& run) { grown = grow_forest(request, options, run); });
  ForestShape shape{static_cast<std::int32_t>(encoded.n_features()),
                    static_cast<std::int32_t>(target.n_outputs), target.is_classifier,
                    encoded.n_levels()};
  auto forest = std::make_shared<Forest>(std::move(shape), std::move(grown.trees));
  return nb::make_tuple(forest,
                        to_numpy(std::move(grown.importances), {n_trees, encoded.n_features()}));
}

nb::object weights_of_tree(const std::string& scheme, std::uint64_t seed, std::uint64_t tree,
                           std::size_t n_rows, double weight_threshold,
                           const OptionalGroups& row_groups, const OptionalVector& sample_weight,
                           const OptionalGroups& row_parts) {
  if (sample_weight && sample_weight->shape(0) != n_rows)
    throw std::invalid_argument("sample_weight: one per row");
  std::vector<double> weights(n_rows);
  draw_weights(scheme_of(scheme, seed, weight_threshold, row_groups, n_rows, row_parts), tree,
               sample_weight ? span(*sample_weight) : std::span<const double>{}, weights);
  return to_numpy(std::move(weights));
}

nb::object n_codes_of(const EncodedMatrix& matrix) {
  std::vector<std::int32_t> n_codes;
  for (std::size_t j = 0; j < matrix.n_features(); ++j) {
    n_codes.push_back(static_cast<std::int32_t>(matrix.feature(j).n_codes));
  }
  return to_numpy(std::move(n_codes));
}

}  // namespace

void bind_grow(nb::module_& m) {
  nb::class_<EncodedMatrix>(m, "EncodedMatrix")
      .def("__init__", &make_encoded, nb::arg("X"), nb::arg("n_levels"), nb::arg("n_jobs") = 1,
           nb::arg("max_codes") = MAX_CODES)
      .def_prop_ro("n_rows", &EncodedMatrix::n_rows)
      .def_prop_ro("n_features", &EncodedMatrix::n_features)
      .def_prop_ro("n_codes", &n_codes_of)
      .def_prop_ro("nbytes", &EncodedMatrix::nbytes)
      .def("codes", &codes_of)
      .def("thresholds", &thresholds_of, nb::arg("feature"));
  m.def("grow_forest", &grow, nb::arg("encoded"), nb::arg("y"), nb::arg("sample_weight").none(),
        nb::kw_only(), nb::arg("criterion"), nb::arg("scheme"), nb::arg("seed"), nb::arg("n_trees"),
        nb::arg("n_classes") = 0, nb::arg("max_features"), nb::arg("min_samples_leaf") = 1,
        nb::arg("min_weight_fraction_leaf") = 0.0, nb::arg("max_depth") = 0,
        nb::arg("keep_rows") = false, nb::arg("first_tree") = 0,
        nb::arg("given_weights") = nb::none(), nb::arg("random_ties") = true,
        nb::arg("instruction_set") = "auto", nb::arg("n_jobs") = 1,
        nb::arg("progress") = nb::none(), nb::arg("splitter") = "best",
        nb::arg("weight_threshold") = 0.0, nb::arg("row_groups") = nb::none(),
        nb::arg("n_candidates") = 0, nb::arg("randomized_fraction") = 0.0);
  m.def("draw_weights", &weights_of_tree, nb::arg("scheme"), nb::arg("seed"), nb::arg("tree"),
        nb::arg("n_rows"), nb::arg("weight_threshold") = 0.0, nb::arg("row_groups") = nb::none(),
        nb::arg("sample_weight") = nb::none(), nb::arg("row_parts") = nb::none());
  m.def("instruction_sets", &instruction_sets);
}

}  // namespace bayeswood::bindings
