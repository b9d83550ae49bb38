#include "bayeswood/grow/stage/byte_bins.hpp"

#include <algorithm>
#include <numeric>

namespace bayeswood {

std::vector<std::uint16_t> share_out(const std::vector<std::uint32_t>& rows_of_code) {
  std::vector<std::uint16_t> last(std::min<std::size_t>(rows_of_code.size(), MOST_BINS));
  if (rows_of_code.size() <= MOST_BINS) {
    std::iota(last.begin(), last.end(), std::uint16_t{0});
    return last;
  }
  last.clear();
  std::size_t bins = MOST_BINS;  // that are left, for the rows from the present bin on
  std::size_t rows = std::accumulate(rows_of_code.begin(), rows_of_code.end(), std::size_t{0});
  std::size_t here = 0;
  const auto fills_a_bin = [&](std::size_t n) { return n * bins >= rows; };
  for (std::size_t code = 0; code + 1 < rows_of_code.size(); ++code) {
    here += rows_of_code[code];
    if (bins == 1 || !(fills_a_bin(here) || fills_a_bin(rows_of_code[code + 1]))) continue;
    last.push_back(static_cast<std::uint16_t>(code));
    rows -= here;
    here = 0;
    --bins;
  }
  last.push_back(static_cast<std::uint16_t>(rows_of_code.size() - 1));
  return last;
}

ByteBins::ByteBins(const EncodedMatrix& matrix, unsigned n_threads, const Poll& poll)
    : matrix_(matrix), features_(matrix.n_features()) {
  for (std::uint32_t j = 0; j < matrix.n_features(); ++j) {
    if (matrix.feature(j).is_category) continue;
    features_[j].place = static_cast<std::uint32_t>(numbers_.size());
    numbers_.push_back(j);
  }
  by_row_.resize(n_rows() * n_numbers());
  by_column_.resize(n_rows() * n_numbers());
  parallel_for(
      n_numbers(), n_threads,
      [&](std::size_t place, unsigned, const StopFlag&) { bin_feature(numbers_[place]); }, poll);
  for (const auto j : numbers_) {
    features_[j].first_slot = n_slots_;
    n_slots_ += features_[j].n_bins() + (matrix.feature(j).has_missing ? 1 : 0);
  }
  constexpr std::size_t BLOCK = 1024;
  parallel_for((n_rows() + BLOCK - 1) / BLOCK, n_threads,
               [&](std::size_t b, unsigned, const StopFlag&) {
                 fill_rows(b * BLOCK, std::min((b + 1) * BLOCK, n_rows()));
               },
               poll);
}

void ByteBins::bin_feature(std::uint32_t j) {
  const FeatureCodes& codes = matrix_.feature(j);
  FeatureBins& bins = features_[j];
  const std::uint16_t* code = matrix_.column(j);
  std::vector<std::uint32_t> rows_of_code(codes.n_codes);
  for (std::size_t i = 0; i < n_rows(); ++i)
    if (code[i] != MISSING_CODE) ++rows_of_code[code[i]];
  bins.last_code = share_out(rows_of_code);
  std::vector<std::uint8_t> bin_of(codes.n_codes);
  for (std::uint32_t bin = 0; bin < bins.n_bins(); ++bin)
    std::fill(bin_of.begin() + bins.first_code(bin), bin_of.begin() + bins.last_code[bin] + 1,
              static_cast<std::uint8_t>(bin));
  std::uint8_t* column = by_column_.data() + bins.place * n_rows();
  for (std::size_t i = 0; i < n_rows(); ++i)
    column[i] =
        code[i] == MISSING_CODE ? static_cast<std::uint8_t>(bins.n_bins()) : bin_of[code[i]];
}

void ByteBins::fill_rows(std::size_t begin, std::size_t end) {
  for (std::size_t place = 0; place < n_numbers(); ++place) {
    const std::uint8_t* bin = column(place);
    for (std::size_t i = begin; i < end; ++i) by_row_[i * n_numbers() + place] = bin[i];
  }
}

}  // namespace bayeswood
