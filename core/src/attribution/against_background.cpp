#include <algorithm>

#include "bayeswood/attribution/tree_shap.hpp"
#include "single_rows.hpp"

namespace bayeswood {
namespace {

// A row beside one of the background, down one tree. A leaf that is reached with features A of the
// row and features B of the other, and with no others, is worth v where all of A and none of B are
// known: each of A gets v (|A| - 1)! |B|! / (|A| + |B|)!, each of B -v |A|! (|B| - 1)! / (|A| +
// |B|)!.
class PairWalk {
 public:
  PairWalk(const Forest& forest, std::size_t most_features)
      : forest_(forest), taken_(forest.shape().n_features, NEITHER), weights_(most_features) {}

  // Which way rows go at every inner node of a tree.
  static void find_ways(const Tree& tree, const ForestShape& shape, const MatrixView& table,
                        std::size_t row, std::vector<std::uint8_t>& ways) {
    ways.resize(tree.n_nodes());
    for (std::uint32_t i = 0; i < tree.n_nodes(); ++i)
      ways[i] = tree.feature[i] != LEAF && goes_left(tree, shape, i, table, row) ? 0 : 1;
  }

  void add(std::size_t t, const std::uint8_t* own, const std::uint8_t* other, double weight,
           double* out) {
    tree_ = &forest_.tree(t);
    values_ = forest_.leaf_values(t);
    own_ = own;
    other_ = other;
    weight_ = weight;
    out_ = out;
    visit(0);
  }

 private:
  enum Taken : std::uint8_t { NEITHER, OWN, OTHER };

  // Shares of one of a features of one side beside b of the other side: (a - 1)! b! / (a + b)!.
  struct Shares {
    explicit Shares(std::size_t most) : most_(most), share_((most + 1) * (most + 1), 0.0) {
      for (std::size_t a = 1; a <= most; ++a) {
        double share = 1.0 / static_cast<double>(a);
        for (std::size_t b = 0; a + b <= most; ++b) {
          share_[a * (most + 1) + b] = share;
          share *= static_cast<double>(b + 1) / static_cast<double>(a + b + 1);
        }
      }
    }
    double operator()(std::size_t a, std::size_t b) const { return share_[a * (most_ + 1) + b]; }

   private:
    std::size_t most_;
    std::vector<double> share_;
  };

  // Calls itself at most once for each feature: nodes at which there is one way only are a loop.
  void visit(std::uint32_t node) {
    while (tree_->feature[node] != LEAF) {
      const std::int32_t feature = tree_->feature[node];
      const Taken taken = taken_[feature];
      const std::uint32_t to_own = tree_->child[node] + own_[node];
      const std::uint32_t to_other = tree_->child[node] + other_[node];
      if (taken == NEITHER && to_own != to_other) {
        go_with(feature, OWN, of_own_, to_own);
        return go_with(feature, OTHER, of_other_, to_other);
      }
      node = taken == OTHER ? to_other : to_own;
    }
    add_leaf(tree_->child[node]);
  }

  void go_with(std::int32_t feature, Taken side, std::vector<std::int32_t>& features,
               std::uint32_t child) {
    taken_[feature] = side;
    features.push_back(feature);
    visit(child);
    features.pop_back();
    taken_[feature] = NEITHER;
  }

  void add_leaf(std::uint32_t leaf) {
    const std::size_t a = of_own_.size(), b = of_other_.size();
    if (a > 0) put(of_own_, leaf, weight_ * weights_(a, b));
    if (b > 0) put(of_other_, leaf, -weight_ * weights_(b, a));
  }

  void put(const std::vector<std::int32_t>& features, std::uint32_t leaf, double share) {
    const std::size_t n_outputs = forest_.n_outputs();
    for_each_value(*tree_, forest_.shape(), values_, leaf, [&](std::size_t k, double value) {
      for (const std::int32_t f : features)
        out_[static_cast<std::size_t>(f) * n_outputs + k] += share * value;
    });
  }

  const Forest& forest_;
  std::vector<Taken> taken_;
  Shares weights_;
  const Tree* tree_ = nullptr;
  std::span<const double> values_;
  const std::uint8_t *own_ = nullptr, *other_ = nullptr;
  double weight_ = 0;
  double* out_ = nullptr;
  std::vector<std::int32_t> of_own_, of_other_;
};

}  // namespace

void shap_against(const Forest& forest, const MatrixView& table, const MatrixView& background,
                  const ShapOptions& options, double* out, const Running& run) {
  const std::size_t n = table.n_rows(), row_size = table.n_columns() * forest.n_outputs();
  std::fill_n(out, options.n_members(forest.n_trees()) * n * row_size, 0.0);
  parallel_for(
      (n + ROWS_PER_TASK - 1) / ROWS_PER_TASK, run.n_threads,
      [&](std::size_t task, unsigned, const StopFlag& stop) {
        PairWalk walk(forest, table.n_columns());
        std::vector<std::vector<std::uint8_t>> others(background.n_rows());
        std::vector<std::uint8_t> own;
        for (std::size_t t = 0; t < forest.n_trees(); ++t) {
          const Tree& tree = forest.tree(t);
          for (std::size_t b = 0; b < others.size(); ++b)
            PairWalk::find_ways(tree, forest.shape(), background, b, others[b]);
          const std::size_t member = options.by_member ? t / options.trees_per_member : 0;
          const double weight = options.tree_weights[t] / static_cast<double>(others.size());
          const std::size_t end = std::min((task + 1) * ROWS_PER_TASK, n);
          for (std::size_t row = task * ROWS_PER_TASK; row < end; ++row) {
            check_stop(stop);
            PairWalk::find_ways(tree, forest.shape(), table, row, own);
            for (const auto& other : others)
              walk.add(t, own.data(), other.data(), weight, out + (member * n + row) * row_size);
          }
        }
      },
      run.poll);
}

}  // namespace bayeswood
