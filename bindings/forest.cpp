#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "bayeswood/forest/leaves/leaf_responses.hpp"
#include "bayeswood/forest/leaves/shrinkage.hpp"
#include "bayeswood/forest/monotone.hpp"
#include "module.hpp"
#include "monotone.hpp"
#include "running.hpp"

namespace bayeswood::bindings {
namespace {

// The values of all trees, one after another; room for them is made once.
template <class T, class Get>
nb::object gather_by_number(const Forest& forest, Get get) {
  std::size_t n = 0;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) n += get(t).size();
  std::vector<T> all;
  all.reserve(n);
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const auto& values = get(t);
    all.insert(all.end(), values.begin(), values.end());
  }
  return to_numpy(std::move(all));
}

template <class T, class Get>
nb::object gather(const Forest& forest, Get get) {
  return gather_by_number<T>(forest, [&](std::size_t t) -> auto& { return get(forest.tree(t)); });
}

std::size_t count_leaves(const Forest& forest) {
  std::size_t n = 0;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) n += forest.tree(t).n_leaves();
  return n;
}

// What each leaf has of a value that all nodes have.
template <class T, class Get>
nb::object gather_leaves(const Forest& forest, Get get) {
  std::vector<T> all;
  all.reserve(count_leaves(forest));
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const Tree& tree = forest.tree(t);
    for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
      if (tree.feature[i] == LEAF) all.push_back(get(tree)[i]);
    }
  }
  return to_numpy(std::move(all));
}

nb::object entry_counts(const Forest& forest) {
  std::vector<std::int32_t> counts;
  if (forest.shape().is_classifier) counts.reserve(count_leaves(forest));
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const auto& offset = forest.tree(t).leaf_offset;
    for (std::size_t l = 0; l + 1 < offset.size(); ++l) counts.push_back(offset[l + 1] - offset[l]);
  }
  return to_numpy(std::move(counts));
}

nb::object entry_classes(const Forest& forest) {
  std::size_t n = 0;
  const bool classes = forest.shape().is_classifier;
  for (std::size_t t = 0; classes && t < forest.n_trees(); ++t)
    n += forest.tree(t).leaf_value.size();
  std::vector<std::int32_t> all;
  all.reserve(n);
  for (std::size_t t = 0; classes && t < forest.n_trees(); ++t) {
    const Tree& tree = forest.tree(t);
    for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
      const auto own = tree.classes_of(leaf);
      all.insert(all.end(), own.begin(), own.end());
    }
  }
  return to_numpy(std::move(all));
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
  d["leaf_n_samples"] =
      gather_leaves<std::int32_t>(forest, [](const Tree& t) -> auto& { return t.n_samples; });
  d["leaf_weight"] = gather_leaves<float>(forest, [](const Tree& t) -> auto& { return t.weight; });
  d["leaf_n_entries"] = entry_counts(forest);
  d["leaf_class"] = entry_classes(forest);
  d["leaf_value"] =
      gather_by_number<double>(forest, [&](std::size_t t) { return forest.leaf_values(t); });
  d["leaf_rows"] = gather<std::int32_t>(forest, [](const Tree& t) -> auto& { return t.leaf_rows; });
  return d;
}

// Hands out the parts of a long array one after another.
template <class T>
class Reader {
 public:
  Reader(const nb::dict& arrays, const char* name)
      : name_(name), array_(nb::cast<Vector<T>>(arrays[name])) {}
  std::span<const T> look(std::size_t n) {
    if (n > array_.shape(0) - at_)
      throw std::invalid_argument(std::string(name_) + " is too short");
    const T* begin = array_.data() + at_;
    at_ += n;
    return {begin, n};
  }
  std::vector<T> take(std::size_t n) {
    const std::span<const T> found = look(n);
    return {found.begin(), found.end()};
  }
  SharedArray<T> share(std::size_t n) {
    const std::span<const T> found = look(n);
    return UnwrittenVector<T>(found.begin(), found.end());
  }
  template <class Vector>
  void take(std::size_t n, Vector& out) {
    const std::span<const T> found = look(n);
    out.assign(found.begin(), found.end());
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
  tree.leaf_offset.reserve(tree.n_leaves() + 1);
  tree.leaf_offset.push_back(0);
  std::size_t entries = 0;
  for (const auto n : in.leaf_n_entries.take(tree.n_leaves())) {
    if (n < 1) refuse(number, "a leaf has no class");
    entries += static_cast<std::size_t>(n);
    if (entries > 0x7fffffff) refuse(number, "too many leaf entries");
    tree.leaf_offset.push_back(static_cast<std::int32_t>(entries));
  }
  in.leaf_class.take(entries, tree.leaf_class);
  in.leaf_value.take(entries, tree.leaf_value);
}

Tree read_tree(Readers& in, const ForestShape& shape, std::size_t number) {
  const std::int64_t n_nodes = in.n_nodes.take(1)[0];
  if (n_nodes < 1) refuse(number, "no nodes");
  Tree tree;
  const auto n = static_cast<std::size_t>(n_nodes);
  tree.feature = in.feature.share(n);
  tree.threshold = in.threshold.share(n);
  tree.missing_left = in.missing_left.share(n);
  tree.category_words = in.category_words.take(total_words(tree, shape));
  refuse(number, check_structure(tree, shape));
  const auto n_samples = in.leaf_n_samples.take(tree.n_leaves());
  const std::size_t n_rows = count_samples(n_samples, number);
  tree.link(n_samples, in.leaf_weight.take(tree.n_leaves()), shape.n_levels);
  if (shape.is_classifier) {
    read_classes(in, tree, number);
  } else {
    in.leaf_value.take(tree.n_leaves() * static_cast<std::size_t>(shape.n_outputs),
                       tree.leaf_value);
  }
  if (in.leaf_rows.size() > 0) in.leaf_rows.take(n_rows, tree.leaf_rows);
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
  d["value"] = to_numpy(node_values(tree, forest.shape(), forest.leaf_values(index)),
                        {n, forest.n_outputs()});
  return d;
}

// Trees of several forests, one by one, and their values where these are not in the trees.
class Gathered {
 public:
  explicit Gathered(bool shares_shapes) : shares_shapes_(shares_shapes) {}
  void add(const Forest& forest, std::size_t t) {
    trees_.push_back(forest.trees()[t]);
    if (!shares_shapes_) return;
    const std::span<const double> values = forest.leaf_values(t);
    values_.insert(values_.end(), values.begin(), values.end());
  }
  std::shared_ptr<Forest> forest(const ForestShape& shape) && {
    if (shares_shapes_)
      return std::make_shared<Forest>(shape, std::move(trees_), std::move(values_));
    return std::make_shared<Forest>(shape, std::move(trees_));
  }

