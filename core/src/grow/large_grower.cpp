#include "bayeswood/grow/large_grower.hpp"

#include <algorithm>
#include <numeric>

#include "bayeswood/base/radix_sort.hpp"

namespace bayeswood {
namespace {

// From HISTOGRAM_ROWS on histograms of the whole table beat sorted lists. Where a subtree bins its
// rows, they are near one another, and it begins earlier.
constexpr std::uint32_t BINNED_ROWS = 24576;

std::uint32_t most_small_rows(const EncodedMatrix& matrix, const Target& target,
                              const GrowOptions& options) {
  if (target.kind != TargetKind::SCALAR) return MAX_SMALL_ROWS;
  return SmallGrower::bins_weights(matrix, target, options) ? BINNED_ROWS : HISTOGRAM_ROWS;
}

}  // namespace

LargeGrower::LargeGrower(const EncodedMatrix& matrix, const Target& target,
                         const GrowOptions& options)
    : matrix_(matrix),
      target_(target),
      all_features_(options.max_features >= matrix.n_features()),
      small_rows_(most_small_rows(matrix, target, options)),
      features_(matrix.n_features()),
      trust_(matrix.n_features()),
      histograms_(matrix),
      count_search_(matrix),
      search_(data_, target),
      small_(matrix, target, options) {
  std::iota(features_.begin(), features_.end(), 0U);
  search_.set_trust(trust_.data());
  small_.set_trust(trust_.data());
}

void LargeGrower::grow(TreeContext& tree, std::vector<std::uint32_t>& rows, const RowData& data,
                       const NodeTotals& totals) {
  data_ = data;
  rows_ = &rows;
  scratch_.resize(rows.size());
  stack_.clear();
  stack_.push_back({TreeBuilder::ROOT, 0, 0, totals, nullptr});
  set_trust(stack_.back());
  while (!stack_.empty()) {
    Task task = std::move(stack_.back());
    stack_.pop_back();
    check_stop(tree.stop);
    const bool counting = data_.counted.counts != nullptr;
    if (task.totals.n <= (counting ? BINNED_ROWS : small_rows_)) {
      small_.grow(tree, task.node, task.depth, task.totals, rows_of(task), data_);
    } else {
      grow_node(tree, std::move(task));
    }
  }
}

void LargeGrower::set_trust(const Task& root) {
  for (std::uint32_t j = 0; j < matrix_.n_features(); ++j) {
    const FeatureCodes& codes = matrix_.feature(j);
    const std::size_t n_levels = std::size_t{codes.n_codes} + (codes.has_missing ? 1 : 0);
    if (!codes.is_category) continue;
    if (n_levels <= FREE_LEVELS) {
      trust_[j] = 1;
    } else if (target_.kind == TargetKind::SCALAR) {
      sum_levels(root, j);
      trust_[j] = level_spread(seen_levels_, seen_ww_).trust(root.totals);
    } else {
      trust_[j] = search_.spread(sorted_list(root, j), root.totals.n).trust(root.totals);
    }
  }
}

void LargeGrower::grow_node(TreeContext& tree, Task task) {
  Split split;
  if (!tree.must_stop(task.totals, task.depth)) split = find_split(tree, task);
  if (!split.found()) {
    tree.builder.set_leaf(task.node, task.totals, rows_of(task), data_, nullptr);
  } else {
    push_children(tree, task, split);
  }
  if (task.histogram) spare_.push_back(std::move(task.histogram));
}

// The smaller child is grown first: so few histograms wait at any time.
void LargeGrower::push_children(TreeContext& tree, Task& task, Split& split) {
  const std::uint32_t n_left = partition(split, task);
  const std::uint32_t n_right = task.totals.n - n_left;
  const auto children = tree.builder.set_split(task.node, split, n_left, n_right);
  tree.count_gain(split, task.totals);
  Task left{children.left, task.depth + 1, task.begin, {}, nullptr};
  Task right{children.right, task.depth + 1, task.begin + n_left, {}, nullptr};
  left.totals.n = n_left;
  right.totals.n = n_right;
  if (data_.counted.counts != nullptr) {
    left.totals = count_totals(split.left);
    right.totals = count_totals(counts_of(task.totals) - split.left);
  } else {
    for (Task* child : {&left, &right}) {
      child->totals = node_totals(rows_of(*child), data_, target_, search_.sides());
    }
  }
  Task& small = n_left <= n_right ? left : right;
  Task& large = n_left <= n_right ? right : left;
  if (task.histogram && large.totals.n > small_rows_) {
    auto histogram = take_histogram();
    fill_histogram(*histogram, matrix_, rows_of(small), data_.pair, features_);
    task.histogram->subtract(*histogram);
    large.histogram = std::move(task.histogram);
    if (small.totals.n > small_rows_) {
      small.histogram = std::move(histogram);
    } else {
      spare_.push_back(std::move(histogram));
    }
  }
  stack_.push_back(std::move(large));
  stack_.push_back(std::move(small));
}

std::unique_ptr<Histogram> LargeGrower::take_histogram() {
  if (spare_.empty()) return std::make_unique<Histogram>();
  auto histogram = std::move(spare_.back());
  spare_.pop_back();
  return histogram;
}

Split LargeGrower::draw_split(TreeContext& tree, const Task& task, const Limits& limits) {
  top_.restart(tree.options.n_candidates, limits.tolerance);
  search_.set_node(rows_of(task));
  tree.features.restart();
  while (tree.features.left() > 0) {
    check_stop(tree.stop);
    const std::uint32_t feature = tree.features.next();
    search_.offer_all(sorted_list(task, feature), matrix_.feature(feature), feature, task.totals,
                      limits, top_);
  }
  return top_.draw(tree.choices);
}

Split LargeGrower::find_split(TreeContext& tree, Task& task) {
  const Limits limits = tree.limits(task.totals);
  if (tree.options.n_candidates > 0) return draw_split(tree, task, limits);
  if (!all_features_ || target_.kind != TargetKind::SCALAR)
    return search_sampled(tree, task, limits);
  if (!task.histogram) {
    task.histogram = take_histogram();
    fill_histogram(*task.histogram, matrix_, rows_of(task), data_.pair, features_);
  }
  Split best =
      histograms_.search({rows_of(task), data_, task.totals, limits, *tree.options.kernels},
                         *task.histogram, features_);
  for (std::uint32_t j = 0; j < matrix_.n_features(); ++j) {
    if (!matrix_.feature(j).is_category) continue;
    keep_better(best, search_level_sums(task, j, limits), limits.tolerance);
  }
  return best;
}

Split LargeGrower::search_sampled(TreeContext& tree, const Task& task, const Limits& limits) {
  Split best;
  tree.features.restart();
  std::size_t wanted = tree.options.max_features;
  std::vector<std::uint32_t> chosen;
  while (tree.features.left() > 0 && (wanted > 0 || !best.found())) {
    chosen.clear();
    const std::size_t size = std::min(std::max<std::size_t>(wanted, 1), tree.features.left());
    for (std::size_t k = 0; k < size; ++k) chosen.push_back(tree.features.next());
    std::uint32_t n_refused = 0;
    if (data_.counted.counts != nullptr) {
      search_counts(tree, task, limits, chosen, best);
    } else {
      n_refused = search_features(tree, task, limits, chosen, best);
    }
    wanted = n_refused;  // others are looked at in their place
  }
  return best;
}

void LargeGrower::search_counts(TreeContext& tree, const Task& task, const Limits& limits,
                                std::span<const std::uint32_t> features, Split& best) {
  const TableRows rows{rows_of(task), matrix_, data_.counted};
  for (std::size_t begin = 0; begin < features.size(); begin += LANES) {
    check_stop(tree.stop);
    const std::size_t size = std::min<std::size_t>(LANES, features.size() - begin);
    count_search_.search(rows, {task.totals, limits, *tree.options.kernels},
                         features.subspan(begin, size), best);
  }
}

// Returns how many categories gained less than they had to pay.
std::uint32_t LargeGrower::search_features(TreeContext& tree, const Task& task,
                                           const Limits& limits,
                                           std::span<const std::uint32_t> features, Split& best) {
  std::uint32_t n_refused = 0;
  const bool scalar = target_.kind == TargetKind::SCALAR;
  if (scalar) {
    auto histogram = take_histogram();
    fill_histogram(*histogram, matrix_, rows_of(task), data_.pair, features);
    keep_better(
        best,
        histograms_.search({rows_of(task), data_, task.totals, limits, *tree.options.kernels},
                           *histogram, features),
        limits.tolerance);
    spare_.push_back(std::move(histogram));
  }
  for (const auto feature : features) {
    check_stop(tree.stop);
    const FeatureCodes& codes = matrix_.feature(feature);
    if (scalar && !codes.is_category) continue;
    Split split =
        scalar ? search_level_sums(task, feature, limits)
               : search_.search(sorted_list(task, feature), codes, feature, task.totals, limits);
    n_refused += split.refused ? 1 : 0;
    keep_better(best, std::move(split), limits.tolerance);
  }
  return n_refused;
}

void LargeGrower::sum_levels(const Task& task, std::uint32_t feature) {
  const std::uint32_t n_codes = matrix_.feature(feature).n_codes;
  levels_.assign(n_codes + 1, LevelSums{0, 0, 0, 0});  // the last one for missing values
  level_ww_.assign(n_codes + 1, 0.0);
  const std::uint16_t* column = matrix_.column(feature);
  for (const auto row : rows_of(task)) {
    const std::uint32_t code = column[row];
    const std::uint32_t at = std::min(code, n_codes);
    const WeightedValue& value = data_.pair[row];
    levels_[at].code = code;
    ++levels_[at].n;
    levels_[at].w += value.w;
    levels_[at].wy += value.wy;
    level_ww_[at] += value.w * value.w;
  }
  seen_levels_.clear();
  seen_ww_.clear();
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i].n == 0) continue;
    seen_levels_.push_back(levels_[i]);
    seen_ww_.push_back(level_ww_[i]);
  }
}

