#include "bayeswood/grow/tree_grower.hpp"

#include <cmath>
#include <stdexcept>

namespace bayeswood {

TreeGrower::TreeGrower(const EncodedMatrix& matrix, const Target& target,
                       const GrowOptions& options, const ValueTable& values)
    : matrix_(matrix),
      target_(target),
      options_(options),
      values_(values),
      builder_(matrix, target, options.keep_rows),
      choice_(matrix, target, options) {
  if (needs_rules(target, options.rules))
    ruled_ = std::make_unique<RuledGrower>(matrix, target, options.rules);
}

void TreeGrower::list_rows() {
  rows_.resize(weights_.size());
  std::size_t taking_part = 0;
  for (std::uint32_t i = 0; i < weights_.size(); ++i) {
    rows_[taking_part] = i;
    taking_part += weights_[i] > 0 ? 1 : 0;
  }
  rows_.resize(taking_part);
  if (rows_.empty()) throw std::invalid_argument("every row has weight 0");
}

// Of numbers they stand beside the responses by now: memory for the tree, where it is the only one
// of its draw.
void TreeGrower::drop_weights() {
  if (target_.kind != TargetKind::SCALAR || options_.scheme.trees_per_draw > 1) return;
  data_.w = nullptr;
  std::vector<double>().swap(weights_);
}

void TreeGrower::grow(std::uint64_t number, Tree& grown, double* importance, const StopFlag& stop) {
  list_rows();
  load();
  builder_.restart();
  FeatureOrder features(matrix_.n_features(),
                        Stream(options_.scheme.seed, number, Purpose::FEATURES), shuffles());
  Stream choices(options_.scheme.seed, number, Purpose::CHOICES);
  const NodeTotals totals = root_totals();
  std::vector<double> decrease(matrix_.n_features(), 0.0);
  TreeContext tree{matrix_, target_,         options_,
                   stop,    builder_,        features,
                   choices, decrease.data(), options_.min_weight_fraction_leaf * totals.w};
  const bool random = splitter_of(options_, number) == Splitter::RANDOM;
  if (ruled_ && !random) {
    ruled_->grow(tree, rows_);
  } else if (random) {
    if (!random_) random_ = std::make_unique<RandomGrower>(matrix_, target_, values_);
    random_->grow(tree, rows_, data_, totals,
                  Stream(options_.scheme.seed, number, Purpose::THRESHOLDS));
  } else {
    if (!large_) large_ = std::make_unique<LargeGrower>(matrix_, target_, choice_);
    drop_weights();
    large_->grow(tree, rows_, pair_, data_, totals);
  }
  const double unit = totals.impurity > 0 ? 1 / totals.impurity : 0;
  for (std::size_t j = 0; j < decrease.size(); ++j) importance[j] += decrease[j] * unit;
  grown = builder_.finish();
  if (random) bound_leaves(grown, shape(), options_.rules.monotone);
}

ForestShape TreeGrower::shape() const {
  return {static_cast<std::int32_t>(matrix_.n_features()),
          static_cast<std::int32_t>(target_.n_outputs), target_.is_classifier, matrix_.n_levels()};
}

bool TreeGrower::shuffles() const {
  return options_.random_ties || options_.max_features < matrix_.n_features();
}

void TreeGrower::load() {
  data_ = {};
  if (count_rows()) {
    data_.counted = {counts_.data(), tails_.data()};
    return;
  }
  if (target_.kind == TargetKind::SCALAR) {
    pair_.resize(weights_.size());
    for (const auto row : rows_) pair_[row] = {weights_[row], weights_[row] * target_.scanned[row]};
  }
  data_ = {pair_.data(),          target_.scanned.data(), weights_.data(),
           target_.labels.data(), target_.scanned.data(), {}};
}

NodeTotals TreeGrower::root_totals() {
  const std::span<const std::uint32_t> rows(rows_);
  if (ruled_) return ruled_->root_totals(rows, data_);
  if (data_.counted.counts == nullptr) {
    SideSet sides(data_, target_);
    return node_totals(rows, data_, target_, sides);
  }
  PackedCount all = 0;
  for (const auto row : rows) all += counts_[row];
  return count_totals(all);
}

// Whether the rows of this tree are fit for CountSearch, and then their counts.
bool TreeGrower::count_rows() {
  if (!choice_.may_count() || rows_.size() > MAX_COUNTED_ROWS) return false;
  counts_.resize(weights_.size());
  tails_.resize(weights_.size());
  double total = 0;
  for (const auto row : rows_) {
    const double w = weights_[row];
    if (w > MAX_ROW_COUNT || w != std::floor(w)) return false;
    total += w;
    tails_[row] = row_tail(static_cast<std::uint32_t>(w), target_.scanned[row] == 1);
    counts_[row] = count_of(tails_[row]);
  }
  return total <= MAX_COUNT;
}

}  // namespace bayeswood
