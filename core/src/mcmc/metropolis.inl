// Starts, births and deaths of Metropolis; included by metropolis.cpp.
#include <algorithm>
#include <cmath>
#include <utility>

#include "bayeswood/mcmc/metropolis.hpp"

namespace bayeswood {

template <LeafModel Leaves>
Metropolis<Leaves>::Metropolis(const TreeLaw& law, const Leaves& leaves,
                               const ChainSettings& settings, Stream start_stream, Stream moves,
                               std::uint32_t start_leaves)
    : law_(law),
      leaves_(leaves),
      settings_(settings),
      stream_(moves),
      tree_(law.table().n_rows()),
      nothing_(leaves.nothing()),
      new_rows_(law.table().n_rows()) {
  double sum = 0;
  for (std::size_t m = 0; m < N_MOVES; ++m) cumulative_[m] = sum += settings.probability[m];
  RowNode& root = tree_[0];
  const Rows rows = std::as_const(tree_).rows(0);
  root.n = count_rows(rows);
  sum_rows(rows, mutable_stats(0));
  root.log_marginal = leaves_.log_marginal(stats(0));
  root.varies = law_.can_vary(rows, scratch_);
  tree_.growable.set(0, is_growable(root.n, root.varies));
  start(start_stream, std::min(start_leaves, settings.max_leaves));
  refresh();
}

template <LeafModel Leaves>
void Metropolis<Leaves>::start(Stream& stream, std::uint32_t start_leaves) {
  std::vector<std::int32_t> open{0};  // breadth-first
  for (std::size_t i = 0; i < open.size() && tree_.n_leaves() < start_leaves; ++i) {
    const std::int32_t node = open[i];
    const double p = law_.chipman().split_probability(tree_[node].depth);
    if (stream.next_uniform() >= p || !tree_.growable.holds(node)) continue;
    if (!try_split(node, stream)) continue;
    open.push_back(tree_[node].left);
    open.push_back(tree_[node].right);
  }
}

template <LeafModel Leaves>
bool Metropolis<Leaves>::try_split(std::int32_t node, Stream& stream) {
  const auto rows = tree_.rows(node);
  const std::uint32_t n_varying = law_.find_varying(rows, scratch_);
  return law_.draw(rows, scratch_, stream, rule_) && split_by(node, rule_, n_varying);
}

template <LeafModel Leaves>
bool Metropolis<Leaves>::split_leaf(std::int32_t node, const Rule& rule) {
  if (tree_.n_leaves() >= settings_.max_leaves || !tree_.growable.holds(node)) return false;
  return split_by(node, rule, law_.find_varying(tree_.rows(node), scratch_));
}

template <LeafModel Leaves>
bool Metropolis<Leaves>::split_by(std::int32_t node, const Rule& rule, std::uint32_t n_varying) {
  const Division division = law_.divide(rule, tree_.rows(node), n_varying, scratch_);
  Halves halves;
  if (!division.lawful || !measure_halves(node, division.n_left, halves)) return false;
  adopt_halves(node, rule, division, n_varying, halves);
  return true;
}

template <LeafModel Leaves>
StepInfo Metropolis<Leaves>::step(std::uint32_t max_leaves) {
  const double u = stream_.next_uniform() * cumulative_.back();
  std::size_t m = 0;
  while (m + 1 < N_MOVES && u >= cumulative_[m]) ++m;
  const auto move = static_cast<Move>(m);
  switch (move) {
    case Move::BIRTH:
      return {move, birth(std::min(max_leaves, settings_.max_leaves))};
    case Move::DEATH:
      return {move, death()};
    case Move::SWAP:
      return {move, swap()};
    case Move::SHIFT_RULE:
      return {move, shift()};
    default:
      return {move, change(move == Move::CHANGE_RULE)};
  }
}

template <LeafModel Leaves>
bool Metropolis<Leaves>::accept(Move move, double log_ratio) {
  log_ratio += settings_.log_error[static_cast<std::size_t>(move)];
  return std::log(stream_.next_uniform()) < log_ratio;
}

template <LeafModel Leaves>
bool Metropolis<Leaves>::birth(std::uint32_t max_leaves) {
  const std::uint32_t k = tree_.n_leaves();
  if (tree_.growable.size() == 0 || k >= max_leaves) return false;
  const std::int32_t node = tree_.growable[stream_.below(tree_.growable.size())];
  const auto rows = tree_.rows(node);
  const std::uint32_t n_varying = law_.find_varying(rows, scratch_);
  if (!law_.draw(rows, scratch_, stream_, rule_)) return false;
  // The order of a leaf's rows means nothing, so that they may stay divided if this is rejected.
  const Division division = law_.divide(rule_, rows, n_varying, scratch_);
  Halves halves;
  if (!division.lawful || !measure_halves(node, division.n_left, halves)) return false;
  const RowNode& at = tree_[node];
  const bool parent_was_prunable = at.parent != NO_NODE && tree_.prunable.holds(at.parent);
  const double n_prunable = tree_.prunable.size() + (parent_was_prunable ? 0.0 : 1.0);
  const double log_prior = law_.log_split(at.depth) + log_stop(at.depth + 1, halves.left_varies) +
                           log_stop(at.depth + 1, halves.right_varies) -
                           log_stop(at.depth, at.varies) + law_.log_shape(k + 1) -
                           law_.log_shape(k);
  const double log_likelihood = halves.left_marginal + halves.right_marginal - at.log_marginal;
  const auto& p = settings_.probability;
  const double log_proposal = std::log(p[1] / n_prunable) - std::log(p[0] / tree_.growable.size());
  if (!accept(Move::BIRTH, log_prior + leaves_.power() * log_likelihood + log_proposal))
    return false;
  adopt_halves(node, rule_, division, n_varying, halves);
  return true;
}

template <LeafModel Leaves>
bool Metropolis<Leaves>::death() {
  if (tree_.prunable.size() == 0) return false;
  const std::int32_t node = tree_.prunable[stream_.below(tree_.prunable.size())];
  const RowNode& at = tree_[node];
  const RowNode& left = tree_[at.left];
  const RowNode& right = tree_[at.right];
  Stats& both = halves_[0];
  both = stats(at.left);
  leaves_.add(stats(at.right), both);
  const double log_marginal = leaves_.log_marginal(both);
  const std::uint32_t k = tree_.n_leaves();
  const double log_prior = log_stop(at.depth, true) - law_.log_split(at.depth) -
                           log_stop(left.depth, left.varies) - log_stop(right.depth, right.varies) +
                           law_.log_shape(k - 1) - law_.log_shape(k);
  const double log_likelihood = log_marginal - left.log_marginal - right.log_marginal;
  const double n_growable = tree_.growable.size() + 1.0 -
                            (tree_.growable.holds(at.left) ? 1.0 : 0.0) -
                            (tree_.growable.holds(at.right) ? 1.0 : 0.0);
  const auto& p = settings_.probability;
  const double log_proposal = std::log(p[0] / n_growable) - std::log(p[1] / tree_.prunable.size());
  if (!accept(Move::DEATH, log_prior + leaves_.power() * log_likelihood + log_proposal))
    return false;
  log_prior_ += log_stop(at.depth, true) - law_.log_split(at.depth) - at.log_rule - at.log_absent -
                log_stop(left.depth, left.varies) - log_stop(right.depth, right.varies);
  log_likelihood_ += log_likelihood;
  tree_.growable.set(at.left, false);
  tree_.growable.set(at.right, false);
  std::swap(mutable_stats(node), both);
  tree_.merge(node);
  tree_[node].varies = true;
  tree_[node].log_marginal = log_marginal;
  tree_.growable.add(node);
  return true;
}

template <LeafModel Leaves>
bool Metropolis<Leaves>::measure_halves(std::int32_t node, std::uint32_t n_left, Halves& halves) {
  const Rows rows = std::as_const(tree_).rows(node);
  const Rows left = rows.first(n_left);
  const Rows right = rows.subspan(n_left);
  halves.n_left = count_rows(left);
  halves.n_right = tree_[node].n - halves.n_left;
  if (std::min(halves.n_left, halves.n_right) < settings_.min_leaf) return false;
  // Fewer rows are counted, the others are what is left.
  const bool counts_left = left.size() <= right.size();
  Stats& counted = halves_[counts_left ? 0 : 1];
  Stats& others = halves_[counts_left ? 1 : 0];
  sum_rows(counts_left ? left : right, counted);
  others = stats(node);
  leaves_.subtract(counted, others);
  halves.left_marginal = leaves_.log_marginal(halves_[0]);
  halves.right_marginal = leaves_.log_marginal(halves_[1]);
  halves.left_varies = law_.can_vary(left, scratch_);
  halves.right_varies = law_.can_vary(right, scratch_);
  return true;
}

template <LeafModel Leaves>
void Metropolis<Leaves>::adopt_halves(std::int32_t node, const Rule& rule, const Division& division,
                                      std::uint32_t n_varying, const Halves& halves) {
  tree_.growable.set(node, false);
  tree_.split(node, division.n_left);
  RowNode& at = tree_[node];
  RowNode& left = tree_[at.left];
  RowNode& right = tree_[at.right];
  log_prior_ += law_.log_split(at.depth) + division.log_rule + division.log_absent +
                log_stop(left.depth, halves.left_varies) +
                log_stop(right.depth, halves.right_varies) - log_stop(at.depth, at.varies);
  log_likelihood_ += halves.left_marginal + halves.right_marginal - at.log_marginal;
  at.rule = rule;
  at.n_varying = n_varying;
  at.log_rule = division.log_rule;
  at.log_absent = division.log_absent;
  at.gap_low = division.gap_low;
  at.gap_high = division.gap_high;
  left.n = halves.n_left;
  right.n = halves.n_right;
  left.log_marginal = halves.left_marginal;
  right.log_marginal = halves.right_marginal;
  left.varies = halves.left_varies;
  right.varies = halves.right_varies;
  std::swap(mutable_stats(at.left), halves_[0]);
  std::swap(mutable_stats(at.right), halves_[1]);
  tree_.growable.set(at.left, is_growable(left.n, left.varies));
  tree_.growable.set(at.right, is_growable(right.n, right.varies));
}

template <LeafModel Leaves>
void Metropolis<Leaves>::sum_rows(Rows rows, Stats& stats) const {
  stats = nothing_;
  for (const auto row : rows) leaves_.add(row, stats);
}

template <LeafModel Leaves>
typename Leaves::Stats& Metropolis<Leaves>::mutable_stats(std::int32_t node) {
  if (stats_.size() < tree_.n_slots()) stats_.resize(tree_.n_slots());
  return stats_[node];
}

template <LeafModel Leaves>
void Metropolis<Leaves>::refresh() {
  log_likelihood_ = log_prior_ = 0;
  std::vector<std::int32_t> open{0};
  while (!open.empty()) {
    const RowNode& at = tree_[open.back()];
    open.pop_back();
    if (at.is_leaf()) {
      log_likelihood_ += at.log_marginal;
      log_prior_ += log_stop(at.depth, at.varies);
    } else {
      log_prior_ += law_.log_split(at.depth) + at.log_rule + at.log_absent;
      open.push_back(at.left);
      open.push_back(at.right);
    }
  }
}

}  // namespace bayeswood
