// The moves of Metropolis that divide a whole subtree anew; included by metropolis.cpp.
#include <algorithm>
#include <utility>

#include "bayeswood/mcmc/metropolis.hpp"

namespace bayeswood {

template <LeafModel Leaves>
bool Metropolis<Leaves>::change(bool keep_feature) {
  if (tree_.inner.size() == 0) return false;
  const std::int32_t node = tree_.inner[stream_.below(tree_.inner.size())];
  const Rows rows = std::as_const(tree_).rows(node);
  bool drawn = false;
  if (keep_feature) {
    drawn = law_.draw_of(tree_[node].rule.feature, rows, scratch_, stream_, rule_);
  } else {
    law_.find_varying(rows, scratch_);
    drawn = law_.draw(rows, scratch_, stream_, rule_);
  }
  const NewRules rules{{node, &rule_}};
  if (!drawn || !measure_subtree(node, rules)) return false;
  const Gain found = gain();
  const Move move = keep_feature ? Move::CHANGE_RULE : Move::CHANGE_SPLIT;
  if (!accept(move, found.prior + leaves_.power() * found.likelihood)) return false;
  adopt_subtree(node, rules);
  return true;
}

template <LeafModel Leaves>
bool Metropolis<Leaves>::shift() {
  if (tree_.inner.size() == 0) return false;
  const std::int32_t node = tree_.inner[stream_.below(tree_.inner.size())];
  const Rows rows = std::as_const(tree_).rows(node);
  double log_back = 0;
  if (!law_.shift(tree_[node].rule, rows, scratch_, stream_, rule_, log_back)) return false;
  const NewRules rules{{node, &rule_}};
  if (!measure_subtree(node, rules)) return false;
  const Gain found = gain();
  const double log_prior = found.top_rule + found.prior;
  if (!accept(Move::SHIFT_RULE, log_prior + leaves_.power() * found.likelihood + log_back))
    return false;
  adopt_subtree(node, rules);
  return true;
}

template <LeafModel Leaves>
bool Metropolis<Leaves>::swap() {
  if (tree_.inner.size() < 2) return false;
  const std::int32_t child = tree_.inner[1 + stream_.below(tree_.inner.size() - 1)];
  const std::int32_t node = tree_[child].parent;
  const std::int32_t sibling = tree_.sibling(child);
  const Rule up = tree_[child].rule;
  const Rule down = tree_[node].rule;
  const bool has_pair = !tree_[sibling].is_leaf();
  const bool both = has_pair && law_.same(tree_[sibling].rule, up);
  // Otherwise the way back would take both children.
  if (!both && has_pair && law_.same(tree_[sibling].rule, down)) return false;
  const NewRules rules{{node, &up}, {child, &down}, {both ? sibling : NO_NODE, &down}};
  if (!measure_subtree(node, rules)) return false;
  const Gain found = gain();
  const double log_prior = found.top_rule + found.prior;
  if (!accept(Move::SWAP, log_prior + leaves_.power() * found.likelihood)) return false;
  adopt_subtree(node, rules);
  return true;
}

template <LeafModel Leaves>
bool Metropolis<Leaves>::measure_subtree(std::int32_t top, NewRules rules) {
  const RowNode& at = tree_[top];
  const Rows rows = std::as_const(tree_).rows(top);
  std::copy(rows.begin(), rows.end(), new_rows_.begin() + at.begin);
  touched_.clear();
  waiting_.clear();
  n_new_stats_ = 0;
  touched_.push_back({top, at.begin, at.end, at.n, at.n_varying, 0, 0, true, {}});
  waiting_.push_back(0);
  while (!waiting_.empty()) {
    const std::size_t next = waiting_.back();
    waiting_.pop_back();
    const bool is_leaf = tree_[touched_[next].node].is_leaf();
    if (is_leaf ? !measure_leaf(touched_[next]) : !measure_inner(next, rules, top)) return false;
  }
  return true;
}

template <LeafModel Leaves>
bool Metropolis<Leaves>::measure_inner(std::size_t at, NewRules rules, std::int32_t top) {
  Touched& touched = touched_[at];
  const RowNode& node = tree_[touched.node];
  const Rule* rule = &node.rule;
  for (const auto& [changed, wanted] : rules) {
    if (changed == touched.node) rule = wanted;
  }
  const auto rows = std::span(new_rows_).subspan(touched.begin, touched.end - touched.begin);
  if (touched.node != top) touched.n_varying = law_.find_varying(rows, scratch_);
  touched.division = law_.divide(*rule, rows, touched.n_varying, scratch_);
  if (!touched.division.lawful) return false;
  const std::uint32_t begin = touched.begin;
  const std::uint32_t middle = begin + touched.division.n_left;
  const std::uint32_t end = touched.end;
  const std::int64_t n = touched.n;
  const std::int64_t n_left = count_rows(rows.first(touched.division.n_left));
  if (std::min(n_left, n - n_left) < settings_.min_leaf) return false;
  waiting_.push_back(touched_.size());
  touched_.push_back({node.left, begin, middle, n_left, 0, 0, 0, true, {}});
  waiting_.push_back(touched_.size());
  touched_.push_back({node.right, middle, end, n - n_left, 0, 0, 0, true, {}});
  return true;
}

template <LeafModel Leaves>
bool Metropolis<Leaves>::measure_leaf(Touched& touched) {
  const Rows rows = Rows(new_rows_).subspan(touched.begin, touched.end - touched.begin);
  touched.stats_at = n_new_stats_++;
  if (new_stats_.size() < n_new_stats_) new_stats_.resize(n_new_stats_);
  Stats& stats = new_stats_[touched.stats_at];
  sum_rows(rows, stats);
  touched.log_marginal = leaves_.log_marginal(stats);
  touched.varies = law_.can_vary(rows, scratch_);
  return true;
}

template <LeafModel Leaves>
typename Metropolis<Leaves>::Gain Metropolis<Leaves>::gain() const {
  Gain found{touched_[0].division.log_rule - tree_[touched_[0].node].log_rule, 0, 0};
  for (std::size_t i = 1; i < touched_.size(); ++i) {
    const Touched& after = touched_[i];
    const RowNode& before = tree_[after.node];
    if (before.is_leaf()) {
      found.prior += log_stop(before.depth, after.varies) - log_stop(before.depth, before.varies);
      found.likelihood += after.log_marginal - before.log_marginal;
    } else {
      found.prior += after.division.log_rule - before.log_rule;
    }
  }
  return found;
}

template <LeafModel Leaves>
void Metropolis<Leaves>::adopt_subtree(std::int32_t top, NewRules rules) {
  for (const Touched& after : touched_) {
    RowNode& node = tree_[after.node];
    node.begin = after.begin;
    node.end = after.end;
    node.n = after.n;
    if (node.is_leaf()) {
      log_prior_ += log_stop(node.depth, after.varies) - log_stop(node.depth, node.varies);
      log_likelihood_ += after.log_marginal - node.log_marginal;
      node.log_marginal = after.log_marginal;
      node.varies = after.varies;
      std::swap(mutable_stats(after.node), new_stats_[after.stats_at]);
      tree_.growable.set(after.node, is_growable(after.n, after.varies));
    } else {
      const Division& division = after.division;
      log_prior_ += division.log_rule + division.log_absent - node.log_rule - node.log_absent;
      node.n_varying = after.n_varying;
      node.log_rule = division.log_rule;
      node.log_absent = division.log_absent;
      node.gap_low = division.gap_low;
      node.gap_high = division.gap_high;
    }
  }
  for (const auto& [changed, wanted] : rules) {
    if (changed != NO_NODE) tree_[changed].rule = *wanted;
  }
  const auto rows = tree_.rows(top);
  std::copy_n(new_rows_.begin() + tree_[top].begin, rows.size(), rows.begin());
}

}  // namespace bayeswood
