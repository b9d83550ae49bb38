#include "bayeswood/grow/random_grower.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bayeswood {
namespace {

// Up to so many rows it is faster to see whether any lies near a threshold than to look up values.
constexpr std::size_t FEW_ROWS = 256;
}  // namespace

RandomGrower::RandomGrower(const EncodedMatrix& matrix, const Target& target,
                           const ValueTable& values)
    : matrix_(matrix),
      target_(target),
      draws_(0, 0, Purpose::THRESHOLDS),
      parts_(target),
      sums_(target),
      is_plain_(!matrix.has_categories() && !matrix.has_missing()) {
  for (std::uint32_t j = 0; j < matrix.n_features(); ++j)
    grids_.emplace_back(matrix.feature(j).low);
  std::uint32_t n_levels = 0;
  for (const auto levels : matrix.n_levels())
    n_levels = std::max(n_levels, static_cast<std::uint32_t>(levels));
  level_seen_.assign(n_levels, 0);
  level_place_.assign(n_levels, Place::LEFT);
  if (const auto* table = std::get_if<ValueRows<float>>(&values))
    narrow_ = std::make_unique<ValueGrower<float>>(matrix, target, *table, grids_);
  if (const auto* table = std::get_if<ValueRows<double>>(&values))
    wide_ = std::make_unique<ValueGrower<double>>(matrix, target, *table, grids_);
}

void RandomGrower::grow(TreeContext& tree, std::vector<std::uint32_t>& rows, const RowData& data,
                        const NodeTotals& totals, const Stream& draws) {
  data_ = data;
  draws_ = draws;
  rows_ = &rows;
  parts_.set_rows(rows.data(), rows.size());
  if (is_plain_ && target_.kind == TargetKind::SCALAR) load_scalars();
  stack_.clear();
  push_or_end(tree, {TreeBuilder::ROOT, 0, 0, totals});
  while (!stack_.empty()) {
    const GrowTask task = stack_.back();
    stack_.pop_back();
    check_stop(tree.stop);
    if (!grow_copied(tree, task)) grow_node(tree, task);
  }
  if (narrow_) narrow_->settle_thresholds(tree.builder);
  if (wide_) wide_->settle_thresholds(tree.builder);
}

void RandomGrower::load_scalars() {
  const bool are_units = std::all_of(rows_->begin(), rows_->end(),
                                     [&](std::uint32_t row) { return data_.pair[row].w == 1; });
  const bool counts = are_units && target_.is_classifier;
  (counts ? ones_.resize(matrix_.n_rows()) : numbers_.resize(matrix_.n_rows()));
  for (const auto row : *rows_) {
    const auto [w, wy] = data_.pair[row];
    if (counts)
      ones_[row] = wy > 0 ? 1 : 0;
    else
      numbers_[row] = {w, wy, wy * data_.y[row], data_.y[row]};
  }
  scalars_ = {counts ? nullptr : numbers_.data(), counts ? ones_.data() : nullptr};
  sums_.set_units(are_units);
  if (narrow_) narrow_->set_units(are_units);
  if (wide_) wide_->set_units(are_units);
}

// All of the subtree below a node, where it is small; else nothing.
bool RandomGrower::grow_copied(TreeContext& tree, const GrowTask& task) {
  const auto grow = [&](auto& grower) {
    if (!grower || !grower->takes(task.totals.n)) return false;
    grower->grow(tree, task, *rows_, data_, scalars_, draws_);
    return true;
  };
  return grow(narrow_) || grow(wide_);
}

void RandomGrower::end(TreeContext& tree, const GrowTask& task) {
  tree.builder.set_leaf(task.node, task.totals, rows_of(task), data_, nullptr);
}

void RandomGrower::push_or_end(TreeContext& tree, const GrowTask& task) {
  tree.must_stop(task.totals, task.depth) ? end(tree, task) : stack_.push_back(task);
}

void RandomGrower::part(TreeContext& tree, const Split& split, const GrowTask& task, GrowTask& left,
                        GrowTask& right) {
  const std::uint16_t* column = matrix_.column(split.feature);
  const auto below_cut = [=, cut = split.cut_code](std::uint32_t row) {
    return column[row] <= cut;
  };
  if (scalars_.ones != nullptr)
    return parts_.part_ones(task, one_sums_.sides(), one_sums_.kept_left_ones(),
                            tree.options.kernels->codes, left, right);
  if (scalars_.numbers != nullptr) {
    const auto cut = static_cast<std::uint16_t>(split.cut_code);
    return parts_.part_numbers(task,
                               RowPart<std::uint16_t>{{}, {}, {}, column, 1, cut, scalars_.numbers},
                               tree.options.kernels->codes, left, right);
  }
  if (is_plain_) return parts_.part(task, data_, below_cut, left, right);
  sides_.set(split, matrix_.feature(split.feature));
  const auto goes_left = [&](std::uint32_t row) { return sides_.goes_left(column[row]); };
  parts_.part(task, data_, goes_left, left, right);
}

