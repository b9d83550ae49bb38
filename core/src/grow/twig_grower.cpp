#include "bayeswood/grow/twig_grower.hpp"

#include <algorithm>
#include <numeric>

#include "bayeswood/base/prefetch.hpp"

namespace bayeswood {

void TwigGrower::load(const Source& source) {
  const auto n = static_cast<std::uint32_t>(source.ids.size());
  number_of_id_.resize(std::size_t{1} << 16);  // ids have 16 bits
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint16_t id = source.ids[i];
    number_of_id_[id] = static_cast<std::uint16_t>(i);
    pair_[i] = source.rows.pair[id];
    y_[i] = source.rows.y[id];
    row_of_id_[i] = source.row_of_id[id];
    if (!target_.is_classifier) prefetch(target_.values.data() + row_of_id_[i]);
  }
  std::iota(order_, order_ + n, 0U);
  rows_ = {pair_, y_, nullptr, nullptr, nullptr, {}};
  stride_ = n + PADDING;
  lists_.resize(matrix_.n_features() * stride_);
  for (std::uint32_t j = 0; j < matrix_.n_features(); ++j) {
    const SmallEntry* from = source.lists.of(j);
    SmallEntry* to = list(j);
    for (std::uint32_t i = 0; i < n; ++i)
      to[i] = make_entry<SmallEntry>(code_of(from[i]), number_of_id_[id_of(from[i])]);
  }
}

void TwigGrower::grow(TreeContext& tree, const Root& root, const Source& source) {
  load(source);
  stack_.clear();
  stack_.push_back({root.node, root.depth, 0, root.totals});
  while (!stack_.empty()) {
    const Task task = stack_.back();
    stack_.pop_back();
    check_stop(tree.stop);
    grow_node(tree, task);
  }
}

void TwigGrower::end(TreeContext& tree, const Task& task) {
  tree.builder.set_leaf(task.node, task.totals, ids(task.begin, task.totals.n), rows_, row_of_id_);
}

bool TwigGrower::push_or_end(TreeContext& tree, const Task& task) {
  const bool ends = tree.must_stop(task.totals, task.depth);
  if (ends) {
    end(tree, task);
  } else {
    stack_.push_back(task);
  }
  return ends;
}

void TwigGrower::grow_node(TreeContext& tree, const Task& task) {
  const std::uint32_t n = task.totals.n;
  const PlainLists lists{lists_.data() + task.begin, stride_};
  const PlainSearch::Node node{task.totals, pair_, lists, tree.limits(task.totals),
                               *tree.options.kernels};
  const Split split = n == 2 ? search_.separate_pair(node, tree) : best_split(search_, node, tree);
  if (!split.found()) return end(tree, task);
  const std::uint32_t n_left = search_.n_left();
  set_sides(lists.of(split.feature), n_left, n);
  const ListParts& parts = tree.options.kernels->part_lists;
  parts.both({order_ + task.begin, 0, 1, 1, n, sides_, scratch_});
  const auto children = tree.builder.set_split(task.node, split, n_left, n - n_left);
  tree.count_gain(split, task.totals);
  const Task left{children.left, task.depth + 1, task.begin, totals_of(task.begin, n_left)};
  const Task right{children.right, task.depth + 1, task.begin + n_left,
                   totals_of(task.begin + n_left, n - n_left)};
  const bool right_ends = push_or_end(tree, right);
  const bool left_ends = push_or_end(tree, left);
  if (left_ends && right_ends) return;
  const ListPart part = right_ends ? parts.left : (left_ends ? parts.right : parts.both);
  const auto n_lists = static_cast<std::uint32_t>(matrix_.n_features());
  part({lists_.data() + task.begin, stride_, n_lists, split.feature, n, sides_, scratch_});
}

NodeTotals TwigGrower::totals_of(std::uint32_t begin, std::uint32_t n) {
  NodeTotals totals = scalar_totals(ids(begin, n), rows_);
  if (!is_far(totals, target_)) return totals;
  center(ids(begin, n), totals, y_, pair_);
  return scalar_totals(ids(begin, n), rows_);
}

// Marks the smaller side.
void TwigGrower::set_sides(const SmallEntry* entries, std::uint32_t n_left, std::uint32_t n) {
  const bool marks_left = 2 * n_left <= n;
  const std::uint64_t others = marks_left ? 0 : ~std::uint64_t{0};
  std::fill(std::begin(sides_.words), std::end(sides_.words), others);
  const std::uint32_t begin = marks_left ? 0 : n_left;
  const std::uint32_t end = marks_left ? n_left : n;
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::uint32_t id = id_of(entries[i]);
    sides_.words[id / 64] ^= std::uint64_t{1} << (id % 64);
  }
}

}  // namespace bayeswood
