#include "bayeswood/grow/stage/bin_sums.hpp"

#include <algorithm>
#include <cmath>

namespace bayeswood {
namespace {

// Below so many rows a response keeps 20 bits or more beside their sum and their number.
constexpr std::size_t PACKED_ROWS = std::size_t{1} << 21;

bool any_price(const EncodedMatrix& matrix) {
  for (std::size_t j = 0; j < matrix.n_features(); ++j) {
    const FeatureCodes& codes = matrix.feature(j);
    if (codes.is_category && codes.n_codes + (codes.has_missing ? 1 : 0) > FREE_LEVELS) return true;
  }
  return false;
}

}  // namespace

BinSums::BinSums(const ByteBins& bins, std::uint32_t n_outputs)
    : bins_(bins), n_outputs_(n_outputs), has_prices_(any_price(bins.matrix())) {}

int scale_exponent(const StageTarget& target, std::span<const std::uint32_t> rows, int bits) {
  double largest = 0;
  for (const auto row : rows) {
    const double* r = target.responses.data() + std::size_t{row} * target.n_outputs;
    for (std::uint32_t k = 0; k < target.n_outputs; ++k)
      largest = std::max(largest, std::abs(r[k]));
  }
  if (!(largest > 0)) return 0;
  return std::clamp(bits - 1 - std::ilogb(largest), -1000, 1000);
}

std::unique_ptr<BinSums> make_bin_sums(const ByteBins& bins, std::size_t n_rows,
                                       std::uint32_t n_outputs, bool weighted) {
  const bool packed = !weighted && n_outputs == 1 && n_rows < PACKED_ROWS;
  return packed ? make_packed_sums(bins) : make_wide_sums(bins, n_outputs);
}

}  // namespace bayeswood
