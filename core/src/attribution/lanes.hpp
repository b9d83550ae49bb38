// Four doubles that one instruction may take together. Sums over lanes are taken in one order on
// every machine.
#pragma once

#include <cstddef>
#include <cstring>

#include "bayeswood/attribution/path_table.hpp"

namespace bayeswood {

#if defined(__GNUC__)
typedef double Lanes __attribute__((vector_size(LANE * sizeof(double)), aligned(8), may_alias));
#else
struct Lanes {
  double at[LANE];
  double operator[](std::size_t i) const { return at[i]; }
};
inline Lanes operator*(const Lanes& a, const Lanes& b) {
  return {a.at[0] * b.at[0], a.at[1] * b.at[1], a.at[2] * b.at[2], a.at[3] * b.at[3]};
}
inline Lanes operator+(const Lanes& a, const Lanes& b) {
  return {a.at[0] + b.at[0], a.at[1] + b.at[1], a.at[2] + b.at[2], a.at[3] + b.at[3]};
}
#endif

}  // namespace bayeswood
