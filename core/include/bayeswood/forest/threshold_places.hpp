// The thresholds of some trees, feature by feature, and the places of rows among them: one exact
// comparison of doubles decides x <= threshold for every node at once.
#pragma once

#include <cstdint>
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

class ThresholdPlaces {
 public:
  // `shape` is only looked at: it outlives this.
  explicit ThresholdPlaces(const ForestShape& shape)
      : shape_(&shape), thresholds_(static_cast<std::size_t>(shape.n_features)) {}

  // Takes the thresholds of the trees [begin, end). Returns how many of these may have few enough
  // for 16 bits; unless that is all, they are to be taken again, into a new object.
  std::size_t collect(const Trees& trees, std::size_t begin, std::size_t end);
  // Features that have thresholds.
  std::size_t n_features() const;
  std::size_t nbytes() const;

  // How many of a feature's thresholds lie below the value.
  std::uint16_t place_of(std::size_t feature, double value) const;
  // Fetches the thresholds around those of the nodes [begin, end), which are met in no order.
  void ask_for(const Tree& tree, std::size_t begin, std::size_t end) const;
  // Whether the places of a feature, and that of missing values beyond them, fit into a byte.
  bool is_narrow(std::size_t feature) const { return thresholds_[feature].size() < 255; }

  // Places of the rows [begin, end) into `out`, as CellLayout has them: two columns per feature.
  void encode(const MatrixView& table, std::size_t begin, std::size_t end,
              std::uint16_t* out) const;

 private:
  // A column of the rows.
  void encode_levels(const MatrixView& table, std::size_t begin, std::size_t end, std::size_t j,
                     std::uint16_t* out) const;
  void encode_numbers(const MatrixView& table, std::size_t begin, std::size_t end, std::size_t j,
                      std::uint16_t* out) const;
  CellLayout layout(std::size_t n_rows) const { return {n_rows, 2 * thresholds_.size()}; }

  const ForestShape* shape_;
  std::vector<std::vector<double>> thresholds_;  // per feature, ascending
  std::vector<ValueCells> cells_;                // of these
};

}  // namespace bayeswood
