#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "bayeswood/leaf_responses.hpp"
#include "module.hpp"
#include "running.hpp"

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

// Appends `values` of all trees.
template <class T, class Get>
nb::object gather(const Forest& forest, Get get) {
  std::vector<T> all;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const auto& values = get(forest.tree(t));
    all.insert(all.end(), values.begin(), values.end());
  }
  return to_numpy(std::move(all));
}

template <class T, class Get>
std::vector<T> at_leaves(const Tree& tree, Get get) {
  std::vector<T> values;
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    if (tree.feature[i] == LEAF) values.push_back(get(i));
  }
  return values;
}

std::vector<std::int32_t> entry_counts(const Tree& tree) {
  std::vector<std::int32_t> counts;
  for (std::size_t l = 0; l + 1 < tree.leaf_offset.size(); ++l) {
    counts.push_back(tree.leaf_offset[l + 1] - tree.leaf_offset[l]);
  }
  return counts;
}

nb::dict to_arrays(const Forest& forest) {
  nb::dict d;
  d["n_features"] = forest.shape().n_features;
  d["n_outputs"] = forest.shape().n_outputs;
  d["is_classifier"] = forest.shape().is_classifier;
  d["n_levels"] = to_numpy(std::vector<std::int32_t>(forest.shape().n_levels));
  std::vector<std::int64_t> n_nodes;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    n_nodes.push_back(static_cast<std::int64_t>(forest.tree(t).n_nodes()));
  }
  d["n_nodes"] = to_numpy(std::move(n_nodes));
  d["feature"] = gather<std::int32_t>(forest, [](const Tree& t) -> auto& { return t.feature; });
  d["threshold"] = gather<double>(forest, [](const Tree& t) -> auto& { return t.threshold; });
  d["missing_left"] =
      gather<std::uint8_t>(forest, [](const Tree& t) -> auto& { return t.missing_left; });
  d["category_words"] =
      gather<std::uint64_t>(forest, [](const Tree& t) -> auto& { return t.category_words; });
  d["leaf_n_samples"] = gather<std::int32_t>(forest, [](const Tree& t) {
    return at_leaves<std::int32_t>(t, [&](std::size_t i) { return t.n_samples[i]; });
  });
  d["leaf_weight"] = gather<float>(forest, [](const Tree& t) {
    return at_leaves<float>(t, [&](std::size_t i) { return t.weight[i]; });
  });
  d["leaf_n_entries"] = gather<std::int32_t>(forest, entry_counts);
  d["leaf_class"] =
      gather<std::int32_t>(forest, [](const Tree& t) -> auto& { return t.leaf_class; });
  d["leaf_value"] = gather<double>(forest, [](const Tree& t) -> auto& { return t.leaf_value; });
  d["leaf_rows"] = gather<std::int32_t>(forest, [](const Tree& t) -> auto& { return t.leaf_rows; });
  return d;
}

// Hands out the parts of a long array one after another.
template <class T>
class Reader {
 public:
  Reader(const nb::dict& arrays, const char* name)
      : name_(name), array_(nb::cast<Vector<T>>(arrays[name])) {}
  std::vector<T> take(std::size_t n) {
    if (n > array_.shape(0) - at_)
      throw std::invalid_argument(std::string(name_) + " is too short");
    const T* begin = array_.data() + at_;
    at_ += n;
    return {begin, begin + n};
  }
  std::size_t size() const { return array_.shape(0); }
  void finish() const {
    if (at_ != array_.shape(0)) throw std::invalid_argument(std::string(name_) + " is too long");
  }

 private:
  const char* name_;
  Vector<T> array_;
  std::size_t at_ = 0;
};