 private:
  bool shares_shapes_;
  Trees trees_;
  std::vector<double> values_;
};

std::shared_ptr<Forest> select(const Forest& forest, const Vector<std::int64_t>& indices) {
  Gathered chosen(forest.shares_shapes());
  for (const auto i : span(indices)) {
    if (i < 0 || static_cast<std::size_t>(i) >= forest.n_trees())
      throw nb::index_error("no such tree");
    chosen.add(forest, static_cast<std::size_t>(i));
  }
  return std::move(chosen).forest(forest.shape());
}

std::shared_ptr<Forest> join(const std::vector<std::shared_ptr<Forest>>& forests) {
  if (forests.empty()) throw std::invalid_argument("forests: at least one");
  bool shares_shapes = false;
  for (const auto& forest : forests) shares_shapes = shares_shapes || forest->shares_shapes();
  Gathered all(shares_shapes);
  for (const auto& forest : forests)
    for (std::size_t t = 0; t < forest->n_trees(); ++t) all.add(*forest, t);
  return std::move(all).forest(forests[0]->shape());
}

// The same trees with their shapes in common, or each with all that is its own.
std::shared_ptr<Forest> sharing(const std::shared_ptr<Forest>& forest, bool wanted) {
  if (wanted == forest->shares_shapes() || (wanted && forest->shape().is_classifier)) return forest;
  Trees trees;
  std::vector<double> all;
  for (std::size_t t = 0; t < forest->n_trees(); ++t) {
    Tree tree = forest->tree(t);
    const std::span<const double> values = forest->leaf_values(t);
    if (wanted) {
      all.insert(all.end(), values.begin(), values.end());
      tree.leaf_value = {};
    } else {
      tree.leaf_value.assign(values.begin(), values.end());
    }
    trees.push_back(std::make_shared<const Tree>(std::move(tree)));
  }
  if (wanted) return std::make_shared<Forest>(forest->shape(), std::move(trees), std::move(all));
  return std::make_shared<Forest>(forest->shape(), std::move(trees));
}

std::shared_ptr<Forest> shrink(const Forest& forest, double strength, unsigned n_jobs) {
  if (!(strength >= 0) || std::isinf(strength))
    throw std::invalid_argument("strength: a number >= 0");
  if (forest.shares_shapes()) throw std::invalid_argument("sums of trees are not shrunk");
  std::shared_ptr<Forest> shrunk;
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    shrunk = std::make_shared<Forest>(forest, shrink_leaves(forest, strength, run));
  });
  return shrunk;
}

std::shared_ptr<Forest> scaled(const Forest& forest, const Vector<double>& factors) {
  if (forest.shape().is_classifier) throw std::invalid_argument("classes cannot be scaled");
  if (factors.shape(0) != forest.n_trees()) throw std::invalid_argument("factors: one per tree");
  return std::make_shared<Forest>(forest.shape(), scale_values(forest, span(factors)));
}

std::shared_ptr<Forest> bounded(const Forest& forest, const std::vector<std::int8_t>& monotone) {
  const ForestShape& shape = forest.shape();
  check_monotone(monotone, shape.n_levels,
                 static_cast<std::size_t>(shape.n_outputs - (shape.is_classifier ? 1 : 0)));
  if (forest.shares_shapes()) throw std::invalid_argument("trees that share their shapes");
  std::vector<Tree> trees;
  for (const auto& tree : forest.trees()) {
    trees.push_back(*tree);
    bound_leaves(trees.back(), shape, monotone);
  }
  return std::make_shared<Forest>(shape, std::move(trees));
}

nb::object variation(const Forest& forest, std::size_t trees_per_member) {
  if (forest.shape().is_classifier) throw std::invalid_argument("classes do not add up");
  if (trees_per_member < 1 || forest.n_trees() % trees_per_member != 0)
    throw std::invalid_argument("trees_per_member: must divide the trees");
  const auto d = static_cast<std::size_t>(forest.shape().n_features);
  return to_numpy(split_variation(forest, trees_per_member),
                  {forest.n_trees() / trees_per_member, d});
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
  nb::class_<Forest> forest(m, "Forest");
  forest.def_static("from_arrays", &from_arrays, nb::arg("arrays"))
      .def_static("join", &join, nb::arg("forests"))
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
      .def("split_variation", &variation, nb::arg("trees_per_member"))
      .def("sharing", &sharing, nb::arg("wanted"))
      .def("select", &select, nb::arg("indices"))
      .def("scaled", &scaled, nb::arg("factors"))
      .def("bounded", &bounded, nb::arg("monotonic_cst"))
      .def("shrink_leaves", &shrink, nb::arg("strength"), nb::arg("n_jobs") = 1);
  bind_predict(m, forest);
}

}  // namespace bayeswood::bindings
