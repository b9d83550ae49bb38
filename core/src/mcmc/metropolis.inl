// Starts, births and deaths of Metropolis; included by metropolis.cpp.
#include <algorithm>
#include <cmath>

#include "bayeswood/mcmc/metropolis.hpp"

namespace bayeswood {

template <class Leaves>
Metropolis<Leaves>::Metropolis(const TreeLaw& law, const Leaves& leaves,
                               const ChainSettings& settings, Stream start_stream, Stream moves,
                               std::uint32_t start_leaves)
    : law_(law),
      leaves_(leaves),
      settings_(settings),
      stream_(moves),
      tree_(law.table().n_rows()),
      cells_(leaves.width()),
      new_rows_(law.table().n_rows()),
      halves_(2 * leaves.width()) {
  double sum = 0;
  for (std::size_t m = 0; m < N_MOVES; ++m) cumulative_[m] = sum += settings.probability[m];
  RowNode& root = tree_[0];
  const Rows rows = std::as_const(tree_).rows(0);
  root.n = count_rows(rows);
  fill_cells(rows, mutable_cells(0));
  root.log_marginal = leaves_.log_marginal(cells(0), root.n);
  root.varies = law_.can_vary(rows, scratch_);
  tree_.growable.set(0, is_growable(root.n, root.varies));
  start(start_stream, std::min(start_leaves, settings.max_leaves));
  refresh();
}

template <class Leaves>
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

template <class Leaves>
bool Metropolis<Leaves>::try_split(std::int32_t node, Stream& stream) {
  const auto rows = tree_.rows(node);
  const std::uint32_t n_varying = law_.find_varying(rows, scratch_);
  if (!law_.draw(rows, scratch_, stream, rule_)) return false;
  const Division division = law_.divide(rule_, rows, n_varying, scratch_);
  Halves halves;
  if (!division.lawful || !measure_halves(node, division.n_left, halves)) return false;
  adopt_halves(node, rule_, division, n_varying, halves);
  return true;
}

template <class Leaves>
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
    default:
      return {move, change(move == Move::CHANGE_RULE)};
  }
}

template <class Leaves>
bool Metropolis<Leaves>::accept(Move move, double log_ratio) {
  log_ratio += settings_.log_error[static_cast<std::size_t>(move)];
  return std::log(stream_.next_uniform()) < log_ratio;
}

template <class Leaves>
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
  if (!accept(Move::BIRTH, log_prior + settings_.power * log_likelihood + log_proposal))
    return false;
  adopt_halves(node, rule_, division, n_varying, halves);
  return true;
}

template <class Leaves>
bool Metropolis<Leaves>::death() {
  if (tree_.prunable.size() == 0) return false;
  const std::int32_t node = tree_.prunable[stream_.below(tree_.prunable.size())];
  const RowNode& at = tree_[node];
  const RowNode& left = tree_[at.left];
  const RowNode& right = tree_[at.right];
  const std::size_t width = leaves_.width();
  for (std::size_t c = 0; c < width; ++c) {
    halves_[c] = cells(at.left)[c];
    halves_[c] += cells(at.right)[c];
  }
  const double log_marginal = leaves_.log_marginal(halves_.data(), at.n);
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
  if (!accept(Move::DEATH, log_prior + settings_.power * log_likelihood + log_proposal))
    return false;
  log_prior_ += log_stop(at.depth, true) - law_.log_split(at.depth) - at.log_rule - at.log_absent -
                log_stop(left.depth, left.varies) - log_stop(right.depth, right.varies);
  log_likelihood_ += log_likelihood;
  tree_.growable.set(at.left, false);
  tree_.growable.set(at.right, false);
  std::copy_n(halves_.data(), width, mutable_cells(node));
  tree_.merge(node);
  tree_[node].varies = true;
  tree_[node].log_marginal = log_marginal;
  tree_.growable.add(node);
  return true;
}

template <class Leaves>
bool Metropolis<Leaves>::measure_halves(std::int32_t node, std::uint32_t n_left, Halves& halves) {
  const Rows rows = std::as_const(tree_).rows(node);
  const Rows left = rows.first(n_left);
  const Rows right = rows.subspan(n_left);
  halves.n_left = count_rows(left);
  halves.n_right = tree_[node].n - halves.n_left;
  if (std::min(halves.n_left, halves.n_right) < settings_.min_leaf) return false;
  const std::size_t width = leaves_.width();
  Cell* small = halves_.data() + (left.size() <= right.size() ? 0 : width);
  Cell* large = halves_.data() + (left.size() <= right.size() ? width : 0);
  fill_cells(left.size() <= right.size() ? left : right, small);
  for (std::size_t c = 0; c < width; ++c) large[c] = cells(node)[c] - small[c];
  halves.left_marginal = leaves_.log_marginal(halves_.data(), halves.n_left);
  halves.right_marginal = leaves_.log_marginal(halves_.data() + width, halves.n_right);
  halves.left_varies = law_.can_vary(left, scratch_);
  halves.right_varies = law_.can_vary(right, scratch_);
  return true;
}

template <class Leaves>
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
  const std::size_t width = leaves_.width();
  std::copy_n(halves_.data(), width, mutable_cells(at.left));
  std::copy_n(halves_.data() + width, width, mutable_cells(at.right));
  tree_.growable.set(at.left, is_growable(left.n, left.varies));
  tree_.growable.set(at.right, is_growable(right.n, right.varies));
}

template <class Leaves>
std::int64_t Metropolis<Leaves>::count_rows(Rows rows) const {
  const RowCopies copies = leaves_.copies();
  if (copies.empty()) return static_cast<std::int64_t>(rows.size());
  std::int64_t n = 0;
  for (const auto row : rows) n += copies[row];
  return n;
}

template <class Leaves>
void Metropolis<Leaves>::fill_cells(Rows rows, Cell* cells) const {
  std::fill_n(cells, leaves_.width(), Cell{});
  for (const auto row : rows) leaves_.add(row, cells);
}

template <class Leaves>
typename Leaves::Cell* Metropolis<Leaves>::mutable_cells(std::int32_t node) {
  const std::size_t needed = leaves_.width() * tree_.n_slots();
  if (cells_.size() < needed) cells_.resize(needed);
  return cells_.data() + leaves_.width() * node;
}

template <class Leaves>
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
