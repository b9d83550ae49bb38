#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "bayeswood/forest.hpp"
#include "bayeswood/random.hpp"
#include "leaf_walk.hpp"

namespace bayeswood {
namespace {

// The random weight of a training row in a tree. Exp(1) draws are made again on the spot; bootstrap
// counts are kept, one byte per row and tree.
class RowWeights {
 public:
  RowWeights(const Forest& forest, const Responses& responses, std::size_t n_rows) : responses_(responses) {
    for (std::size_t t = 0; t < forest.n_trees(); ++t) {
      streams_.emplace_back(responses.scheme.seed, t, Purpose::WEIGHTS);
    }
    if (responses.scheme.kind != WeightKind::BOOTSTRAP) return;
    std::vector<double> weights(n_rows);
    for (std::size_t t = 0; t < forest.n_trees(); ++t) {
      draw_weights(responses.scheme, t, responses.sample_weight, weights);
      counts_.emplace_back(n_rows);
      for (std::size_t i = 0; i < n_rows; ++i) {
        counts_[t][i] = static_cast<std::uint8_t>(std::min(255.0, weights[i]));
      }
    }
  }

  double operator()(std::size_t t, std::size_t row) const {
    double w = responses_.sample_weight.empty() ? 1.0 : responses_.sample_weight[row];
    if (responses_.scheme.kind == WeightKind::EXPONENTIAL) w *= streams_[t].exponential_at(row);
    if (responses_.scheme.kind == WeightKind::BOOTSTRAP) w *= counts_[t][row];
    return w;
  }

 private:
  const Responses& responses_;
  std::vector<Stream> streams_;
  std::vector<std::vector<std::uint8_t>> counts_;
};

// Training rows ordered by one output: rank of each row, and the row of each rank.
struct Ranking {
  std::vector<std::uint32_t> rank, row;
};

Ranking rank_responses(std::span<const double> y, std::size_t n_outputs, std::size_t k) {
  Ranking ranking;
  const std::size_t n = y.size() / n_outputs;
  ranking.row.resize(n);
  ranking.rank.resize(n);
  std::iota(ranking.row.begin(), ranking.row.end(), 0U);
  std::stable_sort(ranking.row.begin(), ranking.row.end(), [&](std::uint32_t a, std::uint32_t b) {
    return y[a * n_outputs + k] < y[b * n_outputs + k];
  });
  for (std::uint32_t r = 0; r < n; ++r) ranking.rank[ranking.row[r]] = r;
  return ranking;
}

struct Share {
  std::uint32_t row;
  double w;
};

// First training row of each leaf in leaf_rows.
std::vector<std::uint32_t> leaf_starts(const Tree& tree) {
  std::vector<std::uint32_t> starts{0};
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    if (tree.feature[i] == LEAF) starts.push_back(starts.back() + static_cast<std::uint32_t>(tree.n_samples[i]));
  }
  return starts;
}

class QuantileJob {
 public:
  QuantileJob(const Forest& forest, const MatrixView& table, const Responses& responses,
              std::span<const double> tree_weights, std::span<const double> alpha, double* out)
      : forest_(forest),
        table_(table),
        responses_(responses),
        tree_weights_(tree_weights),
        alpha_(alpha),
        out_(out),
        weights_(forest, responses, responses.y.size() / forest.n_outputs()) {
    for (std::size_t k = 0; k < forest.n_outputs(); ++k) {
      rankings_.push_back(rank_responses(responses.y, forest.n_outputs(), k));
    }
    for (std::size_t t = 0; t < forest.n_trees(); ++t) starts_.push_back(leaf_starts(forest.tree(t)));
  }

  void run_rows(std::size_t begin, std::size_t end, const StopFlag& stop) const {
    const CompiledForest& compiled = forest_.compiled();
    std::vector<std::uint16_t> encoded(compiled.is_packed() ? compiled.n_columns() : 0);
    std::vector<Share> shares;
    for (std::size_t i = begin; i < end; ++i) {
      check_stop(stop);
      if (compiled.is_packed()) compiled.encode(table_, i, i + 1, encoded.data());
      shares.clear();
      for (std::size_t t = 0; t < forest_.n_trees(); ++t) {
        std::uint32_t node = 0;
        if (compiled.is_packed()) {
          compiled.walk(t, encoded.data(), 1, &node);
        } else {
          node = walk_tree(forest_.tree(t), forest_.shape(), table_, i);
        }
        add_leaf_rows(t, forest_.tree(t).child[node], shares);
      }
      for (std::size_t k = 0; k < rankings_.size(); ++k) write_quantiles(i, k, shares);
    }
  }

 private:
  void add_leaf_rows(std::size_t t, std::uint32_t leaf, std::vector<Share>& shares) const {
    const std::size_t first = shares.size();
    const Tree& tree = forest_.tree(t);
    double total = 0;
    for (std::uint32_t at = starts_[t][leaf]; at < starts_[t][leaf + 1]; ++at) {
      const auto row = static_cast<std::uint32_t>(tree.leaf_rows[at]);
      const double w = weights_(t, row);
      total += w;
      shares.push_back({row, w});
    }
    if (!(total > 0)) shares.resize(first);
    for (std::size_t s = first; s < shares.size(); ++s) shares[s].w *= tree_weights_[t] / total;
  }

  void write_quantiles(std::size_t i, std::size_t k, std::vector<Share>& shares) const {
    if (shares.empty()) throw std::invalid_argument("a row fell into leaves without training rows");
    const auto& rank = rankings_[k].rank;
    std::sort(shares.begin(), shares.end(),
              [&](const Share& a, const Share& b) { return rank[a.row] < rank[b.row]; });
    double total = 0;
    for (const Share& share : shares) total += share.w;
    const std::size_t n_outputs = rankings_.size();
    double* out = out_ + (i * n_outputs + k) * alpha_.size();
    for (std::size_t a = 0; a < alpha_.size(); ++a) {
      // Rounding of the sum must not push a level past the response it belongs to.
      const double wanted = alpha_[a] * total * (1 - 1e-12);
      double reached = 0;
      std::size_t s = 0;
      while (s + 1 < shares.size() && (reached += shares[s].w) < wanted) ++s;
      out[a] = responses_.y[shares[s].row * n_outputs + k];
    }
  }

  const Forest& forest_;
  const MatrixView& table_;
  const Responses& responses_;
  std::span<const double> tree_weights_;
  std::span<const double> alpha_;
  double* out_;
  RowWeights weights_;
  std::vector<Ranking> rankings_;
  std::vector<std::vector<std::uint32_t>> starts_;
};

}  // namespace

void predict_quantiles(const Forest& forest, const MatrixView& table, const Responses& responses,
                       std::span<const double> tree_weights, std::span<const double> alpha,
                       double* out, const Running& run) {
  if (!forest.has_rows()) throw std::invalid_argument("the forest did not keep its training rows");
  const std::size_t n_train = responses.y.size() / forest.n_outputs();
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    for (const auto row : forest.tree(t).leaf_rows) {
      if (static_cast<std::size_t>(row) >= n_train) throw std::invalid_argument("a leaf row has no response");
    }
  }
  const QuantileJob job(forest, table, responses, tree_weights, alpha, out);
  constexpr std::size_t BLOCK = 64;
  parallel_for(
      (table.n_rows() + BLOCK - 1) / BLOCK, run.n_threads,
      [&](std::size_t b, unsigned, const StopFlag& stop) {
        job.run_rows(b * BLOCK, std::min((b + 1) * BLOCK, table.n_rows()), stop);
      },
      run.poll);
}

}  // namespace bayeswood
