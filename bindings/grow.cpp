#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/base/left_out.hpp"
#include "bayeswood/grow/boost.hpp"
#include "bayeswood/grow/cart.hpp"
#include "module.hpp"
#include "monotone.hpp"
#include "running.hpp"
#include "weight_scheme.hpp"

namespace bayeswood::bindings {
namespace {

void make_encoded(EncodedMatrix* self, const AnyMatrix& X, const Vector<std::int32_t>& n_levels,
                  unsigned n_jobs, std::uint32_t max_codes) {
  const MatrixView table = view(X);
  run_released(
      n_jobs, nb::none(),
      [&](const Running& run) {
        new (self) EncodedMatrix(table, copy(n_levels), run.n_threads, max_codes, run.poll);
      },
      table.n_rows() * table.n_columns() <= FEW_CELLS);
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

std::optional<Criterion> number_criterion(const std::string& name) {
  if (name == "squared_error") return Criterion::SQUARED_ERROR;
  if (name == "poisson") return Criterion::POISSON;
  if (name == "absolute_error") return Criterion::ABSOLUTE_ERROR;
  return {};
}

Target make_target(const nb::object& y, const std::string& criterion, std::uint32_t n_classes,
                   std::size_t n_rows, std::span<const double> sample_weight) {
  if (const auto number = number_criterion(criterion)) {
    const auto values = cast_array<Matrix<double>>(y, "y: float64, two-dimensional");
    if (values.shape(0) != n_rows || values.shape(1) < 1)
      throw std::invalid_argument("y: one row per row of X");
    const auto n_outputs = static_cast<std::uint32_t>(values.shape(1));
    if (*number == Criterion::SQUARED_ERROR)
      return Target::regression(span(values), n_outputs, sample_weight);
    return Target::regression(span(values), n_outputs, sample_weight, *number);
  }
  if (criterion != "gini" && criterion != "entropy") {
    throw std::invalid_argument("no such criterion: " + criterion);
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
  const InstructionSet set = instruction_set(name);
  if (set == InstructionSet::AVX512) return avx512_kernels();
  return set == InstructionSet::AVX2 ? avx2_kernels() : &portable_kernels();
}

std::vector<std::string> instruction_sets() {
  if (runs_avx512()) return {"avx512", "avx2", "portable"};
  if (runs_avx2()) return {"avx2", "portable"};
  return {"portable"};
}

using OptionalVector = std::optional<Vector<double>>;
using OptionalMatrix = std::optional<Matrix<double>>;
// What `grow_forest` is asked for besides the data, as keywords of Python's; each that is read is
// taken off, so that what is left over is a mistake.
class Keywords {
 public:
  explicit Keywords(const nb::kwargs& given)
      : left_(nb::steal<nb::dict>(PyDict_Copy(given.ptr()))) {}

  template <class T>
  T take(const char* name, T otherwise) {
    return left_.contains(name) ? nb::cast<T>(left_.attr("pop")(name)) : otherwise;
  }

  template <class T>
  T need(const char* name) {
    if (!left_.contains(name)) throw nb::type_error((std::string("missing: ") + name).c_str());
    return nb::cast<T>(left_.attr("pop")(name));
  }

  void check_empty() const {
    for (const auto& [name, value] : left_)
      throw nb::type_error(("no such setting: " + nb::cast<std::string>(name)).c_str());
  }

 private:
  nb::dict left_;
};

// How rows are weighted; keeps the arrays that its scheme looks at.
struct WeightSettings {
  explicit WeightSettings(Keywords& given)
      : scheme(given.need<std::string>("scheme")),
        seed(given.need<std::uint64_t>("seed")),
        threshold(given.take("weight_threshold", 0.0)),
        groups(given.take<OptionalGroups>("row_groups", {})),
        parts(given.take<OptionalGroups>("row_parts", {})),
        trees_per_draw(given.take<std::uint64_t>("trees_per_draw", 1)),
        n_draws(given.take<std::uint32_t>("n_draws", 0)),
        given_weights(given.take<OptionalMatrix>("given_weights", {})) {}

  std::string scheme;
  std::uint64_t seed;
  double threshold;
  OptionalGroups groups, parts;
  std::uint64_t trees_per_draw;
  std::uint32_t n_draws;
  OptionalMatrix given_weights;

  WeightScheme of(std::size_t n_rows) const {
    return scheme_of(scheme, seed, threshold, groups, n_rows, parts, trees_per_draw, n_draws);
  }
};

GrowthRules growth_rules(Keywords& given) {
  GrowthRules rules;
  rules.max_leaf_nodes = given.take<std::uint32_t>("max_leaf_nodes", 0);
  rules.min_impurity_decrease = given.take("min_impurity_decrease", 0.0);
  rules.ccp_alpha = given.take("ccp_alpha", 0.0);
  rules.monotone = given.take<std::vector<std::int8_t>>("monotonic_cst", {});
  rules.interactions = given.take<std::vector<std::vector<std::uint32_t>>>("interaction_cst", {});
  return rules;
}

// How trees are cut, which trees, and who grows them.
struct GrowthSettings {
  explicit GrowthSettings(Keywords& given)
      : criterion(given.need<std::string>("criterion")),
        n_classes(given.take<std::uint32_t>("n_classes", 0)),
        n_trees(given.need<std::size_t>("n_trees")),
        first_tree(given.take<std::uint64_t>("first_tree", 0)),
        n_jobs(given.take("n_jobs", 1U)),
        progress(given.take<nb::object>("progress", nb::none())) {
    options.splitter = splitter_kind(given.take<std::string>("splitter", "best"));
    options.randomized_fraction = given.take("randomized_fraction", 0.0);
    options.max_features = given.need<std::uint32_t>("max_features");
    options.min_samples_leaf = given.take<std::uint32_t>("min_samples_leaf", 1);
    options.min_samples_split = given.take<std::uint32_t>("min_samples_split", 2);
    options.min_weight_fraction_leaf = given.take("min_weight_fraction_leaf", 0.0);
    options.max_depth = given.take<std::uint32_t>("max_depth", 0);
    options.keep_rows = given.take("keep_rows", false);
    options.random_ties = given.take("random_ties", true);
    options.rules = growth_rules(given);
    options.n_candidates = given.take<std::uint32_t>("n_candidates", 0);
    options.kernels = choose_kernels(given.take<std::string>("instruction_set", "auto"));
  }

  void check() const {
    const double fraction = options.randomized_fraction;
    if (!(fraction >= 0 && fraction <= 1))
      throw std::invalid_argument("randomized_fraction must be in [0, 1]");
    if (options.n_candidates > 0 &&
        (criterion != "entropy" || options.splitter != Splitter::BEST || fraction > 0))
      throw std::invalid_argument("n_candidates: with entropy and the best splitter only");
    if (options.max_features < 1 || options.min_samples_leaf < 1)
      throw std::invalid_argument("nothing to grow");
  }

  void check_rules(const EncodedMatrix& encoded, const Target& target) const {
    const GrowthRules& rules = options.rules;
    if (!needs_rules(target, rules)) return;
    GrowthRules others = rules;
    others.monotone.clear();
    const bool random = options.splitter == Splitter::RANDOM || options.randomized_fraction > 0;
    if (options.n_candidates > 0 || (random && needs_rules(target, others)))
      throw std::invalid_argument("rules of growth: with the best splitter only");
    if (!rules.monotone.empty())
      check_monotone(rules.monotone, encoded.n_levels(),
                     target.is_classifier ? target.n_outputs - 1 : target.n_outputs);
    for (const auto& set : rules.interactions) {
      for (const auto feature : set)
        if (feature >= encoded.n_features()) throw nb::index_error("no such feature");
    }
  }

  std::string criterion;
  std::uint32_t n_classes;
  std::size_t n_trees;
  std::uint64_t first_tree;
  unsigned n_jobs;
  nb::object progress;
  GrowOptions options;
};

std::span<const double> checked_weights(const OptionalVector& sample_weight, std::size_t n_rows) {
  if (n_rows == 0) throw std::invalid_argument("nothing to grow");
  if (!sample_weight) return {};
  if (sample_weight->shape(0) != n_rows) throw std::invalid_argument("sample_weight: one per row");
  return span(*sample_weight);
}

std::shared_ptr<Forest> forest_over(const EncodedMatrix& encoded, const Target& target,
                                    std::vector<Tree>&& trees) {
  ForestShape shape{static_cast<std::int32_t>(encoded.n_features()),
                    static_cast<std::int32_t>(target.n_outputs), target.is_classifier,
                    encoded.n_levels()};
  return std::make_shared<Forest>(std::move(shape), std::move(trees));
}

// Of a tree of few rows: so often it looks at a cell.
constexpr std::size_t LEVELS = 8;

nb::tuple grow(const EncodedMatrix& encoded, const nb::object& y,
               const OptionalVector& sample_weight, const nb::kwargs& settings) {
  Keywords given(settings);
  const WeightSettings law(given);
  GrowthSettings growth(given);
  given.check_empty();
  growth.check();
  const std::size_t n = encoded.n_rows();
  const auto weights = checked_weights(sample_weight, n);
  Target target = make_target(y, growth.criterion, growth.n_classes, n, weights);
  growth.check_rules(encoded, target);
  // Of two classes as numbers, only rules look at labels again.
  if (target.kind == TargetKind::SCALAR && !needs_rules(target, growth.options.rules))
    target.labels = {};
  growth.options.scheme = law.of(n);
  GrowRequest request{encoded, target, weights, {}, growth.first_tree, growth.n_trees};
  if (growth.options.scheme.kind == WeightKind::GIVEN) {
    const auto& own = law.given_weights;
    if (!own || own->shape(0) != growth.n_trees || own->shape(1) != n)
      throw std::invalid_argument("given_weights: (n_trees, n_rows)");
    request.given_weights = span(*own);
  }
  GrownForest grown;
  run_released(
      growth.n_jobs, growth.progress,
      [&](const Running& run) { grown = grow_forest(request, growth.options, run); },
      LEVELS * n * encoded.n_features() * growth.n_trees <= FEW_CELLS);
  return nb::make_tuple(
      forest_over(encoded, target, std::move(grown.trees)),
      to_numpy(std::move(grown.importances), {growth.n_trees, encoded.n_features()}));
}

void make_boosted(BoostedBags* self, const EncodedMatrix& encoded, const Matrix<double>& y,
                  const OptionalVector& sample_weight, const nb::kwargs& settings) {
  Keywords given(settings);
  const WeightSettings law(given);
  BoostOptions options;
  options.n_bags = given.need<std::size_t>("n_bags");
  options.first_bag = given.take<std::uint64_t>("first_bag", 0);
  options.learning_rate = given.need<double>("learning_rate");
  options.stage.seed = law.seed;
  options.stage.max_features = given.need<std::uint32_t>("max_features");
  options.stage.max_depth = given.need<std::uint32_t>("max_depth");
  options.stage.min_samples_leaf = given.take<std::uint32_t>("min_samples_leaf", 1);
  options.stage.min_weight_fraction_leaf = given.take("min_weight_fraction_leaf", 0.0);
  options.stage.monotone = given.take<std::vector<std::int8_t>>("monotonic_cst", {});
  const auto n_jobs = given.take("n_jobs", 1U);
  given.check_empty();
  const std::size_t n = encoded.n_rows();
  if (y.shape(0) != n || y.shape(1) < 1) throw std::invalid_argument("y: one row per row of X");
  if (options.stage.max_features < 1 || options.stage.min_samples_leaf < 1)
    throw std::invalid_argument("nothing to grow");
  if (!options.stage.monotone.empty())
    check_monotone(options.stage.monotone, encoded.n_levels(), y.shape(1));
  const BoostData data{span(y), static_cast<std::uint32_t>(y.shape(1)),
                       checked_weights(sample_weight, n)};
  run_released(
      n_jobs, nb::none(),
      [&](const Running& run) { new (self) BoostedBags(encoded, data, law.of(n), options, run); },
      n * encoded.n_features() * options.n_bags <= FEW_CELLS);
}

// The bags of these numbers, or all.
std::vector<std::size_t> chosen_bags(const BoostedBags& bags,
                                     const std::optional<std::vector<std::size_t>>& numbers) {
  std::vector<std::size_t> chosen(bags.n_bags());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (!numbers) return chosen;
  for (const auto number : *numbers)
    if (number >= bags.n_bags()) throw nb::index_error("no such bag");
  return *numbers;
}

void grow_stages(BoostedBags& self, std::size_t n_stages,
                 const std::optional<std::vector<std::size_t>>& bags, unsigned n_jobs,
                 const nb::object& progress) {
  const std::vector<std::size_t> chosen = chosen_bags(self, bags);
  const std::size_t cells = self.n_rows() * self.matrix().n_features();
  run_released(
      n_jobs, progress, [&](const Running& run) { self.grow(n_stages, chosen, run); },
      cells * chosen.size() * n_stages <= FEW_CELLS);
}

std::shared_ptr<Forest> boosted_forest(const BoostedBags& self, std::size_t n_stages,
                                       const std::optional<std::vector<std::size_t>>& bags) {
  Trees trees;
  for (const auto bag : chosen_bags(self, bags)) {
    if (n_stages > self.n_stages(bag)) throw std::invalid_argument("n_stages: not grown yet");
    const auto first = self.trees(bag).begin();
    trees.insert(trees.end(), first, first + static_cast<std::ptrdiff_t>(n_stages));
  }
  const EncodedMatrix& encoded = self.matrix();
  ForestShape shape{static_cast<std::int32_t>(encoded.n_features()),
                    static_cast<std::int32_t>(self.n_outputs()), false, encoded.n_levels()};
  return std::make_shared<Forest>(std::move(shape), std::move(trees));
}

nb::tuple boosted_out_of_bag(const BoostedBags& self) {
  std::vector<double> sums(self.n_rows() * self.n_outputs());
  std::vector<std::int32_t> counts(self.n_rows());
  self.out_of_bag(sums.data(), counts.data());
  return nb::make_tuple(to_numpy(std::move(sums), {self.n_rows(), self.n_outputs()}),
                        to_numpy(std::move(counts)));
}

nb::object boosted_importances(const BoostedBags& self) {
  std::vector<double> found;
  for (std::size_t b = 0; b < self.n_bags(); ++b)
    found.insert(found.end(), self.importance(b).begin(), self.importance(b).end());
  return to_numpy(std::move(found), {self.n_bags(), self.matrix().n_features()});
}

nb::object weights_of_tree(const std::string& scheme, std::uint64_t seed, std::uint64_t tree,
                           std::size_t n_rows, double weight_threshold,
                           const OptionalGroups& row_groups, const OptionalVector& sample_weight,
                           const OptionalGroups& row_parts, std::uint64_t trees_per_draw,
                           std::uint32_t n_draws) {
  if (sample_weight && sample_weight->shape(0) != n_rows)
    throw std::invalid_argument("sample_weight: one per row");
  std::vector<double> weights(n_rows);
  const auto law = scheme_of(scheme, seed, weight_threshold, row_groups, n_rows, row_parts,
                             trees_per_draw, n_draws);
  draw_weights(law, tree, sample_weight ? span(*sample_weight) : std::span<const double>{},
               weights);
  return to_numpy(std::move(weights));
}

// Draws x rows, 1 where the row is left out.
nb::object left_out_by_draw(const std::string& scheme, std::uint64_t seed, std::size_t n_trees,
                            std::size_t n_rows, const Vector<std::int32_t>& rows,
                            double weight_threshold, const OptionalGroups& row_groups,
                            const OptionalGroups& row_parts, std::uint64_t trees_per_draw,
                            std::uint32_t n_draws) {
  for (const std::int32_t row : span(rows)) {
    if (row < 0 || static_cast<std::size_t>(row) >= n_rows)
      throw std::invalid_argument("rows: from 0 to below n_rows");
  }
  const auto law = scheme_of(scheme, seed, weight_threshold, row_groups, n_rows, row_parts,
                             trees_per_draw, n_draws);
  const std::size_t n_bags = (n_trees + trees_per_draw - 1) / trees_per_draw;
  std::vector<std::uint8_t> found;
  found.reserve(n_bags * rows.shape(0));
  std::vector<bool> out;
  for (std::size_t d = 0; d < n_bags; ++d) {
    draw_left_out_of(law, d * trees_per_draw, {}, n_rows, span(rows), out);
    found.insert(found.end(), out.begin(), out.end());
  }
  return to_numpy(std::move(found), {n_bags, rows.shape(0)});
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
        nb::arg("settings"));
  nb::class_<BoostedBags>(m, "BoostedBags")
      .def("__init__", &make_boosted, nb::arg("encoded"), nb::arg("y"),
           nb::arg("sample_weight").none(), nb::arg("settings"), nb::keep_alive<1, 2>())
      .def("grow", &grow_stages, nb::arg("n_stages"), nb::arg("bags") = nb::none(),
           nb::arg("n_jobs") = 1, nb::arg("progress") = nb::none())
      .def("forest", &boosted_forest, nb::arg("n_stages"), nb::arg("bags") = nb::none())
      .def("out_of_bag", &boosted_out_of_bag)
      .def_prop_ro("importances", &boosted_importances);
  m.def("draw_weights", &weights_of_tree, nb::arg("scheme"), nb::arg("seed"), nb::arg("tree"),
        nb::arg("n_rows"), nb::arg("weight_threshold") = 0.0, nb::arg("row_groups") = nb::none(),
        nb::arg("sample_weight") = nb::none(), nb::arg("row_parts") = nb::none(),
        nb::arg("trees_per_draw") = 1, nb::arg("n_draws") = 0);
  m.def("left_out", &left_out_by_draw, nb::arg("scheme"), nb::arg("seed"), nb::arg("n_trees"),
        nb::arg("n_rows"), nb::arg("rows"), nb::arg("weight_threshold") = 0.0,
        nb::arg("row_groups") = nb::none(), nb::arg("row_parts") = nb::none(),
        nb::arg("trees_per_draw") = 1, nb::arg("n_draws") = 0);
  m.def("instruction_sets", &instruction_sets);
}

}  // namespace bayeswood::bindings