struct Readers {
  explicit Readers(const nb::dict& a)
      : n_nodes(a, "n_nodes"),
        feature(a, "feature"),
        threshold(a, "threshold"),
        missing_left(a, "missing_left"),
        category_words(a, "category_words"),
        leaf_n_samples(a, "leaf_n_samples"),
        leaf_weight(a, "leaf_weight"),
        leaf_n_entries(a, "leaf_n_entries"),
        leaf_class(a, "leaf_class"),
        leaf_value(a, "leaf_value"),
        leaf_rows(a, "leaf_rows") {}
  void finish() const {
    for (const auto* r : {&feature, &leaf_n_samples, &leaf_n_entries, &leaf_class, &leaf_rows})
      r->finish();
    for (const auto* r : {&threshold, &leaf_value}) r->finish();
    n_nodes.finish();
    missing_left.finish();
    category_words.finish();
    leaf_weight.finish();
  }
  Reader<std::int64_t> n_nodes;
  Reader<std::int32_t> feature;
  Reader<double> threshold;
  Reader<std::uint8_t> missing_left;
  Reader<std::uint64_t> category_words;
  Reader<std::int32_t> leaf_n_samples;
  Reader<float> leaf_weight;
  Reader<std::int32_t> leaf_n_entries, leaf_class;
  Reader<double> leaf_value;
  Reader<std::int32_t> leaf_rows;
};

void refuse(std::size_t tree, const std::string& wrong) {
  if (!wrong.empty()) throw std::invalid_argument("tree " + std::to_string(tree) + ": " + wrong);
}

std::size_t total_words(const Tree& tree, const ForestShape& shape) {
  std::size_t words = 0;
  for (const auto f : tree.feature) {
    if (f != LEAF && f >= 0 && f < shape.n_features && shape.n_levels[f] > 0)
      words += set_words(shape.n_levels[f]);
  }
  return words;
}

std::size_t count_samples(const std::vector<std::int32_t>& n_samples, std::size_t tree) {
  std::size_t total = 0;
  for (const auto n : n_samples) {
    if (n < 0) refuse(tree, "n_samples is negative");
    total += static_cast<std::size_t>(n);
  }
  if (total > 0x7fffffff) refuse(tree, "too many samples");
  return total;
}

void read_classes(Readers& in, Tree& tree, std::size_t number) {
  tree.leaf_offset.assign(1, 0);
  std::size_t entries = 0;
  for (const auto n : in.leaf_n_entries.take(tree.n_leaves())) {
    if (n < 1) refuse(number, "a leaf has no class");
    entries += static_cast<std::size_t>(n);
    if (entries > 0x7fffffff) refuse(number, "too many leaf entries");
    tree.leaf_offset.push_back(static_cast<std::int32_t>(entries));
  }
  tree.leaf_class = in.leaf_class.take(entries);
  tree.leaf_value = in.leaf_value.take(entries);
}

Tree read_tree(Readers& in, const ForestShape& shape, std::size_t number) {
  const std::int64_t n_nodes = in.n_nodes.take(1)[0];
  if (n_nodes < 1) refuse(number, "no nodes");
  Tree tree;
  const auto n = static_cast<std::size_t>(n_nodes);
  tree.feature = in.feature.take(n);
  tree.threshold = in.threshold.take(n);
  tree.missing_left = in.missing_left.take(n);
  tree.category_words = in.category_words.take(total_words(tree, shape));
  refuse(number, check_structure(tree, shape));
  const auto n_samples = in.leaf_n_samples.take(tree.n_leaves());
  const std::size_t n_rows = count_samples(n_samples, number);
  tree.link(n_samples, in.leaf_weight.take(tree.n_leaves()), shape.n_levels);
  if (shape.is_classifier) {
    read_classes(in, tree, number);
  } else {
    tree.leaf_value =
        in.leaf_value.take(tree.n_leaves() * static_cast<std::size_t>(shape.n_outputs));
  }
  if (in.leaf_rows.size() > 0) tree.leaf_rows = in.leaf_rows.take(n_rows);
  refuse(number, check_tree(tree, shape));
  return tree;
}

ForestShape read_shape(const nb::dict& arrays) {
  ForestShape shape;
  shape.n_features = nb::cast<std::int32_t>(arrays["n_features"]);
  shape.n_outputs = nb::cast<std::int32_t>(arrays["n_outputs"]);
  shape.is_classifier = nb::cast<bool>(arrays["is_classifier"]);
  shape.n_levels = copy(nb::cast<Vector<std::int32_t>>(arrays["n_levels"]));
  if (shape.n_features < 1 || shape.n_outputs < 1)
    throw std::invalid_argument("no features or no outputs");
  if (shape.n_levels.size() != static_cast<std::size_t>(shape.n_features)) {
    throw std::invalid_argument("n_levels: one per feature");
  }
  for (const auto levels : shape.n_levels) {
    if (levels < 0 || levels > 65535) throw std::invalid_argument("n_levels out of range");
  }
  return shape;
}

