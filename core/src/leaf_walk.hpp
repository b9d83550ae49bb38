// Sends every row down every tree, in blocks of rows that run in parallel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bayeswood/compiled_forest.hpp"
#include "bayeswood/forest.hpp"

namespace bayeswood {

// The slow walk, for forests that cannot be packed.
inline std::uint32_t walk_tree(const Tree& tree, const ForestShape& shape, const MatrixView& table,
                               std::size_t row) {
  std::uint32_t node = 0;
  while (tree.feature[node] != LEAF) {
    const std::int32_t f = tree.feature[node];
    const double value = table(row, static_cast<std::size_t>(f));
    const std::int32_t levels = shape.n_levels[f];
    bool left = tree.missing_left[node] != 0;
    if (levels > 0 && value >= 0 && value < levels) {
      left = in_set(tree.category_words.data() + tree.category_offset[node],
                    static_cast<std::uint32_t>(value));
    } else if (levels == 0 && !std::isnan(value)) {
      left = value <= tree.threshold[node];
    }
    node = tree.child[node] + (left ? 0 : 1);
  }
  return node;
}

// Rows of a block: enough to keep a tree's nodes in cache, few enough to share out among threads.
inline std::size_t block_rows(std::size_t n_rows, unsigned n_threads) {
  constexpr std::size_t MOST = 4096;
  const std::size_t shared = (n_rows + n_threads - 1) / std::max(1U, n_threads);
  return std::clamp<std::size_t>((shared + 15) / 16 * 16, 16, MOST);
}

// Calls visit(tree, row, leaf node); for one row the trees come in order, on one thread.
template <class Visit>
void for_each_leaf(const Forest& forest, const MatrixView& table, const Running& run, Visit visit) {
  const std::size_t n = table.n_rows();
  if (n == 0) return;
  const CompiledForest& compiled = forest.compiled();
  const std::size_t block = block_rows(n, run.n_threads);
  const bool tiny = n * forest.n_trees() < 200000;  // below a few milliseconds: no thread, no poll
  parallel_for(
      (n + block - 1) / block, tiny ? 1 : run.n_threads,
      [&](std::size_t b, unsigned, const StopFlag& stop) {
        const std::size_t begin = b * block;
        const std::size_t size = std::min(block, n - begin);
        std::vector<std::uint32_t> leaf(size);
        std::vector<std::uint16_t> encoded(compiled.is_packed() ? size * compiled.n_columns() : 0);
        if (compiled.is_packed()) compiled.encode(table, begin, begin + size, encoded.data());
        for (std::size_t t = 0; t < forest.n_trees(); ++t) {
          check_stop(stop);
          if (compiled.is_packed()) {
            compiled.walk(t, encoded.data(), size, leaf.data());
            for (std::size_t i = 0; i < size; ++i) visit(t, begin + i, leaf[i]);
          } else {
            for (std::size_t i = 0; i < size; ++i) {
              visit(t, begin + i, walk_tree(forest.tree(t), forest.shape(), table, begin + i));
            }
          }
        }
      },
      tiny ? Poll{} : run.poll);
}

}  // namespace bayeswood
