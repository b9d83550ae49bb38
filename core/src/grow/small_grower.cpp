#include "bayeswood/grow/small_grower.hpp"

#include <algorithm>

namespace bayeswood {

SmallGrower::SmallGrower(const EncodedMatrix& matrix, const Target& target,
                         const SearchChoice& choice, bool is_twig)
    : matrix_(matrix),
      target_(target),
      choice_(choice),
      subtree_(matrix, target, choice.keeps_lists(), choice.grows_class_twigs()),
      search_(subtree_, choice),
      twigs_(matrix, target),
      sums_(subtree_.rows(), target),
      left_classes_(target.n_outputs),
      right_classes_(target.n_outputs),
      is_class_twig_(is_twig) {}

void SmallGrower::grow(TreeContext& tree, std::uint32_t root, std::uint32_t depth,
                       const NodeTotals& totals, std::span<const std::uint32_t> rows,
                       const RowData& source, const MovedNode& moved) {
  subtree_.load_rows(rows, source, moved);
  if (!tree.must_stop(totals, depth)) subtree_.load_features(*tree.options.kernels);
  restart();
  const std::uint32_t n = subtree_.n_rows();
  push_or_end(tree, {root, depth, 0, subtree_.is_counted() ? totals : child_totals(0, n)}, nullptr);
  grow_stack(tree);
}

void SmallGrower::restart() {
  search_.load();
  const std::uint32_t n = subtree_.n_rows();
  order_scratch_.resize(n);
  side_.resize(is_class_twig_ ? MAX_TWIG_ROWS : n);
  list_scratch_.resize(choice_.keeps_lists() ? n + LIST_ROOM : 0);
  stack_.clear();
}

void SmallGrower::grow_stack(TreeContext& tree) {
  while (!stack_.empty()) {
    const Task task = stack_.back();
    stack_.pop_back();
    check_stop(tree.stop);
    if (choice_.grows_twigs() && task.totals.n <= MAX_TWIG_ROWS) {
      grow_twig(tree, task);
    } else if (class_twigs_ != nullptr && task.totals.n <= MAX_TWIG_ROWS) {
      grow_class_twig(tree, task);
    } else {
      grow_node(tree, task);
    }
  }
}

void SmallGrower::end(TreeContext& tree, const Task& task) {
  tree.builder.set_leaf(task.node, task.totals, ids(task), subtree_.rows(), subtree_.row_of_id());
}

bool SmallGrower::push_or_end(TreeContext& tree, Task task, const double* class_w) {
  const bool ends = tree.must_stop(task.totals, task.depth);
  if (ends) {
    end(tree, task);
  } else {
    if (class_w != nullptr)
      task.n_pushed = search_.lanes() != nullptr
                          ? search_.lanes()->push(class_w)
                          : search_.waiting()->push_labels({class_w, target_.n_outputs});
    stack_.push_back(task);
  }
  return ends;
}

void SmallGrower::grow_twig(TreeContext& tree, const Task& task) {
  const PlainLists lists{subtree_.list(0) + task.begin, subtree_.stride()};
  twigs_.grow(tree, {task.node, task.depth, task.totals},
              {ids(task), lists, subtree_.rows(), subtree_.row_of_id()});
}

// The weights of its classes are added up anew, in the same order.
void SmallGrower::grow_class_twig(TreeContext& tree, const Task& task) {
  search_.drop(task.n_pushed);
  SmallGrower& twig = *class_twigs_;
  twig.subtree_.load_twig(subtree_, task.begin, task.totals.n, *tree.options.kernels);
  twig.restart();
  twig.stack_.push_back({task.node, task.depth, 0, task.totals});
  twig.grow_stack(tree);
}

void SmallGrower::grow_node(TreeContext& tree, const Task& task) {
  const std::uint32_t n = task.totals.n;
  Split split = search_.best(
      {task.begin, task.totals, tree.limits(task.totals), *tree.options.kernels, task.n_pushed},
      tree);
  if (!split.found()) return end(tree, task);
  const std::uint32_t n_left = partition(split, task);
  const auto children = tree.builder.set_split(task.node, split, n_left, n - n_left);
  tree.count_gain(split, task.totals);
  const bool in_lanes = search_.lanes() != nullptr, waits = search_.waiting() != nullptr;
  double* left_w = in_lanes ? child_classes_.left : waits ? left_classes_.data() : nullptr;
  double* right_w = in_lanes ? child_classes_.right : waits ? right_classes_.data() : nullptr;
  const bool counting = subtree_.is_counted();
  const PackedCount all = counting ? counts_of(task.totals) : 0;
  const Task left{children.left, task.depth + 1, task.begin,
                  counted_or_summed(split.left, task.begin, n_left, left_w)};
  const Task right{children.right, task.depth + 1, task.begin + n_left,
                   counted_or_summed(all - split.left, task.begin + n_left, n - n_left, right_w)};
  const bool right_first =
      choice_.bins_weights() && !counting && n > HISTOGRAM_ROWS && n_left > n - n_left;
  bool left_ends = right_first && push_or_end(tree, left, left_w);
  const bool right_ends = push_or_end(tree, right, right_w);
  if (!right_first) left_ends = push_or_end(tree, left, left_w);
  if (!choice_.keeps_lists() || (left_ends && right_ends)) return;
  if (choice_.grows_class_twigs()) {
    part_plain_lists(split, task, *tree.options.kernels, left_ends, right_ends);
  } else {
    partition_lists(split, task, left_ends, right_ends);
  }
}

NodeTotals SmallGrower::counted_or_summed(PackedCount rows, std::uint32_t begin, std::uint32_t n,
                                          double* class_w) {
  if (subtree_.is_counted()) return count_totals(rows);
  if (search_.waiting() != nullptr) return summed_classes(begin, n, class_w);
  const bool in_order = class_w != nullptr && n >= target_.n_outputs;  // as class_totals adds up
  return in_order ? search_.lanes()->totals(class_w, n) : child_totals(begin, n);
}

// As class_totals adds up; and the weights of the classes, which the child will ask for.
NodeTotals SmallGrower::summed_classes(std::uint32_t begin, std::uint32_t n, double* class_w) {
  const auto rows = subtree_.ids(begin, n);
  std::vector<double>& sums = sums_.class_weights();
  sums.resize(target_.n_outputs, 0.0);
  for (const auto id : rows) sums[subtree_.rows().label[id]] += subtree_.rows().w[id];
  std::copy(sums.begin(), sums.end(), class_w);
  return summed_class_totals(rows, subtree_.rows(), target_, sums);
}

// The rows are this subtree's own, and may be centred anew.
NodeTotals SmallGrower::child_totals(std::uint32_t begin, std::uint32_t n) {
  const auto rows = subtree_.ids(begin, n);
  NodeTotals totals = node_totals(rows, subtree_.rows(), target_, sums_);
  if (target_.kind == TargetKind::CLASSES || !is_far(totals, target_)) return totals;
  subtree_.center(rows, totals);
  return node_totals(rows, subtree_.rows(), target_, sums_);
}

}  // namespace bayeswood
