#include "bayeswood/grow/boost.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "bayeswood/forest/walk_tree.hpp"
#include "bayeswood/grow/tree_grower.hpp"

namespace bayeswood {
namespace {

// Random numbers of boosted trees are apart from those of other trees of the same seed, and room is
// left for the stages of a bag.
constexpr std::uint64_t FIRST_NUMBER = 1ULL << 40;
constexpr std::uint64_t MOST_STAGES = 1ULL << 20;

// One worker's residuals and grower, reused from bag to bag.
class Booster {
 public:
  Booster(const GrowRequest& request, const BoostOptions& options, const BoostStart* start)
      : request_(request),
        options_(options),
        start_(start),
        n_before_(start == nullptr ? 0 : start->forest.n_trees() / request.n_trees),
        k_(request.target.n_outputs),
        residuals_(request.target.values.begin(), request.target.values.end()),
        target_(Target::regression(residuals_, request.target.n_outputs, {})),
        grower_(request.matrix, target_, options.tree) {}

  void grow_bag(std::size_t b, Tree* trees, double* importance, const StopFlag& stop) {
    take_bag(b);
    std::vector<double> decrease(request_.matrix.n_features());
    for (std::size_t s = 0; s < options_.n_stages; ++s) {
      check_stop(stop);
      target_ = Target::regression(residuals_, target_.n_outputs, grower_.weights());
      std::fill(decrease.begin(), decrease.end(), 0.0);
      const std::uint64_t number =
          FIRST_NUMBER + (request_.first_tree + b) * MOST_STAGES + n_before_ + s;
      grower_.grow(number, trees[s], decrease.data(), stop);
      const double share = first_squares_ > 0 ? squares(residuals_) / first_squares_ : 0;
      for (std::size_t j = 0; j < decrease.size(); ++j) importance[j] += share * decrease[j];
      learn(trees[s]);
    }
    if (n_before_ > 0) return;
    for (std::size_t i = 0; i < trees[0].leaf_value.size(); ++i)
      trees[0].leaf_value[i] += means_[i % k_];
  }

 private:
  void take_bag(std::size_t b) {
    const auto& y = request_.target.values;
    std::vector<double> weights(request_.matrix.n_rows());
    draw_weights(options_.tree.scheme,
                 (request_.first_tree + b) * options_.tree.scheme.trees_per_draw,
                 request_.sample_weight, weights);
    for (std::size_t i = 0; i < weights.size() && !request_.sample_weight.empty(); ++i)
      weights[i] *= request_.sample_weight[i];
    grower_.set_weights(weights);
    first_squares_ = squares(request_.target.values);
    means_.assign(k_, 0.0);
    std::fill(residuals_.begin(), residuals_.end(), 0.0);  // those of an earlier bag play no part
    if (n_before_ > 0) return resume(b);
    double total = 0;
    for (const auto row : grower_.rows()) {
      total += weights[row];
      for (std::size_t j = 0; j < k_; ++j)
        means_[j] += (y[row * k_ + j] - means_[j]) * (weights[row] / total);
    }
    for (const auto row : grower_.rows())
      for (std::size_t j = 0; j < k_; ++j) residuals_[row * k_ + j] = y[row * k_ + j] - means_[j];
  }

  // What the stages before leave of the responses.
  void resume(std::size_t b) {
    const auto& y = request_.target.values;
    const Forest& forest = start_->forest;
    for (const auto row : grower_.rows()) {
      double* residual = residuals_.data() + row * k_;
      for (std::size_t j = 0; j < k_; ++j) residual[j] = y[row * k_ + j];
      for (std::size_t s = 0; s < n_before_; ++s) {
        const Tree& tree = forest.tree(b * n_before_ + s);
        const std::uint32_t node = walk_tree(tree, forest.shape(), start_->table, row);
        for (std::size_t j = 0; j < k_; ++j)
          residual[j] -= tree.leaf_value[tree.child[node] * k_ + j];
      }
    }
  }

  // Weighted squares around their means, over the rows of the bag and all responses.
  double squares(std::span<const double> values) const {
    double sum = 0;
    for (std::size_t j = 0; j < k_; ++j) {
      double total = 0;
      double mean = 0;
      for (const auto row : grower_.rows()) {
        const double w = grower_.weights()[row];
        total += w;
        const double before = values[row * k_ + j] - mean;
        mean += before * (w / total);
        sum += w * before * (values[row * k_ + j] - mean);
      }
    }
    return sum;
  }

  // Shrinks the tree, takes it from the residuals of its rows, and lets go of these.
  void learn(Tree& tree) {
    for (double& value : tree.leaf_value) value *= options_.learning_rate;
    std::size_t next = 0;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
      if (tree.feature[node] != LEAF) continue;
      const double* value = tree.leaf_value.data() + tree.child[node] * k_;
      for (const std::size_t end = next + tree.n_samples[node]; next < end; ++next) {
        double* residual = residuals_.data() + tree.leaf_rows[next] * k_;
        for (std::size_t j = 0; j < k_; ++j) residual[j] -= value[j];
      }
    }
    tree.leaf_rows = {};
  }

  const GrowRequest& request_;
  const BoostOptions& options_;
  const BoostStart* start_;
  std::size_t n_before_;  // stages of each bag
  std::size_t k_;
  std::vector<double> residuals_;
  std::vector<double> means_;
  double first_squares_ = 0;  // of the responses
  Target target_;
  TreeGrower grower_;
};

}  // namespace

GrownForest boost_bags(const GrowRequest& request, const BoostOptions& options,
                       const BoostStart* start, const Running& run) {
  GrownForest grown;
  const std::size_t d = request.matrix.n_features();
  grown.trees.resize(request.n_trees * options.n_stages);
  grown.importances.assign(request.n_trees * d, 0.0);
  std::vector<std::unique_ptr<Booster>> boosters(worker_count(request.n_trees, run.n_threads));
  parallel_for(
      request.n_trees, run.n_threads,
      [&](std::size_t b, unsigned worker, const StopFlag& stop) {
        auto& booster = boosters[worker];
        if (!booster) booster = std::make_unique<Booster>(request, options, start);
        booster->grow_bag(b, grown.trees.data() + b * options.n_stages,
                          grown.importances.data() + b * d, stop);
      },
      run.poll);
  return grown;
}

}  // namespace bayeswood