void RandomGrower::grow_node(TreeContext& tree, const GrowTask& task) {
  const Split split = find_split(tree, task);
  if (!split.found()) return end(tree, task);
  GrowTask left, right;
  part(tree, split, task, left, right);
  const auto children = tree.builder.set_split(task.node, split, left.totals.n, right.totals.n);
  left.node = children.left;
  right.node = children.right;
  tree.importance[split.feature] += std::max(0.0, split.score);
  push_or_end(tree, right);
  push_or_end(tree, left);
}

// Features that do not vary in the node do not count; beyond max_features, more are looked at only
// while none can be cut. Whatever separates two rows takes away all impurity.
Split RandomGrower::find_split(TreeContext& tree, const GrowTask& task) {
  Split best;
  const Limits limits = tree.limits(task.totals);
  is_loaded_ = false;
  tree.features.restart();
  const std::size_t wanted = task.totals.n == 2 ? 1 : tree.options.max_features;
  std::size_t tried = 0;
  while (tree.features.left() > 0 && (tried < wanted || !best.found())) {
    const std::size_t left = std::min(wanted - std::min(tried, wanted), tree.features.left());
    tried += is_plain_
                 ? try_plain(tree, task, limits, std::clamp<std::size_t>(left, 1, LANES), best)
                 : try_next(tree, task, limits, best);
  }
  return best;
}

// Once for all features.
void RandomGrower::load_node(const GrowTask& task) {
  if (is_loaded_ || scalars_.ones != nullptr) return;
  is_loaded_ = true;
  if (is_plain_ && target_.kind == TargetKind::SCALAR)
    sums_.load_numbers(rows_of(task), scalars_.numbers, task.totals);
  else
    sums_.load_node(rows_of(task), data_, task.totals);
}

// The next feature; returns 1 if it varies.
std::size_t RandomGrower::try_next(TreeContext& tree, const GrowTask& task, const Limits& limits,
                                   Split& best) {
  const std::uint32_t feature = tree.features.next();
  load_node(task);
  load_codes(feature, task);
  if (!own_.present_vary() && (own_.n_missing == 0 || own_.n_missing == task.totals.n)) return 0;
  keep_better(best, try_feature(feature, limits), limits.tolerance);
  return 1;
}

// The next `size` features together; returns how many of them vary.
std::size_t RandomGrower::try_plain(TreeContext& tree, const GrowTask& task, const Limits& limits,
                                    std::size_t size, Split& best) {
  FeatureLanes lanes{};
  lanes.size = size;
  for (std::size_t k = 0; k < size; ++k) lanes.feature[k] = tree.features.next();
  std::fill(lanes.feature.begin() + size, lanes.feature.end(), lanes.feature[0]);
  const LaneCodes rows = load_plain(lanes, task);
  const Kernels& kernels = *tree.options.kernels;
  lanes.range = kernels.lane_ranges(rows);
  ask_for_values(lanes);
  load_node(task);  // while values come
  find_cuts(lanes, rows, kernels);
  double gains[LANES];
  find_gains(task, lanes, rows, limits, kernels, gains);
  std::size_t n_cuts = 0;
  for (std::size_t k = 0; k < size; ++k) n_cuts += lanes.varies(k) ? 1 : 0;
  // What does not vary lies on one side, which is not allowed.
  const std::uint32_t k = better_lane(gains, size, best.score, limits.tolerance);
  if (k == LANES) return n_cuts;
  best.score = gains[k];
  best.feature = lanes.feature[k];
  best.threshold = lanes.threshold[k];
  best.cut_code = lanes.cut_code[k];
  if (scalars_.ones != nullptr) one_sums_.keep(k);
  return n_cuts;
}

void RandomGrower::find_gains(const GrowTask& task, const FeatureLanes& lanes,
                              const LaneCodes& rows, const Limits& limits, const Kernels& kernels,
                              double* gains) {
  const std::uint16_t* cuts = lanes.cut_code.data();
  if (scalars_.ones != nullptr) {
    OnesCuts<std::uint16_t> ones{rows, rows_of(task), {}, scalars_.ones, {}};
    std::copy_n(cuts, LANES, ones.cut);
    return one_sums_.find_gains(ones, kernels.codes, task.totals, limits, gains);
  }
  if (target_.kind != TargetKind::MULTI)
    return sums_.find_gains(rows, cuts, limits, kernels.codes, gains);
  for (std::size_t k = 0; k < LANES; ++k) {
    sums_.add_codes({rows.lanes + k, cuts[k], LANES});
    gains[k] = sums_.gain(limits);
  }
}

