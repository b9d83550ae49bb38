#include "bayeswood/grow/search/histograms/row_moves.hpp"

#include <algorithm>

namespace bayeswood {
namespace {

std::uint32_t mark_sides(SideMarks& t) {
  std::uint32_t n_left = 0;
  for (std::uint32_t begin = 0; begin < t.n; begin += 64) {
    const std::uint32_t end = std::min(begin + 64, t.n);
    std::uint64_t word = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t code = t.codes[i];
      const std::uint32_t left = code <= t.cut ? 1 : 0;
      word |= std::uint64_t{left} << (i - begin);
      n_left += left;
      t.below = std::max(t.below, code & (0U - left));
      t.above = std::min(t.above, code | (0U - left));
    }
    t.sides[begin / 64] = word;
  }
  return n_left;
}

template <class Value>
void part_array(const ArrayPart<Value>& t) {
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < t.n; ++i) {
    const Value value = t.from[i];
    t.to[left] = value;
    t.scratch[i - left] = value;
    left += (t.sides[i / 64] >> (i % 64)) & 1;
  }
  std::copy_n(t.scratch, t.n - left, t.to + left);
}

template <std::uint32_t N>
void fill_columns(const MovedFill& task) {
  const MovedFill t = task;  // what is written cannot be a part of it
  for (std::uint32_t i = 0; i < t.n; ++i) {
    const WeightedValue row = t.pair[i];
    for (std::uint32_t k = 0; k < N; ++k) {
      const std::uint32_t bin = t.columns[k][i] >> t.shifts[k];
      WeightedValue& sum = t.sums[k][bin];
      sum.w += row.w;
      sum.wy += row.wy;
      ++t.counts[k][bin];
    }
  }
}

std::uint32_t list_within(const CodesWithin& t) {
  const auto width = static_cast<std::uint16_t>(t.high - t.low);
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; i < t.n; ++i) {
    t.places[n] = i;
    n += static_cast<std::uint16_t>(t.codes[i] - t.low) <= width ? 1 : 0;
  }
  return n;
}

}  // namespace

const MoveKernels& portable_moves() {
  static constexpr MoveKernels moves{mark_sides,
                                     part_array<std::uint16_t>,
                                     part_array<std::uint32_t>,
                                     part_array<double>,
                                     part_array<WeightedValue>,
                                     fill_columns<MOVED_FILL>,
                                     fill_columns<1>,
                                     list_within};
  return moves;
}

}  // namespace bayeswood
