// Grows a subtree of at most 65,536 rows: asks SubtreeSearch for the best split of a node and sends
// the node's rows to its children.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayeswood/grow/search/node_search.hpp"
#include "bayeswood/grow/subtree.hpp"
#include "bayeswood/grow/twig_grower.hpp"

namespace bayeswood {

class SmallGrower {
 public:
  SmallGrower(const EncodedMatrix& matrix, const Target& target, const SearchChoice& choice)
      : SmallGrower(matrix, target, choice, false) {
    if (choice.grows_class_twigs())
      class_twigs_.reset(new SmallGrower(matrix, target, choice, true));
  }

  // By feature: how far the tree trusts a category, see level_trust.hpp.
  void set_trust(const double* trust) { search_.set_trust(trust); }

  // `rows` are training rows in ascending order, whose data stand in `source` by training row, and
  // in `moved` in this order where they were moved.
  void grow(TreeContext& tree, std::uint32_t root, std::uint32_t depth, const NodeTotals& totals,
            std::span<const std::uint32_t> rows, const RowData& source, const MovedNode& moved);

 private:
  struct Task {
    std::uint32_t node, depth, begin;
    NodeTotals totals;
    std::uint32_t n_pushed = 0;  // classes whose weights wait in ClassLanes
  };

  SmallGrower(const EncodedMatrix& matrix, const Target& target, const SearchChoice& choice,
              bool is_twig);
  void restart();
  void grow_stack(TreeContext& tree);
  void end(TreeContext& tree, const Task& task);
  bool push_or_end(TreeContext& tree, Task task, const double* class_w);
  void grow_twig(TreeContext& tree, const Task& task);
  void grow_class_twig(TreeContext& tree, const Task& task);
  void grow_node(TreeContext& tree, const Task& task);
  NodeTotals child_totals(std::uint32_t begin, std::uint32_t n);
  NodeTotals counted_or_summed(PackedCount rows, std::uint32_t begin, std::uint32_t n,
                               double* class_w);
  NodeTotals summed_classes(std::uint32_t begin, std::uint32_t n, double* class_w);
  std::uint32_t assign_sides(const Split& split, const Task& task);
  void partition_order(const Task& task);
  std::uint32_t partition_classes(const Split& split, const Task& task);
  std::uint32_t partition(Split& split, const Task& task);
  std::uint32_t partition_codes(Split& split, const Task& task);
  void partition_lists(const Split& split, const Task& task, bool left_ends, bool right_ends);
  std::uint32_t assign_plain_sides(const Split& split, const Task& task);
  void part_plain_lists(const Split& split, const Task& task, const Kernels& kernels,
                        bool left_ends, bool right_ends);
  std::span<const std::uint16_t> ids(const Task& task) const {
    return subtree_.ids(task.begin, task.totals.n);
  }

  const EncodedMatrix& matrix_;
  const Target& target_;
  const SearchChoice& choice_;
  Subtree subtree_;
  SubtreeSearch search_;
  TwigGrower twigs_;
  SideSet sums_;
  ClassLanes::Children child_classes_;
  std::vector<double> left_classes_, right_classes_;  // by label, of a node that is not in lanes
  std::vector<std::uint16_t> order_scratch_;
  std::vector<std::uint8_t> side_;  // by id, 1: left
  std::vector<SmallEntry> list_scratch_;
  std::vector<Task> stack_;
  Sides sides_;
  RowSides side_bits_;  // the same in a twig
  // Grows twigs of classes: subtrees of at most MAX_TWIG_ROWS, which have none of their own.
  std::unique_ptr<SmallGrower> class_twigs_;
  bool is_class_twig_;
};

}  // namespace bayeswood