LaneCodes RandomGrower::load_plain(const FeatureLanes& lanes, const GrowTask& task) {
  const auto rows = rows_of(task);
  if (lane_codes_.size() < rows.size() * LANES) lane_codes_.resize(rows.size() * LANES);
  std::uint16_t* to = lane_codes_.data();
  const auto [first, second, third, fourth] = lanes.feature;
  const std::uint16_t* const columns[LANES] = {matrix_.column(first), matrix_.column(second),
                                               matrix_.column(third), matrix_.column(fourth)};
  for (const auto row : rows) {
    for (std::size_t k = 0; k < LANES; ++k) to[k] = columns[k][row];
    to += LANES;
  }
  return {lane_codes_.data(), task.totals.n};
}

void RandomGrower::ask_for_values(const FeatureLanes& lanes) const {
  for (std::size_t k = 0; k < lanes.size; ++k) {
    const CodeValues& values = matrix_.feature(lanes.feature[k]).low;
    values.ask_for(lanes.range.least[k]);
    values.ask_for(lanes.range.largest[k]);
  }
}

// Draws a threshold for each feature that varies, and finds the code up to which the node's rows
// lie at or below it. The cache misses of all features overlap.
void RandomGrower::find_cuts(FeatureLanes& lanes, const LaneCodes& rows, const Kernels& kernels) {
  const auto each_varying = [&](auto act) {
    for (std::size_t k = 0; k < lanes.size; ++k)
      if (lanes.varies(k)) act(k, matrix_.feature(lanes.feature[k]));
  };
  each_varying([&](std::size_t k, const FeatureCodes&) {
    lanes.threshold[k] =
        draw_threshold(lanes.feature[k], lanes.range.least[k], lanes.range.largest[k]);
  });
  // Where no row lies in the cell of the threshold, no value is looked up.
  LaneRanges cells;
  std::fill_n(cells.least, LANES, std::uint16_t{1});
  std::fill_n(cells.largest, LANES, MISSING_CODE);
  lanes.cut_code.fill(0);
  each_varying([&](std::size_t k, const FeatureCodes& codes) {
    const ValueCells& grid = grids_[lanes.feature[k]].cells();
    if (rows.n > FEW_ROWS || codes.high.size() > 0 || grid.empty()) return;
    const ValueCells::Cell cell = grid.around(lanes.threshold[k]);
    const bool empty = cell.first == cell.end;
    lanes.cut_code[k] = static_cast<std::uint16_t>(cell.first - 1);
    cells.least[k] = empty ? MISSING_CODE : static_cast<std::uint16_t>(cell.first);
    cells.largest[k] = empty ? MISSING_CODE : static_cast<std::uint16_t>(cell.end - 1);
  });
  const std::uint32_t within = rows.n <= FEW_ROWS ? kernels.lanes_within(rows, cells) : 15U;
  each_varying([&](std::size_t k, const FeatureCodes&) {
    if ((within >> k & 1U) == 0) return;
    Split split;
    split.feature = lanes.feature[k];
    split.threshold = lanes.threshold[k];
    settle(split, lanes.range.least[k], lanes.range.largest[k]);
    lanes.threshold[k] = split.threshold;
    lanes.cut_code[k] = static_cast<std::uint16_t>(split.cut_code);
  });
}

void RandomGrower::load_codes(std::uint32_t feature, const GrowTask& task) {
  const std::uint16_t* column = matrix_.column(feature);
  const auto rows = rows_of(task);
  own_.codes.resize(rows.size());
  std::uint16_t least = MISSING_CODE;
  std::uint16_t largest = 0;
  own_.n_missing = 0;
  if (!matrix_.feature(feature).has_missing) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint16_t code = column[rows[i]];
      own_.codes[i] = code;
      least = std::min(least, code);
      largest = std::max(largest, code);
    }
  } else {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint16_t code = column[rows[i]];
      own_.codes[i] = code;
      const bool missing = code == MISSING_CODE;
      own_.n_missing += missing ? 1 : 0;
      least = std::min(least, code);
      largest = missing ? largest : std::max(largest, code);
    }
  }
  own_.least = least;
  own_.largest = largest;
}

