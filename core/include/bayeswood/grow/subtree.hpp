// The rows of a subtree of at most 65,536. Their weights and responses are copied together, so that
// a node's work stays in cache, and a row is a 16-bit number, its id.
//
// Where most features are looked at, each has its rows sorted once, in packed (code, id) lists that
// are partitioned stably down the tree. Where few are, codes are kept, and a node sorts its rows
// for just those.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/moved_rows.hpp"
#include "bayeswood/grow/node.hpp"

namespace bayeswood {

constexpr std::uint32_t MAX_SMALL_ROWS = 65536;

class Subtree {
 public:
  // `picks_lists`: out of the lists of the whole table, which are kept from tree to tree.
  Subtree(const EncodedMatrix& matrix, const Target& target, bool keeps_lists, bool picks_lists)
      : matrix_(matrix), target_(target), keeps_lists_(keeps_lists), picks_lists_(picks_lists) {}

  // `rows` are training rows in ascending order, whose data stand in `source` by training row.
  // `moved`: these rows, if they stand together.
  void load_rows(std::span<const std::uint32_t> rows, const RowData& source,
                 const MovedNode& moved);
  void load_features(const Kernels& kernels);
  // In place of both: a node of another subtree of classes, from `begin` on. Rows are numbered
  // anew.
  void load_twig(const Subtree& whole, std::uint32_t begin, std::uint32_t n,
                 const Kernels& kernels);

  const EncodedMatrix& matrix() const { return matrix_; }
  const Target& target() const { return target_; }
  std::uint32_t n_rows() const { return n_rows_; }
  const RowData& rows() const { return rows_; }  // by id
  const std::uint32_t* row_of_id() const { return row_of_id_.data(); }
  // Rows have counts, which is all that is looked at.
  bool is_counted() const { return rows_.counted.counts != nullptr; }
  double weight(std::uint32_t id) const;

  // Of the node whose rows stand from `begin` on, ascending.
  std::span<const std::uint16_t> ids(std::uint32_t begin, std::uint32_t n) const {
    return {order_.data() + begin, n};
  }
  std::uint16_t* order(std::uint32_t begin) { return order_.data() + begin; }

  bool keeps_lists() const { return keeps_lists_; }
  SmallEntry* list(std::uint32_t feature) { return lists_.data() + feature * stride_; }
  const SmallEntry* list(std::uint32_t feature) const { return lists_.data() + feature * stride_; }
  std::size_t stride() const { return stride_; }  // from list to list
  // Else codes by id.
  const std::uint16_t* column(std::uint32_t feature) const {
    return codes_.data() + std::size_t{feature} * n_rows_;
  }

  // Subtracts the mean of a node's responses.
  void center(std::span<const std::uint16_t> ids, const NodeTotals& totals);

 private:
  static constexpr std::size_t GATHERED = 4;  // columns read together

  void load_counts(const RowData& source);
  void load_values(const RowData& source);
  void load_moved();
  void sort_list(std::uint32_t feature, const std::uint16_t* codes);
  void pick_lists(const Kernels& kernels);
  void sort_table();
  void gather_codes(std::size_t first, std::size_t n_columns);

  const EncodedMatrix& matrix_;
  const Target& target_;
  bool keeps_lists_, picks_lists_;
  std::uint32_t n_rows_ = 0;
  std::size_t stride_ = 0;
  MovedNode moved_;
  RowData rows_;
  std::vector<WeightedValue> pair_;
  std::vector<double> y_, w_, values_;
  std::vector<std::int32_t> label_;
  std::vector<PackedCount> counts_;
  std::vector<RowTail> tails_;
  std::vector<std::uint32_t> row_of_id_;
  std::vector<std::uint16_t> order_;  // ids, ascending within each node
  std::vector<SmallEntry> lists_, scratch_;
  std::vector<SmallEntry> table_lists_;   // of all rows, where lists are picked
  std::vector<std::uint16_t> number_of_;  // by row of what lists are taken from
  std::vector<std::uint16_t> codes_;  // of all columns; where lists are kept, of some while loading
};

// A node of a subtree, to be searched.
struct SmallNode {
  std::uint32_t begin;  // of its ids, and of its part of every list
  const NodeTotals& totals;
  Limits limits;
  const Kernels& kernels;
  std::uint32_t n_pushed = 0;  // classes whose weights wait in ClassLanes
};

}  // namespace bayeswood
