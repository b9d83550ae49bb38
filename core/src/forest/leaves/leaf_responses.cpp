#include "bayeswood/forest/leaves/leaf_responses.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "bayeswood/base/prefetch.hpp"
#include "bayeswood/forest/walk/leaf_walk.hpp"
#include "weighted_rows.hpp"

namespace bayeswood {
namespace {

std::vector<std::uint32_t> leaf_starts(const Tree& tree) {
  std::vector<std::uint32_t> starts{0};
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    if (tree.feature[i] != LEAF) continue;
    starts.push_back(starts.back() + static_cast<std::uint32_t>(tree.n_samples[i]));
  }
  return starts;
}

constexpr std::size_t MOST_KEPT_DRAWS = std::size_t{1} << 24;

std::size_t n_leaf_rows(const Forest& forest) {
  std::size_t n = 0;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) n += forest.tree(t).leaf_rows.size();
  return n;
}

// Writes the rows at these places down with weights that sum to tree_weight, or none if theirs sum
// to 0. Their number.
template <class WeightAt>
std::size_t put_shares(const std::int32_t* leaf_rows, std::uint32_t begin, std::uint32_t end,
                       double tree_weight, WeightAt weight_at, WeightedRow* shares) {
  const std::size_t n = end - begin;
  double total = 0;
  for (std::size_t s = 0; s < n; ++s) {
    shares[s] = {static_cast<std::uint32_t>(leaf_rows[begin + s]), weight_at(begin + s)};
    total += shares[s].w;
  }
  if (!(total > 0)) return 0;
  const double factor = tree_weight / total;
  for (std::size_t s = 0; s < n; ++s) shares[s].w *= factor;
  return n;
}

}  // namespace

LeafResponses::LeafResponses(const Forest& forest, std::span<const double> y,
                             std::span<const double> sample_weight, const WeightScheme& scheme,
                             const Running& run)
    : forest_(forest),
      scheme_{.kind = scheme.kind,
              .seed = scheme.seed,
              .n_parts = scheme.n_parts,
              .n_draws = scheme.n_draws},
      least_weight_(scheme.row_groups.empty() ? 0 : scheme.threshold),
      y_(y.begin(), y.end()),
      sample_weight_(sample_weight.begin(), sample_weight.end()),
      rank_(forest.n_outputs()),
      starts_(forest.n_trees()),
      counts_(forest.n_trees()),
      drawn_(scheme.kind == WeightKind::EXPONENTIAL && n_leaf_rows(forest) <= MOST_KEPT_DRAWS
                 ? forest.n_trees()
                 : 0) {
  if (!forest.has_rows()) throw std::invalid_argument("the forest did not keep its training rows");
  if (!sample_weight_.empty() && sample_weight_.size() != y_.size() / forest.n_outputs()) {
    throw std::invalid_argument("sample_weight: one per response");
  }
  load_parts(scheme);
  parallel_for(
      forest.n_outputs(), run.n_threads,
      [&](std::size_t k, unsigned, const StopFlag& stop) { rank_output(k, stop); }, run.poll);
  parallel_for(
      forest.n_trees(), run.n_threads,
      [&](std::size_t t, unsigned, const StopFlag&) { load_tree(t); }, run.poll);
}

void LeafResponses::load_parts(const WeightScheme& scheme) {
  for (std::size_t t = 0; t < forest_.n_trees(); ++t) {
    for (std::uint64_t part = 0; part < scheme.n_parts; ++part) {
      streams_.emplace_back(part_seed(scheme.seed, part), t, Purpose::WEIGHTS);
    }
  }
  part_.assign(scheme.row_parts.begin(), scheme.row_parts.end());
  std::vector<std::uint32_t> next(scheme.n_parts, 0);
  for (const auto part : part_) place_.push_back(next[part]++);
}

void LeafResponses::load_tree(std::size_t t) {
  const Tree& tree = forest_.tree(t);
  const std::size_t n = y_.size() / forest_.n_outputs();
  for (const auto row : tree.leaf_rows) {
    if (static_cast<std::size_t>(row) >= n)
      throw std::invalid_argument("a leaf row has no response");
  }
  starts_[t] = leaf_starts(tree);
  if (scheme_.kind == WeightKind::BOOTSTRAP) {
    std::vector<double> weights(n);
    draw_weights(scheme_, t, sample_weight_, weights);
    counts_[t].reserve(tree.leaf_rows.size());
    for (const auto row : tree.leaf_rows)
      counts_[t].push_back(static_cast<std::uint8_t>(std::min(255.0, weights[row])));
  }
  if (drawn_.empty()) return;
  drawn_[t].reserve(tree.leaf_rows.size());
  for (const auto row : tree.leaf_rows)
    drawn_[t].push_back(drawn_weight(t, static_cast<std::size_t>(row)));
}

