#include "bayeswood/forest/leaves/bag_spread.hpp"

#include <algorithm>
#include <vector>

#include "bayeswood/forest/walk/leaf_walk.hpp"

namespace bayeswood {
namespace {

// The trees of one bag: shares of their weights, and kinds as they count in it.
class BagTrees {
 public:
  BagTrees(std::span<const double> weights, std::span<const std::int32_t> kind)
      : shares_(weights.begin(), weights.end()), kinds_(kind.size(), 0) {
    double total = 0;
    for (const double weight : weights) total += weight;
    for (double& share : shares_) share = total > 0 ? share / total : 1.0 / double(shares_.size());
    const auto [least, largest] = std::minmax_element(kind.begin(), kind.end());
    std::vector<std::size_t> counts(static_cast<std::size_t>(*largest - *least) + 1, 0);
    for (const std::int32_t one : kind) ++counts[static_cast<std::size_t>(one - *least)];
    const bool apart = *std::min_element(counts.begin(), counts.end()) > 1;
    for (std::size_t i = 0; apart && i < kind.size(); ++i)
      kinds_[i] = static_cast<std::size_t>(kind[i] - *least);
    counts_.assign(apart ? counts.size() : 1, 0.0);
    kind_shares_.assign(counts_.size(), 0.0);
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      counts_[kinds_[i]] += 1;
      kind_shares_[kinds_[i]] += shares_[i];
    }
  }

  double share(std::size_t i) const { return shares_[i]; }
  std::size_t kind(std::size_t i) const { return kinds_[i]; }
  std::size_t n_kinds() const { return counts_.size(); }

  // What one kind adds to the variance of the average, from the sums of its trees' values.
  double within(std::size_t kind, double sum, double squares) const {
    const double n = counts_[kind];
    const double variance = std::max(0.0, squares - sum * sum / n) / (n - 1);
    return kind_shares_[kind] * kind_shares_[kind] * variance / n;
  }

 private:
  std::vector<double> shares_;
  std::vector<std::size_t> kinds_;
  std::vector<double> counts_, kind_shares_;  // by kind
};

// Sums of one block of rows over the trees of a bag, by kind: of values and of their squares.
struct KindMoments {
  std::vector<double> sum, square;
  void clear(std::size_t n) {
    sum.assign(n, 0.0);
    square.assign(n, 0.0);
  }
};

// What a leaf says of all classes: as it stands there, or in `room`.
const double* leaf_classes(const Tree& tree, std::uint32_t node, std::vector<double>& room) {
  const std::size_t k = room.size(), leaf = tree.child[node];
  if (tree.leaf_value.size() == tree.n_leaves() * k) return tree.leaf_value.data() + leaf * k;
  std::fill(room.begin(), room.end(), 0.0);
  add_classes(tree, k, static_cast<std::uint32_t>(leaf), 1.0, room.data());
  return room.data();
}

}  // namespace

void predict_bag_spread(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                        std::span<const double> tree_weights, std::span<const std::int32_t> kind,
                        double* mean, double* within, const Running& run) {
  const std::size_t size = bag.scheme.trees_per_draw, n_bags = forest.n_trees() / size;
  const std::size_t n = table.n_rows(), k = forest.n_outputs();
  std::vector<BagTrees> bags;
  for (std::size_t g = 0; g < n_bags; ++g)
    bags.emplace_back(tree_weights.subspan(g * size, size), kind.subspan(g * size, size));
  std::fill_n(mean, n_bags * n * k, 0.0);
  std::fill_n(within, n_bags * n * k, 0.0);
  struct State {
    KindMoments moments;
    std::vector<double> value;
  };
  for_each_block_of_oob_leaves(
      forest, table, bag, run, [&] { return State{{}, std::vector<double>(k)}; },
      [&](State& state, std::size_t t, std::size_t begin, const auto& places, const auto& leaf) {
        if (t / size >= n_bags) return;
        const BagTrees& own = bags[t / size];
        const std::size_t at = t % size, n_kinds = own.n_kinds();
        const double share = own.share(at);
        if (at == 0) state.moments.clear(places.size() * n_kinds * k);
        for (std::size_t i = 0; i < places.size(); ++i) {
          double* average = mean + ((t / size) * n + begin + places[i]) * k;
          double* spread = within + (average - mean);
          const double* value = leaf_classes(forest.tree(t), leaf[i], state.value);
          double* sum = state.moments.sum.data() + (i * n_kinds + own.kind(at)) * k;
          double* square = state.moments.square.data() + (i * n_kinds + own.kind(at)) * k;
          for (std::size_t c = 0; c < k; ++c) {
            average[c] += share * value[c];
            sum[c] += value[c];
            square[c] += value[c] * value[c];
          }
          if (at + 1 < size) continue;
          const double* first = state.moments.sum.data() + i * n_kinds * k;
          const double* squares = state.moments.square.data() + i * n_kinds * k;
          for (std::size_t g = 0; g < n_kinds; ++g) {
            for (std::size_t c = 0; c < k; ++c)
              spread[c] += own.within(g, first[g * k + c], squares[g * k + c]);
          }
        }
      });
}

}  // namespace bayeswood
