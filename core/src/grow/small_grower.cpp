#include "bayeswood/grow/small_grower.hpp"

#include <algorithm>
#include <numeric>

#include "bayeswood/grow/search/entry_sort.hpp"

namespace bayeswood {
SmallGrower::SmallGrower(const EncodedMatrix& matrix, const Target& target,
                         const GrowOptions& options)
    : matrix_(matrix),
      target_(target),
      presorted_(presorts(matrix, options)),
      plain_(presorted_ && PlainSearch::fits(matrix, target, options)),
      bins_weights_(bins_weights(matrix, target, options)),
      may_screen_(target.kind == TargetKind::CLASSES && target.criterion == Criterion::GINI &&
                  options.n_candidates == 0 && target.n_outputs <= ClassScreen::MAX_LABELS &&
                  options.min_weight_fraction_leaf == 0),
      search_(rows_, target),
      classes_(target),
      class_lanes_(rows_, target),
      bins_(class_lanes_),
      count_search_(matrix),
      weight_search_(matrix),
      plain_search_(matrix.n_features()),
      twigs_(matrix, target) {}

void SmallGrower::load_rows(std::span<const std::uint32_t> rows, const RowData& source) {
  const std::size_t n = rows.size();
  n_rows_ = static_cast<std::uint32_t>(n);
  row_of_id_.assign(rows.begin(), rows.end());
  order_.resize(n);
  order_scratch_.resize(n);
  side_.resize(n);
  scratch_.resize(n);
  std::iota(order_.begin(), order_.end(), std::uint16_t{0});
  counting_ = source.counted.counts != nullptr;
  if (!counting_) return load_values(rows, source);
  counts_.resize(n);
  tails_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    tails_[i] = source.counted.tails[rows[i]];
    counts_[i] = count_of(tails_[i]);
  }
}

void SmallGrower::load_values(std::span<const std::uint32_t> rows, const RowData& source) {
  const std::size_t n = rows.size();
  const std::size_t k = target_.n_outputs;
  const bool scalar = target_.kind == TargetKind::SCALAR;
  pair_.resize(scalar ? n : 0);
  y_.resize(scalar ? n : 0);
  w_.resize(scalar ? 0 : n);
  label_.resize(target_.kind == TargetKind::CLASSES ? n : 0);
  values_.resize(target_.kind == TargetKind::MULTI ? n * k : 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = rows[i];
    if (scalar) {
      pair_[i] = source.pair[row];
      y_[i] = source.y[row];
      continue;
    }
    w_[i] = source.w[row];
    if (target_.kind == TargetKind::CLASSES) {
      label_[i] = source.label[row];
    } else {
      std::copy_n(source.values + row * k, k, values_.data() + i * k);
    }
  }
  rows_ = {pair_.data(), y_.data(), w_.data(), label_.data(), values_.data(), {}};
  if (may_screen_) screen_.load(w_, label_, target_.n_outputs);
}

// A list of n entries, `entry(i)` the i-th, sorted by code and then by row.
template <class Entry>
void SmallGrower::fill_sorted(SmallEntry* entries, std::uint32_t n, Entry entry) {
  if (n <= INSERTION_ROWS) {
    for (std::uint32_t i = 0; i < n; ++i) entries[i] = entry(i);
    insertion_sort(entries, n);
    return;
  }
  DigitStarts starts;
  for (std::uint32_t i = 0; i < n; ++i) {
    entries[i] = entry(i);
    starts.count(code_of(entries[i]));
  }
  sort_counted(entries, scratch_.data(), n, starts);
}

// The codes of some columns, one after another. Columns are read together, so that their cache
// misses overlap.
void SmallGrower::gather_codes(std::span<const std::uint32_t> rows, std::size_t first,
                               std::size_t n_columns, std::uint16_t* codes) const {
  const std::size_t n = rows.size();
  const std::size_t stride = matrix_.n_rows();
  std::size_t j = 0;
  for (; j + GATHERED <= n_columns; j += GATHERED) {
    const std::uint16_t* column = matrix_.column(first + j);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t row = rows[i];
      for (std::size_t k = 0; k < GATHERED; ++k) {
        codes[(j + k) * n + i] = column[k * stride + row];
      }
    }
  }
  for (; j < n_columns; ++j) {
    const std::uint16_t* column = matrix_.column(first + j);
    for (std::size_t i = 0; i < n; ++i) codes[j * n + i] = column[rows[i]];
  }
}

