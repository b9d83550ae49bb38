#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bayeswood/grow/cart.hpp"
#include "bayeswood/grow/large_grower.hpp"

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
  }
  return target;
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

namespace {

// One worker's buffers and growers, reused from tree to tree.
class Worker {
 public:
  Worker(const GrowRequest& request, const GrowOptions& options)
      : request_(request),
        options_(options),
        large_(request.matrix, request.target, options),
        weights_(request.matrix.n_rows()) {}

  Tree grow(std::size_t t, double* importance, const StopFlag& stop) {
    const Target& target = request_.target;
    draw(t);
    load();
    const std::uint64_t number = request_.first_tree + t;
    TreeBuilder builder(request_.matrix, target, options_.keep_rows);
    FeatureOrder features(request_.matrix.n_features(),
                          Stream(options_.scheme.seed, number, Purpose::FEATURES), shuffles());
    SideSet sides(data_, target);
    const NodeTotals totals =
        node_totals(std::span<const std::uint32_t>(rows_), data_, target, sides);
    TreeContext tree{
        request_.matrix, target,   options_,   stop,
        builder,         features, importance, options_.min_weight_fraction_leaf * totals.w};
    large_.grow(tree, rows_, data_, totals);
    const double unit = totals.impurity > 0 ? 1 / totals.impurity : 0;
    for (std::size_t j = 0; j < request_.matrix.n_features(); ++j) importance[j] *= unit;
    return builder.finish();
  }

 private:
  bool shuffles() const {
    return options_.random_ties || options_.max_features < request_.matrix.n_features();
  }

  void draw(std::size_t t) {
    const std::size_t n = weights_.size();
    if (options_.scheme.kind == WeightKind::GIVEN) {
      const auto given = request_.given_weights.subspan(t * n, n);
      std::copy(given.begin(), given.end(), weights_.begin());
    } else {
      draw_weights(options_.scheme, request_.first_tree + t, request_.sample_weight, weights_);
    }
    for (std::size_t i = 0; i < n && !request_.sample_weight.empty(); ++i) {
      weights_[i] *= request_.sample_weight[i];
    }
    rows_.clear();
    for (std::uint32_t i = 0; i < n; ++i) {
      if (weights_[i] > 0) rows_.push_back(i);
    }
    if (rows_.empty()) throw std::invalid_argument("every row has weight 0");
  }

  void load() {
    const Target& target = request_.target;
    if (target.kind == TargetKind::SCALAR) {
      pair_.resize(weights_.size());
      for (const auto row : rows_)
        pair_[row] = {weights_[row], weights_[row] * target.scanned[row]};
    }
    data_ = {pair_.data(), target.scanned.data(), weights_.data(), target.labels.data(),
             target.scanned.data()};
  }

  const GrowRequest& request_;
  const GrowOptions& options_;
  LargeGrower large_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> rows_;
  std::vector<WeightedValue> pair_;
  RowData data_;
};

}  // namespace

GrownForest grow_forest(const GrowRequest& request, const GrowOptions& options,
                        const Running& run) {
  GrownForest grown;
  const std::size_t d = request.matrix.n_features();
  grown.trees.resize(request.n_trees);
  grown.importances.assign(request.n_trees * d, 0.0);
  std::vector<std::unique_ptr<Worker>> workers(worker_count(request.n_trees, run.n_threads));
  parallel_for(
      request.n_trees, run.n_threads,
      [&](std::size_t t, unsigned worker, const StopFlag& stop) {
        if (!workers[worker]) workers[worker] = std::make_unique<Worker>(request, options);
        grown.trees[t] = workers[worker]->grow(t, grown.importances.data() + t * d, stop);
      },
      run.poll);
  return grown;
}

}  // namespace bayeswood
