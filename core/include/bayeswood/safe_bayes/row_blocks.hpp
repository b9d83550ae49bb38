// Loops over the rows of a table in coded blocks.
#pragma once

#include <algorithm>
#include <cstddef>

#include "bayeswood/safe_bayes/leaf_kernels.hpp"

namespace bayeswood {

// Rows coded at a time: bounds the memory, and still much work per tree.
constexpr std::size_t CHUNK_ROWS = 1 << 16;

// Too little work for a thread and a poll: the calling thread does it.
inline Running scaled(const Running& run, std::size_t n_rows, std::size_t n_trees) {
  return n_rows * n_trees < 100000 ? Running{} : run;
}

template <class Each>
void for_each_chunk(std::size_t n_rows, Each each) {
  for (std::size_t begin = 0; begin < n_rows; begin += CHUNK_ROWS)
    each(begin, std::min(begin + CHUNK_ROWS, n_rows));
}

// A poll that counts on from the chunks before.
inline Poll chunk_poll(const Poll& poll, std::size_t before, std::size_t total) {
  if (!poll) return {};
  return
      [&poll, before, total](std::size_t done, std::size_t) { return poll(before + done, total); };
}

// Calls use(tree, first row, number of rows, leaf of each): in parallel over blocks of rows, for
// one block the trees in order.
template <class Use>
void for_each_block(const PriorTrees& trees, const MatrixView& table, const LeafKernels& kernels,
                    const Running& given, Use use) {
  const Running run = scaled(given, table.n_rows(), trees.n_trees());
  const std::size_t total = (table.n_rows() + BLOCK_ROWS - 1) / BLOCK_ROWS;
  for_each_chunk(table.n_rows(), [&](std::size_t begin, std::size_t end) {
    const CodedRows coded(trees.codes(), table, begin, end, run.n_threads);
    parallel_for(
        coded.n_blocks(), run.n_threads,
        [&](std::size_t b, unsigned, const StopFlag& stop) {
          LeafFinder finder(trees.codes(), kernels);
          std::uint32_t leaf[BLOCK_ROWS];
          const CodedBlock block = block_of(coded, b);
          for (std::size_t t = 0; t < trees.n_trees(); ++t) {
            check_stop(stop);
            finder.find(trees.tree(t), block, leaf);
            use(t, begin + b * BLOCK_ROWS, std::size_t{block.n_rows}, leaf);
          }
        },
        chunk_poll(run.poll, begin / BLOCK_ROWS, total));
  });
}

}  // namespace bayeswood