std::shared_ptr<Forest> from_arrays(const nb::dict& arrays) {
  try {
    const ForestShape shape = read_shape(arrays);
    Readers in(arrays);
    std::vector<Tree> trees;
    for (std::size_t t = 0; t < in.n_nodes.size(); ++t) trees.push_back(read_tree(in, shape, t));
    in.finish();
    return std::make_shared<Forest>(shape, std::move(trees));
  } catch (const nb::cast_error&) {
    throw std::invalid_argument("an array has the wrong type or shape");
  }
}

// Dense values of all nodes; internal ones are weighted means of their children.
std::vector<double> node_values(const Tree& tree, const ForestShape& shape) {
  const auto k = static_cast<std::size_t>(shape.n_outputs);
  std::vector<double> values(tree.n_nodes() * k, 0.0);
  for (std::size_t i = tree.n_nodes(); i-- > 0;) {
    const std::uint32_t c = tree.child[i];
    double* out = values.data() + i * k;
    if (tree.feature[i] != LEAF) {
      const double left = tree.weight[c];
      const double total = left + tree.weight[c + 1];
      const double share = total > 0 ? left / total : 0.5;
      for (std::size_t j = 0; j < k; ++j) {
        out[j] = share * values[c * k + j] + (1 - share) * values[(c + 1) * k + j];
      }
    } else if (shape.is_classifier) {
      for (std::int32_t e = tree.leaf_offset[c]; e < tree.leaf_offset[c + 1]; ++e) {
        out[tree.leaf_class[e]] = tree.leaf_value[e];
      }
    } else {
      std::copy_n(tree.leaf_value.data() + c * k, k, out);
    }
  }
  return values;
}

nb::dict one_tree(nb::handle self, std::size_t index) {
  const auto& forest = nb::cast<const Forest&>(self);
  if (index >= forest.n_trees()) throw nb::index_error("no such tree");
  const Tree& tree = forest.tree(index);
  const std::size_t n = tree.n_nodes();
  std::vector<std::int32_t> left(n, -1), right(n, -1), leaf(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    const auto c = static_cast<std::int32_t>(tree.child[i]);
    if (tree.feature[i] == LEAF) {
      leaf[i] = c;
    } else {
      left[i] = c;
      right[i] = c + 1;
    }
  }
  nb::dict d;
  d["feature"] = look(tree.feature, self);
  d["threshold"] = look(tree.threshold, self);
  d["left"] = to_numpy(std::move(left));
  d["right"] = to_numpy(std::move(right));
  d["leaf"] = to_numpy(std::move(leaf));
  d["missing_left"] = look(tree.missing_left, self);
  d["n_samples"] = look(tree.n_samples, self);
  d["weight"] = look(tree.weight, self);
  d["category_offset"] = look(tree.category_offset, self);
  d["category_words"] = look(tree.category_words, self);
  d["value"] = to_numpy(node_values(tree, forest.shape()), {n, forest.n_outputs()});
  return d;
}

