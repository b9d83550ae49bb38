#include "bayeswood/forest/oob_votes.hpp"

#include <algorithm>

#include "leaf_walk.hpp"

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
  std::vector<double> sums[2], sum_w[2];
  std::vector<std::int32_t> counts;
  std::vector<double> sum_ww;
};

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
  const auto left_out = left_out_rows(forest.n_trees(), table.n_rows(), bag, run);
  const std::size_t k = forest.n_outputs();
  const std::size_t step = std::max<std::size_t>(1, block_entries / k);
  OobVotes out;
  for (std::size_t first = 0; first < table.n_rows(); first += step) {
    const std::size_t n = std::min(step, table.n_rows() - first);
    BlockSums block(n, k);
    for_each_chosen_leaf(forest, table.rows(first, n), run, LeftOutPlaces(left_out, bag, first),
                         [&](std::size_t t, std::size_t row, std::uint32_t node) {
                           const Tree& tree = forest.tree(t);
                           const double weight = tree_weights[t];
                           add_classes(tree, k, tree.child[node], weight,
                                       block.sums[half[t]].data() + row * k);
                           block.sum_w[half[t]][row] += weight;
                           block.sum_ww[row] += weight * weight;
                           ++block.counts[row];
                         });
    for (std::size_t row = 0; row < n; ++row) append_row(block, row, out);
  }
  return out;
}

}  // namespace bayeswood
