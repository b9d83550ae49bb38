#include "bayeswood/grow/value_grower.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "bayeswood/base/prefetch.hpp"

namespace bayeswood {
namespace {

// Bytes of a subtree's values. Of a row, a node reads a few cache lines: they may fill the second
// cache.
constexpr std::size_t BLOCK_BYTES = std::size_t{1} << 20;

// A row, LANES at a time: without a call.
template <class Value>
void copy_cells(const Value* from, std::size_t n, Value* to) {
  for (std::size_t k = 0; k < n; k += LANES) std::memcpy(to + k, from + k, LANES * sizeof(Value));
}

// The feature that is left when each in `order` replaces one that it exceeds by more than the
// tolerance. Mostly there is no tie, and the order does not matter.
std::size_t first_unbeaten(const std::vector<double>& gains, std::span<const std::uint32_t> order,
                           double tolerance) {
  const double largest = *std::max_element(gains.begin(), gains.end());
  std::size_t best = 0, n_near = 0;
  for (std::size_t j = 0; j < gains.size(); ++j) {
    const bool near = !(largest > gains[j] + tolerance);
    best = near ? j : best;
    n_near += near ? 1 : 0;
  }
  if (n_near == 1) return best;
  best = order[0];
  for (const std::uint32_t j : order) best = gains[j] > gains[best] + tolerance ? j : best;
  return best;
}

}  // namespace

template <class Value>
ValueGrower<Value>::ValueGrower(const EncodedMatrix& matrix, const Target& target,
                                const ValueRows<Value>& table, std::span<const CodeGrid> grids)
    : matrix_(matrix),
      target_(target),
      table_(table),
      grids_(grids),
      parts_(target),
      sums_(target),
      picked_(target),
      least_(table.stride),
      largest_(table.stride),
      cut_(table.stride),
      threshold_(table.stride),
      gains_(table.stride),
      drawn_(table.has_bins ? matrix.n_features() : 0) {}

template <class Value>
bool ValueGrower<Value>::takes_all(const TreeContext& tree) const {
  return tree.options.max_features == matrix_.n_features() && !table_.has_bins;
}

template <class Value>
bool ValueGrower<Value>::takes(std::size_t n_rows) const {
  return n_rows * table_.stride * sizeof(Value) <= BLOCK_BYTES;
}

template <class Value>
void ValueGrower<Value>::grow(TreeContext& tree, const GrowTask& task,
                              std::vector<std::uint32_t>& order, const RowData& data,
                              const ScalarRows& scalars, Stream& draws) {
  draws_ = &draws;
  parts_.set_rows(order.data(), task.totals.n);
  copy_rows(parts_.rows_of(task), data, scalars);
  stack_.assign(1, task);
  while (!stack_.empty()) {
    const GrowTask next = stack_.back();
    stack_.pop_back();
    grow_node(tree, next);
  }
}

template <class Value>
void ValueGrower<Value>::copy_rows(std::span<std::uint32_t> rows, const RowData& data,
                                   const ScalarRows& scalars) {
  constexpr std::size_t AHEAD = 24, LINE = 64 / sizeof(Value);
  const std::size_t n = rows.size();
  const bool classes = target_.kind == TargetKind::CLASSES, regression = !target_.is_classifier;
  const bool counts = scalars.ones != nullptr;
  Block& to = block_;
  to.training_row.assign(rows.begin(), rows.end());
  to.values.resize(n * table_.stride + MOST_PICKED_BYTES / sizeof(Value));
  if (lanes_.size() < n * LANES) lanes_.resize(n * LANES);
  if (classes) {
    to.w.resize(n);
    to.label.resize(n);
  } else if (counts) {
    to.ones.resize(n);
  } else {
    to.numbers.resize(n);
  }
  to.scalars = {counts ? nullptr : to.numbers.data(), counts ? to.ones.data() : nullptr};
  if (regression) {
    to.pair.resize(n);
    to.natural.resize(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t row = rows[i];
    const Value* later = table_.row(rows[std::min(i + AHEAD, n - 1)]);
    for (std::size_t k = 0; k < table_.stride; k += LINE) prefetch(later + k);
    copy_cells(table_.row(row), table_.stride, to.values.data() + i * table_.stride);
    if (classes) {
      to.w[i] = data.w[row];
      to.label[i] = data.label[row];
    } else if (counts) {
      to.ones[i] = scalars.ones[row];
    } else {
      to.numbers[i] = scalars.numbers[row];
    }
    if (regression) {
      to.pair[i] = data.pair[row];
      to.natural[i] = target_.values[row];
    }
  }
  to.data = {to.pair.data(), nullptr, to.w.data(), to.label.data(), nullptr, {}};
  to.data.natural = regression ? to.natural.data() : nullptr;
  std::iota(rows.begin(), rows.end(), 0U);
}

template <class Value>
void ValueGrower<Value>::end(TreeContext& tree, const GrowTask& task) {
  tree.builder.set_leaf(task.node, task.totals, rows_of(task), block_.data,
                        block_.training_row.data());
}

template <class Value>
void ValueGrower<Value>::push_or_end(TreeContext& tree, const GrowTask& task) {
  tree.must_stop(task.totals, task.depth) ? end(tree, task) : stack_.push_back(task);
}

template <class Value>
void ValueGrower<Value>::grow_node(TreeContext& tree, const GrowTask& task) {
  const Best best = find_best(tree, task);
  if (!best.found()) return end(tree, task);
  GrowTask left, right;
  part(best, task, tree.options.kernels->lanes<Value>(), left, right);
  Split split;
  split.feature = best.feature;
  split.threshold = best.threshold;
  const auto children = tree.builder.set_split(task.node, split, left.totals.n, right.totals.n);
  if (table_.has_bins && matrix_.feature(best.feature).high.size() > 0)
    drawn_[best.feature].push_back({tree.builder.last_threshold(), best.largest, best.threshold});
  left.node = children.left;
  right.node = children.right;
  tree.importance[best.feature] += std::max(0.0, best.score);
  push_or_end(tree, right);
  push_or_end(tree, left);
}

// Sums of children are those in the order of their rows; of classes they are known from the search.
template <class Value>
void ValueGrower<Value>::part(const Best& best, const GrowTask& task,
                              const LaneKernels<Value>& kernels, GrowTask& left, GrowTask& right) {
  if (counts())
    return parts_.part_ones(task, ones_.sides(), ones_.kept_left_ones(), kernels, left, right);
  const Value* column = block_.values.data() + table_.place(best.feature);
  const RowPart<Value> by{{}, {}, {}, column, table_.stride, best.cut, block_.scalars.numbers};
  if (target_.kind != TargetKind::CLASSES)
    return parts_.part_numbers(task, by, kernels, left, right);
  auto& [right_w, left_w] = parts_.side_weights();
  if (best.picked) {
    picked_.write_kept(left_w.data(), right_w.data());
    return parts_.part_sides(task, picked_.sides(), kernels, block_.data, left, right);
  }
  sums_.write_kept(left_w.data(), right_w.data());
  parts_.part_classes(task, by, kernels, block_.data, left, right);
}

template <class Value>
void ValueGrower<Value>::load_node(const GrowTask& task) {
  if (is_loaded_ || counts()) return;
  is_loaded_ = true;
  if (target_.kind == TargetKind::CLASSES)
    sums_.load_node(rows_of(task), block_.data, task.totals);
  else
    sums_.load_numbers(rows_of(task), block_.scalars.numbers, task.totals);
}

template <class Value>
void ValueGrower<Value>::find_gains(const GrowTask& task, const LaneRows<Value>& rows,
                                    const Value* cuts, const Limits& limits,
                                    const LaneKernels<Value>& kernels, double* gains) {
  if (!counts()) return sums_.find_gains(rows, cuts, limits, kernels, gains);
  OnesCuts<Value> ones{rows, rows_of(task), {}, block_.scalars.ones, {}};
  std::copy_n(cuts, LANES, ones.cut);
  ones_.find_gains(ones, kernels, task.totals, limits, gains);
}

// What part() needs to know of one of the cuts that were added up last.
template <class Value>
void ValueGrower<Value>::keep(std::uint32_t lane) {
  if (target_.kind == TargetKind::CLASSES) sums_.keep(lane);
  if (counts()) ones_.keep(lane);
}

// See RandomGrower::find_split.
template <class Value>
typename ValueGrower<Value>::Best ValueGrower<Value>::find_best(TreeContext& tree,
                                                                const GrowTask& task) {
  Best best;
  const Limits limits = tree.limits(task.totals);
  is_loaded_ = false;
  tree.features.restart();
  const std::size_t wanted = task.totals.n == 2 ? 1 : tree.options.max_features;
  if (task.totals.n > 2 && takes_all(tree)) {
    try_all(tree, task, limits, best);
    return best;
  }
  if (picks(tree.options.kernels->lanes<Value>())) return pick_best(tree, task, limits, wanted);
  std::size_t tried = 0;
  while (tree.features.left() > 0 && (tried < wanted || !best.found())) {
    const std::size_t left = std::min(wanted - std::min(tried, wanted), tree.features.left());
    tried += try_features(tree, task, limits, std::clamp<std::size_t>(left, 1, LANES), best);
  }
  return best;
}

// The next `size` features together; returns how many of them vary.
template <class Value>
std::size_t ValueGrower<Value>::try_features(TreeContext& tree, const GrowTask& task,
                                             const Limits& limits, std::size_t size, Best& best) {
  const LaneKernels<Value>& kernels = tree.options.kernels->lanes<Value>();
  LaneLoad<Value> load{block_.values.data(), table_.stride, rows_of(task), {}, lanes_.data()};
  std::uint32_t feature[LANES] = {};
  for (std::size_t k = 0; k < LANES; ++k) {
    feature[k] = k < size ? tree.features.next() : feature[0];
    load.place[k] = table_.place(feature[k]);
  }
  const ValueRanges<Value> range = (table_.has_bins ? kernels.load_bins : kernels.load)(load);
  load_node(task);
  DrawnCuts<Value> drawn;
  const std::uint32_t n_cuts = kernels.draw_cuts(range, size, *draws_, drawn);
  double gains[LANES];
  if (n_cuts == 0) return 0;
  find_gains(task, {lanes_.data(), task.totals.n}, drawn.cut, limits, kernels, gains);
  // What does not vary lies on one side, which is not allowed.
  const std::uint32_t k = better_lane(gains, size, best.score, limits.tolerance);
  if (k == LANES) return n_cuts;
  best = {gains[k], drawn.threshold[k], drawn.cut[k], range.largest[k], feature[k]};
  keep(k);
  return n_cuts;
}

template <class Value>
bool ValueGrower<Value>::picks(const LaneKernels<Value>& kernels) const {
  return kernels.pick_classes != nullptr && target_.kind == TargetKind::CLASSES &&
         target_.n_outputs <= MOST_PICKED_CLASSES &&
         table_.stride * sizeof(Value) <= MOST_PICKED_BYTES;
}

// The next features that vary, as far as there are.
template <class Value>
typename ValueGrower<Value>::Picked ValueGrower<Value>::pick(FeatureOrder& features,
                                                             std::size_t most,
                                                             const LaneKernels<Value>& kernels) {
  Picked found;
  ValueRanges<Value> range{};
  while (found.size < most && features.left() > 0) {
    const std::uint32_t feature = features.next(), place = table_.place(feature);
    if (!(least_[place] < largest_[place])) continue;
    found.feature[found.size] = feature;
    found.place[found.size] = place;
    range.least[found.size] = least_[place];
    range.largest[found.size] = largest_[place];
    range.end[found.size] = largest_[place + (table_.has_bins ? 1 : 0)];
    ++found.size;
  }
  kernels.draw_cuts(range, found.size, *draws_, found.drawn);
  return found;
}

// As find_best, knowing the ranges of all features: those that do not vary cost next to nothing.
template <class Value>
typename ValueGrower<Value>::Best ValueGrower<Value>::pick_best(TreeContext& tree,
                                                                const GrowTask& task,
                                                                const Limits& limits,
                                                                std::size_t wanted) {
  Best best;
  const LaneKernels<Value>& kernels = tree.options.kernels->lanes<Value>();
  const Value* values = block_.values.data();
  const auto rows = rows_of(task);
  kernels.find_ranges({values, table_.stride, rows, table_.stride, least_.data(), largest_.data()});
  std::size_t tried = 0;
  while (tried < wanted || !best.found()) {
    const std::size_t most = tried < wanted ? std::min<std::size_t>(wanted - tried, LANES) : 1;
    const Picked own = pick(tree.features, most, kernels);
    if (own.size == 0) break;
    tried += own.size;
    double gains[LANES];
    PickedCuts<Value> cuts{values, table_.stride, rows, {}, {}, block_.data.w, block_.data.label};
    std::copy_n(own.place, LANES, cuts.place);
    std::copy_n(own.drawn.cut, LANES, cuts.cut);
    picked_.find_gains(cuts, kernels, task.totals, limits, gains);
    const std::uint32_t k = better_lane(gains, own.size, best.score, limits.tolerance);
    if (k == LANES) continue;
    best = {gains[k],         own.drawn.threshold[k],
            own.drawn.cut[k], largest_[own.place[k]],
            own.feature[k],   true};
    picked_.keep(k);
  }
  return best;
}

// All features: in the order in which they stand, but for what is drawn, and for ties.
template <class Value>
void ValueGrower<Value>::try_all(TreeContext& tree, const GrowTask& task, const Limits& limits,
                                 Best& best) {
  const LaneKernels<Value>& kernels = tree.options.kernels->lanes<Value>();
  const Value* values = block_.values.data();
  const auto rows = rows_of(task);
  kernels.find_ranges({values, table_.stride, rows, table_.stride, least_.data(), largest_.data()});
  load_node(task);
  std::fill(cut_.begin(), cut_.end(), std::numeric_limits<Value>::infinity());
  FeatureOrder& features = tree.features;
  while (features.left() > 0) {
    const std::uint32_t j = features.next();
    if (!(least_[j] < largest_[j])) continue;  // all rows go left: not allowed
    threshold_[j] = draw_between(least_[j], largest_[j], draws_->next_uniform());
    cut_[j] = at_most(threshold_[j], Value{});
  }
  const bool wide = kernels.sum_wide != nullptr && target_.kind == TargetKind::SCALAR && !counts();
  for (std::size_t first = 0; first < table_.stride;) {
    const LaneRows<Value> lanes{values + first, task.totals.n, rows.data(), table_.stride};
    const Value* cuts = cut_.data() + first;
    double* gains = gains_.data() + first;
    if (wide && first + 2 * LANES <= table_.stride) {
      sums_.find_wide_gains(lanes, cuts, limits, kernels, gains);
      first += 2 * LANES;
    } else {
      find_gains(task, lanes, cuts, limits, kernels, gains);
      first += LANES;
    }
  }
  const std::size_t j = first_unbeaten(gains_, features.drawn(), limits.tolerance);
  if (!(gains_[j] > NO_SCORE)) return;
  best = {gains_[j], threshold_[j], cut_[j], largest_[j], static_cast<std::uint32_t>(j)};
  if (target_.kind == TargetKind::CLASSES || counts()) {
    const std::size_t first = best.feature / LANES * LANES;
    const LaneRows<Value> lanes{values + first, task.totals.n, rows.data(), table_.stride};
    find_gains(task, lanes, cut_.data() + first, limits, kernels, gains_.data() + first);
    keep(best.feature % LANES);
  }
}

// A threshold inside a bin moves to the bin's edge. Nothing waits for it, so that all of a tree are
// looked up feature by feature: its tables stay in the second cache, and cache misses overlap.
template <class Value>
void ValueGrower<Value>::settle_thresholds(TreeBuilder& builder) {
  constexpr std::size_t AHEAD = 16;
  for (std::uint32_t j = 0; j < drawn_.size(); ++j) {
    const FeatureCodes& codes = matrix_.feature(j);
    const CodeGrid& grid = grids_[j];
    std::vector<Drawn>& drawn = drawn_[j];
    const auto later = [&](std::size_t i) {
      return drawn[std::min(i, drawn.size() - 1)].threshold;
    };
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      grid.cells().ask_for(later(i + 2 * AHEAD));
      const std::uint32_t near = grid.cells().around(later(i + AHEAD)).first;
      codes.low.ask_for(near);
      codes.high.ask_for(near);
      builder.ask_for_threshold(drawn[std::min(i + AHEAD, drawn.size() - 1)].place);
      const Drawn& own = drawn[i];
      std::uint32_t code = grid.code_below(0, codes.n_codes - 1, own.threshold);
      const bool inside = own.threshold < codes.high[code];
      code -= inside && codes.low[code] == own.largest ? 1 : 0;
      code = std::min(code, codes.n_codes - 2);
      const double edge = codes.threshold_between(code, code + 1);
      builder.set_threshold(own.place, inside ? edge : own.threshold);
    }
    drawn.clear();
  }
}

template class ValueGrower<float>;
template class ValueGrower<double>;

}  // namespace bayeswood
