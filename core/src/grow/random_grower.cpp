#include "bayeswood/grow/random_grower.hpp"

#include <algorithm>
#include <cmath>

namespace bayeswood {
namespace {

// Up to so many rows it is faster to see whether any lies near a threshold than to look up values.
constexpr std::size_t FEW_ROWS = 256;

// Uniform between the two; below `high` and not below `low` whatever the rounding.
double draw_between(double low, double high, double uniform) {
  const double range = high - low;
  const double value =
      std::isfinite(range) ? low + uniform * range : low * (1 - uniform) + high * uniform;
  return value >= low && value < high ? value : low;
}

bool any_within(const ValueCells::Cell& cell, std::span<const std::uint16_t> codes) {
  std::uint32_t n_within = 0;
  for (const std::uint32_t code : codes) n_within += code - cell.first < cell.end - cell.first;
  return n_within > 0;
}

}  // namespace

RandomGrower::RandomGrower(const EncodedMatrix& matrix, const Target& target)
    : matrix_(matrix),
      target_(target),
      draws_(0, 0, Purpose::THRESHOLDS),
      totals_sides_(data_, target),
      sums_(target),
      is_plain_(!matrix.has_categories() && !matrix.has_missing()) {
  for (std::uint32_t j = 0; j < matrix.n_features(); ++j)
    grids_.emplace_back(matrix.feature(j).low);
  std::uint32_t n_levels = 0;
  for (const auto levels : matrix.n_levels())
    n_levels = std::max(n_levels, static_cast<std::uint32_t>(levels));
  level_seen_.assign(n_levels, 0);
  level_place_.assign(n_levels, Place::LEFT);
}

void RandomGrower::grow(TreeContext& tree, std::vector<std::uint32_t>& rows, const RowData& data,
                        const NodeTotals& totals, const Stream& draws) {
  data_ = data;
  draws_ = draws;
  rows_ = &rows;
  scratch_.resize(rows.size());
  stack_.clear();
  push_or_end(tree, {TreeBuilder::ROOT, 0, 0, totals});
  while (!stack_.empty()) {
    const Task task = stack_.back();
    stack_.pop_back();
    check_stop(tree.stop);
    grow_node(tree, task);
  }
}

void RandomGrower::push_or_end(TreeContext& tree, const Task& task) {
  if (tree.must_stop(task.totals, task.depth)) {
    tree.builder.set_leaf(task.node, task.totals, rows_of(task), data_, nullptr);
  } else {
    stack_.push_back(task);
  }
}

void RandomGrower::grow_node(TreeContext& tree, const Task& task) {
  const Split split = find_split(tree, task);
  if (!split.found()) {
    tree.builder.set_leaf(task.node, task.totals, rows_of(task), data_, nullptr);
    return;
  }
  const std::uint32_t n_left = partition(split, task);
  const std::uint32_t n_right = task.totals.n - n_left;
  const auto children = tree.builder.set_split(task.node, split, n_left, n_right);
  tree.importance[split.feature] += std::max(0.0, split.score);
  Task left{children.left, task.depth + 1, task.begin, {}};
  Task right{children.right, task.depth + 1, task.begin + n_left, {}};
  left.totals.n = n_left;
  right.totals.n = n_right;
  for (Task* child : {&right, &left}) {
    child->totals = node_totals(rows_of(*child), data_, target_, totals_sides_);
    push_or_end(tree, *child);
  }
}

// Features that do not vary in the node do not count; beyond max_features, more are looked at only
// while none can be cut. Whatever separates two rows takes away all impurity.
Split RandomGrower::find_split(TreeContext& tree, const Task& task) {
  Split best;
  const Limits limits = tree.limits(task.totals);
  sums_.load_node(rows_of(task), data_, task.totals);
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

// The next feature; returns 1 if it varies.
std::size_t RandomGrower::try_next(TreeContext& tree, const Task& task, const Limits& limits,
                                   Split& best) {
  const std::uint32_t feature = tree.features.next();
  load_codes(feature, task);
  if (!own_.present_vary() && (own_.n_missing == 0 || own_.n_missing == task.totals.n)) return 0;
  keep_better(best, try_feature(feature, task, limits), limits.tolerance);
  return 1;
}

// The next `size` features together; returns how many of them vary.
std::size_t RandomGrower::try_plain(TreeContext& tree, const Task& task, const Limits& limits,
                                    std::size_t size, Split& best) {
  std::array<std::uint32_t, LANES> features;
  for (std::size_t k = 0; k < size; ++k) features[k] = tree.features.next();
  load_plain({features.data(), size}, task);
  std::array<double, LANES> thresholds;
  for (std::size_t k = 0; k < size; ++k) {
    if (plain_[k].present_vary()) thresholds[k] = draw_threshold(features[k], plain_[k]);
  }
  std::array<Split, LANES> splits;
  std::array<CodeCut, LANES> cuts;
  std::size_t n_cuts = 0;
  for (std::size_t k = 0; k < size; ++k) {
    if (!plain_[k].present_vary()) continue;
    splits[n_cuts] = cut_at(thresholds[k], features[k], plain_[k], task.totals.n);
    splits[n_cuts].feature = features[k];
    cuts[n_cuts] = {plain_[k].codes.data(), splits[n_cuts].cut_code};
    ++n_cuts;
  }
  std::array<double, LANES> gains;
  sums_.find_gains({cuts.data(), n_cuts}, limits, gains.data());
  for (std::size_t k = 0; k < n_cuts; ++k) {
    splits[k].score = gains[k];
    keep_better(best, std::move(splits[k]), limits.tolerance);
  }
  return n_cuts;
}

void RandomGrower::load_plain(std::span<const std::uint32_t> features, const Task& task) {
  const auto rows = rows_of(task);
  std::array<const std::uint16_t*, LANES> columns;
  std::array<std::uint16_t*, LANES> codes;
  std::array<std::uint16_t, LANES> least, largest;
  least.fill(MISSING_CODE);
  largest.fill(0);
  for (std::size_t k = 0; k < features.size(); ++k) {
    columns[k] = matrix_.column(features[k]);
    if (plain_[k].codes.size() < rows.size()) plain_[k].codes.resize(rows.size());
    codes[k] = plain_[k].codes.data();
  }
  const auto load = [&](std::size_t k, std::size_t i, std::size_t row) {
    const std::uint16_t code = columns[k][row];
    codes[k][i] = code;
    least[k] = std::min(least[k], code);
    largest[k] = std::max(largest[k], code);
  };
  if (features.size() == LANES) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = rows[i];
      for (std::size_t k = 0; k < LANES; ++k) load(k, i, row);
    }
  } else {
    for (std::size_t k = 0; k < features.size(); ++k) {
      for (std::size_t i = 0; i < rows.size(); ++i) load(k, i, rows[i]);
    }
  }
  for (std::size_t k = 0; k < features.size(); ++k) {
    plain_[k].least = least[k];
    plain_[k].largest = largest[k];
    const CodeValues& values = matrix_.feature(features[k]).low;
    values.ask_for(least[k]);  // the misses of all features overlap
    values.ask_for(largest[k]);
  }
}

