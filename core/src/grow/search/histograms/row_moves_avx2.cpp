// Sums and count of a bin as one vector, so that a row takes one addition and one store.
#include <algorithm>

#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/grow/search/histograms/row_moves.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx2.inl"

namespace bayeswood {
namespace {

constexpr std::uint32_t N_BINS = 256;
struct alignas(32) WideBin {
  double w, wy, n, unused;
};

template <std::uint32_t N>
void fill_columns(const MovedFill& task) {
  const MovedFill t = task;  // what is written cannot be a part of it
  WideBin bins[N][N_BINS];
  std::fill_n(bins[0], N * N_BINS, WideBin{0, 0, 0, 0});
  const __m128d one = _mm_setr_pd(1, 0);
  for (std::uint32_t i = 0; i < t.n; ++i) {
    const __m128d pair = _mm_loadu_pd(&t.pair[i].w);
    const __m256d row = _mm256_insertf128_pd(_mm256_castpd128_pd256(pair), one, 1);
    for (std::uint32_t k = 0; k < N; ++k) {
      double* bin = &bins[k][t.columns[k][i] >> t.shifts[k]].w;
      _mm256_store_pd(bin, _mm256_add_pd(_mm256_load_pd(bin), row));
    }
  }
  for (std::uint32_t k = 0; k < N; ++k) {
    for (std::uint32_t b = 0; b < N_BINS; ++b) {
      t.sums[k][b] = {bins[k][b].w, bins[k][b].wy};
      t.counts[k][b] = static_cast<std::uint32_t>(bins[k][b].n);
    }
  }
}

}  // namespace
}  // namespace bayeswood

#include "bayeswood/base/end_avx2.inl"

const bayeswood::MoveKernels& bayeswood::avx2_moves() {
  static const MoveKernels moves = [] {
    MoveKernels best = portable_moves();
    best.fill = fill_columns<MOVED_FILL>;
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
