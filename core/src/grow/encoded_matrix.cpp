#include "bayeswood/grow/encoded_matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "bayeswood/base/radix_sort.hpp"

namespace bayeswood {
namespace {

// An unsigned key in the order of the numbers (-0.0 counts as 0.0), and back.
template <class Key, class Number>
Key order_key(Number value) {
  constexpr Key SIGN = Key{1} << (sizeof(Key) * 8 - 1);
  const auto bits = std::bit_cast<Key>(value + Number{0});
  return (bits & SIGN) != 0 ? static_cast<Key>(~bits) : bits | SIGN;
}

template <class Number, class Key>
Number key_value(Key key) {
  constexpr Key SIGN = Key{1} << (sizeof(Key) * 8 - 1);
  return std::bit_cast<Number>((key & SIGN) != 0 ? key ^ SIGN : static_cast<Key>(~key));
}

// A value with its row; the bits from FIRST_BIT on sort it.
class WideCell {
 public:
  static constexpr unsigned FIRST_BIT = 0;
  WideCell() = default;
  WideCell(double value, std::uint32_t row) : key_(order_key<std::uint64_t>(value)), row_(row) {}
  std::uint64_t operator>>(unsigned bit) const { return key_ >> bit; }
  std::uint64_t key() const { return key_; }
  std::uint32_t row() const { return row_; }
  double value() const { return key_value<double>(key_); }

 private:
  std::uint64_t key_;
  std::uint32_t row_;
};

// For values that a float holds.
class NarrowCell {
 public:
  static constexpr unsigned FIRST_BIT = 32;
  NarrowCell() = default;
  NarrowCell(double value, std::uint32_t row)
      : key_row_(std::uint64_t{order_key<std::uint32_t>(static_cast<float>(value))} << 32 | row) {}
  std::uint64_t operator>>(unsigned bit) const { return key_row_ >> bit; }
  std::uint32_t key() const { return static_cast<std::uint32_t>(key_row_ >> 32); }
  std::uint32_t row() const { return static_cast<std::uint32_t>(key_row_); }
  double value() const { return key_value<float>(key()); }

