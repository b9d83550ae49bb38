#include "bayeswood/grow/rules/ruled_grower.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

namespace bayeswood {

RuledGrower::RuledGrower(const EncodedMatrix& matrix, const Target& target,
                         const GrowthRules& rules)
    : matrix_(matrix),
      target_(target),
      rules_(rules),
      search_(matrix, target, rules),
      sets_of_(matrix.n_features()),
      allowed_(matrix.n_features(), 1) {
  for (std::uint32_t s = 0; s < rules.interactions.size(); ++s)
    for (const auto feature : rules.interactions[s]) sets_of_[feature].push_back(s);
}

NodeTotals RuledGrower::root_totals(std::span<const std::uint32_t> rows, const RowData& data) {
  data_ = data;
  search_.set_rows(data);
  return search_.totals(rows);
}

void RuledGrower::grow(TreeContext& tree, std::vector<std::uint32_t>& rows) {
  rows_ = &rows;
  scratch_.resize(rows.size());
  nodes_.clear();
  waiting_.clear();
  Node root{0, 0, search_.totals(rows), {}, nullptr, {}};
  search_.set_node(seen(root));
  search_.set_trust(seen(root));
  add_node(tree, std::move(root));
  std::uint32_t n_leaves = 1;
  while (!waiting_.empty() && (rules_.max_leaf_nodes == 0 || n_leaves < rules_.max_leaf_nodes)) {
    split_node(tree, next_node());
    ++n_leaves;
  }
  if (rules_.ccp_alpha > 0) prune();
  write(tree);
}

double RuledGrower::per_weight(double impurity) const {
  return impurity * target_.impurity_unit() / nodes_.front().totals.w;
}

// Finds the node's split at once: where leaves are limited, what it gains says when its turn comes.
void RuledGrower::add_node(TreeContext& tree, Node node) {
  nodes_.push_back(std::move(node));
  Node& mine = nodes_.back();
  if (tree.must_stop(mine.totals, mine.depth)) return;
  mine.split = find_split(tree, mine);
  if (!mine.split.found() || !is_worth(mine)) return;
  waiting_.push_back(
      {mine.split.score - mine.totals.score, static_cast<std::uint32_t>(nodes_.size() - 1)});
  if (rules_.max_leaf_nodes > 0) std::push_heap(waiting_.begin(), waiting_.end());
}

bool RuledGrower::is_worth(const Node& node) const {
  if (rules_.min_impurity_decrease <= 0) return true;
  const double gain = per_weight(node.split.score - node.totals.score);
  return gain + std::numeric_limits<double>::epsilon() >= rules_.min_impurity_decrease;
}

std::uint32_t RuledGrower::next_node() {
  if (rules_.max_leaf_nodes > 0) std::pop_heap(waiting_.begin(), waiting_.end());
  const std::uint32_t number = waiting_.back().node;
  waiting_.pop_back();
  return number;
}

// Beyond max_features, more are looked at only while none can be cut, or in the place of categories
// that gained less than they had to pay.
Split RuledGrower::find_split(TreeContext& tree, const Node& node) {
  Split best;
  const RuledNode here = seen(node);
  const Limits limits = tree.limits(node.totals);
  search_.set_node(here);
  mark_allowed(node);
  tree.features.restart();
  std::size_t wanted = tree.options.max_features;
  while (tree.features.left() > 0 && (wanted > 0 || !best.found())) {
    const std::uint32_t feature = tree.features.next();
    if (allowed_[feature] == 0) continue;
    check_stop(tree.stop);
    Split split = search_.search(here, feature, limits);
    if (!split.refused && wanted > 0) --wanted;
    keep_better(best, std::move(split), limits.tolerance);
  }
  return best;
}

void RuledGrower::mark_allowed(const Node& node) {
  if (rules_.interactions.empty()) return;
  std::fill(allowed_.begin(), allowed_.end(), node.sets ? 0 : 1);
  if (!node.sets) return;
  for (const auto set : *node.sets)
    for (const auto feature : rules_.interactions[set]) allowed_[feature] = 1;
}

std::shared_ptr<const RuledGrower::Sets> RuledGrower::sets_with(const Node& node) const {
  if (rules_.interactions.empty()) return nullptr;
  const Sets& mine = sets_of_[node.split.feature];
  if (!node.sets) return std::make_shared<const Sets>(mine);
  auto both = std::make_shared<Sets>();
  std::set_intersection(node.sets->begin(), node.sets->end(), mine.begin(), mine.end(),
                        std::back_inserter(*both));
  return both;
}

void RuledGrower::split_node(TreeContext& tree, std::uint32_t number) {
  const std::uint32_t n_left = partition(nodes_[number].split, nodes_[number]);
  const Node& parent = nodes_[number];
  const auto sets = sets_with(parent);
  Node left{parent.begin, parent.depth + 1, {}, parent.bounds, sets, {}};
  Node right{parent.begin + n_left, parent.depth + 1, {}, parent.bounds, sets, {}};
  const auto rows = seen(parent).rows;
  left.totals = search_.totals(rows.first(n_left));
  right.totals = search_.totals(rows.subspan(n_left));
  if (!rules_.monotone.empty()) bound(parent, left, right);
  nodes_[number].left = static_cast<std::uint32_t>(nodes_.size());
  // Only now: nodes move as others are added.
  add_node(tree, std::move(left));
  add_node(tree, std::move(right));
}

double RuledGrower::value_of(const Node& node) {
  return std::clamp(search_.values(seen(node))[0], node.bounds.low, node.bounds.high);
}

void RuledGrower::bound(const Node& parent, Node& left, Node& right) {
  const int sign = rules_.monotone[parent.split.feature];
  const bool along = parent.split.upper_code != MISSING_CODE;
  if (sign != 0 && along)
    bound_children(sign, value_of(left), value_of(right), left.bounds, right.bounds);
}

// Stable.
std::uint32_t RuledGrower::partition(Split& split, const Node& node) {
  sides_.set(split, matrix_.feature(split.feature));
  const std::uint16_t* column = matrix_.column(split.feature);
  std::uint32_t* rows = rows_->data() + node.begin;
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  for (std::uint32_t i = 0; i < node.totals.n; ++i) {
    const std::uint32_t row = rows[i];
    const std::uint32_t goes_left = sides_.goes_left(column[row]) ? 1 : 0;
    rows[left] = row;
    scratch_[right] = row;
    left += goes_left;
    right += 1 - goes_left;
  }
  std::copy_n(scratch_.data(), right, rows + left);
  return left;
}

// From the leaves up: a node is cut off where it costs no more than what is best below it.
void RuledGrower::prune() {
  std::vector<double> cost(nodes_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    Node& node = nodes_[i];
    cost[i] = per_weight(node.totals.impurity) + rules_.ccp_alpha;
    if (node.left == NO_CHILD) continue;
    const double below = cost[node.left] + cost[node.left + 1];
    if (cost[i] <= below) {
      node.left = NO_CHILD;
    } else {
      cost[i] = below;
    }
  }
}

void RuledGrower::write(TreeContext& tree) {
  std::vector<std::array<std::uint32_t, 2>> pending{{0, TreeBuilder::ROOT}};
  while (!pending.empty()) {
    const auto [number, place] = pending.back();
    pending.pop_back();
    const Node& node = nodes_[number];
    if (node.left == NO_CHILD) {
      write_leaf(tree, node, place);
      continue;
    }
    const Node& left = nodes_[node.left];
    const auto children =
        tree.builder.set_split(place, node.split, left.totals.n, node.totals.n - left.totals.n);
    tree.count_gain(node.split, node.totals);
    pending.push_back({node.left + 1, children.right});
    pending.push_back({node.left, children.left});
  }
}

void RuledGrower::write_leaf(TreeContext& tree, const Node& node, std::uint32_t place) {
  const RuledNode here = seen(node);
  tree.builder.set_leaf(place, node.totals, here.rows, data_, nullptr);
  const bool bounded = !rules_.monotone.empty();
  if (!bounded && target_.criterion != Criterion::ABSOLUTE_ERROR) return;
  std::vector<double> values = search_.values(here);
  for (double& value : values) value = std::clamp(value, node.bounds.low, node.bounds.high);
  tree.builder.set_values(values);
}

}  // namespace bayeswood