void SmallGrower::load_features(std::span<const std::uint32_t> rows) {
  const std::size_t d = matrix_.n_features();
  const std::size_t n = rows.size();
  if (!presorted_) {
    codes_.resize(d * n);
    node_lists_.resize(LANES * n);
    return gather_codes(rows, 0, d, codes_.data());
  }
  lists_.resize(d * n);
  codes_.resize(GATHERED * n);
  for (std::size_t first = 0; first < d; first += GATHERED) {
    const std::size_t size = std::min(GATHERED, d - first);
    gather_codes(rows, first, size, codes_.data());
    for (std::size_t k = 0; k < size; ++k) {
      const std::uint16_t* codes = codes_.data() + k * n;
      fill_sorted(list(static_cast<std::uint32_t>(first + k)), n_rows_,
                  [&](std::uint32_t i) { return make_entry<SmallEntry>(codes[i], i); });
    }
  }
}

void SmallGrower::grow(TreeContext& tree, std::uint32_t root, std::uint32_t depth,
                       const NodeTotals& totals, std::span<const std::uint32_t> rows,
                       const RowData& source) {
  load_rows(rows, source);
  if (!tree.must_stop(totals, depth)) load_features(rows);
  stack_.clear();
  push_or_end(tree, {root, depth, 0, counting_ ? totals : child_totals(0, n_rows_)}, nullptr);
  while (!stack_.empty()) {
    const Task task = stack_.back();
    stack_.pop_back();
    check_stop(tree.stop);
    if (plain_ && task.totals.n <= MAX_TWIG_ROWS) {
      twigs_.grow(tree, {task.node, task.depth, task.totals},
                  {ids(task.begin, task.totals.n), plain_lists(task), rows_, row_of_id_.data()});
    } else {
      grow_node(tree, task);
    }
  }
}

void SmallGrower::end(TreeContext& tree, const Task& task) {
  tree.builder.set_leaf(task.node, task.totals, ids(task.begin, task.totals.n), rows_,
                        row_of_id_.data());
}

bool SmallGrower::push_or_end(TreeContext& tree, Task task, const double* class_w) {
  const bool ends = tree.must_stop(task.totals, task.depth);
  if (ends) {
    end(tree, task);
  } else {
    if (class_w != nullptr) task.n_pushed = class_lanes_.push(class_w);
    stack_.push_back(task);
  }
  return ends;
}

void SmallGrower::grow_node(TreeContext& tree, const Task& task) {
  const std::uint32_t n = task.totals.n;
  set_classes(task, *tree.options.kernels);
  const bool pair = n == 2 && tree.options.n_candidates == 0;
  Split split = pair ? separate_pair(tree, task) : find_split(tree, task);
  if (!split.found()) return end(tree, task);
  const std::uint32_t n_left = partition(split, task);
  const auto children = tree.builder.set_split(task.node, split, n_left, n - n_left);
  tree.count_gain(split, task.totals);
  const double* left_w = in_lanes_ ? child_classes_.left : nullptr;
  const double* right_w = in_lanes_ ? child_classes_.right : nullptr;
  const PackedCount all = counting_ ? counts_of(task.totals) : 0;
  const Task left{children.left, task.depth + 1, task.begin,
                  counted_or_summed(split.left, task.begin, n_left, left_w)};
  const Task right{children.right, task.depth + 1, task.begin + n_left,
                   counted_or_summed(all - split.left, task.begin + n_left, n - n_left, right_w)};
  const bool right_first = bins_weights_ && !counting_ && n > HISTOGRAM_ROWS && n_left > n - n_left;
  bool left_ends = right_first && push_or_end(tree, left, left_w);
  const bool right_ends = push_or_end(tree, right, right_w);
  if (!right_first) left_ends = push_or_end(tree, left, left_w);
  if (presorted_) partition_lists(split, task, left_ends, right_ends);
}

