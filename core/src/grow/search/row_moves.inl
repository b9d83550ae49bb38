// Compiled once for the baseline and once for AVX2, whose shifts by any number of bits are cheaper.

namespace bayeswood {
namespace {

template <std::uint32_t N>
void fill_columns(const BinFill& task) {
  const BinFill t = task;  // what is written cannot be a part of it
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

}  // namespace
}  // namespace bayeswood
