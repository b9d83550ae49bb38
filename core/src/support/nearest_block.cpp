#include "nearest_block.hpp"

namespace bayeswood {
namespace {

struct Lanes {
  double at[ROW_LANES];

  static Lanes load(const double* from) {
    Lanes found;
    for (std::size_t l = 0; l < ROW_LANES; ++l) found.at[l] = from[l];
    return found;
  }
  static Lanes all(double x) { return {{x, x, x, x}}; }
  void store(double* to) const {
    for (std::size_t l = 0; l < ROW_LANES; ++l) to[l] = at[l];
  }
};
inline Lanes operator+(Lanes a, const Lanes& b) {
  for (std::size_t l = 0; l < ROW_LANES; ++l) a.at[l] += b.at[l];
  return a;
}
inline Lanes operator-(Lanes a, const Lanes& b) {
  for (std::size_t l = 0; l < ROW_LANES; ++l) a.at[l] -= b.at[l];
  return a;
}
inline Lanes operator*(Lanes a, const Lanes& b) {
  for (std::size_t l = 0; l < ROW_LANES; ++l) a.at[l] *= b.at[l];
  return a;
}
inline Lanes where_less(const Lanes& a, const Lanes& b, const Lanes& yes, Lanes no) {
  for (std::size_t l = 0; l < ROW_LANES; ++l) no.at[l] = a.at[l] < b.at[l] ? yes.at[l] : no.at[l];
  return no;
}
inline Lanes where_equal(const Lanes& a, const Lanes& b, const Lanes& yes, Lanes no) {
  for (std::size_t l = 0; l < ROW_LANES; ++l) no.at[l] = a.at[l] == b.at[l] ? yes.at[l] : no.at[l];
  return no;
}
// Of a number and NaN the second.
inline Lanes smaller(const Lanes& a, Lanes b) {
  for (std::size_t l = 0; l < ROW_LANES; ++l) b.at[l] = a.at[l] < b.at[l] ? a.at[l] : b.at[l];
  return b;
}
inline Lanes larger(const Lanes& a, Lanes b) {
  for (std::size_t l = 0; l < ROW_LANES; ++l) b.at[l] = a.at[l] > b.at[l] ? a.at[l] : b.at[l];
  return b;
}
inline bool any_less(const Lanes& a, const Lanes& b) {
  bool found = false;
  for (std::size_t l = 0; l < ROW_LANES; ++l) found |= a.at[l] < b.at[l];
  return found;
}

#include "nearest_block.inl"

}  // namespace

void search_block(const NearestBlock& block) {
  search_any(block);
}

}  // namespace bayeswood
