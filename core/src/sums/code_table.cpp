#include "bayeswood/sums/code_table.hpp"

namespace bayeswood {
namespace {

template <class Code>
void append_codes(const std::uint16_t* from, std::size_t n, std::vector<Code>& to) {
  for (std::size_t i = 0; i < n; ++i)
    to.push_back(from[i] == MISSING_CODE ? MISSING_OF<Code> : static_cast<Code>(from[i]));
}

}  // namespace

CodeTable::CodeTable(const EncodedMatrix& matrix)
    : n_rows_(matrix.n_rows()), n_levels_(matrix.n_levels()) {
  for (std::size_t j = 0; j < matrix.n_features(); ++j) {
    const FeatureCodes& from = matrix.feature(j);
    const bool is_wide = from.n_codes > MOST_NARROW_CODES;
    columns_.push_back(
        {is_wide, from.has_missing, from.n_codes, is_wide ? wide_.size() : narrow_.size(), {}});
    if (is_wide) {
      append_codes(matrix.column(j), n_rows_, wide_);
    } else {
      append_codes(matrix.column(j), n_rows_, narrow_);
    }
    if (from.is_category) continue;
    for (std::uint32_t c = 0; c + 1 < from.n_codes; ++c)
      columns_[j].threshold.push_back(from.threshold_between(c, c + 1));
  }
}

}  // namespace bayeswood
