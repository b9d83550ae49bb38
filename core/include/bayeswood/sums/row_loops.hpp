// The loops of a sweep over all rows (row_kernels.hpp), in blocks that a team shares out.
//
// Blocks are the same for any number of threads, and their sums are added in order, so that bits do
// not depend on it. A table of up to BLOCK rows is one block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "bayeswood/base/team.hpp"
#include "bayeswood/sums/row_kernels.hpp"

namespace bayeswood {

class RowLoops {
 public:
  static constexpr std::size_t BLOCK = std::size_t{1} << 16;

  explicit RowLoops(const RowKernels& kernels) : kernels_(&kernels) {}

  // While it is set, calls are shared out; nullptr: this thread does them all.
  void set_team(Team* team) { team_ = team; }
  // Runs task(i) for i = 0, ..., n_tasks - 1.
  void share(std::size_t n_tasks, const std::function<void(std::size_t)>& task) const;
  // Calls task(begin, end) for every block.
  template <class Task>
  void for_blocks(std::size_t n_rows, Task task) const {
    if (n_rows <= BLOCK) return task(std::size_t{0}, n_rows);
    share(n_blocks(n_rows), [&](std::size_t b) {
      task(b * BLOCK, n_rows < (b + 1) * BLOCK ? n_rows : (b + 1) * BLOCK);
    });
  }
  // The start and the sums of all blocks, by sum(begin, end, start); the first block has the start.
  template <class T, class Sum>
  T add_up(std::size_t n_rows, T start, Sum sum) const {
    if (n_rows <= BLOCK) return sum(std::size_t{0}, n_rows, start);
    std::vector<T> parts(n_blocks(n_rows), T{});
    parts[0] = start;
    for_blocks(n_rows, [&](std::size_t begin, std::size_t end) {
      T& part = parts[begin / BLOCK];
      part = sum(begin, end, part);
    });
    T total = parts[0];
    for (std::size_t b = 1; b < parts.size(); ++b) total += parts[b];
    return total;
  }

  CodeRange range(const Slot* slots, Slot slot, const std::uint8_t* codes, std::size_t n) const;
  CodeRange range(const Slot* slots, Slot slot, const std::uint16_t* codes, std::size_t n) const;
  std::size_t split(const Slot* slots, const RowSplit& split, const std::uint8_t* codes,
                    std::size_t n, Slot* out) const;
  std::size_t split(const Slot* slots, const RowSplit& split, const std::uint16_t* codes,
                    std::size_t n, Slot* out) const;
  void relabel(const Slot* slots, const Slot* to, std::size_t n_slots, std::size_t n,
               Slot* out) const;
  void add_pass(const RowPass& pass, const SlotSums& proposed) const;
  void multiply_pass(const RowPass& pass, const SlotSums& proposed) const;
  void sum_slots(const float* rest, const float* weight, const Slot* slots, std::size_t n_slots,
                 std::size_t n_rows, const SlotSums& out) const;

 private:
  static std::size_t n_blocks(std::size_t n_rows) { return (n_rows + BLOCK - 1) / BLOCK; }
  template <class Code>
  CodeRange range_of(const Slot* slots, Slot slot, const Code* codes, std::size_t n) const;
  // Calls sum(begin, end, sums of the block) and adds these up.
  template <class Sum>
  void sum_blocks(std::size_t n_rows, std::size_t n_slots, bool weighted, const SlotSums& out,
                  Sum sum) const;
  template <class Pass>
  void pass_blocks(Pass kernel, const RowPass& pass, const SlotSums& proposed) const;

  const RowKernels* kernels_;
  Team* team_ = nullptr;
};

}  // namespace bayeswood
