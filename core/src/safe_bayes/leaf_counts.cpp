#include "bayeswood/safe_bayes/leaf_counts.hpp"

#include <algorithm>
#include <vector>

#include "bayeswood/safe_bayes/row_blocks.hpp"

namespace bayeswood {
namespace {

// Counting by popcount costs a pass per class; beyond so many classes rows are counted one by one.
constexpr std::uint32_t MOST_BIT_CLASSES = 8;

// Some trees together pass over some blocks of rows, whose codes then stay in the second cache.
constexpr std::size_t TREES_TOGETHER = 8;
constexpr std::size_t BLOCKS_TOGETHER = 16;

std::size_t tree_tasks(std::size_t n_trees) {
  return (n_trees + TREES_TOGETHER - 1) / TREES_TOGETHER;
}

// Calls use(tree, block, finder) for all of them, in parallel over trees.
template <class Use>
void for_each_tree_and_block(const PriorTrees& trees, const CodedRows& coded,
                             const LeafKernels& kernels, unsigned n_threads, const Poll& poll,
                             Use use) {
  parallel_for(
      tree_tasks(trees.n_trees()), n_threads,
      [&](std::size_t task, unsigned, const StopFlag& stop) {
        LeafFinder finder(trees.codes(), kernels);
        const std::size_t first_tree = task * TREES_TOGETHER;
        const std::size_t end_tree = std::min(first_tree + TREES_TOGETHER, trees.n_trees());
        for (std::size_t first = 0; first < coded.n_blocks(); first += BLOCKS_TOGETHER) {
          const std::size_t end = std::min(first + BLOCKS_TOGETHER, coded.n_blocks());
          for (std::size_t t = first_tree; t < end_tree; ++t) {
            check_stop(stop);
            for (std::size_t b = first; b < end; ++b) use(t, b, finder);
          }
        }
      },
      poll);
}

// Bits of the rows of each class but the first, block by block.
class ClassBits {
 public:
  ClassBits(std::span<const std::int32_t> labels, std::uint32_t n_classes)
      : n_classes_(n_classes),
        bits_((labels.size() + BLOCK_ROWS - 1) / BLOCK_ROWS * (n_classes - 1), RowBits{}) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == 0) continue;
      const std::size_t at = i / BLOCK_ROWS * (n_classes - 1) + labels[i] - 1;
      bits_[at][i % BLOCK_ROWS / 64] |= 1ULL << (i % 64);
    }
  }
  const RowBits* block(std::size_t b) const { return bits_.data() + b * (n_classes_ - 1); }

 private:
  std::uint32_t n_classes_;
  std::vector<RowBits> bits_;
};

void count_group(const RowBits& rows, const RowBits* classes, std::uint32_t n_classes,
                 std::int32_t sign, std::int32_t* counts, const LeafKernels& kernels) {
  auto rest = static_cast<std::int32_t>(kernels.count_bits(rows.data()));
  for (std::uint32_t c = 1; c < n_classes && rest > 0; ++c) {
    const auto n =
        static_cast<std::int32_t>(kernels.count_common(rows.data(), classes[c - 1].data()));
    counts[c] += sign * n;
    rest -= n;
  }
  counts[0] += sign * rest;
}

// One chunk of rows, ready to be counted by any tree.
struct Chunk {
  CodedRows coded;
  std::span<const std::int32_t> labels, copies;
  std::uint32_t n_classes;
  ClassBits bits;
};

void count_by_bits(const PriorTree& tree, const Chunk& chunk, std::size_t b, LeafFinder& finder,
                   std::int32_t sign, std::int32_t* counts, const LeafKernels& kernels) {
  const std::uint32_t k = chunk.n_classes;
  const std::int32_t* labels = chunk.labels.data() + b * BLOCK_ROWS;
  finder.visit(
      tree, block_of(chunk.coded, b),
      [&](std::uint32_t leaf, const RowBits& rows) {
        count_group(rows, chunk.bits.block(b), k, sign, counts + std::size_t{leaf} * k, kernels);
      },
      [&](std::uint32_t leaf, std::uint32_t row) {
        counts[std::size_t{leaf} * k + labels[row]] += sign;
      });
}

void count_by_rows(const PriorTree& tree, const Chunk& chunk, std::size_t b, LeafFinder& finder,
                   std::int32_t sign, std::int32_t* counts) {
  std::uint32_t leaf[BLOCK_ROWS];
  const CodedBlock block = block_of(chunk.coded, b);
  finder.find(tree, block, leaf);
  const std::size_t first = b * BLOCK_ROWS;
  for (std::uint32_t i = 0; i < block.n_rows; ++i) {
    const std::int32_t n = chunk.copies.empty() ? 1 : chunk.copies[first + i];
    counts[std::size_t{leaf[i]} * chunk.n_classes + chunk.labels[first + i]] += sign * n;
  }
}