Split LargeGrower::search_level_sums(const Task& task, std::uint32_t feature,
                                     const Limits& limits) {
  sum_levels(task, feature);
  return best_paid_prefix(seen_levels_, seen_ww_, feature, trust_[feature], task.totals, limits);
}

const LargeEntry* LargeGrower::sorted_list(const Task& task, std::uint32_t feature) {
  list_.resize(task.totals.n);
  list_scratch_.resize(task.totals.n);
  std::size_t at = 0;
  const std::uint16_t* column = matrix_.column(feature);
  for (const auto row : rows_of(task)) list_[at++] = make_entry<LargeEntry>(column[row], row);
  radix_sort(list_.data(), list_scratch_.data(), list_.size(), 32, 16);
  return list_.data();
}

// Stable. Finds the node's own neighbours of the cut, between which the threshold will lie.
std::uint32_t LargeGrower::partition(Split& split, const Task& task) {
  const FeatureCodes& codes = matrix_.feature(split.feature);
  sides_.set(split, codes);
  std::uint32_t* rows = rows_->data() + task.begin;
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  std::uint32_t below = 0;
  std::uint32_t above = MISSING_CODE;
  const std::uint16_t* column = matrix_.column(split.feature);
  const auto sort_out = [&](auto goes_left_of) {
    for (std::uint32_t i = 0; i < task.totals.n; ++i) {
      const std::uint32_t row = rows[i];
      const std::uint32_t code = column[row];
      const std::uint32_t goes_left = goes_left_of(code);
      rows[left] = row;
      scratch_[right] = row;
      left += goes_left;
      right += 1 - goes_left;
      // A missing code is the highest: it never becomes a lower neighbour, nor hides an upper one.
      below = code <= split.cut_code ? std::max(below, code) : below;
      above = code <= split.cut_code ? above : std::min(above, code);
    }
  };
  if (!codes.is_category && !split.missing_left) {
    sort_out([cut = split.cut_code](std::uint32_t code) { return code <= cut; });
  } else {
    sort_out([this](std::uint32_t code) { return sides_.goes_left(code); });
  }
  std::copy_n(scratch_.data(), right, rows + left);
  split.cut_code = below;
  split.upper_code = above;
  return left;
}

}  // namespace bayeswood