 private:
  std::uint64_t key_row_;
};

bool fits_float(double value) {
  return std::isnan(value) || static_cast<double>(static_cast<float>(value)) == value;
}

// Present cells in ascending order of value, rows ascending within equal values.
template <class Cell>
std::vector<Cell> sorted_cells(const MatrixView& table, std::size_t j, const StopFlag& stop) {
  std::vector<Cell> cells;
  cells.reserve(table.n_rows());
  for (std::size_t i = 0; i < table.n_rows(); ++i) {
    const double value = table(i, j);
    if (!std::isnan(value)) cells.emplace_back(value, static_cast<std::uint32_t>(i));
  }
  if (!cells.empty()) {
    std::vector<Cell> scratch(cells.size());
    radix_sort(cells.data(), scratch.data(), cells.size(), Cell::FIRST_BIT, 64 - Cell::FIRST_BIT,
               [&] { check_stop(stop); });
  }
  return cells;
}

template <class Cell>
std::size_t count_distinct(const std::vector<Cell>& cells) {
  std::size_t distinct = cells.empty() ? 0 : 1;
  for (std::size_t i = 1; i < cells.size(); ++i) distinct += cells[i].key() != cells[i - 1].key();
  return distinct;
}

}  // namespace

CodeValues::CodeValues(const std::vector<double>& values) {
  if (std::all_of(values.begin(), values.end(), fits_float)) {
    narrow_.assign(values.begin(), values.end());
  } else {
    wide_ = values;
  }
}

double FeatureCodes::threshold_between(std::uint32_t lower_code, std::uint32_t upper_code) const {
  const double below = high.size() > 0 ? high[lower_code] : low[lower_code];
  const double above = low[upper_code];
  const double middle = below / 2 + above / 2;  // halves first: the sum may overflow
  return middle >= below && middle < above ? middle : below;
}

EncodedMatrix::EncodedMatrix(const MatrixView& table, std::vector<std::int32_t> n_levels,
                             unsigned n_threads, std::uint32_t max_codes, const Poll& poll)
    : n_rows_(table.n_rows()),
      n_features_(table.n_columns()),
      n_levels_(std::move(n_levels)),
      features_(n_features_),
      columns_(n_rows_ * n_features_),
      coarse_(n_rows_ * n_features_) {
  if (n_levels_.size() != n_features_) throw std::invalid_argument("n_levels: one per feature");
  if (n_rows_ > 0x7fffffff) throw std::invalid_argument("at most 2,147,483,647 rows");
  if (max_codes < 2 || max_codes > MAX_CODES) throw std::invalid_argument("max_codes: 2 to 65535");
  for (const auto levels : n_levels_) has_categories_ |= levels > 0;
  parallel_for(
      n_features_, n_threads,
      [&](std::size_t j, unsigned, const StopFlag& stop) {
        encode_feature(table, j, max_codes, stop);
      },
      poll);
  constexpr std::size_t BLOCK = 1024;
  parallel_for((n_rows_ + BLOCK - 1) / BLOCK, n_threads,
               [&](std::size_t b, unsigned, const StopFlag&) {
                 fill_rows(b * BLOCK, std::min((b + 1) * BLOCK, n_rows_));
               },
               poll);
}

std::size_t EncodedMatrix::nbytes() const {
  std::size_t bytes = columns_.size() * sizeof(std::uint16_t) + coarse_.size();
  for (const auto& f : features_) bytes += f.low.nbytes() + f.high.nbytes();
  return bytes;
}

void EncodedMatrix::encode_feature(const MatrixView& table, std::size_t j, std::uint32_t max_codes,
                                   const StopFlag& stop) {
  if (n_levels_[j] > 0) {
    encode_category(table, j);
  } else {
    bool narrow = true;
    for (std::size_t i = 0; i < n_rows_ && narrow; ++i) narrow = fits_float(table(i, j));
    if (narrow) {
      encode_cells(j, max_codes, sorted_cells<NarrowCell>(table, j, stop));
    } else {
      encode_cells(j, max_codes, sorted_cells<WideCell>(table, j, stop));
    }
  }
  set_coarse(j);
}

void EncodedMatrix::encode_category(const MatrixView& table, std::size_t j) {
  FeatureCodes& codes = features_[j];
  codes.is_category = true;
  codes.n_codes = static_cast<std::uint32_t>(n_levels_[j]);
  if (codes.n_codes > MAX_CODES)
    throw std::invalid_argument("a category has at most 65,535 levels");
  for (std::size_t i = 0; i < n_rows_; ++i) {
    const double value = table(i, j);
    std::uint16_t code = MISSING_CODE;
    if (!std::isnan(value)) {
      if (!(value >= 0 && value < codes.n_codes)) throw std::invalid_argument("level out of range");
      code = static_cast<std::uint16_t>(value);
    }
    codes.has_missing |= code == MISSING_CODE;
    columns_[j * n_rows_ + i] = code;
  }
}

template <class Cell>
void EncodedMatrix::encode_cells(std::size_t j, std::uint32_t max_codes,
                                 const std::vector<Cell>& cells) {
  FeatureCodes& codes = features_[j];
  std::uint16_t* column = columns_.data() + j * n_rows_;
  codes.has_missing = cells.size() < n_rows_;
  if (codes.has_missing) std::fill_n(column, n_rows_, MISSING_CODE);
  const bool exact = count_distinct(cells) <= max_codes;
  std::vector<double> low;
  std::vector<double> high;
  std::size_t quota = 0;  // a quantile bin ends at the first change of value past its quota of rows
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool new_value = i == 0 || cells[i].key() != cells[i - 1].key();
    if (new_value && (exact || i >= quota)) {
      low.push_back(cells[i].value());
      high.push_back(low.back());
      quota = (low.size() * cells.size() + max_codes - 1) / max_codes;
    }
    high.back() = cells[i].value();
    column[cells[i].row()] = static_cast<std::uint16_t>(low.size() - 1);
  }
  codes.n_codes = static_cast<std::uint32_t>(low.size());
  codes.low = CodeValues(low);
  if (!exact) codes.high = CodeValues(high);
}

void EncodedMatrix::set_coarse(std::size_t j) {
  FeatureCodes& codes = features_[j];
  const std::uint32_t limit = codes.has_missing ? 255 : 256;
  const std::uint32_t last = codes.n_codes > 0 ? codes.n_codes - 1 : 0;
  while ((last >> codes.shift) + 1 > limit) ++codes.shift;
  codes.n_coarse = (last >> codes.shift) + 1;
}

void EncodedMatrix::fill_rows(std::size_t begin, std::size_t end) {
  for (std::size_t j = 0; j < n_features_; ++j) {
    const FeatureCodes& codes = features_[j];
    const std::uint16_t* codes_of = column(j);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t code = codes_of[i];
      coarse_[i * n_features_ + j] =
          static_cast<std::uint8_t>(code == MISSING_CODE ? codes.n_coarse : code >> codes.shift);
    }
  }
}

}  // namespace bayeswood
