#include "bayeswood/grow/moved_rows.hpp"

#include <algorithm>

namespace bayeswood {

void MovedRows::load(std::span<std::uint32_t> rows, std::span<WeightedValue> pair,
                     const RowData& data) {
  constexpr std::size_t VECTOR = 64 / sizeof(WeightedValue);
  rows_ = rows;
  pair_ = pair.first(rows.size());
  y_of_row_ = data.y;
  in_place_ = rows.size() == matrix_.n_rows();
  if (!scratch_)
    scratch_ = std::make_unique_for_overwrite<WeightedValue[]>(matrix_.n_rows() + VECTOR);
  y_.resize(rows.size());
  codes_.resize(rows.size() * matrix_.n_features());
  sides_.resize((rows.size() + 63) / 64);
  if (!in_place_) copy_rows();
}

void MovedRows::copy_rows() {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    pair_[i] = pair_.data()[rows_[i]];  // which stands here or further on
    y_[i] = y_of_row_[rows_[i]];
  }
  for (std::size_t j = 0; j < matrix_.n_features(); ++j) {
    const std::uint16_t* column = matrix_.column(j);
    std::uint16_t* codes = codes_.data() + j * rows_.size();
    for (std::size_t i = 0; i < rows_.size(); ++i) codes[i] = column[rows_[i]];
  }
}

MovedNode MovedRows::node(std::uint32_t begin) const {
  if (in_place_) return {pair_.data(), y_of_row_, matrix_.column(0), matrix_.n_rows()};
  return {pair_.data() + begin, y_.data() + begin, codes_.data() + begin, rows_.size()};
}

template <class Value, class Part>
void MovedRows::part_array(const Value* from, std::span<Value> to, Part part) {
  part({from, to.data(), static_cast<std::uint32_t>(to.size()), sides_.data(),
        reinterpret_cast<Value*>(scratch_.get())});
}

MovedRows::Children MovedRows::part(Split& split, std::uint32_t begin, std::uint32_t n,
                                    const MoveKernels& moves) {
  const MovedNode from = node(begin);
  SideMarks marks{from.column(split.feature), n, split.cut_code, sides_.data(), 0, MISSING_CODE};
  const std::uint32_t n_left = moves.mark(marks);
  split.cut_code = marks.below;
  split.upper_code = marks.above;
  part_array(rows_.data() + begin, rows_.subspan(begin, n), moves.part_rows);
  part_array(from.pair, pair_.subspan(begin, n), moves.part_pairs);
  part_array(from.y, std::span(y_).subspan(begin, n), moves.part_numbers);
  for (std::size_t j = 0; j < matrix_.n_features(); ++j) {
    const auto to = std::span(codes_).subspan(j * rows_.size() + begin, n);
    part_array(from.column(j), to, moves.part_codes);
  }
  in_place_ = false;
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