std::shared_ptr<Forest> select(const Forest& forest, const Vector<std::int64_t>& indices) {
  std::vector<Tree> trees;
  for (const auto i : span(indices)) {
    if (i < 0 || static_cast<std::size_t>(i) >= forest.n_trees())
      throw nb::index_error("no such tree");
    trees.push_back(forest.tree(static_cast<std::size_t>(i)));
  }
  return std::make_shared<Forest>(forest.shape(), std::move(trees));
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

nb::object draws(const Forest& forest, const AnyMatrix& X, unsigned n_jobs) {
  const MatrixView table = view(X);
  check_table(forest, table);
  RawArray<double> out(forest.n_trees() * table.n_rows() * forest.n_outputs());
  run_released(n_jobs, nb::none(),
               [&](const Running& run) { predict_draws(forest, table, out.data(), run); });
  return std::move(out).to_numpy({forest.n_trees(), table.n_rows(), forest.n_outputs()});
}

nb::object apply_trees(const Forest& forest, const AnyMatrix& X, unsigned n_jobs) {
  const MatrixView table = view(X);
  check_table(forest, table);
  RawArray<std::int32_t> out(forest.n_trees() * table.n_rows());
  run_released(n_jobs, nb::none(),
               [&](const Running& run) { apply(forest, table, out.data(), run); });
  return std::move(out).to_numpy({table.n_rows(), forest.n_trees()});
}

using OptionalGroups = std::optional<Vector<std::int32_t>>;

WeightScheme scheme_of(const std::string& kind, std::uint64_t seed, double threshold,
                       const OptionalGroups& groups, std::size_t n_rows) {
  return make_scheme(kind, seed, threshold,
                     groups ? span(*groups) : std::span<const std::int32_t>{}, n_rows);
}

void check_sample_weight(const OptionalWeights& sample_weight, std::size_t n_rows) {
  if (sample_weight && sample_weight->shape(0) != n_rows)
    throw std::invalid_argument("sample_weight: one per row");
}

nb::tuple oob(const Forest& forest, const AnyMatrix& X, const std::string& scheme,
              std::uint64_t seed, bool hard, const OptionalWeights& sample_weight, unsigned n_jobs,
              const nb::object& progress, double weight_threshold, const OptionalGroups& row_groups,
              std::uint64_t first_tree) {
  const MatrixView table = view(X);
  check_table(forest, table);
  check_sample_weight(sample_weight, table.n_rows());
  if (hard && !forest.shape().is_classifier) throw std::invalid_argument("only classifiers vote");
  std::vector<double> sums(table.n_rows() * forest.n_outputs());
  std::vector<std::int32_t> counts(table.n_rows());
  const auto weights = scheme_of(scheme, seed, weight_threshold, row_groups, table.n_rows());
  const OutOfBag bag{weights, optional_span(sample_weight), first_tree};
  run_released(n_jobs, progress, [&](const Running& run) {
    predict_oob(forest, table, bag, hard, sums.data(), counts.data(), run);
  });
  return nb::make_tuple(to_numpy(std::move(sums), {table.n_rows(), forest.n_outputs()}),
                        to_numpy(std::move(counts)));
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
                      const OptionalGroups& row_groups, std::uint64_t first_tree) {
  const MatrixView table = view(X);
  check_table(forest, table);
  check_sample_weight(sample_weight, table.n_rows());
  const auto leaves = leaf_span(forest, leaf_variance);
  std::vector<double> mean(table.n_rows() * forest.n_outputs());
  std::vector<double> variance(mean.size());
  std::vector<std::int32_t> counts(table.n_rows());
  const auto weights = scheme_of(scheme, seed, weight_threshold, row_groups, table.n_rows());
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
};

void make_responses(BoundResponses* self, const std::shared_ptr<Forest>& forest,
                    const Matrix<double>& y, const OptionalWeights& sample_weight,
                    const std::string& scheme, std::uint64_t seed, unsigned n_jobs,
                    double weight_threshold, const OptionalGroups& row_groups) {
  if (forest->shape().is_classifier) throw std::invalid_argument("classes have no quantiles");
  if (y.shape(1) != forest->n_outputs()) throw std::invalid_argument("y: one column per output");
  const auto weights = scheme_of(scheme, seed, weight_threshold, row_groups, y.shape(0));
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    new (self) BoundResponses{
        forest, LeafResponses(*forest, span(y), optional_span(sample_weight), weights, run)};
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

nb::object leaf_variances(const BoundResponses& self, unsigned n_jobs) {
  const std::size_t n = self.responses.n_leaves();
  std::vector<double> out(n * self.forest->n_outputs());
  run_released(n_jobs, nb::none(),
               [&](const Running& run) { self.responses.leaf_variances(out.data(), run); });
  return to_numpy(std::move(out), {n, self.forest->n_outputs()});
}

template <class T, class Get>
nb::object per_tree(const Forest& forest, Get get) {
  std::vector<T> values;
  for (std::size_t t = 0; t < forest.n_trees(); ++t)
    values.push_back(static_cast<T>(get(forest.tree(t))));
  return to_numpy(std::move(values));
}

}  // namespace

void bind_forest(nb::module_& m) {
  nb::class_<Forest>(m, "Forest")
      .def_static("from_arrays", &from_arrays, nb::arg("arrays"))
      .def("to_arrays", &to_arrays)
      .def_prop_ro("n_trees", &Forest::n_trees)
      .def_prop_ro("n_features", [](const Forest& f) { return f.shape().n_features; })
      .def_prop_ro("n_outputs", [](const Forest& f) { return f.shape().n_outputs; })
      .def_prop_ro("is_classifier", [](const Forest& f) { return f.shape().is_classifier; })
      .def_prop_ro("has_rows", &Forest::has_rows)
      .def_prop_ro("n_levels",
                   [](const Forest& f) { return to_numpy(std::vector(f.shape().n_levels)); })
      .def_prop_ro("n_nodes",
                   [](const Forest& f) {
                     return per_tree<std::int64_t>(f, [](auto& t) { return t.n_nodes(); });
                   })
      .def_prop_ro("n_leaves",
                   [](const Forest& f) {
                     return per_tree<std::int64_t>(f, [](auto& t) { return t.n_leaves(); });
                   })
      .def_prop_ro("nbytes", &Forest::nbytes)
      .def("depths",
           [](const Forest& f) {
             return per_tree<std::int32_t>(f, [](auto& t) { return t.depth(); });
           })
      .def("tree", &one_tree, nb::arg("index"))
      .def("select", &select, nb::arg("indices"))
      .def("predict_mean", &predict<predict_mean>, nb::arg("X"), nb::arg("tree_weights"),
           nb::arg("n_jobs") = 1, nb::arg("progress") = nb::none())
      .def("predict_votes", &votes, nb::arg("X"), nb::arg("tree_weights"), nb::arg("n_jobs") = 1,
           nb::arg("progress") = nb::none())
      .def("predict_draws", &draws, nb::arg("X"), nb::arg("n_jobs") = 1)
      .def("apply", &apply_trees, nb::arg("X"), nb::arg("n_jobs") = 1)
      .def("predict_oob", &oob, nb::arg("X"), nb::arg("scheme"), nb::arg("seed"),
           nb::arg("hard") = false, nb::arg("sample_weight") = nb::none(), nb::arg("n_jobs") = 1,
           nb::arg("progress") = nb::none(), nb::arg("weight_threshold") = 0.0,
           nb::arg("row_groups") = nb::none(), nb::arg("first_tree") = 0)
      .def("predict_moments", &moments, nb::arg("X"), nb::arg("tree_weights"),
           nb::arg("leaf_variance") = nb::none(), nb::arg("n_jobs") = 1,
           nb::arg("progress") = nb::none())
      .def("predict_oob_moments", &oob_moments, nb::arg("X"), nb::arg("scheme"), nb::arg("seed"),
           nb::arg("leaf_variance") = nb::none(), nb::arg("sample_weight") = nb::none(),
           nb::arg("n_jobs") = 1, nb::arg("progress") = nb::none(),
           nb::arg("weight_threshold") = 0.0, nb::arg("row_groups") = nb::none(),
           nb::arg("first_tree") = 0);
  nb::class_<BoundResponses>(m, "LeafResponses")
      .def("__init__", &make_responses, nb::arg("forest"), nb::arg("y"),
           nb::arg("sample_weight").none(), nb::arg("scheme"), nb::arg("seed"),
           nb::arg("n_jobs") = 1, nb::arg("weight_threshold") = 0.0,
           nb::arg("row_groups") = nb::none())
      .def("leaf_variances", &leaf_variances, nb::arg("n_jobs") = 1)
      .def("quantiles", &quantiles, nb::arg("X"), nb::arg("tree_weights"), nb::arg("alpha"),
           nb::arg("n_jobs") = 1, nb::arg("progress") = nb::none());
}

}  // namespace bayeswood::bindings
