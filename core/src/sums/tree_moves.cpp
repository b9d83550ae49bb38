#include "bayeswood/sums/tree_moves.hpp"

#include <cmath>

namespace bayeswood {
namespace {

// The rule of a node, where some have others.
const Rule& rule_of(const SumTree& tree, std::int32_t node,
                    std::initializer_list<std::pair<std::int32_t, const Rule*>> rules) {
  for (const auto& [other, rule] : rules)
    if (other == node) return *rule;
  return tree[node].rule;
}

}  // namespace

TreeMoves::TreeMoves(const SumLaw& law, const SumMoveSettings& settings)
    : law_(law), settings_(settings), proposed_(law.table().n_rows()) {}

double TreeMoves::birth_probability(std::uint32_t n_inner) const {
  return n_inner == 0 ? 1.0 : settings_.probability[0];
}

SumMove TreeMoves::draw_move(const SumTree& tree, Stream& stream) const {
  if (tree.n_inner() == 0) return SumMove::BIRTH;
  double left = stream.next_uniform();
  const SumMove swap = tree.n_inner() == 1 ? SumMove::CHANGE : SumMove::SWAP;
  for (std::size_t m = 0; m + 1 < N_SUM_MOVES; ++m) {
    left -= settings_.probability[m];
    if (left < 0)
      return m == static_cast<std::size_t>(SumMove::SWAP) ? swap : SumMove{std::uint8_t(m)};
  }
  return settings_.probability[static_cast<std::size_t>(SumMove::SHIFT)] > 0 ? SumMove::SHIFT
                                                                             : swap;
}

bool TreeMoves::propose(SumTree& tree, const Slot* slots, Stream& stream) {
  move_ = draw_move(tree, stream);
  present_ = slots;
  n_slots_ = tree.n_slots();
  new_leaves_.clear();
  old_leaves_.clear();
  bool possible = false;
  switch (move_) {
    case SumMove::BIRTH:
      possible = birth(tree, slots, stream);
      break;
    case SumMove::DEATH:
      possible = death(tree, stream);
      break;
    case SumMove::CHANGE:
      possible = change(tree, slots, stream);
      break;
    case SumMove::SWAP:
      possible = swap(tree, slots, stream);
      break;
    case SumMove::SHIFT:
      possible = shift(tree, slots, stream);
      break;
  }
  log_ratio_ += settings_.log_error[static_cast<std::size_t>(move_)];
  return possible;
}

const Varying& TreeMoves::varying_of(SumTree& tree, std::int32_t node, const NodeRows& rows) const {
  SumNode& at = tree[node];
  if (!at.knows_varying) {
    const bool has_parent = at.parent != NOWHERE && tree[at.parent].knows_varying;
    at.varying = law_.find_varying(rows, has_parent ? tree[at.parent].varying : law_.varying());
    at.knows_varying = true;
  }
  return at.varying;
}

bool TreeMoves::birth(SumTree& tree, const Slot* slots, Stream& stream) {
  if (tree.is_full()) return false;
  candidates_.clear();
  std::uint32_t n_prunable = 0;
  tree.visit(0, [&](std::int32_t node) {
    if (tree[node].is_leaf() && is_growable(tree[node])) candidates_.push_back(node);
    if (tree.is_prunable(node)) ++n_prunable;
  });
  if (candidates_.empty()) return false;
  const auto n_growable = static_cast<std::uint32_t>(candidates_.size());
  node_ = candidates_[stream.below(n_growable)];
  const SumNode& leaf = tree[node_];
  const NodeRows rows{slots, leaf.slot};
  const Varying& varying = varying_of(tree, node_, rows);
  log_cut_ = law_.draw(rows, varying, stream, rule_);
  const Slot right = tree.free_slot();
  n_right_ = static_cast<std::uint32_t>(law_.split(rows, rule_, right, proposed_.data()));
  n_left_ = leaf.n - n_right_;
  if (n_left_ < settings_.min_leaf || n_right_ < settings_.min_leaf) return false;
  left_varies_ = law_.any_varies({proposed_.data(), leaf.slot}, varying);
  right_varies_ = law_.any_varies({proposed_.data(), right}, varying);
  // The node that is split takes its parent's place among the prunable, if that was there.
  const bool parent_was = leaf.parent != NOWHERE && tree.is_prunable(leaf.parent);
  const std::uint32_t then_prunable = n_prunable + 1 - (parent_was ? 1 : 0);
  log_ratio_ = law_.log_split(leaf.depth) + log_leaf(leaf.depth + 1, left_varies_) +
               log_leaf(leaf.depth + 1, right_varies_) - law_.log_stop(leaf.depth) +
               std::log(death_probability() / then_prunable) -
               std::log(birth_probability(tree.n_inner()) / n_growable);
  if (right + std::size_t{1} > n_slots_) n_slots_ = right + std::size_t{1};
  new_leaves_ = {leaf.slot, right};
  old_leaves_ = {leaf.slot};
  return true;
}

bool TreeMoves::death(SumTree& tree, Stream& stream) {
  candidates_.clear();
  std::uint32_t n_growable = 0;
  tree.visit(0, [&](std::int32_t node) {
    if (tree[node].is_leaf() && is_growable(tree[node])) ++n_growable;
    if (tree.is_prunable(node)) candidates_.push_back(node);
  });
  const auto n_prunable = static_cast<std::uint32_t>(candidates_.size());
  node_ = candidates_[stream.below(n_prunable)];
  const SumNode& at = tree[node_];
  const SumNode &left = tree[at.left], &right = tree[at.right];
  const std::uint32_t then_growable =
      n_growable + 1 - (is_growable(left) ? 1 : 0) - (is_growable(right) ? 1 : 0);
  log_ratio_ = law_.log_stop(at.depth) - law_.log_split(at.depth) -
               log_leaf(left.depth, left.varies) - log_leaf(right.depth, right.varies) +
               std::log(birth_probability(tree.n_inner() - 1) / then_growable) -
               std::log(death_probability() / n_prunable);
  new_leaves_ = {at.slot};
  old_leaves_ = {left.slot, right.slot};
  return true;
}

void TreeMoves::gather(const SumTree& tree, std::int32_t top, const Slot* slots) {
  std::array<Slot, MOST_SLOTS> to;
  for (std::size_t s = 0; s < MOST_SLOTS; ++s) to[s] = static_cast<Slot>(s);
  tree.visit(top, [&](std::int32_t node) {
    if (!tree[node].is_leaf()) return;
    to[tree[node].slot] = tree[top].slot;
    new_leaves_.push_back(tree[node].slot);
  });
  old_leaves_ = new_leaves_;
  law_.loops().relabel(slots, to.data(), tree.n_slots(), law_.table().n_rows(), proposed_.data());
}

bool TreeMoves::measure(SumTree& tree, std::int32_t top, NewRules rules) {
  measured_.clear();
  // Rows of the nodes that wait; the features that vary in a parent bound those of its children.
  std::vector<std::uint32_t> n_of{tree[top].n};
  std::vector<std::int32_t> parent_of{NOWHERE};
  std::vector<std::int32_t> nodes{top};
  Slot* slots = proposed_.data();
  while (!nodes.empty()) {
    const std::int32_t node = nodes.back();
    const std::uint32_t n = n_of.back();
    const std::int32_t parent = parent_of.back();
    nodes.pop_back();
    n_of.pop_back();
    parent_of.pop_back();
    const SumNode& at = tree[node];
    const NodeRows rows{slots, at.slot};
    const Varying& within = parent == NOWHERE ? law_.varying() : measured_[parent].varying;
    Measured found{node, n, false, {}, 0};
    if (at.is_leaf()) {
      found.varies = law_.any_varies(rows, within);
      measured_.push_back(std::move(found));
      continue;
    }
    const Rule& rule = rule_of(tree, node, rules);
    found.log_cut = law_.log_cut(rows, rule);
    if (!std::isfinite(found.log_cut)) return false;
    found.varies = true;
    found.varying = node == top && tree[top].knows_varying ? tree[top].varying
                                                           : law_.find_varying(rows, within);
    const auto n_right =
        static_cast<std::uint32_t>(law_.split(rows, rule, tree[at.right].slot, slots));
    if (n_right < settings_.min_leaf || n - n_right < settings_.min_leaf) return false;
    const auto place = static_cast<std::int32_t>(measured_.size());
    measured_.push_back(std::move(found));
    for (const auto& [child, rows_of_child] :
         {std::pair{at.right, n_right}, std::pair{at.left, n - n_right}}) {
      nodes.push_back(child);
      n_of.push_back(rows_of_child);
      parent_of.push_back(place);
    }
  }
  return true;
}

double TreeMoves::log_prior_gain(const SumTree& tree, std::int32_t top, NewRules rules,
                                 bool with_top) const {
  double gain = 0;
  for (const Measured& now : measured_) {
    const SumNode& before = tree[now.node];
    if (before.is_leaf()) {
      gain += log_leaf(before.depth, now.varies) - log_leaf(before.depth, before.varies);
    } else if (with_top || now.node != top) {
      gain += now.log_cut - before.log_cut +
              law_.log_feature(now.varying, rule_of(tree, now.node, rules).feature) -
              law_.log_feature(before.varying, before.rule.feature);
    }
  }
  return gain;
}

std::int32_t TreeMoves::draw_split(const SumTree& tree, Stream& stream) {
  candidates_.clear();
  tree.visit(0, [&](std::int32_t node) {
    if (!tree[node].is_leaf()) candidates_.push_back(node);
  });
  return candidates_[stream.below(static_cast<std::uint32_t>(candidates_.size()))];
}

bool TreeMoves::shift(SumTree& tree, const Slot* slots, Stream& stream) {
  node_ = draw_split(tree, stream);
  if (law_.table().is_category(tree[node_].rule.feature)) return false;
  gather(tree, node_, slots);
  rule_ = tree[node_].rule;
  double log_back = 0;
  if (!law_.shift({proposed_.data(), tree[node_].slot}, stream, rule_, log_back)) return false;
  const NewRules rules{{node_, &rule_}};
  if (!measure(tree, node_, rules)) return false;
  log_ratio_ = log_prior_gain(tree, node_, rules, false) + log_back;
  return true;
}

bool TreeMoves::change(SumTree& tree, const Slot* slots, Stream& stream) {
  node_ = draw_split(tree, stream);
  gather(tree, node_, slots);
  const NodeRows rows{proposed_.data(), tree[node_].slot};
  law_.draw(rows, tree[node_].varying, stream, rule_);
  const NewRules rules{{node_, &rule_}};
  if (!measure(tree, node_, rules)) return false;
  log_ratio_ = log_prior_gain(tree, node_, rules, false);
  return true;
}

bool TreeMoves::swap(SumTree& tree, const Slot* slots, Stream& stream) {
  candidates_.clear();
  tree.visit(0, [&](std::int32_t node) {
    if (!tree[node].is_leaf() && node != 0) candidates_.push_back(node);
  });
  swapped_ = candidates_[stream.below(static_cast<std::uint32_t>(candidates_.size()))];
  node_ = tree[swapped_].parent;
  const SumNode& parent = tree[node_];
  const std::int32_t sibling = parent.left == swapped_ ? parent.right : parent.left;
  const bool has_twin =
      !tree[sibling].is_leaf() && law_.same(tree[sibling].rule, tree[swapped_].rule);
  twin_ = has_twin ? sibling : NOWHERE;
  gather(tree, node_, slots);
  const NewRules rules{{node_, &tree[swapped_].rule},
                       {swapped_, &parent.rule},
                       {has_twin ? sibling : swapped_, &parent.rule}};
  if (!measure(tree, node_, rules)) return false;
  log_ratio_ = log_prior_gain(tree, node_, rules, true);
  return true;
}

void TreeMoves::put_counts(const SumTree& tree, double* rows) const {
  if (move_ == SumMove::BIRTH) {
    rows[new_leaves_[0]] = n_left_;
    rows[new_leaves_[1]] = n_right_;
    return;
  }
  for (const Measured& now : measured_)
    if (tree[now.node].is_leaf()) rows[tree[now.node].slot] = now.n;
}

void TreeMoves::accept(SumTree& tree, std::vector<Slot>& slots) {
  tree.is_recorded = false;
  if (move_ == SumMove::DEATH) {
    const Slot right = tree[tree[node_].right].slot;
    const Slot kept = tree[node_].slot;
    std::array<Slot, MOST_SLOTS> to;
    for (std::size_t s = 0; s < MOST_SLOTS; ++s) to[s] = static_cast<Slot>(s);
    to[right] = kept;
    law_.loops().relabel(slots.data(), to.data(), tree.n_slots(), slots.size(), slots.data());
    tree.merge(node_);
    tree[node_].varies = true;
    return;
  }
  slots.swap(proposed_);
  if (move_ == SumMove::BIRTH) {
    tree.split(node_);
    SumNode& at = tree[node_];
    at.rule = rule_;
    at.log_cut = log_cut_;
    tree[at.left].n = n_left_;
    tree[at.right].n = n_right_;
    tree[at.left].varies = left_varies_;
    tree[at.right].varies = right_varies_;
    return;
  }
  if (move_ != SumMove::SWAP) {
    tree[node_].rule = rule_;
  } else {
    const Rule rule = tree[swapped_].rule;
    tree[swapped_].rule = tree[node_].rule;
    if (twin_ != NOWHERE) tree[twin_].rule = tree[node_].rule;
    tree[node_].rule = rule;
  }
  for (Measured& now : measured_) {
    SumNode& at = tree[now.node];
    at.n = now.n;
    at.varies = now.varies;
    at.knows_varying = !at.is_leaf();
    at.varying = std::move(now.varying);
    at.log_cut = now.log_cut;
  }
}

}  // namespace bayeswood
