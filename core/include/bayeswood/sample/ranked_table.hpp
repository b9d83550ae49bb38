// A table as ranks among each feature's distinct values, for the samplers of trees.
//
// Numeric feature: the distinct values in ascending order have ranks 0 .. n_ranks - 1, however many
// there are. Category: the rank is the level number. A missing cell has MISSING_RANK. Ranks are
// kept twice: by column, for splits, and by row, for the extents of all features at once.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/base/matrix_view.hpp"
#include "bayeswood/forest/forest.hpp"

namespace bayeswood {

constexpr std::int32_t MISSING_RANK = -1;

class RankedTable {
 public:
  // n_levels[j] > 0 marks a category with levels 0 .. n_levels[j] - 1.
  RankedTable(const MatrixView& table, std::vector<std::int32_t> n_levels, const Running& run);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_features() const { return n_features_; }
  const std::vector<std::int32_t>& n_levels() const { return n_levels_; }
  bool is_category(std::size_t j) const { return n_levels_[j] > 0; }
  // Of a category: levels, present or not.
  std::int32_t n_ranks(std::size_t j) const {
    return is_category(j) ? n_levels_[j] : static_cast<std::int32_t>(values_[j].size());
  }
  bool has_missing(std::size_t j) const { return has_missing_[j] != 0; }
  bool has_missing() const { return any_missing_; }
  const std::int32_t* column(std::size_t j) const { return columns_.data() + j * n_rows_; }
  const std::int32_t* row(std::size_t i) const { return rows_.data() + i * n_features_; }
  // Numeric features only.
  double value(std::size_t j, std::int32_t rank) const { return values_[j][rank]; }
  // The largest rank from `low` on whose value does not exceed `threshold`; that of `low` does not.
  std::int32_t rank_below(std::size_t j, std::int32_t low, std::int32_t high,
                          double threshold) const;

 private:
  void rank_numbers(const MatrixView& table, std::size_t j, const StopFlag& stop);
  void rank_levels(const MatrixView& table, std::size_t j);

  std::size_t n_rows_;
  std::size_t n_features_;
  std::vector<std::int32_t> n_levels_;
  std::vector<std::vector<double>> values_;
  std::vector<std::uint8_t> has_missing_;
  bool any_missing_ = false;
  std::vector<std::int32_t> columns_;
  std::vector<std::int32_t> rows_;
};

}  // namespace bayeswood
