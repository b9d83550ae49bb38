// A table as 16-bit rank codes, made once per fit and shared by all trees and threads.
//
// Numeric feature: its distinct values in ascending order are codes 0 .. n_codes - 1 where there
// are at most max_codes of them (every split is exact); beyond that, codes are quantile bins.
// Category: the code is the level number. MISSING_CODE marks a missing cell and sorts last.
//
// Codes are kept by column, for searches and splits read one feature of many rows. A coarse code of
// one byte (code >> shift, missing in a bin of its own) is kept by row: on these large nodes build
// the histograms of all their features at once. Memory: 3 bytes per cell.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bayeswood/base/matrix_view.hpp"
#include "bayeswood/base/parallel.hpp"
#include "bayeswood/base/prefetch.hpp"

namespace bayeswood {

constexpr std::uint16_t MISSING_CODE = 65535;
constexpr std::uint32_t MAX_CODES = 65535;

// Values in 4 bytes each where none loses anything by it, else in 8.
class CodeValues {
 public:
  CodeValues() = default;
  explicit CodeValues(const std::vector<double>& values);
  double operator[](std::size_t i) const { return wide_.empty() ? narrow_[i] : wide_[i]; }
  void ask_for(std::size_t i) const {
    wide_.empty() ? prefetch(narrow_.data() + i) : prefetch(wide_.data() + i);
  }
  bool is_wide() const { return !wide_.empty(); }
  std::size_t size() const { return wide_.size() + narrow_.size(); }
  std::size_t nbytes() const {
    return wide_.size() * sizeof(double) + narrow_.size() * sizeof(float);
  }

 private:
  std::vector<double> wide_;
  std::vector<float> narrow_;
};

struct FeatureCodes {
  bool is_category = false;
  bool has_missing = false;
  std::uint32_t n_codes = 0;   // without the missing code
  std::uint32_t shift = 0;     // coarse code = code >> shift
  std::uint32_t n_coarse = 0;  // without the missing bin, which is bin n_coarse
  // Smallest and largest value of each code; `high` is empty where they are the same, both are for
  // categories.
  CodeValues low, high;

  // Half-way between the neighbouring codes, never rounded up to the upper value.
  double threshold_between(std::uint32_t lower_code, std::uint32_t upper_code) const;
};

class EncodedMatrix {
 public:
  // n_levels[j] > 0 marks a category with levels 0 .. n_levels[j] - 1.
  EncodedMatrix(const MatrixView& table, std::vector<std::int32_t> n_levels, unsigned n_threads,
                std::uint32_t max_codes = MAX_CODES, const Poll& poll = {});

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_features() const { return n_features_; }
  const FeatureCodes& feature(std::size_t j) const { return features_[j]; }
  const std::vector<std::int32_t>& n_levels() const { return n_levels_; }
  bool has_categories() const { return has_categories_; }
  bool has_missing() const {
    return std::any_of(features_.begin(), features_.end(),
                       [](const FeatureCodes& codes) { return codes.has_missing; });
  }
  const std::uint16_t* column(std::size_t j) const { return columns_.data() + j * n_rows_; }
  const std::uint8_t* coarse_row(std::size_t i) const { return coarse_.data() + i * n_features_; }
  std::size_t nbytes() const;

 private:
  void encode_feature(const MatrixView& table, std::size_t j, std::uint32_t max_codes,
                      const StopFlag& stop);
  void encode_category(const MatrixView& table, std::size_t j);
  template <class Cell>
  void encode_cells(std::size_t j, std::uint32_t max_codes, const std::vector<Cell>& cells);
  void set_coarse(std::size_t j);
  void fill_rows(std::size_t begin, std::size_t end);

  std::size_t n_rows_;
  std::size_t n_features_;
  bool has_categories_ = false;
  std::vector<std::int32_t> n_levels_;
  std::vector<FeatureCodes> features_;
  std::vector<std::uint16_t> columns_;  // column after column
  std::vector<std::uint8_t> coarse_;    // row after row
};

}  // namespace bayeswood
