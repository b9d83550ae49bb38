#include "bayeswood/sums/row_loops.hpp"

#include <algorithm>

namespace bayeswood {

void RowLoops::share(std::size_t n_tasks, const std::function<void(std::size_t)>& task) const {
  if (team_ != nullptr) return team_->run(n_tasks, task);
  for (std::size_t i = 0; i < n_tasks; ++i) task(i);
}

template <class Code>
CodeRange RowLoops::range_of(const Slot* slots, Slot slot, const Code* codes, std::size_t n) const {
  if (n <= BLOCK) return kernels_->range(slots, slot, codes, n);
  std::vector<CodeRange> parts(n_blocks(n));
  for_blocks(n, [&](std::size_t begin, std::size_t end) {
    parts[begin / BLOCK] = kernels_->range(slots + begin, slot, codes + begin, end - begin);
  });
  CodeRange all = parts[0];
  for (const CodeRange& part : parts)
    all = {std::min(all.low, part.low), std::max(all.high, part.high)};
  return all;
}

CodeRange RowLoops::range(const Slot* slots, Slot slot, const std::uint8_t* codes,
                          std::size_t n) const {
  return range_of(slots, slot, codes, n);
}

CodeRange RowLoops::range(const Slot* slots, Slot slot, const std::uint16_t* codes,
                          std::size_t n) const {
  return range_of(slots, slot, codes, n);
}

std::size_t RowLoops::split(const Slot* slots, const RowSplit& split, const std::uint8_t* codes,
                            std::size_t n, Slot* out) const {
  return add_up(n, std::size_t{0}, [&](std::size_t begin, std::size_t end, std::size_t) {
    return kernels_->split(slots + begin, split, codes + begin, end - begin, out + begin);
  });
}

std::size_t RowLoops::split(const Slot* slots, const RowSplit& split, const std::uint16_t* codes,
                            std::size_t n, Slot* out) const {
  return add_up(n, std::size_t{0}, [&](std::size_t begin, std::size_t end, std::size_t) {
    return kernels_->split(slots + begin, split, codes + begin, end - begin, out + begin);
  });
}

void RowLoops::relabel(const Slot* slots, const Slot* to, std::size_t n_slots, std::size_t n,
                       Slot* out) const {
  for_blocks(n, [&](std::size_t begin, std::size_t end) {
    kernels_->relabel(slots + begin, to, n_slots, end - begin, out + begin);
  });
}

template <class Sum>
void RowLoops::sum_blocks(std::size_t n_rows, std::size_t n_slots, bool weighted,
                          const SlotSums& out, Sum sum) const {
  if (n_rows <= BLOCK) return sum(std::size_t{0}, n_rows, out);
  std::vector<double> parts(2 * n_slots * n_blocks(n_rows));
  const auto part = [&](std::size_t b) {
    double* at = parts.data() + 2 * n_slots * b;
    return SlotSums{at, at + n_slots};
  };
  for_blocks(n_rows,
             [&](std::size_t begin, std::size_t end) { sum(begin, end, part(begin / BLOCK)); });
  for (std::size_t b = 0; b < n_blocks(n_rows); ++b) {
    for (std::size_t s = 0; s < n_slots; ++s) {
      out.rest[s] = (b > 0 ? out.rest[s] : 0.0) + part(b).rest[s];
      if (weighted) out.weight[s] = (b > 0 ? out.weight[s] : 0.0) + part(b).weight[s];
    }
  }
}

template <class Pass>
void RowLoops::pass_blocks(Pass kernel, const RowPass& pass, const SlotSums& proposed) const {
  const bool weighted = pass.weight != nullptr;
  sum_blocks(pass.n_rows, pass.n_proposed, weighted, proposed,
             [&](std::size_t begin, std::size_t end, const SlotSums& out) {
               RowPass part = pass;
               part.n_rows = end - begin;
               part.rest += begin;
               if (weighted) part.weight += begin;
               part.before += begin;
               part.present += begin;
               part.proposed += begin;
               kernel(part, out);
             });
}

void RowLoops::add_pass(const RowPass& pass, const SlotSums& proposed) const {
  pass_blocks(kernels_->add_pass, pass, proposed);
}

void RowLoops::multiply_pass(const RowPass& pass, const SlotSums& proposed) const {
  pass_blocks(kernels_->multiply_pass, pass, proposed);
}

void RowLoops::sum_slots(const float* rest, const float* weight, const Slot* slots,
                         std::size_t n_slots, std::size_t n_rows, const SlotSums& out) const {
  const bool weighted = weight != nullptr;
  sum_blocks(n_rows, n_slots, weighted, out,
             [&](std::size_t begin, std::size_t end, const SlotSums& sums) {
               kernels_->sum_slots(rest + begin, weighted ? weight + begin : nullptr, slots + begin,
                                   n_slots, end - begin, sums);
             });
}

}  // namespace bayeswood
