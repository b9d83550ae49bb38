// A forest in the form that prediction walks.
//
// Rows are first turned into 16-bit places among the forest's own thresholds, feature by feature:
// one exact comparison of doubles decides x <= threshold for every node at once. A node is then 8
// bytes, leaves lead to themselves, and several rows walk a tree side by side.
//
// Each numeric feature has two columns, equal but for missing values: they are 0 in the even column
// (always left) and 65535 in the odd one (always right). A node names the column of its missing
// direction, so missing values cost nothing. Categories have their level number in the even column.
//
// Random thresholds are all different, and soon more than 16 bits can number. Then cells are the
// values themselves, nodes 16 bytes, and missing values -infinity (always left) in the even column
// and NaN (never left) in the odd one.
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

#include "bayeswood/base/large_memory.hpp"
#include "bayeswood/base/matrix_view.hpp"
#include "bayeswood/base/value_cells.hpp"
#include "bayeswood/forest/tree.hpp"

namespace bayeswood {

class CompiledForest;

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

// Where the cells of a block of rows stand.
struct CellLayout {
  static constexpr std::size_t GROUP = 16;
  std::size_t n_rows, n_columns;

  // Rows side by side.
  std::size_t lanes() const { return n_rows < GROUP ? 1 : GROUP; }
  std::size_t n_cells() const { return (n_rows + lanes() - 1) / lanes() * lanes() * n_columns; }
  // The row's cell of column 0; that of column c is c * lanes() further.
  std::size_t first_cell(std::size_t row) const {
    if (n_rows < GROUP) return row * n_columns;
    return row / GROUP * GROUP * n_columns + row % GROUP;
  }
};

// The places of a block of rows, column after column: in bytes where a feature has few thresholds.
class PlaceColumns {
 public:
  // `encoded`: as CompiledForest has it. Columns are copied when they are asked for.
  void load(const CompiledForest& forest, const std::uint16_t* encoded, std::size_t n_rows);
  std::size_t n_rows() const { return layout_.n_rows; }
  const std::uint8_t* narrow(std::size_t column) { return copied(column, narrow_); }
  const std::uint16_t* wide(std::size_t column) { return copied(column, wide_); }

 private:
  template <class Place>
  const Place* copied(std::size_t column, std::vector<std::vector<Place>>& columns);

  const std::uint16_t* encoded_ = nullptr;
  CellLayout layout_{0, 0};
  std::vector<std::vector<std::uint8_t>> narrow_;  // empty: not yet copied
  std::vector<std::vector<std::uint16_t>> wide_;
};

class CompiledForest {
 public:
  CompiledForest(const ForestShape& shape, const Trees& trees);
  // Of trees with the same nodes as those of `other`.
  CompiledForest(const CompiledForest& other, const ForestShape& shape, const Trees& trees);

  // False where the forest is too large for 16-bit places or columns.
  bool is_packed() const { return packed_; }
  // Whether it walks over values instead. Where it does neither, trees are walked as they are.
  bool is_wide() const { return wide_; }
  std::size_t n_columns() const { return 2 * own_->thresholds.size(); }
  std::size_t nbytes() const;

  CellLayout layout(std::size_t n_rows) const { return {n_rows, n_columns()}; }
  // Encodes rows [begin, end) into `out`, as layout(end - begin) has them.
  void encode(const MatrixView& table, std::size_t begin, std::size_t end,
              std::uint16_t* out) const;
  // Leaf nodes in tree t of the rows at these places, which ascend, of n_rows that are encoded.
  // `going`: memory to work with.
  void walk(std::size_t t, const std::uint16_t* encoded, std::size_t n_rows,
            std::span<const std::uint32_t> places, std::uint32_t* leaf,
            std::vector<std::uint32_t>& going) const;

  // Whether all rows of a block may be sent down tree t together.
  bool is_small(std::size_t t) const {
    return packed_ && trees_[t]->n_nodes() <= MOST_SMALL_NODES &&
           trees_[t]->category_offset.empty();
  }
  // Leaf nodes in a small tree of all rows of a block.
  void walk_together(std::size_t t, PlaceColumns& columns, std::uint8_t* leaf) const;

  // The same over values.
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
    std::vector<std::vector<double>> thresholds;  // per feature, ascending
    std::vector<ValueCells> cells;                // of these
    std::vector<std::size_t> offset;              // of each tree in its nodes
    std::vector<std::uint32_t> n_steps;           // of each tree, that its rows walk unasked
    LargeVector<Node> nodes;                      // packed
    LargeVector<WideNode> wide_nodes;             // wide
  };

  // False as soon as a feature has more thresholds than places.
  bool collect_thresholds(const Trees& trees);
  template <class AnyNode, class PlaceOf>
  void pack_tree(const Tree& tree, LargeVector<AnyNode>& nodes, PlaceOf place);
  std::uint16_t place_of(std::size_t feature, double value) const;
  void ask_for_places(const Tree& tree, std::size_t begin, std::size_t end) const;
  // A column of the rows [begin, end) into the cells of a block.
  void encode_levels(const MatrixView& table, std::size_t begin, std::size_t end, std::size_t j,
                     std::uint16_t* out) const;
  void encode_numbers(const MatrixView& table, std::size_t begin, std::size_t end, std::size_t j,
                      std::uint16_t* out) const;
  // Whether the places of a feature, and that of missing values beyond them, fit into a byte.
  bool is_narrow(std::size_t feature) const { return own_->thresholds[feature].size() < 255; }
  template <class AnyNode, class Cell>
  void walk_all(std::size_t t, const AnyNode* nodes, const Cell* encoded, std::size_t n_rows,
                std::span<const std::uint32_t> places, std::uint32_t* leaf,
                std::vector<std::uint32_t>& going) const;

  const ForestShape& shape_;
  const Trees& trees_;
  bool packed_ = true;
  bool wide_ = false;
  std::shared_ptr<Tables> own_;
};

}  // namespace bayeswood