// The lanes take the right side for what the left one leaves of the node. Where hardly anything is
// impure, the rounding of that would choose between equal cuts: such nodes are added up row by row.
void SmallGrower::set_classes(const Task& task, const Kernels& kernels) {
  constexpr double NEARLY_PURE = 1e-4;
  if (target_.kind != TargetKind::CLASSES || target_.criterion != Criterion::GINI) return;
  if (task.n_pushed > 0) {
    class_lanes_.set_pushed(task.n_pushed, kernels);
  } else {
    class_lanes_.set_node(ids(task.begin, task.totals.n), kernels);
  }
  const bool pure = task.totals.impurity <= NEARLY_PURE * task.totals.w;
  in_lanes_ = class_lanes_.fit() && !pure;
  search_.set_lanes(in_lanes_ ? &class_lanes_ : nullptr);
  const bool screens = may_screen_ && !pure && ClassScreen::fits(task.totals);
  search_.set_screen(screens ? &screen_ : nullptr, kernels);
  if (!screens) return;
  screen_.restart();
  for (const auto& one : class_lanes_.classes()) screen_.add_class(one.label, one.w);
}

// Whatever separates two rows takes away all impurity: the first feature that does it wins.
Split SmallGrower::separate_pair(TreeContext& tree, const Task& task) {
  if (matrix_.has_categories()) return find_split(tree, task);
  Split split;
  group_sorted_ = false;
  const auto weight = [&](std::uint32_t i) {
    const std::uint16_t id = order_[task.begin + i];
    if (counting_) return static_cast<double>(count_w(counts_[id]));
    return target_.kind == TargetKind::SCALAR ? rows_.pair[id].w : rows_.w[id];
  };
  if (std::min(weight(0), weight(1)) < tree.limits(task.totals).min_weight) return split;
  tree.features.restart();
  while (tree.features.left() > 0) {
    const std::uint32_t feature = tree.features.next();
    const SmallEntry* entries = sorted_list(feature, task, 0);
    if (code_of(entries[0]) == code_of(entries[1])) continue;
    const Cut cut{task.totals.score + task.totals.impurity, 0};
    split = ListSearch<SmallEntry>::numeric_split(entries, cut, feature, 2);
    if (counting_) split.left = counts_[id_of(entries[0])];
    return split;
  }
  return split;
}

NodeTotals SmallGrower::counted_or_summed(PackedCount rows, std::uint32_t begin, std::uint32_t n,
                                          const double* class_w) {
  if (counting_) return count_totals(rows);
  const bool in_order = class_w != nullptr && n >= target_.n_outputs;  // as class_totals adds up
  return in_order ? class_lanes_.totals(class_w, n) : child_totals(begin, n);
}

// The rows are this subtree's own, and may be centred anew.
NodeTotals SmallGrower::child_totals(std::uint32_t begin, std::uint32_t n) {
  NodeTotals totals = node_totals(ids(begin, n), rows_, target_, search_.sides());
  if (target_.kind == TargetKind::CLASSES || !is_far(totals, target_)) return totals;
  center(ids(begin, n), totals);
  return node_totals(ids(begin, n), rows_, target_, search_.sides());
}

void SmallGrower::center(std::span<const std::uint16_t> rows, const NodeTotals& totals) {
  if (target_.kind == TargetKind::SCALAR)
    return bayeswood::center(rows, totals, y_.data(), pair_.data());
  const std::size_t k = target_.n_outputs;
  for (std::size_t j = 0; j < k; ++j) {
    double sum = 0;
    for (const auto id : rows) sum += w_[id] * values_[id * k + j];
    for (const auto id : rows) values_[id * k + j] -= sum / totals.w;
  }
}