void LeafResponses::rank_output(std::size_t k, const StopFlag& stop) {
  const std::size_t n_outputs = forest_.n_outputs();
  std::vector<std::uint32_t> rows(y_.size() / n_outputs);
  std::iota(rows.begin(), rows.end(), 0U);
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    check_stop(stop);
    return y_[a * n_outputs + k] < y_[b * n_outputs + k];
  });
  rank_[k].resize(rows.size());
  for (std::uint32_t r = 0; r < rows.size(); ++r) rank_[k][rows[r]] = r;
}

double LeafResponses::drawn_weight(std::size_t t, std::size_t row) const {
  const std::size_t part = part_.empty() ? 0 : part_[row];
  const std::size_t place = part_.empty() ? row : place_[row];
  const double w = sample_weight_.empty() ? 1.0 : sample_weight_[row];
  return w * (least_weight_ + streams_[t * scheme_.n_parts + part].exponential_at(place));
}

double LeafResponses::row_weight(std::size_t t, std::size_t place) const {
  if (!drawn_.empty()) return drawn_[t][place];
  const auto row = static_cast<std::size_t>(forest_.tree(t).leaf_rows[place]);
  if (scheme_.kind == WeightKind::EXPONENTIAL) return drawn_weight(t, row);
  const double w = sample_weight_.empty() ? 1.0 : sample_weight_[row];
  return scheme_.kind == WeightKind::BOOTSTRAP ? w * counts_[t][place] : w;
}

LeafResponses::LeafRows LeafResponses::rows_of(std::size_t t, std::uint32_t leaf) const {
  return {starts_[t][leaf], starts_[t][leaf + 1]};
}

std::size_t LeafResponses::put_leaf_rows(std::size_t t, LeafRows rows, double tree_weight,
                                         WeightedRow* shares) const {
  const std::int32_t* leaf_rows = forest_.tree(t).leaf_rows.data();
  const auto put = [&](auto weight_at) {
    return put_shares(leaf_rows, rows.begin, rows.end, tree_weight, weight_at, shares);
  };
  if (!drawn_.empty()) return put([drawn = drawn_[t].data()](std::size_t at) { return drawn[at]; });
  if (scheme_.kind == WeightKind::BOOTSTRAP && sample_weight_.empty())
    return put(
        [count = counts_[t].data()](std::size_t at) { return static_cast<double>(count[at]); });
  return put([&](std::size_t at) { return row_weight(t, at); });
}

// `shares` holds the row's leaf mates with their weights.
void LeafResponses::answer_row(const Question& question, std::size_t i,
                               std::span<const WeightedRow> shares, WeightedRows& sums) const {
  if (shares.empty()) throw std::invalid_argument("a row fell into leaves without training rows");
  const std::size_t n_outputs = rank_.size();
  double* out = question.out + i * n_outputs * question.alpha.size();
  for (std::size_t k = 0; k < n_outputs; ++k) {
    sums.load(shares, rank_[k]);
    for (const double level : question.alpha) {
      // Rounding of the sum must not push a level past the response it belongs to.
      const double wanted = level * sums.total() * (1 - 1e-12);
      *out++ = y_[sums.row_at(wanted) * n_outputs + k];
    }
  }
}

std::vector<LeafResponses::LeafRows> LeafResponses::find_leaves(const Question& question,
                                                                std::size_t begin, std::size_t end,
                                                                const StopFlag& stop) const {
  const std::size_t n = end - begin, n_trees = forest_.n_trees();
  BlockWalk walk(forest_, question.table);
  walk.load(begin, end);
  std::vector<std::uint32_t> places(n), nodes(n);
  std::vector<LeafRows> found(n * n_trees);
  std::iota(places.begin(), places.end(), 0U);
  for (std::size_t t = 0; t < n_trees; ++t) {
    check_stop(stop);
    if (!(question.weight(t) > 0)) continue;
    walk.find(t, places, nodes.data());
    const std::uint32_t *leaf = forest_.tree(t).child.data(), *start = starts_[t].data();
    LeafRows* to = found.data() + t;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t* own = start + leaf[nodes[i]];
      to[i * n_trees] = {own[0], own[1]};
    }
  }
  return found;
}

