#include "bayeswood/forest/leaves/oob_votes.hpp"

#include <algorithm>

#include "bayeswood/forest/output_rows.hpp"
#include "bayeswood/forest/walk/leaf_walk.hpp"

namespace bayeswood {
namespace {

// Sums of one block of rows, dense.
struct BlockSums {
  explicit BlockSums(std::size_t n_rows, std::size_t n_classes)
      : n_classes(n_classes), counts(n_rows, 0), sum_ww(n_rows, 0.0) {
    for (auto& part : sums) part.assign(n_rows * n_classes, 0.0);
    for (auto& part : sum_w) part.assign(n_rows, 0.0);
  }

  std::size_t n_classes;
  UnwrittenVector<double> sums[2];
  std::vector<double> sum_w[2];
  std::vector<std::int32_t> counts;
  std::vector<double> sum_ww;
};

// Most rows have votes for most classes, if leaves are shrunk.
void make_room(std::size_t n_rows, std::size_t n_classes, OobVotes& out) {
  constexpr std::size_t MOST = std::size_t{1} << 22;
  const std::size_t n = std::min(MOST, n_rows * n_classes);
  out.start.reserve(n_rows + 1);
  out.counts.reserve(n_rows);
  out.n_effective.reserve(n_rows);
  out.label.reserve(n);
  for (auto* values : {&out.mean, &out.half[0], &out.half[1]}) values->reserve(n);
}

void append_row(const BlockSums& block, std::size_t row, OobVotes& out) {
  const double sum_w = block.sum_w[0][row] + block.sum_w[1][row];
  for (std::size_t c = 0; c < block.n_classes; ++c) {
    const double first = block.sums[0][row * block.n_classes + c];
    const double second = block.sums[1][row * block.n_classes + c];
    if (!(first + second > 0)) continue;
    out.label.push_back(static_cast<std::int32_t>(c));
    out.mean.push_back((first + second) / sum_w);
    for (const int h : {0, 1}) {
      const double weight = block.sum_w[h][row];
      out.half[h].push_back(weight > 0 ? (h == 0 ? first : second) / weight : out.mean.back());
    }
  }
  out.start.push_back(static_cast<std::int64_t>(out.label.size()));
  out.counts.push_back(block.counts[row]);
  out.n_effective.push_back(block.counts[row] > 0 ? sum_w * sum_w / block.sum_ww[row] : 0.0);
}

}  // namespace

OobVotes predict_oob_votes(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                           std::span<const double> tree_weights, std::span<const std::int32_t> half,
                           const Running& run, std::size_t block_entries) {
  const auto left_out = left_out_of_table(forest.n_trees(), table.n_rows(), bag, run);
  const std::size_t k = forest.n_outputs();
  const std::size_t step = std::max<std::size_t>(1, block_entries / k);
  // A tree left out a part of the rows, and shrunk leaves come from memory for each block anew: it
  // is faster to have few blocks, whose sums do not stay in the second cache.
  const std::size_t most = 4 * most_block_rows(forest);
  OobVotes out;
  make_room(table.n_rows(), k, out);
  for (std::size_t first = 0; first < table.n_rows(); first += step) {
    const std::size_t n = std::min(step, table.n_rows() - first);
    BlockSums block(n, k);
    for_each_block_of_leaves(
        forest, table.rows(first, n), run, [] { return 0; },
        LeftOutPlaces(left_out, bag.scheme, first),
        [&](int, std::size_t t, std::size_t begin, const auto& places, const auto& leaf) {
          const double weight = tree_weights[t];
          const std::size_t h = static_cast<std::size_t>(half[t]);
          add_leaves(forest.tree(t), k, weight, places, leaf, block.sums[h].data() + begin * k);
          for (const std::uint32_t place : places) {
            block.sum_w[h][begin + place] += weight;
            block.sum_ww[begin + place] += weight * weight;
            ++block.counts[begin + place];
          }
        },
        most);
    for (std::size_t row = 0; row < n; ++row) append_row(block, row, out);
  }
  return out;
}

}  // namespace bayeswood
