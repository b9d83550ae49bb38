// Tables as small integer codes for trees that are drawn before any data are seen.
//
// A numeric feature has ascending edges and, for each interval between them, its place on the scale
// of the cuts (the probability integral transform). The code of x is 1 + #{edges < x}. A cut at tau
// sends the intervals whose transform is <= tau left: codes <= place, x <= threshold(place).
// A category's code is its level + 1. 0 stands for missing and for unseen levels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/matrix_view.hpp"
#include "bayeswood/base/value_cells.hpp"
#include "bayeswood/forest/forest.hpp"

namespace bayeswood {

constexpr std::uint16_t CODE_MISSING = 0;            // always left of a numeric cut
constexpr std::uint16_t CODE_MISSING_RIGHT = 65535;  // always right of it
constexpr std::uint32_t MOST_EDGES = 65533;
constexpr std::uint32_t MOST_FEATURES = 32767;

class CutCodes {
 public:
  struct Feature {
    std::vector<double> edges;
    std::vector<double> transform;  // one more than edges, not descending
    std::int32_t n_levels = 0;      // of a category
  };

  explicit CutCodes(std::vector<Feature> features);

  std::size_t n_features() const { return features_.size(); }
  const Feature& feature(std::size_t j) const { return features_[j]; }
  bool is_category(std::size_t j) const { return features_[j].n_levels > 0; }
  bool has_categories() const { return has_categories_; }
  // Codes of one column; NaN becomes CODE_MISSING.
  void encode(std::size_t j, std::span<const double> values, std::uint16_t* out) const;
  std::uint16_t place_of(std::size_t j, double tau) const;
  double threshold(std::size_t j, std::uint16_t place) const;

 private:
  void encode_numbers(std::size_t j, std::span<const double> values, std::uint16_t* out) const;

  std::vector<Feature> features_;
  std::vector<ValueCells> cells_;  // of the edges
  bool has_categories_ = false;
};

constexpr std::size_t BLOCK_ROWS = 512;
constexpr std::size_t BLOCK_WORDS = BLOCK_ROWS / 64;

// Codes of some rows, block after block of 512 rows, column after column within a block. Where a
// cell is missing, each feature has two columns: missing is always left in the even one and always
// right in the odd one. `shift` turns a column of the trees into a column of the block.
class CodedRows {
 public:
  CodedRows(const CutCodes& codes, const MatrixView& table, std::size_t begin, std::size_t end,
            unsigned n_threads);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_blocks() const { return (n_rows_ + BLOCK_ROWS - 1) / BLOCK_ROWS; }
  std::size_t rows_in(std::size_t block) const;
  std::uint32_t shift() const { return shift_; }
  const std::uint16_t* block(std::size_t b) const { return cells_.data() + b * block_size_; }

 private:
  void encode(const CutCodes& codes, const MatrixView& table, std::size_t begin, std::size_t block);

  std::size_t n_rows_;
  std::uint32_t shift_;
  std::size_t block_size_;
  std::vector<std::uint16_t> cells_;
};

}  // namespace bayeswood
