// Grows a twig: a subtree of numbers of at most 1,024 rows, from sorted lists of all features.
//
// Rows are numbered anew, so that what a node touches stays in the first cache, and the side that
// each goes to is a table of bits in registers. Trees are those of SmallGrower, bit for bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/node.hpp"
#include "bayeswood/grow/search/lists/plain_search.hpp"

namespace bayeswood {

class TwigGrower {
 public:
  TwigGrower(const EncodedMatrix& matrix, const Target& target)
      : matrix_(matrix), target_(target) {}

  struct Root {
    std::uint32_t node, depth;
    NodeTotals totals;
  };
  // The rows as another grower holds them: `ids` ascending, sorted lists of them by feature.
  struct Source {
    std::span<const std::uint16_t> ids;
    PlainLists lists;
    const RowData& rows;
    const std::uint32_t* row_of_id;
  };
  void grow(TreeContext& tree, const Root& root, const Source& source);

 private:
  struct Task {
    std::uint32_t node, depth, begin;
    NodeTotals totals;
  };

  void load(const Source& source);
  void grow_node(TreeContext& tree, const Task& task);
  bool push_or_end(TreeContext& tree, const Task& task);
  void end(TreeContext& tree, const Task& task);
  NodeTotals totals_of(std::uint32_t begin, std::uint32_t n);
  void set_sides(const SmallEntry* entries, std::uint32_t n_left, std::uint32_t n);
  std::span<const std::uint32_t> ids(std::uint32_t begin, std::uint32_t n) const {
    return {order_ + begin, n};
  }
  SmallEntry* list(std::uint32_t feature) { return lists_.data() + feature * stride_; }

  // Lists must not begin a page apart: few such lines fit the first cache.
  static constexpr std::size_t PADDING = 16;

  const EncodedMatrix& matrix_;
  const Target& target_;
  PlainSearch search_;
  std::size_t stride_ = 0;
  std::vector<SmallEntry> lists_;
  std::vector<std::uint16_t> number_of_id_;
  std::vector<Task> stack_;
  RowSides sides_;
  WeightedValue pair_[MAX_TWIG_ROWS];
  double y_[MAX_TWIG_ROWS];
  std::uint32_t row_of_id_[MAX_TWIG_ROWS];
  std::uint32_t order_[MAX_TWIG_ROWS];  // ascending within each node
  std::uint32_t scratch_[MAX_TWIG_ROWS + PADDING];
  RowData rows_;
};

}  // namespace bayeswood
