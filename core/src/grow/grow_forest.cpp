#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "bayeswood/grow/cart.hpp"
#include "bayeswood/grow/large_grower.hpp"
#include "bayeswood/grow/random_grower.hpp"

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

Splitter splitter_of(const GrowOptions& options, std::uint64_t number) {
  // Rounding must not take 10 * 0.1 for less than 1.
  const auto randomized_before = [&](std::uint64_t n) {
    return std::floor(static_cast<double>(n) * options.randomized_fraction + 1e-9);
  };
  return randomized_before(number + 1) > randomized_before(number) ? Splitter::RANDOM
                                                                   : options.splitter;
}

namespace {

// Few features of two classes: more features are faster from presorted lists. Random cuts need no
// search that counts could speed up.
bool counts_pay(const GrowRequest& request, const GrowOptions& options) {
  const EncodedMatrix& matrix = request.matrix;
  return options.splitter == Splitter::BEST && options.randomized_fraction == 0 &&
         request.target.is_classifier && request.target.kind == TargetKind::SCALAR &&
         !matrix.has_categories() && !matrix.has_missing() &&
         !SmallGrower::presorts(matrix, options);
}

// One worker's buffers and growers, reused from tree to tree.
class Worker {
 public:
  Worker(const GrowRequest& request, const GrowOptions& options)
      : request_(request),
        options_(options),
        weights_(request.matrix.n_rows()),
        may_count_(counts_pay(request, options)) {}

  Tree grow(std::size_t t, double* importance, const StopFlag& stop) {
    const Target& target = request_.target;
    draw(t);
    load();
    const std::uint64_t number = request_.first_tree + t;
    TreeBuilder builder(request_.matrix, target, options_.keep_rows);
    FeatureOrder features(request_.matrix.n_features(),
                          Stream(options_.scheme.seed, number, Purpose::FEATURES), shuffles());
    Stream choices(options_.scheme.seed, number, Purpose::CHOICES);
    const NodeTotals totals = root_totals();
    TreeContext tree{request_.matrix,
                     target,
                     options_,
                     stop,
                     builder,
                     features,
                     choices,
                     importance,
                     options_.min_weight_fraction_leaf * totals.w};
    if (splitter_of(options_, number) == Splitter::RANDOM) {
      if (!random_) random_ = std::make_unique<RandomGrower>(request_.matrix, target);
      random_->grow(tree, rows_, data_, totals,
                    Stream(options_.scheme.seed, number, Purpose::THRESHOLDS));
    } else {
      if (!large_) large_ = std::make_unique<LargeGrower>(request_.matrix, target, options_);
      large_->grow(tree, rows_, data_, totals);
    }
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
    rows_.resize(n);
    std::size_t taking_part = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      rows_[taking_part] = i;
      taking_part += weights_[i] > 0 ? 1 : 0;
    }
    rows_.resize(taking_part);
    if (rows_.empty()) throw std::invalid_argument("every row has weight 0");
  }

  void load() {
    const Target& target = request_.target;
    data_ = {};
    if (count_rows()) {
      data_.counted = {counts_.data(), tails_.data()};
      return;
    }
    if (target.kind == TargetKind::SCALAR) {
      pair_.resize(weights_.size());
      for (const auto row : rows_)
        pair_[row] = {weights_[row], weights_[row] * target.scanned[row]};
    }
    data_ = {pair_.data(),         target.scanned.data(), weights_.data(),
             target.labels.data(), target.scanned.data(), {}};
  }

  NodeTotals root_totals() const {
    const std::span<const std::uint32_t> rows(rows_);
    if (data_.counted.counts == nullptr) {
      SideSet sides(data_, request_.target);
      return node_totals(rows, data_, request_.target, sides);
    }
    PackedCount all = 0;
    for (const auto row : rows) all += counts_[row];
    return count_totals(all);
  }

  // Whether the rows of this tree are fit for CountSearch, and then their counts.
  bool count_rows() {
    const Target& target = request_.target;
    if (!may_count_ || rows_.size() > MAX_COUNTED_ROWS) return false;
    counts_.resize(weights_.size());
    tails_.resize(weights_.size());
    double total = 0;
    for (const auto row : rows_) {
      const double w = weights_[row];
      if (w > MAX_ROW_COUNT || w != std::floor(w)) return false;
      total += w;
      tails_[row] = row_tail(static_cast<std::uint32_t>(w), target.labels[row] == 1);
      counts_[row] = count_of(tails_[row]);
    }
    return total <= MAX_COUNT;
  }

  const GrowRequest& request_;
  const GrowOptions& options_;
  std::unique_ptr<LargeGrower> large_;  // one of the two
  std::unique_ptr<RandomGrower> random_;
  std::vector<double> weights_;
  bool may_count_;
  std::vector<PackedCount> counts_;
  std::vector<RowTail> tails_;
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
