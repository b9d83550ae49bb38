#include "bayeswood/sample/ranked_table.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace bayeswood {
namespace {

using Cell = std::pair<double, std::uint32_t>;  // value, row

std::vector<Cell> present_cells(const MatrixView& table, std::size_t j) {
  std::vector<Cell> cells;
  cells.reserve(table.n_rows());
  for (std::size_t i = 0; i < table.n_rows(); ++i) {
    const double value = table(i, j);
    if (!std::isnan(value)) cells.emplace_back(value + 0.0, static_cast<std::uint32_t>(i));
  }
  return cells;
}

}  // namespace

RankedTable::RankedTable(const MatrixView& table, std::vector<std::int32_t> n_levels,
                         const Running& run)
    : n_rows_(table.n_rows()),
      n_features_(table.n_columns()),
      n_levels_(std::move(n_levels)),
      values_(n_features_),
      has_missing_(n_features_, 0),
      columns_(n_rows_ * n_features_, MISSING_RANK),
      rows_(n_rows_ * n_features_) {
  if (n_levels_.size() != n_features_) throw std::invalid_argument("n_levels: one per feature");
  if (n_rows_ > 0x7fffffff) throw std::invalid_argument("at most 2,147,483,647 rows");
  parallel_for(
      n_features_, run.n_threads,
      [&](std::size_t j, unsigned, const StopFlag& stop) {
        if (is_category(j)) {
          rank_levels(table, j);
        } else {
          rank_numbers(table, j, stop);
        }
        for (std::size_t i = 0; i < n_rows_; ++i) rows_[i * n_features_ + j] = column(j)[i];
      },
      run.poll);
  any_missing_ = std::any_of(has_missing_.begin(), has_missing_.end(),
                             [](std::uint8_t missing) { return missing != 0; });
}

void RankedTable::rank_numbers(const MatrixView& table, std::size_t j, const StopFlag& stop) {
  std::vector<Cell> cells = present_cells(table, j);
  check_stop(stop);
  std::sort(cells.begin(), cells.end());
  check_stop(stop);
  std::vector<double>& values = values_[j];
  for (const auto& [value, row] : cells) {
    if (values.empty() || values.back() != value) values.push_back(value);
    columns_[j * n_rows_ + row] = static_cast<std::int32_t>(values.size()) - 1;
  }
  has_missing_[j] = cells.size() < n_rows_ ? 1 : 0;
}

void RankedTable::rank_levels(const MatrixView& table, std::size_t j) {
  for (std::size_t i = 0; i < n_rows_; ++i) {
    const double value = table(i, j);
    if (std::isnan(value)) {
      has_missing_[j] = 1;
      continue;
    }
    if (!(value >= 0 && value < n_levels_[j])) throw std::invalid_argument("level out of range");
    columns_[j * n_rows_ + i] = static_cast<std::int32_t>(value);
  }
}

std::int32_t RankedTable::rank_below(std::size_t j, std::int32_t low, std::int32_t high,
                                     double threshold) const {
  const auto begin = values_[j].begin();
  const auto above = std::upper_bound(begin + low, begin + high + 1, threshold);
  return static_cast<std::int32_t>(above - begin) - 1;
}

}  // namespace bayeswood
