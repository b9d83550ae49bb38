#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/grow/search/row_moves.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx2.inl"
#include "row_moves.inl"
#include "bayeswood/base/end_avx2.inl"

const bayeswood::MoveKernels& bayeswood::avx2_moves() {
  static const MoveKernels moves = [] {
    MoveKernels best = portable_moves();
    best.fill = fill_columns<BIN_FEATURES>;
    best.fill_one = fill_columns<1>;
    return best;
  }();
  return moves;
}
#else
const bayeswood::MoveKernels& bayeswood::avx2_moves() {
  return portable_moves();
}
#endif
