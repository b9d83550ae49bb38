#include "bayeswood/forest/leaves/leaf_responses.hpp"

#include <algorithm>
#include <bit>
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

// Of n x n_outputs responses.
std::vector<std::uint32_t> ascending(std::span<const double> y, std::size_t n_outputs,
                                     std::size_t k, const StopFlag& stop) {
  std::vector<std::uint32_t> order(y.size() / n_outputs);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    check_stop(stop);
    return y[a * n_outputs + k] < y[b * n_outputs + k];
  });
  return order;
}

constexpr std::size_t MOST_KEPT_ROWS = std::size_t{1} << 24;
constexpr int COUNT_BITS = 8;
constexpr std::uint32_t MOST_COUNTED = (1U << COUNT_BITS) - 1;

std::size_t n_leaf_rows(const Forest& forest) {
  std::size_t n = 0;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) n += forest.tree(t).leaf_rows.size();
  return n;
}

template <class NumberAt, class WeightAt>
void add_shares(std::uint32_t begin, std::uint32_t end, double tree_weight, NumberAt number_at,
                WeightAt weight_at, LeafMates& mates) {
  const std::size_t n = end - begin;
  std::uint32_t* number = mates.number.data() + mates.n;
  double* w = mates.w.data() + mates.n;
  double total = 0;
  for (std::size_t s = 0; s < n; ++s) {
    number[s] = number_at(begin + s);
    w[s] = weight_at(begin + s);
    total += w[s];
  }
  if (!(total > 0)) return;
  const double factor = tree_weight / total;
  for (std::size_t s = 0; s < n; ++s) w[s] *= factor;
  mates.n += n;
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
      n_outputs_(forest.n_outputs()),
      sample_weight_(sample_weight.begin(), sample_weight.end()),
      rank_(forest.n_outputs()),
      starts_(forest.n_trees()),
      counts_(forest.n_trees()) {
  if (!forest.has_rows()) throw std::invalid_argument("the forest did not keep its training rows");
  const std::size_t n = y.size() / n_outputs_;
  if (!sample_weight_.empty() && sample_weight_.size() != n)
    throw std::invalid_argument("sample_weight: one per response");
  if (n_leaf_rows(forest) <= MOST_KEPT_ROWS) {
    const bool whole = scheme.kind == WeightKind::BOOTSTRAP && sample_weight_.empty();
    whole&& n <= MOST_KEPT_ROWS ? counted_.resize(forest.n_trees())
                                : weighed_.resize(forest.n_trees());
  }
  load_parts(scheme);
  parallel_for(
      1, 1, [&](std::size_t, unsigned, const StopFlag& stop) { number_rows(y, stop); }, run.poll);
  parallel_for(
      n_outputs_ - 1, run.n_threads,
      [&](std::size_t k, unsigned, const StopFlag& stop) { rank_output(k + 1, stop); }, run.poll);
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

void LeafResponses::number_rows(std::span<const double> y, const StopFlag& stop) {
  const auto rows = ascending(y, n_outputs_, 0, stop);
  number_.resize(rows.size());
  y_.resize(y.size());
  for (std::uint32_t number = 0; number < rows.size(); ++number) {
    number_[rows[number]] = number;
    std::copy_n(y.data() + rows[number] * n_outputs_, n_outputs_, y_.data() + number * n_outputs_);
  }
}

void LeafResponses::rank_output(std::size_t k, const StopFlag& stop) {
  const auto numbers = ascending(y_, n_outputs_, k, stop);
  rank_[k].resize(numbers.size());
  for (std::uint32_t r = 0; r < numbers.size(); ++r) rank_[k][numbers[r]] = r;
}

void LeafResponses::load_tree(std::size_t t) {
  const Tree& tree = forest_.tree(t);
  for (const auto row : tree.leaf_rows) {
    if (static_cast<std::size_t>(row) >= number_.size())
      throw std::invalid_argument("a leaf row has no response");
  }
  starts_[t] = leaf_starts(tree);
  if (scheme_.kind == WeightKind::BOOTSTRAP) count_rows(t);
  if (!counted_.empty() || !weighed_.empty()) keep_rows(t);
}

void LeafResponses::count_rows(std::size_t t) {
  std::vector<double> weights(number_.size());
  draw_weights(scheme_, t, sample_weight_, weights);
  counts_[t].reserve(forest_.tree(t).leaf_rows.size());
  for (const auto row : forest_.tree(t).leaf_rows)
    counts_[t].push_back(static_cast<std::uint8_t>(std::min<double>(MOST_COUNTED, weights[row])));
}

void LeafResponses::keep_rows(std::size_t t) {
  const auto& rows = forest_.tree(t).leaf_rows;
  counted_.empty() ? weighed_[t].reserve(rows.size()) : counted_[t].reserve(rows.size());
  for (std::size_t place = 0; place < rows.size(); ++place) {
    const std::uint32_t number = number_[static_cast<std::size_t>(rows[place])];
    if (counted_.empty()) {
      const auto w = std::bit_cast<std::array<std::uint32_t, 2>>(row_weight(t, place));
      weighed_[t].push_back({number, w});
    } else {
      counted_[t].push_back(number << COUNT_BITS | counts_[t][place]);
    }
  }
  counts_[t] = {};
}

double LeafResponses::drawn_weight(std::size_t t, std::size_t row) const {
  const std::size_t part = part_.empty() ? 0 : part_[row];
  const std::size_t place = part_.empty() ? row : place_[row];
  const double w = sample_weight_.empty() ? 1.0 : sample_weight_[row];
  return w * (least_weight_ + streams_[t * scheme_.n_parts + part].exponential_at(place));
}

double LeafResponses::row_weight(std::size_t t, std::size_t place) const {
  const auto row = static_cast<std::size_t>(forest_.tree(t).leaf_rows[place]);
  if (scheme_.kind == WeightKind::EXPONENTIAL) return drawn_weight(t, row);
  const double w = sample_weight_.empty() ? 1.0 : sample_weight_[row];
  return scheme_.kind == WeightKind::BOOTSTRAP ? w * counts_[t][place] : w;
}

LeafResponses::LeafRows LeafResponses::rows_of(std::size_t t, std::uint32_t leaf) const {
  return {starts_[t][leaf], starts_[t][leaf + 1]};
}

void LeafResponses::add_leaf_rows(std::size_t t, LeafRows rows, double tree_weight,
                                  LeafMates& mates) const {
  const auto add = [&](auto number_at, auto weight_at) {
    add_shares(rows.begin, rows.end, tree_weight, number_at, weight_at, mates);
  };
  if (!counted_.empty()) {
    const std::uint32_t* kept = counted_[t].data();
    return add([=](std::size_t at) { return kept[at] >> COUNT_BITS; },
               [=](std::size_t at) { return static_cast<double>(kept[at] & MOST_COUNTED); });
  }
  if (!weighed_.empty()) {
    const WeighedRow* kept = weighed_[t].data();
    return add([=](std::size_t at) { return kept[at].number; },
               [=](std::size_t at) { return std::bit_cast<double>(kept[at].w); });
  }
  const std::int32_t* row = forest_.tree(t).leaf_rows.data();
  add([=, this](std::size_t at) { return number_[static_cast<std::size_t>(row[at])]; },
      [=, this](std::size_t at) { return row_weight(t, at); });
}

// `mates` are those of the row.
void LeafResponses::answer_row(const Question& question, std::size_t i, const LeafMates& mates,
                               WeightedRows& sums) const {
  double* out = question.out + i * n_outputs_ * question.alpha.size();
  for (std::size_t k = 0; k < n_outputs_; ++k) {
    sums.load(mates, rank_[k]);
    if (!(sums.total() > 0))
      throw std::invalid_argument("a row fell into leaves without training rows");
    sums.find(question.alpha, [&](std::uint32_t number) { *out++ = y_[number * n_outputs_ + k]; });
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
    if (question.mean != nullptr) add_means(question, t, begin, nodes);
  }
  return found;
}

// As predict_mean does, to the same bits.
void LeafResponses::add_means(const Question& question, std::size_t t, std::size_t begin,
                              std::span<const std::uint32_t> nodes) const {
  const std::uint32_t* leaf = forest_.tree(t).child.data();
  const auto values = forest_.leaf_values(t);
  double* mean = question.mean + begin * n_outputs_;
  for (const std::uint32_t node : nodes) {
    const double* value = values.data() + leaf[node] * n_outputs_;
    for (std::size_t k = 0; k < n_outputs_; ++k) *mean++ += question.weight(t) * value[k];
  }
}

void LeafResponses::answer_rows(const Question& question, std::size_t begin, std::size_t end,
                                const StopFlag& stop) const {
  const std::size_t n = end - begin, n_trees = forest_.n_trees();
  const std::vector<LeafRows> found = find_leaves(question, begin, end, stop);
  LeafMates mates;
  WeightedRows sums(number_.size());
  for (std::size_t i = 0; i < n; ++i) {
    check_stop(stop);
    const LeafRows* own = found.data() + i * n_trees;
    std::size_t n_mates = 0;
    for (std::size_t t = 0; t < n_trees; ++t) n_mates += own[t].size();
    mates.clear(n_mates);
    for (std::size_t t = 0; t < n_trees; ++t) {
      if (i + 1 < n) ask_for(t, own[n_trees + t]);
      if (question.asks(t, begin + i)) add_leaf_rows(t, own[t], question.weight(t), mates);
    }
    answer_row(question, begin + i, mates, sums);
  }
}

// Leaves are scattered over the trees' rows, but known a row ahead. Few take more than two lines.
void LeafResponses::ask_for(std::size_t t, LeafRows rows) const {
  const auto ask = [rows](const auto* kept) {
    prefetch(kept + rows.begin);
    prefetch(kept + rows.end - 1);
  };
  if (!counted_.empty()) return ask(counted_[t].data());
  if (!weighed_.empty()) return ask(weighed_[t].data());
  ask(forest_.tree(t).leaf_rows.data());
  if (scheme_.kind == WeightKind::BOOTSTRAP) ask(counts_[t].data());
}

void LeafResponses::quantiles(const MatrixView& table, std::span<const double> tree_weights,
                              std::span<const double> alpha, double* out, const Running& run,
                              double* mean) const {
  answer({.table = table, .tree_weights = tree_weights, .alpha = alpha, .out = out, .mean = mean},
         run);
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
  LeafMates mates;
  for (std::uint32_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
    const LeafRows rows = rows_of(t, leaf);
    mates.clear(rows.size());
    add_leaf_rows(t, rows, 1.0, mates);
    for (std::size_t k = 0; k < n_outputs_; ++k) {
      const auto y = [&](std::size_t s) { return y_[mates.number[s] * n_outputs_ + k]; };
      const double first = mates.n == 0 ? 0 : y(0);
      double mean = 0;  // around the first response: a pure leaf has exactly no variance
      for (std::size_t s = 0; s < mates.n; ++s) mean += mates.w[s] * (y(s) - first);
      double sum = 0;
      for (std::size_t s = 0; s < mates.n; ++s) {
        const double off = y(s) - first - mean;
        sum += mates.w[s] * off * off;
      }
      *out++ = sum;
    }
  }
}

}  // namespace bayeswood
