// A forest in the form that prediction walks.
//
// Rows are first turned into 16-bit places among the forest's own thresholds, feature by feature:
// one exact comparison of doubles decides x <= threshold for every node at once. A node is then 8
// bytes, leaves lead to themselves, and several rows walk a tree side by side.
//
// A node names its feature and where missing values go, so these cost nothing (see PlacedRows).
// Categories have their level number in place of a place.
//
// Many trees have more thresholds than 16 bits can number. Then they are taken in groups of trees
// that follow one another, and a row has places among the thresholds of each group. Where groups
// would be too small to be worth it, as those of large trees with random thresholds are, cells are
// the values themselves, in two columns for each feature, nodes 16 bytes, and missing values
// -infinity (always left) in the even column and NaN (never left) in the odd one.
//
// The cells of 16 rows stand side by side, column after column: where the rows of a group walk
// together, the place of a cell is its column's plus a constant. Fewer rows stand alone.
//
// Rows walk as many steps as they take in the mean without a question whether they are there;
// those that still go on are then gathered, and walk on among themselves.
//
// Of a small tree every split is put to all rows at once, split after split, over the places column
// after column: many rows per instruction, where a walk takes a few instructions per row.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayeswood/base/matrix_view.hpp"
#include "bayeswood/base/unwritten_vector.hpp"
#include "bayeswood/forest/tree.hpp"
#include "bayeswood/forest/walk/threshold_places.hpp"
#include "bayeswood/forest/walk/top_levels.hpp"

namespace bayeswood {

struct PlaceNode {
  std::uint32_t child;
  std::uint16_t column;
  std::uint16_t place;  // encoded <= place goes left
};
struct ValueNode {
  double place;
  std::uint32_t child;
  std::uint16_t column;
};

// The places of a block of rows, column after column: in bytes where a feature has few thresholds.
class PlaceColumns {
 public:
  // Columns are copied when they are asked for: `rows` are to stay.
  void load(const PlacedRows& rows);
  std::size_t n_rows() const { return rows_->layout.n_rows; }
  // Of a node's column.
  const std::uint8_t* narrow(std::uint16_t column) { return copied(column, narrow_); }
  const std::uint16_t* wide(std::uint16_t column) { return copied(column, wide_); }

 private:
  template <class Place>
  const Place* copied(std::uint16_t column, std::vector<std::vector<Place>>& columns);

  const PlacedRows* rows_ = nullptr;
  std::vector<std::vector<std::uint8_t>> narrow_;  // empty: not yet copied
  std::vector<std::vector<std::uint16_t>> wide_;
};

class CompiledForest {
 public:
  CompiledForest(const ForestShape& shape, const Trees& trees);
  // Of trees with the same nodes as those of `other`.
  CompiledForest(const CompiledForest& other, const ForestShape& shape, const Trees& trees);

  // False where features or levels are too many for 16 bits, or groups of trees would be too small.
  bool is_packed() const { return packed_; }
  // Whether it walks over values instead. Where it does neither, trees are walked as they are.
  bool is_wide() const { return wide_; }
  std::size_t n_features() const { return static_cast<std::size_t>(shape_.n_features); }
  std::size_t nbytes() const;
  // Where it is packed: trees of a group walk over the same places.
  std::size_t n_groups() const { return own_->groups.size(); }
  std::size_t group_of(std::size_t t) const { return own_->group_of[t]; }

  // Encodes rows [begin, end) for a group of trees.
  void encode(std::size_t group, const MatrixView& table, std::size_t begin, std::size_t end,
              PlacedRows& out) const {
    own_->groups[group].encode(table, begin, end, out);
  }
  // Leaf nodes in tree t of those of the rows, encoded for its group, that are at these places,
  // which ascend. `going`: memory to work with.
  void walk(std::size_t t, const PlacedRows& rows, std::span<const std::uint32_t> places,
            std::uint32_t* leaf, std::vector<std::uint32_t>& going) const;

  // Whether all rows of a block may be sent down tree t together.
  bool is_small(std::size_t t) const {
    return packed_ && trees_[t]->n_nodes() <= MOST_SMALL_NODES &&
           trees_[t]->category_offset.empty();
  }
  // Leaf nodes in a small tree of all rows of a block.
  void walk_together(std::size_t t, PlaceColumns& columns, std::uint8_t* leaf) const;

  // The same over values, as value_layout(end - begin) has them.
  CellLayout value_layout(std::size_t n_rows) const { return {n_rows, 2 * n_features()}; }
  void encode(const MatrixView& table, std::size_t begin, std::size_t end, double* out) const;
  void walk(std::size_t t, const double* encoded, std::size_t n_rows,
            std::span<const std::uint32_t> places, std::uint32_t* leaf,
            std::vector<std::uint32_t>& going) const;

  static constexpr std::size_t MOST_SMALL_NODES = 63;

 private:
  using Node = PlaceNode;
  using WideNode = ValueNode;

  // What forests that differ in their leaves' values have in common.
  struct Tables {
    std::vector<ThresholdPlaces> groups;   // packed
    std::vector<std::uint32_t> group_of;   // packed: of each tree
    std::vector<std::size_t> offset;       // of each tree in its nodes
    std::vector<std::uint32_t> n_steps;    // of each tree, that its rows walk unasked
    UnwrittenVector<Node> nodes;           // packed
    UnwrittenVector<WideNode> wide_nodes;  // wide
    std::vector<TopLevels> tops;        // packed: two of a large tree, if rows may enter by these
    std::vector<std::uint32_t> top_of;  // packed: of each tree, the first in tops, or beyond
  };

  // False if trees are better not packed.
  bool collect_groups();
  // Of each tree the first of its group that is the same.
  std::vector<std::size_t> first_alike() const;
  template <class AnyNode>
  void pack_trees(UnwrittenVector<AnyNode>& nodes);
  // The first levels of the large trees.
  void find_tops();
  template <class AnyNode>
  void pack_tree(std::size_t t, std::span<const std::uint32_t> inner, AnyNode* nodes) const;
  const TopLevels* top_of(std::size_t t, bool is_double) const {
    if (t >= own_->top_of.size() || own_->top_of[t] >= own_->tops.size()) return nullptr;
    return &own_->tops[own_->top_of[t] + (is_double ? 1 : 0)];
  }
  // IS_DOUBLE: see PlacedRows.
  template <bool IS_DOUBLE, class AnyNode, class Cell>
  void walk_all(std::size_t t, const AnyNode* nodes, const Cell* cells, const CellLayout& layout,
                std::span<const std::uint32_t> places, std::uint32_t* leaf,
                std::vector<std::uint32_t>& going) const;

  const ForestShape& shape_;
  const Trees& trees_;
  bool packed_ = true;
  bool wide_ = false;
  std::shared_ptr<Tables> own_;
};

}  // namespace bayeswood
