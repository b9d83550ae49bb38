#include "bayeswood/grow/value_rows.hpp"

#include <algorithm>

#include "bayeswood/grow/search/random_cuts/lane_cuts.hpp"

namespace bayeswood {
namespace {

template <class Value>
void fill_value_rows(const EncodedMatrix& matrix, std::size_t begin, std::size_t end,
                     ValueRows<Value>& table) {
  for (std::uint32_t j = 0; j < matrix.n_features(); ++j) {
    const FeatureCodes& feature = matrix.feature(j);
    const CodeValues& high = feature.high.size() > 0 ? feature.high : feature.low;
    const std::uint16_t* codes = matrix.column(j);
    Value* to = table.cells.data() + begin * table.stride + table.place(j);
    for (std::size_t i = begin; i < end; ++i, to += table.stride) {
      to[0] = static_cast<Value>(feature.low[codes[i]]);
      if (table.has_bins) to[1] = static_cast<Value>(high[codes[i]]);
    }
  }
}

template <class Value>
ValueRows<Value> value_rows(const EncodedMatrix& matrix, bool has_bins, unsigned n_threads) {
  ValueRows<Value> table;
  table.has_bins = has_bins;
  const std::size_t d = matrix.n_features() * (has_bins ? 2 : 1);
  table.stride = (d + LANES - 1) / LANES * LANES;
  table.cells.resize(matrix.n_rows() * table.stride);
  constexpr std::size_t BLOCK = 8192;  // the tables of a feature are read again for each
  parallel_for((matrix.n_rows() + BLOCK - 1) / BLOCK, n_threads,
               [&](std::size_t b, unsigned, const StopFlag&) {
                 fill_value_rows(matrix, b * BLOCK, std::min((b + 1) * BLOCK, matrix.n_rows()),
                                 table);
               });
  return table;
}

}  // namespace

ValueTable make_value_table(const EncodedMatrix& matrix, unsigned n_threads) {
  bool is_wide = false, has_bins = false;
  for (std::uint32_t j = 0; j < matrix.n_features(); ++j) {
    const FeatureCodes& feature = matrix.feature(j);
    is_wide |= feature.low.is_wide() || feature.high.is_wide();
    has_bins |= feature.high.size() > 0;
  }
  if (is_wide) return value_rows<double>(matrix, has_bins, n_threads);
  return value_rows<float>(matrix, has_bins, n_threads);
}

}  // namespace bayeswood