void RandomGrower::load_codes(std::uint32_t feature, const Task& task) {
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

Split RandomGrower::try_feature(std::uint32_t feature, const Task& task, const Limits& limits) {
  const FeatureCodes& codes = matrix_.feature(feature);
  const bool is_category = codes.is_category;
  if (is_category) load_levels();
  Split best;
  if (own_.present_vary()) {
    best = is_category ? draw_levels()
                       : cut_at(draw_threshold(feature, own_), feature, own_, task.totals.n);
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

double RandomGrower::draw_threshold(std::uint32_t feature, const NodeCodes& own) {
  const FeatureCodes& codes = matrix_.feature(feature);
  const double most = codes.high.size() > 0 ? codes.high[own.largest] : codes.low[own.largest];
  const double found = draw_between(codes.low[own.least], most, draws_.next_uniform());
  grids_[feature].cells().ask_for(found);
  return found;
}

// A code up to which the node's rows lie at or below the threshold.
std::uint32_t RandomGrower::code_below(double threshold, std::uint32_t feature,
                                       const NodeCodes& own, std::size_t n_rows) const {
  const CodeGrid& grid = grids_[feature];
  if (n_rows <= FEW_ROWS && own.n_missing == 0 && !grid.cells().empty()) {
    const ValueCells::Cell cell = grid.cells().around(threshold);
    if (!any_within(cell, {own.codes.data(), n_rows})) return cell.first - 1;
  }
  return grid.code_below(own.least, own.largest, threshold);
}

Split RandomGrower::cut_at(double threshold, std::uint32_t feature, const NodeCodes& own,
                           std::size_t n_rows) {
  const FeatureCodes& codes = matrix_.feature(feature);
  const bool binned = codes.high.size() > 0;
  Split split;
  split.threshold = threshold;
  split.cut_code = code_below(threshold, feature, own, binned ? FEW_ROWS + 1 : n_rows);
  if (binned && split.threshold < codes.high[split.cut_code]) {
    split.cut_code = std::min(split.cut_code, own.largest - 1);
    split.threshold = codes.threshold_between(split.cut_code, split.cut_code + 1);
  }
  split.missing_seen = own.n_missing > 0;
  return split;
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

// Stable.
std::uint32_t RandomGrower::partition(const Split& split, const Task& task) {
  sides_.set(split, matrix_.feature(split.feature));
  const std::uint16_t* column = matrix_.column(split.feature);
  std::uint32_t* rows = rows_->data() + task.begin;
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  for (std::uint32_t i = 0; i < task.totals.n; ++i) {
    const std::uint32_t row = rows[i];
    const std::uint32_t goes_left = sides_.goes_left(column[row]) ? 1 : 0;
    rows[left] = row;
    scratch_[right] = row;
    left += goes_left;
    right += 1 - goes_left;
  }
  std::copy_n(scratch_.data(), right, rows + left);
  return left;
}

}  // namespace bayeswood
