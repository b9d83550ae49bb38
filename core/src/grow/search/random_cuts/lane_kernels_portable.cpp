#include <algorithm>
#include <limits>

#include "bayeswood/grow/search/random_cuts/lane_kernels.hpp"
#include "bayeswood/grow/search/random_cuts/random_cut.hpp"

namespace bayeswood {
namespace {

template <class Value, bool BINS>
ValueRanges<Value> load_lanes(const LaneLoad<Value>& t) {
  ValueRanges<Value> found;
  const auto own = [&](std::uint32_t row, std::uint32_t l) {
    return t.values + row * t.stride + t.place[l];
  };
  for (std::uint32_t l = 0; l < LANES; ++l) {
    const Value* first = own(t.rows[0], l);
    found.least[l] = found.largest[l] = *first;
    found.end[l] = first[BINS ? 1 : 0];
  }
  Value* to = t.lanes;
  for (const std::uint32_t row : t.rows) {
    for (std::uint32_t l = 0; l < LANES; ++l) {
      const Value* cell = own(row, l);
      to[l] = *cell;
      found.least[l] = std::min(found.least[l], *cell);
      found.largest[l] = std::max(found.largest[l], *cell);
      found.end[l] = std::max(found.end[l], cell[BINS ? 1 : 0]);
    }
    to += LANES;
  }
  return found;
}

template <class Value>
void find_ranges(const RowRanges<Value>& t) {
  const Value* first = t.values + t.rows[0] * t.stride;
  std::copy_n(first, t.n_values, t.least);
  std::copy_n(first, t.n_values, t.largest);
  for (const std::uint32_t row : t.rows) {
    const Value* own = t.values + row * t.stride;
    for (std::size_t j = 0; j < t.n_values; ++j) {
      t.least[j] = std::min(t.least[j], own[j]);
      t.largest[j] = std::max(t.largest[j], own[j]);
    }
  }
}

template <class Value>
const Value* lanes_of(const LaneRows<Value>& rows, std::uint32_t i) {
  return rows.lanes + (rows.rows != nullptr ? rows.rows[i] * rows.stride : std::size_t{i} * LANES);
}

// Both sides by masks in place of branches, even and odd rows apart: no addition waits for more
// than it must.
template <class Value>
void sum_numbers(const LaneCuts<Value>& t) {
  double sums[2][LANES * LANES] = {};
  std::fill_n(t.n_left, LANES, 0U);
  for (std::uint32_t i = 0; i < t.rows.n; ++i) {
    double* to = sums[i % 2];
    const Value* lanes = lanes_of(t.rows, i);
    for (std::uint32_t l = 0; l < LANES; ++l) {
      const std::uint32_t goes_left = lanes[l] <= t.cut[l];
      const double mask = goes_left;
      to[l] += mask * t.pair[i].w;
      to[LANES + l] += mask * t.pair[i].wy;
      to[2 * LANES + l] += (1 - mask) * t.pair[i].w;
      to[3 * LANES + l] += (1 - mask) * t.pair[i].wy;
      t.n_left[l] += goes_left;
    }
  }
  for (std::uint32_t s = 0; s < LANES * LANES; ++s) t.sums[s] = sums[0][s] + sums[1][s];
}

template <class Value>
void sum_classes(const LaneCuts<Value>& t) {
  std::fill_n(t.n_left, LANES, 0U);
  for (std::uint32_t i = 0; i < t.rows.n; ++i) {
    double* own = t.sums + static_cast<std::size_t>(t.label[i]) * 2 * LANES;
    const Value* lanes = lanes_of(t.rows, i);
    for (std::uint32_t l = 0; l < LANES; ++l) {
      const std::uint32_t goes_left = lanes[l] <= t.cut[l];
      own[(1 - goes_left) * LANES + l] += t.w[i];
      t.n_left[l] += goes_left;
    }
  }
}

template <class Value>
void sum_ones(const OnesCuts<Value>& t) {
  double sums[2][2 * LANES] = {};
  std::fill_n(t.n_left, LANES, 0U);
  std::fill_n(t.n_left_ones, LANES, 0U);
  for (std::uint32_t i = 0; i < t.rows.n; ++i) {
    double* to = sums[i % 2];
    const Value* lanes = lanes_of(t.rows, i);
    const std::uint32_t label = t.ones[t.numbers[i]];
    std::uint32_t side = label << LANES;
    for (std::uint32_t l = 0; l < LANES; ++l) {
      const std::uint32_t goes_left = lanes[l] <= t.cut[l];
      to[l] += goes_left * t.wy[label];
      to[LANES + l] += (1 - goes_left) * t.wy[label];
      t.n_left[l] += goes_left;
      t.n_left_ones[l] += goes_left & label;
      side |= goes_left << l;
    }
    t.sides[i] = static_cast<std::uint8_t>(side);
  }
  for (std::uint32_t s = 0; s < 2 * LANES; ++s) t.sums[s] = sums[0][s] + sums[1][s];
}

struct SideTotals {
  NumberSums sums;
  SideTotals() {
    sums.y_min = std::numeric_limits<double>::infinity();
    sums.y_max = -std::numeric_limits<double>::infinity();
  }
  void add(const NumberRow& row) {
    sums.w += row.w;
    sums.wy += row.wy;
    sums.wyy += row.wyy;
    sums.y_min = std::min(sums.y_min, row.y);
    sums.y_max = std::max(sums.y_max, row.y);
  }
};

template <class Value, bool NUMBERS>
std::uint32_t part_rows(const RowPart<Value>& t) {
  SideTotals sides[2];
  std::uint32_t n_left = 0;
  for (std::uint32_t i = 0; i < t.n; ++i) {
    const std::uint32_t row = t.rows[i];
    const std::uint32_t goes_left = t.column[row * t.stride] <= t.cut;
    t.rows[n_left] = row;
    t.scratch[i - n_left] = row;
    n_left += goes_left;
    if constexpr (NUMBERS) sides[goes_left].add(t.numbers[row]);
  }
  std::copy_n(t.scratch, t.n - n_left, t.rows + n_left);
  if constexpr (NUMBERS) {
    *t.left = sides[1].sums;
    *t.right = sides[0].sums;
  }
  return n_left;
}

}  // namespace

template <class Value>
std::uint32_t portable_draw_cuts(const ValueRanges<Value>& range, std::size_t size, Stream& draws,
                                 DrawnCuts<Value>& to) {
  to = {};
  std::uint32_t n_cuts = 0;
  for (std::size_t l = 0; l < size; ++l) {
    if (!(range.least[l] < range.largest[l])) continue;
    ++n_cuts;
    to.threshold[l] = draw_between(range.least[l], range.end[l], draws.next_uniform());
    to.cut[l] = cut_at(to.threshold[l], range.largest[l]);
  }
  return n_cuts;
}
template std::uint32_t portable_draw_cuts(const ValueRanges<double>&, std::size_t, Stream&,
                                          DrawnCuts<double>&);

std::uint32_t portable_part_sides(const SidePart& t) {
  std::uint32_t n_left = 0;
  for (std::uint32_t i = 0; i < t.n; ++i) {
    const std::uint32_t row = t.rows[i];
    t.rows[n_left] = row;
    t.scratch[i - n_left] = row;
    n_left += t.sides[i] >> t.bit & 1U;
  }
  std::copy_n(t.scratch, t.n - n_left, t.rows + n_left);
  return n_left;
}

LaneRanges portable_lane_ranges(const LaneCodes& rows) {
  LaneRanges found;
  for (std::uint32_t l = 0; l < LANES; ++l) found.least[l] = found.largest[l] = rows.lanes[l];
  for (std::uint32_t i = LANES; i < rows.n * LANES; i += LANES) {
    for (std::uint32_t l = 0; l < LANES; ++l) {
      found.least[l] = std::min(found.least[l], rows.lanes[i + l]);
      found.largest[l] = std::max(found.largest[l], rows.lanes[i + l]);
    }
  }
  return found;
}

std::uint32_t portable_lanes_within(const LaneCodes& rows, const LaneRanges& ranges) {
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < rows.n * LANES; ++i) {
    const std::uint32_t l = i % LANES;
    const bool within = rows.lanes[i] >= ranges.least[l] && rows.lanes[i] <= ranges.largest[l];
    found |= static_cast<std::uint32_t>(within) << l;
  }
  return found;
}

template <class Value>
LaneKernels<Value> portable_lane_kernels() {
  return {sum_numbers<Value>,       sum_classes<Value>,      sum_ones<Value>,
          load_lanes<Value, false>, load_lanes<Value, true>, portable_draw_cuts<Value>,
          find_ranges<Value>,       part_rows<Value, false>, part_rows<Value, true>,
          portable_part_sides};
}
template <>
LaneKernels<std::uint16_t> portable_lane_kernels() {
  using Code = std::uint16_t;
  LaneKernels<Code> kernels{sum_numbers<Code>, sum_classes<Code>, sum_ones<Code>};
  kernels.part_numbers = part_rows<Code, true>;
  kernels.part_sides = portable_part_sides;
  return kernels;
}
template LaneKernels<float> portable_lane_kernels();
template LaneKernels<double> portable_lane_kernels();

}  // namespace bayeswood
