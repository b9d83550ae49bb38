// One random cut of values.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace bayeswood {

// Uniform between the two; below `high` and not below `low` whatever the rounding.
inline double draw_between(double low, double high, double uniform) {
  const double range = high - low;
  const double value =
      std::isfinite(range) ? low + uniform * range : low * (1 - uniform) + high * uniform;
  return value >= low && value < high ? value : low;
}

// The largest float that does not exceed a number, and the one below it, without a branch: as
// integers floats of one sign are in order.
inline float below_if(float value, bool below) {
  const auto bits = std::bit_cast<std::int32_t>(value + 0.0F);  // no negative zero
  const std::int32_t place = bits ^ ((bits >> 31) & 0x7fffffff);
  const std::int32_t moved = place - (below ? 1 : 0) - (below && bits == 0 ? 1 : 0);
  return std::bit_cast<float>(moved ^ ((moved >> 31) & 0x7fffffff));
}
inline float at_most(double number, float) {
  const auto near = static_cast<float>(number);
  return below_if(near, near > number);
}
inline double at_most(double number, double) {
  return number;
}

// Between the least value and the end of the largest one's bin. Within the last bin: what lies
// below the bin goes left.
template <class Value>
Value cut_at(double threshold, Value largest) {
  return threshold < largest ? at_most(threshold, Value{})
                             : std::nextafter(largest, -std::numeric_limits<Value>::infinity());
}

}  // namespace bayeswood
