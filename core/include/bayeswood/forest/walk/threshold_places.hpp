// The thresholds of some trees, feature by feature, and the places of rows among them: one exact
// comparison of doubles decides x <= threshold for every node at once.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/matrix_view.hpp"
#include "bayeswood/base/value_cells.hpp"
#include "bayeswood/forest/tree.hpp"

namespace bayeswood {

constexpr std::uint16_t UNSEEN_LEVEL = 65535;

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

// A node's column: its feature, and where missing values go. SET_FLAG: it has a set of levels.
constexpr std::uint16_t MISSING_RIGHT = 0x8000, SET_FLAG = 0x4000;

inline std::uint16_t cell_column(std::uint16_t node_column, bool is_double) {
  return is_double ? std::rotl(node_column, 1) : static_cast<std::uint8_t>(node_column);
}

// The places of a block of rows. Where numbers are missing, or features many, each feature has two
// columns, equal but for missing values: they are 0 in the even column (always left) and 65535 in
// the odd one (always right). Elsewhere a feature has one, whose number is the low byte of a node's
// column: nothing has to be asked about missing values, and half of the memory is walked over.
struct PlacedRows {
  static constexpr std::size_t MOST_SINGLE = 256;

  CellLayout layout{0, 0};
  bool is_double = false;
  std::vector<std::uint16_t> cells;

  std::size_t columns_per_feature() const { return is_double ? 2 : 1; }
  std::size_t column_of(std::uint16_t node_column) const {
    return cell_column(node_column, is_double);
  }
};

class ThresholdPlaces {
 public:
  explicit ThresholdPlaces(const ForestShape& shape)
      : n_levels_(shape.n_levels), thresholds_(static_cast<std::size_t>(shape.n_features)) {}

  // Takes the thresholds of the trees [begin, end). Returns how many of these may have few enough
  // for 16 bits; unless that is all, they are to be taken again, into a new object.
  std::size_t collect(const Trees& trees, std::size_t begin, std::size_t end);
  // Features that have thresholds.
  std::size_t n_features() const;
  std::size_t nbytes() const;

  // How many of a feature's thresholds lie below the value.
  std::uint16_t place_of(std::size_t feature, double value) const;
  // Fetches the thresholds around those of nodes with children, which are met in no order.
  void ask_for(const Tree& tree, std::span<const std::uint32_t> nodes) const;
  // Whether the places of a feature, and that of missing values beyond them, fit into a byte.
  bool is_narrow(std::size_t feature) const { return thresholds_[feature].size() < 255; }

  // Places of the rows [begin, end).
  void encode(const MatrixView& table, std::size_t begin, std::size_t end, PlacedRows& out) const;

 private:
  // False where numbers are missing and have one column each: then all is to be done again.
  bool encode_features(const MatrixView& table, std::size_t begin, PlacedRows& out) const;
  void encode_levels(const MatrixView& table, std::size_t begin, std::size_t j,
                     PlacedRows& out) const;
  // Whether none is missing.
  bool encode_numbers(const MatrixView& table, std::size_t begin, std::size_t j,
                      PlacedRows& out) const;

  std::vector<std::int32_t> n_levels_;           // a copy: forests of the same nodes take it over
  std::vector<std::vector<double>> thresholds_;  // per feature, ascending
  std::vector<ValueCells> cells_;                // of these
};

}  // namespace bayeswood
