#include <algorithm>
#include <cmath>
#include <memory>

#include "bayeswood/grow/cart.hpp"
#include "bayeswood/grow/tree_grower.hpp"

namespace bayeswood {

Target Target::regression(std::span<const double> values, std::uint32_t n_outputs,
                          std::span<const double> sample_weight) {
  Target target;
  target.kind = n_outputs == 1 ? TargetKind::SCALAR : TargetKind::MULTI;
  target.n_outputs = n_outputs;
  target.values = values;
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  const int exponent = largest > 0 ? std::clamp(std::ilogb(largest), -1000, 1000) : 0;
  const double scale = std::ldexp(1.0, -exponent);  // squares neither overflow nor vanish
  target.unit = std::ldexp(1.0, exponent);
  target.scanned.reserve(values.size());
  for (const double value : values) target.scanned.push_back(value * scale);
  const std::size_t n = values.size() / n_outputs;
  for (std::uint32_t k = 0; k < n_outputs; ++k) {
    double w = 0;
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double row_w = sample_weight.empty() ? 1.0 : sample_weight[i];
      w += row_w;
      if (row_w > 0) mean += (target.scanned[i * n_outputs + k] - mean) * (row_w / w);
    }
    for (std::size_t i = 0; i < n; ++i) target.scanned[i * n_outputs + k] -= mean;
    if (k == 0) target.offset = mean;
  }
  return target;
}

// Poisson deviance is of numbers that are not negative: they are scaled alone.
Target Target::regression(std::span<const double> values, std::uint32_t n_outputs,
                          std::span<const double> sample_weight, Criterion criterion) {
  Target target = regression(values, n_outputs, sample_weight);
  target.kind = TargetKind::MULTI;
  target.criterion = criterion;
  if (criterion != Criterion::POISSON) return target;
  target.offset = 0;
  const double scale = 1 / target.unit;
  for (std::size_t i = 0; i < values.size(); ++i) target.scanned[i] = values[i] * scale;
  return target;
}

double Target::impurity_unit() const {
  const double per_output = unit / static_cast<double>(n_outputs);
  if (criterion == Criterion::ENTROPY) return 1 / std::log(2.0);
  if (criterion == Criterion::GINI) return kind == TargetKind::SCALAR ? 2 : 1;
  return criterion == Criterion::SQUARED_ERROR ? unit * per_output : per_output;
}

Target Target::classification(std::span<const std::int32_t> labels, std::uint32_t n_classes,
                              Criterion criterion) {
  Target target;
  target.is_classifier = true;
  target.criterion = criterion;
  target.n_outputs = n_classes;
  target.kind =
      criterion == Criterion::GINI && n_classes <= 2 ? TargetKind::SCALAR : TargetKind::CLASSES;
  target.labels.assign(labels.begin(), labels.end());
  if (target.kind == TargetKind::SCALAR) target.scanned.assign(labels.begin(), labels.end());
  return target;
}

Splitter splitter_of(const GrowOptions& options, std::uint64_t number) {
  // Rounding must not take 10 * 0.1 for less than 1.
  const auto randomized_before = [&](std::uint64_t n) {
    return std::floor(static_cast<double>(n) * options.randomized_fraction + 1e-9);
  };
  return randomized_before(number + 1) > randomized_before(number) ? Splitter::RANDOM
                                                                   : options.splitter;
}

namespace {

// The weights of one tree, with those that the user gave.
void weigh_rows(const GrowRequest& request, const WeightScheme& scheme, std::size_t t,
                std::span<double> weights) {
  const std::size_t n = weights.size();
  if (scheme.kind == WeightKind::GIVEN) {
    const auto given = request.given_weights.subspan(t * n, n);
    std::copy(given.begin(), given.end(), weights.begin());
  } else {
    draw_weights(scheme, request.first_tree + t, request.sample_weight, weights);
  }
  for (std::size_t i = 0; i < n && !request.sample_weight.empty(); ++i) {
    weights[i] *= request.sample_weight[i];
  }
}

// For random cuts of numbers, unless nodes look at few of the features: all are copied.
ValueTable values_for(const GrowRequest& request, const GrowOptions& options, unsigned n_threads) {
  constexpr std::size_t MOST_UNSEEN = 8;  // for each feature that a node looks at
  const EncodedMatrix& matrix = request.matrix;
  const bool random = options.splitter == Splitter::RANDOM || options.randomized_fraction > 0;
  if (!random || request.target.kind == TargetKind::MULTI || matrix.has_categories() ||
      matrix.has_missing() || matrix.n_features() > MOST_UNSEEN * options.max_features)
    return {};
  return make_value_table(matrix, n_threads);
}

// What a thread grows its trees with. Trees that share a draw are mostly its own one after another,
// and keep the weights.
class Worker {
 public:
  Worker(const GrowRequest& request, const GrowOptions& options, const ValueTable& values)
      : request_(request),
        options_(options),
        grower_(request.matrix, request.target, options, values) {}

  void grow(std::size_t t, GrownForest& grown, const StopFlag& stop) {
    const std::uint64_t number = request_.first_tree + t;
    const std::uint64_t draw = options_.scheme.draw_of(number);
    if (options_.scheme.kind == WeightKind::GIVEN || !has_drawn_ || draw != draw_) {
      weigh_rows(request_, options_.scheme, t, grower_.weights());
      draw_ = draw;
      has_drawn_ = true;
    }
    double* importance = grown.importances.data() + t * request_.matrix.n_features();
    grower_.grow(number, grown.trees[t], importance, stop);
  }

 private:
  const GrowRequest& request_;
  const GrowOptions& options_;
  TreeGrower grower_;
  std::uint64_t draw_ = 0;
  bool has_drawn_ = false;
};

}  // namespace

GrownForest grow_forest(const GrowRequest& request, const GrowOptions& options,
                        const Running& run) {
  GrownForest grown;
  grown.trees.resize(request.n_trees);
  grown.importances.assign(request.n_trees * request.matrix.n_features(), 0.0);
  const ValueTable values = values_for(request, options, run.n_threads);
  std::vector<std::unique_ptr<Worker>> workers(worker_count(request.n_trees, run.n_threads));
  parallel_for(
      request.n_trees, run.n_threads,
      [&](std::size_t t, unsigned number, const StopFlag& stop) {
        auto& worker = workers[number];
        if (!worker) worker = std::make_unique<Worker>(request, options, values);
        worker->grow(t, grown, stop);
      },
      run.poll);
  return grown;
}

}  // namespace bayeswood