void LeafResponses::answer_rows(const Question& question, std::size_t begin, std::size_t end,
                                const StopFlag& stop) const {
  const std::size_t n = end - begin, n_trees = forest_.n_trees();
  const std::vector<LeafRows> found = find_leaves(question, begin, end, stop);
  std::vector<WeightedRow> shares;
  WeightedRows sums(rank_[0].size());
  for (std::size_t i = 0; i < n; ++i) {
    check_stop(stop);
    const LeafRows* own = found.data() + i * n_trees;
    std::size_t n_mates = 0, n_shares = 0;
    for (std::size_t t = 0; t < n_trees; ++t) n_mates += own[t].end - own[t].begin;
    if (shares.size() < n_mates) shares.resize(n_mates);
    for (std::size_t t = 0; t < n_trees; ++t) {
      if (i + 1 < n) ask_for(t, own[n_trees + t].begin);
      if (!question.asks(t, begin + i)) continue;
      n_shares += put_leaf_rows(t, own[t], question.weight(t), shares.data() + n_shares);
    }
    answer_row(question, begin + i, std::span(shares).first(n_shares), sums);
  }
}

// Leaves are scattered over the trees' rows, but known a row ahead.
void LeafResponses::ask_for(std::size_t t, std::size_t place) const {
  prefetch(forest_.tree(t).leaf_rows.data() + place);
  if (!drawn_.empty()) prefetch(drawn_[t].data() + place);
  if (scheme_.kind == WeightKind::BOOTSTRAP) prefetch(counts_[t].data() + place);
}

void LeafResponses::quantiles(const MatrixView& table, std::span<const double> tree_weights,
                              std::span<const double> alpha, double* out,
                              const Running& run) const {
  answer({table, tree_weights, alpha, out}, run);
}

void LeafResponses::oob_quantiles(const MatrixView& table, const OutOfBag& bag,
                                  std::span<const double> alpha, double* out,
                                  const Running& run) const {
  const auto left_out = left_out_rows(forest_.n_trees(), bag.n_training, bag, run);
  answer({table, {}, alpha, out, &bag, &left_out}, run);
}

void LeafResponses::answer(const Question& question, const Running& run) const {
  constexpr std::size_t FOUND = std::size_t{1} << 19;  // leaves at a time
  constexpr std::size_t LEAST = 64, MOST = 4096;
  const std::size_t n = question.table.n_rows(),
                    n_trees = std::max<std::size_t>(1, forest_.n_trees());
  const std::size_t most = std::clamp(FOUND / n_trees / 16 * 16, LEAST, MOST);
  const std::size_t block = std::max(LEAST, block_rows(n, run.n_threads, most));
  const bool tiny = n <= LEAST;  // no thread for a handful of rows
  parallel_for((n + block - 1) / block, run.n_threads,
               [&](std::size_t b, unsigned, const StopFlag& stop) {
                 answer_rows(question, b * block, std::min((b + 1) * block, n), stop);
               },
               tiny ? Poll{} : run.poll);
}

std::size_t LeafResponses::n_leaves() const {
  std::size_t n = 0;
  for (std::size_t t = 0; t < forest_.n_trees(); ++t) n += forest_.tree(t).n_leaves();
  return n;
}

void LeafResponses::leaf_variances(double* out, const Running& run) const {
  std::vector<double*> place;
  for (std::size_t t = 0; t < forest_.n_trees(); ++t) {
    place.push_back(out);
    out += forest_.tree(t).n_leaves() * forest_.n_outputs();
  }
  parallel_for(
      forest_.n_trees(), run.n_threads,
      [&](std::size_t t, unsigned, const StopFlag&) { tree_variances(t, place[t]); }, run.poll);
}

void LeafResponses::tree_variances(std::size_t t, double* out) const {
  const Tree& tree = forest_.tree(t);
  const std::size_t n_outputs = forest_.n_outputs();
  std::vector<WeightedRow> shares;
  for (std::uint32_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
    const LeafRows rows = rows_of(t, leaf);
    shares.resize(rows.end - rows.begin);
    shares.resize(put_leaf_rows(t, rows, 1.0, shares.data()));
    for (std::size_t k = 0; k < n_outputs; ++k) {
      const auto y = [&](const WeightedRow& share) { return y_[share.row * n_outputs + k]; };
      const double first = shares.empty() ? 0 : y(shares[0]);
      double mean = 0;  // around the first response: a pure leaf has exactly no variance
      for (const WeightedRow& share : shares) mean += share.w * (y(share) - first);
      double sum = 0;
      for (const WeightedRow& share : shares) {
        const double off = y(share) - first - mean;
        sum += share.w * off * off;
      }
      *out++ = sum;
    }
  }
}

}  // namespace bayeswood
