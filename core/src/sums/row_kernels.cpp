#include "bayeswood/sums/row_kernels.hpp"

#include <algorithm>

#include "lane_sums.hpp"

namespace bayeswood {
namespace {

#include "row_kernels.inl"

template <bool MULTIPLY>
void pass_rows(const RowPass& pass, const SlotSums& out) {
  LaneSums sums(out, pass.n_proposed, pass.weight != nullptr);
  for (std::size_t begin = 0; begin < pass.n_rows; begin += LaneSums::BLOCK) {
    const std::size_t end = std::min(begin + LaneSums::BLOCK, pass.n_rows);
    for (std::size_t i = begin; i < end; ++i) {
      const float take = pass.take[pass.before[i]];
      const float give = pass.give[pass.present[i]];
      const float rest = MULTIPLY ? pass.rest[i] * take * give : pass.rest[i] - take + give;
      pass.rest[i] = rest;
      sums.add(i, pass.proposed[i], rest, pass.weight);
    }
    sums.flush();
  }
}

void sum_slots(const float* rest, const float* weight, const Slot* slots, std::size_t n_slots,
               std::size_t n_rows, const SlotSums& out) {
  LaneSums sums(out, n_slots, weight != nullptr);
  for (std::size_t begin = 0; begin < n_rows; begin += LaneSums::BLOCK) {
    const std::size_t end = std::min(begin + LaneSums::BLOCK, n_rows);
    for (std::size_t i = begin; i < end; ++i) sums.add(i, slots[i], rest[i], weight);
    sums.flush();
  }
}

}  // namespace

const RowKernels& portable_row_kernels() {
  static constexpr RowKernels KERNELS{find_range<std::uint8_t>,
                                      find_range<std::uint16_t>,
                                      split_rows<std::uint8_t>,
                                      split_rows<std::uint16_t>,
                                      relabel_rows,
                                      pass_rows<false>,
                                      pass_rows<true>,
                                      sum_slots};
  return KERNELS;
}

}  // namespace bayeswood
