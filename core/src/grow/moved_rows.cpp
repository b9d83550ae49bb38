#include "bayeswood/grow/moved_rows.hpp"

#include <algorithm>

namespace bayeswood {

void MovedRows::load(std::span<std::uint32_t> rows, const RowData& data) {
  const std::size_t n = rows.size();
  rows_ = rows;
  pair_.resize(n);
  y_.resize(n);
  codes_.resize(n * matrix_.n_features());
  sides_.resize((n + 63) / 64);
  for (std::size_t i = 0; i < n; ++i) {
    pair_[i] = data.pair[rows[i]];
    y_[i] = data.y[rows[i]];
  }
  for (std::size_t j = 0; j < matrix_.n_features(); ++j) {
    const std::uint16_t* column = matrix_.column(j);
    std::uint16_t* codes = codes_.data() + j * n;
    if (n == matrix_.n_rows()) {
      std::copy_n(column, n, codes);
    } else {
      for (std::size_t i = 0; i < n; ++i) codes[i] = column[rows[i]];
    }
  }
}

template <class Value, class Part>
void MovedRows::part_array(std::span<Value> values, Part part) {
  part({values.data(), static_cast<std::uint32_t>(values.size()), sides_.data(),
        reinterpret_cast<Value*>(scratch_.data())});
}

MovedRows::Children MovedRows::part(Split& split, std::uint32_t begin, std::uint32_t n,
                                    const MoveKernels& moves) {
  constexpr std::size_t VECTOR = 64 / sizeof(WeightedValue);
  scratch_.resize(std::max(scratch_.size(), n + VECTOR));
  SideMarks marks{node(begin).column(split.feature), n, split.cut_code, sides_.data(), 0,
                  MISSING_CODE};
  const std::uint32_t n_left = moves.mark(marks);
  split.cut_code = marks.below;
  split.upper_code = marks.above;
  part_array(rows_.subspan(begin, n), moves.part_rows);
  part_array(std::span(pair_).subspan(begin, n), moves.part_pairs);
  part_array(std::span(y_).subspan(begin, n), moves.part_numbers);
  for (std::size_t j = 0; j < matrix_.n_features(); ++j)
    part_array(std::span(codes_).subspan(j * rows_.size() + begin, n), moves.part_codes);
  return add_up(begin, n_left, n);
}

// Both children side by side: their chains of additions overlap.
MovedRows::Children MovedRows::add_up(std::uint32_t begin, std::uint32_t n_left,
                                      std::uint32_t n) const {
  const std::uint32_t middle = begin + n_left;
  const std::uint32_t n_right = n - n_left;
  const std::uint32_t both = std::min(n_left, n_right);
  ScalarTotals left, right;
  for (std::uint32_t i = 0; i < both; ++i) {
    left.add(pair_[begin + i], y_[begin + i]);
    right.add(pair_[middle + i], y_[middle + i]);
  }
  for (std::uint32_t i = both; i < n_left; ++i) left.add(pair_[begin + i], y_[begin + i]);
  for (std::uint32_t i = both; i < n_right; ++i) right.add(pair_[middle + i], y_[middle + i]);
  return {left.finish(n_left), right.finish(n_right)};
}

}  // namespace bayeswood