Split SmallGrower::draw_split(TreeContext& tree, const Task& task) {
  const Limits limits = tree.limits(task.totals);
  group_sorted_ = false;
  top_.restart(tree.options.n_candidates, limits.tolerance);
  search_.set_node(ids(task.begin, task.totals.n));
  tree.features.restart();
  while (tree.features.left() > 0) {
    const std::uint32_t feature = tree.features.next();
    search_.offer_all(sorted_list(feature, task, 0), matrix_.feature(feature), feature, task.totals,
                      limits, top_);
  }
  return top_.draw(tree.choices);
}

Split SmallGrower::find_plain_split(TreeContext& tree, const Task& task) {
  const PlainLists lists = plain_lists(task);
  const auto found = plain_search_.search(tree, task.totals, rows_.pair, lists);
  return found.found() ? PlainSearch::split_of(found, lists) : Split{};
}

Split SmallGrower::find_split(TreeContext& tree, const Task& task) {
  if (tree.options.n_candidates > 0) return draw_split(tree, task);
  if (plain_) return find_plain_split(tree, task);
  Split best;
  const Limits limits = tree.limits(task.totals);
  tree.features.restart();
  std::uint32_t wanted = tree.options.max_features;
  while (tree.features.left() > 0 && (wanted > 0 || !best.found())) {
    const std::uint32_t size = wanted > 0 ? std::min(wanted, LANES) : 1;
    n_refused_ = 0;
    search_group(tree, task, limits, size, best);
    wanted -= std::min(wanted, size);
    wanted += n_refused_;  // others are looked at in their place
  }
  return best;
}

// Up to four features, in the lanes together where the target is SCALAR and all are numeric.
void SmallGrower::search_group(TreeContext& tree, const Task& task, const Limits& limits,
                               std::uint32_t group_size, Split& best) {
  group_.clear();
  const std::size_t size = std::min<std::size_t>(group_size, tree.features.left());
  bool lanes = target_.kind == TargetKind::SCALAR;
  for (std::size_t k = 0; k < size; ++k) {
    group_.push_back(tree.features.next());
    lanes &= !matrix_.feature(group_.back()).is_category;
  }
  if (counting_) {
    return count_search_.search(LocalRows{ids(task.begin, task.totals.n),
                                          codes_.data(),
                                          n_rows_,
                                          {counts_.data(), tails_.data()}},
                                {task.totals, limits, *tree.options.kernels}, group_, best);
  }
  if (bins_weights_ && WeightSearch::fits(task.totals)) {
    return weight_search_.search({ids(task.begin, task.totals.n), codes_.data(), n_rows_,
                                  rows_.pair, task.totals, limits, *tree.options.kernels},
                                 group_, best);
  }
  sort_group(task, *tree.options.kernels);
  if (lanes) {
    search_lanes(task, limits, tree.options, best);
    return;
  }
  if (in_lanes_) fill_bins(task, limits);
  for (std::uint32_t k = 0; k < size; ++k) {
    set_floor(group_[k], best.score + limits.tolerance);
    Split split = search_feature(group_[k], task, limits, k);
    n_refused_ += split.refused ? 1 : 0;
    keep_better(best, std::move(split), limits.tolerance);
  }
}

// Row by row, the better way for missing values is chosen before it is held against other features.
void SmallGrower::set_floor(std::uint32_t feature, double floor) {
  class_lanes_.set_floor(floor);
  search_.set_floor(in_lanes_ || !matrix_.feature(feature).has_missing ? floor : NO_SCORE);
}

void SmallGrower::fill_bins(const Task& task, const Limits& limits) {
  bins_.restart(ids(task.begin, task.totals.n), rows_, limits);
  for (std::uint32_t k = 0; k < group_.size(); ++k) {
    if (!counts_classes(group_[k], task.totals.n)) continue;
    bins_.add(k, codes_.data() + std::size_t{group_[k]} * n_rows_, matrix_.feature(group_[k]));
  }
  bins_.fill();
}