Split RandomGrower::try_feature(std::uint32_t feature, const Limits& limits) {
  const FeatureCodes& codes = matrix_.feature(feature);
  const bool is_category = codes.is_category;
  if (is_category) load_levels();
  Split best;
  if (own_.present_vary()) {
    best = is_category ? draw_levels() : draw_cut(feature);
    if (!is_category && own_.n_missing == 0) {
      sums_.add_codes({own_.codes.data(), best.cut_code});
      best.score = sums_.gain(limits);
    } else {
      place_rows(best, is_category);
      best = better_side(std::move(best), limits);
    }
  }
  if (own_.n_missing > 0) {
    Split apart = missing_apart(is_category);
    if (!own_.present_vary()) place_rows(apart, is_category);
    apart.score = sums_.gain({true, true, false}, limits);
    keep_better(best, std::move(apart), limits.tolerance);
  }
  best.feature = feature;
  return best;
}

double RandomGrower::draw_threshold(std::uint32_t feature, std::uint32_t least,
                                    std::uint32_t largest) {
  const FeatureCodes& codes = matrix_.feature(feature);
  const double most = codes.high.size() > 0 ? codes.high[largest] : codes.low[largest];
  const double found = draw_between(codes.low[least], most, draws_.next_uniform());
  grids_[feature].cells().ask_for(found);
  return found;
}

// Of the feature under way.
Split RandomGrower::draw_cut(std::uint32_t feature) {
  Split split;
  split.feature = feature;
  split.threshold = draw_threshold(feature, own_.least, own_.largest);
  split.missing_seen = own_.n_missing > 0;
  settle(split, own_.least, own_.largest);
  return split;
}

// Finds the code up to which the node's rows lie at or below the threshold, which moves to the edge
// of a bin.
void RandomGrower::settle(Split& split, std::uint32_t least, std::uint32_t largest) const {
  const FeatureCodes& codes = matrix_.feature(split.feature);
  split.cut_code = grids_[split.feature].code_below(least, largest, split.threshold);
  if (codes.high.size() == 0 || !(split.threshold < codes.high[split.cut_code])) return;
  split.cut_code = std::min(split.cut_code, largest - 1);
  split.threshold = codes.threshold_between(split.cut_code, split.cut_code + 1);
}

void RandomGrower::load_levels() {
  levels_.clear();
  for (const auto code : own_.codes) {
    if (code == MISSING_CODE || level_seen_[code] != 0) continue;
    level_seen_[code] = 1;
    levels_.push_back(code);
  }
  for (const auto level : levels_) level_seen_[level] = 0;
}

// Each level to either side with probability a half, until neither side is empty.
Split RandomGrower::draw_levels() {
  Split split;
  split.levels = std::make_unique<LevelSides>();
  split.missing_seen = own_.n_missing > 0;
  while (split.levels->left.empty() || split.levels->right.empty()) {
    split.levels->left.clear();
    split.levels->right.clear();
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < levels_.size(); ++i, bits >>= 1) {
      if (i % 64 == 0) bits = draws_.next();
      auto& side = (bits & 1) != 0 ? split.levels->left : split.levels->right;
      side.push_back(levels_[i]);
    }
  }
  return split;
}

// The split that sends all rows with a value left, and those without right.
Split RandomGrower::missing_apart(bool is_category) const {
  Split split;
  split.missing_seen = true;
  split.cut_code = own_.largest;
  split.threshold = std::numeric_limits<double>::infinity();
  if (!is_category) return split;
  split.levels = std::make_unique<LevelSides>();
  split.levels->left = levels_;
  split.levels->right = {MISSING_CODE};
  return split;
}

// Adds up the sides of the split and, apart, the rows without a value.
void RandomGrower::place_rows(const Split& split, bool is_category) {
  places_.resize(own_.codes.size());
  if (is_category) {
    for (const auto level : split.levels->left) level_place_[level] = Place::LEFT;
    for (const auto level : split.levels->right) {
      if (level != MISSING_CODE) level_place_[level] = Place::RIGHT;
    }
  }
  for (std::size_t i = 0; i < own_.codes.size(); ++i) {
    const std::uint16_t code = own_.codes[i];
    if (code == MISSING_CODE) {
      places_[i] = Place::MISSING;
    } else if (is_category) {
      places_[i] = level_place_[code];
    } else {
      places_[i] = code <= split.cut_code ? Place::LEFT : Place::RIGHT;
    }
  }
  sums_.add(places_);
}

// Missing values to the side where they gain more; to the right where it is all the same.
Split RandomGrower::better_side(Split split, const Limits& limits) {
  if (own_.n_missing == 0) {
    split.score = sums_.gain(limits);
    return split;
  }
  split.score = sums_.gain({true, false, false}, limits);
  const double score = sums_.gain({true, false, true}, limits);
  split.missing_left =
      score > NO_SCORE && (!split.found() || score > split.score + limits.tolerance);
  if (split.missing_left) split.score = score;
  if (split.levels) {
    auto& side = split.missing_left ? split.levels->left : split.levels->right;
    side.push_back(MISSING_CODE);
  }
  return split;
}

}  // namespace bayeswood
