#include "bayeswood/grow/boost.hpp"

#include <algorithm>
#include <cmath>

#include "bayeswood/forest/monotone.hpp"

namespace bayeswood {

BoostedBags::BoostedBags(const EncodedMatrix& matrix, const BoostData& data,
                         const WeightScheme& scheme, const BoostOptions& options,
                         const Running& run)
    : bins_(matrix, run.n_threads, run.poll),
      options_(options),
      n_outputs_(data.n_outputs),
      responses_(data.responses.begin(), data.responses.end()),
      bags_(options.n_bags) {
  parallel_for(
      n_bags(), run.n_threads,
      [&](std::size_t b, unsigned, const StopFlag&) { start(b, data, scheme); }, run.poll);
}

void BoostedBags::start(std::size_t b, const BoostData& data, const WeightScheme& scheme) {
  Bag& bag = bags_[b];
  const std::uint64_t tree = (options_.first_bag + b) * scheme.trees_per_draw;
  static_cast<BagRows&>(bag) = draw_bag(scheme, tree, data.sample_weight, n_rows(), false);
  bag.importance.assign(bins_.matrix().n_features(), 0.0);
  centre(bag);
}

// Takes the mean of the rows in the bag from all.
void BoostedBags::centre(Bag& bag) const {
  const auto inside = bag.inside();
  const std::size_t k = n_outputs_;
  bag.mean.assign(k, 0.0);
  double total = 0;
  for (const auto row : inside) {
    total += bag.weight(row);
    for (std::size_t j = 0; j < k; ++j)
      bag.mean[j] += (responses_[row * k + j] - bag.mean[j]) * (bag.weight(row) / total);
  }
  bag.residuals = responses_;
  for (std::size_t i = 0; i < bag.residuals.size(); ++i) bag.residuals[i] -= bag.mean[i % k];
  bag.exponent = scale_exponent({bag.residuals, {}, n_outputs_}, inside, 0);
  const double scale = std::ldexp(1.0, bag.exponent);
  for (const auto row : inside) {
    for (std::size_t j = 0; j < k; ++j) {
      const double scaled = bag.residuals[row * k + j] * scale;
      bag.squares += bag.weight(row) * scaled * scaled;
    }
  }
}

// One thread's grower, for bags with weights or without.
class BoostedBags::Worker {
 public:
  explicit Worker(const BoostedBags& bags)
      : bags_(bags),
        shape_{static_cast<std::int32_t>(bags.matrix().n_features()),
               static_cast<std::int32_t>(bags.n_outputs()), false, bags.matrix().n_levels()} {}

  void grow(Bag& bag, std::uint64_t number, const StopFlag& stop) {
    auto& grower = bag.weights.empty() ? plain_ : weighted_;
    const std::uint32_t k = bags_.n_outputs_;
    if (!grower)
      grower = std::make_unique<StageGrower>(bags_.bins_, bags_.options_.stage, bags_.n_rows(), k,
                                             !bag.weights.empty());
    rows_ = bag.rows;
    gains_.assign(bag.importance.size(), 0.0);
    const StageRows rows{std::span(rows_).first(bag.n_inside),
                         std::span(rows_).subspan(bag.n_inside)};
    Tree tree = grower->grow(number, {bag.residuals, bag.weights, k, bag.exponent}, rows,
                             gains_.data(), stop);
    bound_leaves(tree, shape_, bags_.options_.stage.monotone);
    for (double& value : tree.leaf_value) value *= bags_.options_.learning_rate;
    for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
      const double* value = tree.leaf_value.data() + leaf * k;
      for (const auto part : {grower->inside(leaf), grower->outside(leaf)})
        for (const auto row : part)
          for (std::size_t j = 0; j < k; ++j) bag.residuals[std::size_t{row} * k + j] -= value[j];
    }
    if (bag.trees.empty())
      for (std::size_t i = 0; i < tree.leaf_value.size(); ++i)
        tree.leaf_value[i] += bag.mean[i % k];
    for (std::size_t j = 0; j < gains_.size() && bag.squares > 0; ++j)
      bag.importance[j] += gains_[j] / bag.squares;
    bag.trees.push_back(std::make_shared<const Tree>(std::move(tree)));
  }

 private:
  const BoostedBags& bags_;
  ForestShape shape_;
  std::unique_ptr<StageGrower> plain_, weighted_;
  std::vector<std::uint32_t> rows_;
  std::vector<double> gains_;
};

void BoostedBags::grow(std::size_t n_stages, std::span<const std::size_t> bags,
                       const Running& run) {
  std::vector<std::unique_ptr<Worker>> workers(worker_count(bags.size(), run.n_threads));
  parallel_for(
      bags.size(), run.n_threads,
      [&](std::size_t i, unsigned w, const StopFlag& stop) {
        if (!workers[w]) workers[w] = std::make_unique<Worker>(*this);
        Bag& bag = bags_[bags[i]];
        for (std::size_t s = 0; s < n_stages; ++s) {
          const std::uint64_t first =
              FIRST_OF_NUMBERS + (options_.first_bag + bags[i]) * MOST_STAGES;
          workers[w]->grow(bag, first + bag.trees.size(), stop);
        }
      },
      run.poll);
}

void BoostedBags::out_of_bag(double* sums, std::int32_t* counts) const {
  const std::size_t k = n_outputs_;
  std::fill_n(sums, n_rows() * k, 0.0);
  std::fill_n(counts, n_rows(), 0);
  for (const Bag& bag : bags_) {
    for (const auto row : bag.outside()) {
      ++counts[row];
      for (std::size_t i = std::size_t{row} * k; i < (std::size_t{row} + 1) * k; ++i)
        sums[i] += responses_[i] - bag.residuals[i];
    }
  }
}

}  // namespace bayeswood