// Sorts a small node's rows for all features of the group at once.
void SmallGrower::sort_group(const Task& task, const Kernels& kernels) {
  const std::uint32_t n = task.totals.n;
  group_sorted_ =
      !presorted_ && kernels.sort_lanes != nullptr && n <= MAX_NETWORK_ROWS &&
      std::none_of(group_.begin(), group_.end(), [&](auto f) { return counts_classes(f, n); });
  if (!group_sorted_) return;
  alignas(32) SmallEntry lanes[MAX_NETWORK_ROWS * LANES];
  const std::uint32_t padded = (n + NETWORK_STEP - 1) / NETWORK_STEP * NETWORK_STEP;
  std::fill(lanes + std::size_t{n} * LANES, lanes + std::size_t{padded} * LANES, ~SmallEntry{0});
  const std::uint16_t* order = order_.data() + task.begin;
  for (std::uint32_t l = 0; l < LANES; ++l) {
    const std::size_t feature = group_[std::min<std::size_t>(l, group_.size() - 1)];
    const std::uint16_t* codes = codes_.data() + feature * n_rows_;
    for (std::uint32_t i = 0; i < n; ++i) {
      lanes[i * LANES + l] = make_entry<SmallEntry>(codes[order[i]], order[i]);
    }
  }
  kernels.sort_lanes(lanes, sorting_network(padded));
  for (std::uint32_t l = 0; l < group_.size(); ++l) {
    SmallEntry* entries = node_lists_.data() + std::size_t{l} * n_rows_;
    for (std::uint32_t i = 0; i < n; ++i) entries[i] = lanes[i * LANES + l];
  }
}

Split SmallGrower::search_feature(std::uint32_t feature, const Task& task, const Limits& limits,
                                  std::uint32_t slot) {
  const FeatureCodes& codes = matrix_.feature(feature);
  if (counts_classes(feature, task.totals.n)) {
    if (in_lanes_) return bins_.search(slot, feature, limits);
    return classes_.search(codes_.data() + std::size_t{feature} * n_rows_,
                           ids(task.begin, task.totals.n), rows_, codes, feature, task.totals,
                           limits);
  }
  return search_.search(sorted_list(feature, task, slot), codes, feature, task.totals, limits);
}

void SmallGrower::search_lanes(const Task& task, const Limits& limits, const GrowOptions& options,
                               Split& best) {
  LaneTask lanes{{}, task.totals.n, rows_.pair, task.totals.w, task.totals.wy, limits};
  const auto size = static_cast<std::uint32_t>(group_.size());
  for (std::uint32_t k = 0; k < size; ++k) lanes.list[k] = sorted_list(group_[k], task, k);
  for (std::uint32_t k = size; k < LANES; ++k) lanes.list[k] = lanes.list[0];
  Cut cuts[LANES];
  options.kernels->scan_lanes(lanes, cuts);
  for (std::uint32_t k = 0; k < size; ++k) {
    cuts[k].score += task.totals.score;  // from gain to score
    const SmallEntry* entries = lanes.list[k];
    if (cuts[k].score > best.score + limits.tolerance) {
      best = ListSearch<SmallEntry>::numeric_split(entries, cuts[k], group_[k], task.totals.n);
    }
    if (code_of(entries[task.totals.n - 1]) != MISSING_CODE) continue;
    keep_better(best, search_.search_missing_left(entries, group_[k], task.totals, limits),
                limits.tolerance);
  }
}

const SmallEntry* SmallGrower::sorted_list(std::uint32_t feature, const Task& task,
                                           std::uint32_t slot) {
  if (presorted_) return list(feature) + task.begin;
  SmallEntry* entries = node_lists_.data() + std::size_t{slot} * n_rows_;
  if (group_sorted_) return entries;
  const std::uint16_t* codes = codes_.data() + std::size_t{feature} * n_rows_;
  const std::uint16_t* order = order_.data() + task.begin;
  fill_sorted(entries, task.totals.n,
              [&](std::uint32_t i) { return make_entry<SmallEntry>(codes[order[i]], order[i]); });
  return entries;
}

}  // namespace bayeswood
