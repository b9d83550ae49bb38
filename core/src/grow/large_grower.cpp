#include "bayeswood/grow/large_grower.hpp"

#include <algorithm>
#include <numeric>

namespace bayeswood {

LargeGrower::LargeGrower(const EncodedMatrix& matrix, const Target& target,
                         const SearchChoice& choice)
    : matrix_(matrix),
      target_(target),
      choice_(choice),
      moved_(matrix),
      sums_(data_, target),
      search_(matrix, target, data_, choice),
      small_(matrix, target, choice) {}

void LargeGrower::grow(TreeContext& tree, std::vector<std::uint32_t>& rows,
                       std::span<WeightedValue> pair, const RowData& data,
                       const NodeTotals& totals) {
  data_ = data;
  rows_ = &rows;
  stack_.clear();
  stack_.push_back({TreeBuilder::ROOT, 0, 0, totals, nullptr});
  moves_ = choice_.moves_rows() && data.counted.counts == nullptr && !is_small(stack_.back());
  if (moves_) moved_.load(rows, pair, data);
  scratch_.resize(moves_ ? 0 : rows.size());
  small_.set_trust(search_.set_trust(node_of(stack_.back(), tree)));
  while (!stack_.empty()) {
    Task task = std::move(stack_.back());
    stack_.pop_back();
    check_stop(tree.stop);
    if (is_small(task)) {
      small_.grow(tree, task.node, task.depth, task.totals, rows_of(task), data_, moved_of(task));
    } else {
      grow_node(tree, std::move(task));
    }
  }
}

void LargeGrower::grow_node(TreeContext& tree, Task task) {
  Split split;
  if (!tree.must_stop(task.totals, task.depth)) {
    const LargeNode node = node_of(task, tree);
    if (choice_.keeps_histograms() && !task.histogram) {
      task.histogram = take_histogram();
      search_.fill_all(node, *task.histogram);
    }
    split = search_.best(node, task.histogram.get(), tree);
  }
  if (!split.found()) {
    set_leaf(tree, task);
  } else {
    push_children(tree, task, split);
  }
  if (task.histogram) spare_.push_back(std::move(task.histogram));
}

void LargeGrower::set_leaf(TreeContext& tree, const Task& task) {
  const auto rows = rows_of(task);
  if (!moves_) return tree.builder.set_leaf(task.node, task.totals, rows, data_, nullptr);
  std::vector<std::uint32_t> places(rows.size());
  std::iota(places.begin(), places.end(), 0U);
  const MovedNode moved = moved_of(task);
  const RowData data{moved.pair, moved.y, nullptr, nullptr, nullptr, {}};
  tree.builder.set_leaf(task.node, task.totals, std::span<const std::uint32_t>(places), data,
                        rows.data());
}

// The smaller child is grown first: so few histograms wait at any time.
void LargeGrower::push_children(TreeContext& tree, Task& task, Split& split) {
  Task left{0, task.depth + 1, task.begin, {}, nullptr};
  Task right{0, task.depth + 1, task.begin, {}, nullptr};
  part_rows(tree, task, split, left, right);
  const std::uint32_t n_left = left.totals.n;
  const std::uint32_t n_right = right.totals.n;
  const auto children = tree.builder.set_split(task.node, split, n_left, n_right);
  tree.count_gain(split, task.totals);
  left.node = children.left;
  right.node = children.right;
  Task& small = n_left <= n_right ? left : right;
  Task& large = n_left <= n_right ? right : left;
  if (task.histogram && !is_small(large)) keep_histograms(task, small, large, tree);
  stack_.push_back(std::move(large));
  stack_.push_back(std::move(small));
}

// Sends the rows of a node to its children, and sums these up.
void LargeGrower::part_rows(const TreeContext& tree, const Task& task, Split& split, Task& left,
                            Task& right) {
  if (moves_) {
    const auto children =
        moved_.part(split, task.begin, task.totals.n, *tree.options.kernels->moves);
    left.totals = children.left;
    right.totals = children.right;
    right.begin += left.totals.n;
    return;
  }
  left.totals.n = partition(split, task);
  right.totals.n = task.totals.n - left.totals.n;
  right.begin += left.totals.n;
  if (data_.counted.counts != nullptr) {
    left.totals = count_totals(split.left);
    right.totals = count_totals(counts_of(task.totals) - split.left);
  } else {
    for (Task* child : {&left, &right}) {
      child->totals = node_totals(rows_of(*child), data_, target_, sums_);
    }
  }
}

// That of the larger child is what the smaller one leaves of the node's.
void LargeGrower::keep_histograms(Task& task, Task& small, Task& large, const TreeContext& tree) {
  auto histogram = take_histogram();
  search_.fill_all(node_of(small, tree), *histogram);
  task.histogram->subtract(*histogram);
  large.histogram = std::move(task.histogram);
  if (is_small(small)) {
    spare_.push_back(std::move(histogram));
  } else {
    small.histogram = std::move(histogram);
  }
}

std::unique_ptr<Histogram> LargeGrower::take_histogram() {
  if (spare_.empty()) return std::make_unique<Histogram>();
  auto histogram = std::move(spare_.back());
  spare_.pop_back();
  return histogram;
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
