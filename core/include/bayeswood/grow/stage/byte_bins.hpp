// A table in at most 255 bins per number, made once per fit for the small trees of boosted sums.
//
// A number of at most 255 distinct values has a bin for each: its cuts are exact. Of more values, a
// bin ends where it has its share of the rows, those that are left over the bins that are left, or
// where the next value alone has as much. Missing values have a bin after the last. Categories are
// not binned: their codes are level numbers, see EncodedMatrix.
//
// Bins are kept by row, for histograms of all numbers at once, and by column, for partitions.
// Memory: 2 bytes per number.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/grow/encoded_matrix.hpp"

namespace bayeswood {

constexpr std::uint32_t MOST_BINS = 255;

// The bins of one number.
struct FeatureBins {
  std::vector<std::uint16_t> last_code;  // of each bin, ascending
  std::size_t first_slot = 0;            // of its first bin among those of all numbers
  std::uint32_t place = 0;               // among the numbers

  std::uint32_t n_bins() const { return static_cast<std::uint32_t>(last_code.size()); }
  std::uint32_t first_code(std::uint32_t bin) const {
    return bin == 0 ? 0U : last_code[bin - 1] + 1U;
  }
};

class ByteBins {
 public:
  // The matrix must outlive the bins.
  ByteBins(const EncodedMatrix& matrix, unsigned n_threads, const Poll& poll = {});

  const EncodedMatrix& matrix() const { return matrix_; }
  std::size_t n_rows() const { return matrix_.n_rows(); }
  std::size_t n_numbers() const { return numbers_.size(); }
  // Features that are numbers, ascending.
  const std::vector<std::uint32_t>& numbers() const { return numbers_; }
  const FeatureBins& feature(std::size_t j) const { return features_[j]; }
  // Bins of all numbers, those of missing values among them.
  std::size_t n_slots() const { return n_slots_; }
  // By the number's place.
  const std::uint8_t* row(std::size_t i) const { return by_row_.data() + i * numbers_.size(); }
  const std::uint8_t* column(std::size_t place) const {
    return by_column_.data() + place * n_rows();
  }
  std::size_t nbytes() const { return by_row_.size() + by_column_.size(); }

 private:
  void bin_feature(std::uint32_t j);
  void fill_rows(std::size_t begin, std::size_t end);

  const EncodedMatrix& matrix_;
  std::vector<std::uint32_t> numbers_;
  std::vector<FeatureBins> features_;  // by feature; empty ones for categories
  std::size_t n_slots_ = 0;
  std::vector<std::uint8_t> by_row_, by_column_;
};

// The last code of each bin, given the rows of each code; at most MOST_BINS.
std::vector<std::uint16_t> share_out(const std::vector<std::uint32_t>& rows_of_code);

}  // namespace bayeswood