std::size_t n_chunks(std::size_t n_rows) {
  return (n_rows + CHUNK_ROWS - 1) / CHUNK_ROWS;
}

}  // namespace

void add_counts(const PriorTrees& trees, const LabelledRows& rows, std::int32_t sign,
                std::int32_t* counts, const LeafKernels& kernels, const Running& given) {
  const std::size_t n = rows.table.n_rows();
  const Running run = scaled(given, n, trees.n_trees());
  const std::uint32_t k = rows.n_classes;
  const bool by_bits = rows.copies.empty() && k <= MOST_BIT_CLASSES;
  const std::size_t n_tasks = tree_tasks(trees.n_trees());
  for_each_chunk(n, [&](std::size_t begin, std::size_t end) {
    const auto labels = rows.labels.subspan(begin, end - begin);
    const auto copies = rows.copies.empty() ? rows.copies : rows.copies.subspan(begin, end - begin);
    const Chunk chunk{CodedRows(trees.codes(), rows.table, begin, end, run.n_threads), labels,
                      copies, k, ClassBits(by_bits ? labels : labels.subspan(0, 0), k)};
    for_each_tree_and_block(
        trees, chunk.coded, kernels, run.n_threads,
        chunk_poll(run.poll, begin / CHUNK_ROWS * n_tasks, n_chunks(n) * n_tasks),
        [&](std::size_t t, std::size_t b, LeafFinder& finder) {
          const PriorTree& tree = trees.tree(t);
          std::int32_t* own = counts + trees.first_leaf()[t] * k;
          if (by_bits && !tree.is_full) {
            count_by_bits(tree, chunk, b, finder, sign, own, kernels);
          } else {
            count_by_rows(tree, chunk, b, finder, sign, own);
          }
        });
  });
}

void add_sums(const PriorTrees& trees, const MeasuredRows& rows, std::int32_t sign, LeafSums* sums,
              const LeafKernels& kernels, const Running& given) {
  const std::size_t n = rows.table.n_rows();
  const Running run = scaled(given, n, trees.n_trees());
  const std::size_t n_tasks = tree_tasks(trees.n_trees());
  for_each_chunk(n, [&](std::size_t begin, std::size_t end) {
    const CodedRows coded(trees.codes(), rows.table, begin, end, run.n_threads);
    for_each_tree_and_block(
        trees, coded, kernels, run.n_threads,
        chunk_poll(run.poll, begin / CHUNK_ROWS * n_tasks, n_chunks(n) * n_tasks),
        [&](std::size_t t, std::size_t b, LeafFinder& finder) {
          std::uint32_t leaf[BLOCK_ROWS];
          LeafSums* own = sums + trees.first_leaf()[t];
          const CodedBlock block = block_of(coded, b);
          finder.find(trees.tree(t), block, leaf);
          const std::size_t first = begin + b * BLOCK_ROWS;
          for (std::size_t i = 0; i < block.n_rows; ++i) {
            const std::int64_t copies = rows.copies.empty() ? 1 : rows.copies[first + i];
            add_value(rows.values[first + i], sign * copies, own[leaf[i]]);
          }
        });
  });
}

void find_leaves(const PriorTrees& trees, const MatrixView& table, std::int64_t* out,
                 const LeafKernels& kernels, const Running& run) {
  const std::size_t n_trees = trees.n_trees();
  for_each_block(trees, table, kernels, run,
                 [&](std::size_t t, std::size_t first, std::size_t n, const std::uint32_t* leaf) {
                   const auto offset = static_cast<std::int64_t>(trees.first_leaf()[t]);
                   for (std::size_t i = 0; i < n; ++i)
                     out[(first + i) * n_trees + t] = offset + leaf[i];
                 });
}

void pool_leaves(const PriorTrees& trees, const MatrixView& table, std::span<const double> values,
                 std::size_t n_outputs, std::span<const double> tree_weights, double* out,
                 const LeafKernels& kernels, const Running& run) {
  std::fill(out, out + table.n_rows() * n_outputs, 0.0);
  for_each_block(trees, table, kernels, run,
                 [&](std::size_t t, std::size_t first, std::size_t n, const std::uint32_t* leaf) {
                   const double weight = tree_weights[t];
                   const double* own = values.data() + trees.first_leaf()[t] * n_outputs;
                   for (std::size_t i = 0; i < n; ++i) {
                     const double* value = own + leaf[i] * n_outputs;
                     double* sum = out + (first + i) * n_outputs;
                     for (std::size_t k = 0; k < n_outputs; ++k) sum[k] += weight * value[k];
                   }
                 });
}

}  // namespace bayeswood
