// The kernels of random cuts, for the tables in scan.hpp.
#pragma once

#include "bayeswood/grow/search/random_cuts/lane_cuts.hpp"

namespace bayeswood {

LaneRanges portable_lane_ranges(const LaneCodes& rows);
std::uint32_t portable_lanes_within(const LaneCodes& rows, const LaneRanges& ranges);
std::uint32_t portable_part_sides(const SidePart& task);
template <class Value>
std::uint32_t portable_draw_cuts(const ValueRanges<Value>& range, std::size_t size, Stream& draws,
                                 DrawnCuts<Value>& to);
template <class Value>
LaneKernels<Value> portable_lane_kernels();
template <>
LaneKernels<std::uint16_t> portable_lane_kernels();

LaneRanges avx2_lane_ranges(const LaneCodes& rows);
std::uint32_t avx2_lanes_within(const LaneCodes& rows, const LaneRanges& ranges);
template <class Value>
LaneKernels<Value> avx2_lane_kernels();
template <>
LaneKernels<std::uint16_t> avx2_lane_kernels();

// Puts faster ones in place of some.
template <class Value>
void use_avx512(LaneKernels<Value>& kernels);
template <>
void use_avx512(LaneKernels<std::uint16_t>& kernels);

}  // namespace bayeswood
