// The rows of the top of a tree of numbers, which move as it grows: those of a node stand together
// in their order, with their codes, weights and responses. What looks at a large node reads memory
// from front to back, where a list of row numbers would lead it all over the table.
//
// Plain features only: no categories, no missing values.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayeswood/grow/node.hpp"

namespace bayeswood {

// The rows of one node. `stride`: from one column of codes to the next.
struct MovedNode {
  const WeightedValue* pair = nullptr;  // null: rows are not moved
  const double* y = nullptr;
  const std::uint16_t* codes = nullptr;
  std::size_t stride = 0;
  bool exists() const { return pair != nullptr; }
  const std::uint16_t* column(std::size_t feature) const { return codes + feature * stride; }
};

class MovedRows {
 public:
  explicit MovedRows(const EncodedMatrix& matrix) : matrix_(matrix) {}

  // Of a tree; `rows` are ascending. Both they and `pair`, which is that of `data` by training row,
  // are reordered from now on.
  void load(std::span<std::uint32_t> rows, std::span<WeightedValue> pair, const RowData& data);

  MovedNode node(std::uint32_t begin) const;
  // Sends the rows of a node to its children, which are summed up. Finds the node's own neighbours
  // of the cut, between which the threshold will lie.
  struct Children {
    NodeTotals left, right;
  };
  Children part(Split& split, std::uint32_t begin, std::uint32_t n, const MoveKernels& moves);

 private:
  void copy_rows();
  template <class Value, class Part>
  void part_array(const Value* from, std::span<Value> to, Part part);
  Children add_up(std::uint32_t begin, std::uint32_t n_left, std::uint32_t n) const;

  const EncodedMatrix& matrix_;
  std::span<std::uint32_t> rows_;
  std::span<WeightedValue> pair_;
  const double* y_of_row_ = nullptr;
  bool in_place_ = false;  // all rows of the table, of which none has moved yet
  std::vector<double> y_;
  std::vector<std::uint16_t> codes_;  // column after column
  std::vector<std::uint64_t> sides_;
  std::unique_ptr<WeightedValue[]> scratch_;  // what no row was sent to is never touched
};

}  // namespace bayeswood
