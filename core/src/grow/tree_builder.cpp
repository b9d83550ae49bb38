#include "bayeswood/grow/tree_builder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "bayeswood/base/prefetch.hpp"

namespace bayeswood {

void TreeBuilder::restart() {
  nodes_.assign(1, Node{});
  leaves_.clear();
  set_words_.clear();
  thresholds_.clear();
  value_class_.clear();
  values_.clear();
  rows_.clear();
}

TreeBuilder::Children TreeBuilder::set_split(std::uint32_t node, const Split& split,
                                             std::uint32_t n_left, std::uint32_t n_right) {
  Node& here = nodes_[node];
  here.feature = static_cast<std::int32_t>(split.feature);
  here.missing_left = split.missing_seen ? split.missing_left : n_left >= n_right;
  here.rule.cut_code = static_cast<std::uint16_t>(split.cut_code);
  here.rule.upper_code = static_cast<std::uint16_t>(split.upper_code);
  if (matrix_.feature(split.feature).is_category) {
    add_set(here, split);
  } else if (!std::isnan(split.threshold)) {
    here.has_threshold = true;
    here.rule.set_begin = static_cast<std::uint32_t>(thresholds_.size());
    thresholds_.push_back(split.threshold);
  }
  const auto left = static_cast<std::uint32_t>(nodes_.size());
  here.left = left;
  nodes_.resize(nodes_.size() + 2);
  return {left, left + 1};
}

// Levels the node has not seen follow the missing values.
void TreeBuilder::add_set(Node& node, const Split& split) {
  node.rule.set_begin = static_cast<std::uint32_t>(set_words_.size());
  const std::int32_t n_levels = matrix_.n_levels()[split.feature];
  set_words_.resize(set_words_.size() + set_words(n_levels), node.missing_left != 0 ? ~0ULL : 0);
  std::uint64_t* words = set_words_.data() + node.rule.set_begin;
  if ((n_levels & 63) != 0) words[n_levels >> 6] &= (1ULL << (n_levels & 63)) - 1;
  for (const auto level : split.levels->left) {
    if (level != MISSING_CODE) words[level >> 6] |= 1ULL << (level & 63);
  }
  for (const auto level : split.levels->right) {
    if (level != MISSING_CODE) words[level >> 6] &= ~(1ULL << (level & 63));
  }
}

void TreeBuilder::add_entry(std::int32_t label, double share) {
  value_class_.push_back(label);
  values_.push_back(share);
}

template <class Id>
void TreeBuilder::add_class_values(std::span<const Id> ids, const RowData& rows,
                                   const NodeTotals& totals) {
  if (totals.pure) return add_entry(rows.label[ids[0]], 1.0);
  class_w_.resize(target_.n_outputs, 0.0);
  seen_.clear();
  for (const auto id : ids) {
    const std::int32_t label = rows.label[id];
    if (class_w_[label] == 0) seen_.push_back(label);
    class_w_[label] += rows.w[id];
  }
  std::sort(seen_.begin(), seen_.end());
  for (const auto label : seen_) {
    add_entry(label, class_w_[label] / totals.w);
    class_w_[label] = 0;
  }
}

template <class Id>
void TreeBuilder::add_means(std::span<const Id> ids, const RowData& rows, const NodeTotals& totals,
                            const std::uint32_t* row_of_id) {
  const auto value = [&](Id id, std::uint32_t k) {
    if (rows.natural != nullptr) return rows.natural[id];
    const std::size_t row = row_of_id != nullptr ? row_of_id[id] : id;
    return target_.values[row * target_.n_outputs + k];
  };
  const bool scalar = target_.kind == TargetKind::SCALAR;
  for (std::uint32_t k = 0; k < target_.n_outputs; ++k) {
    const double first = value(ids[0], k);
    double sum = 0;  // around the first value: a pure leaf gets exactly its response
    for (const auto id : ids)
      sum += (scalar ? rows.pair[id].w : rows.w[id]) * (value(id, k) - first);
    values_.push_back(first + sum / totals.w);
  }
}

void TreeBuilder::add_binary(double share) {
  if (share < 1) add_entry(0, 1 - share);
  if (share > 0) add_entry(1, share);
}

double TreeBuilder::threshold(const Node& node) const {
  const auto [place, cut_code, upper_code] = node.rule;
  if (node.has_threshold) return thresholds_[place];
  return upper_code == MISSING_CODE
             ? std::numeric_limits<double>::infinity()
             : matrix_.feature(node.feature).threshold_between(cut_code, upper_code);
}

template <class Id>
void TreeBuilder::set_leaf(std::uint32_t node, const NodeTotals& totals, std::span<const Id> ids,
                           const RowData& rows, const std::uint32_t* row_of_id) {
  Leaf leaf{};
  leaf.n = static_cast<std::int32_t>(totals.n);
  leaf.w = static_cast<float>(totals.w);
  leaf.value_begin = static_cast<std::uint32_t>(values_.size());
  leaf.rows_begin = static_cast<std::uint32_t>(rows_.size());
  if (target_.kind == TargetKind::CLASSES) {
    add_class_values(ids, rows, totals);
  } else if (target_.is_classifier) {
    add_binary(totals.wy / totals.w);
  } else {
    add_means(ids, rows, totals, row_of_id);
  }
  leaf.value_end = static_cast<std::uint32_t>(values_.size());
  if (keep_rows_) {
    for (const auto id : ids) {
      rows_.push_back(static_cast<std::int32_t>(row_of_id != nullptr ? row_of_id[id] : id));
    }
  }
  nodes_[node].left = static_cast<std::uint32_t>(leaves_.size());
  leaves_.push_back(leaf);
}

template void TreeBuilder::set_leaf(std::uint32_t, const NodeTotals&,
                                    std::span<const std::uint16_t>, const RowData&,
                                    const std::uint32_t*);
template void TreeBuilder::set_leaf(std::uint32_t, const NodeTotals&,
                                    std::span<const std::uint32_t>, const RowData&,
                                    const std::uint32_t*);

void TreeBuilder::set_values(std::span<const double> values) {
  Leaf& leaf = leaves_.back();
  values_.resize(leaf.value_begin);
  if (target_.is_classifier) {
    value_class_.resize(leaf.value_begin);
    add_binary(values[0]);
  } else {
    values_.insert(values_.end(), values.begin(), values.end());
  }
  leaf.value_end = static_cast<std::uint32_t>(values_.size());
}

std::span<const std::uint64_t> TreeBuilder::left_levels(const Node& node) const {
  if (!matrix_.feature(node.feature).is_category) return {};
  return std::span(set_words_)
      .subspan(node.rule.set_begin, set_words(matrix_.n_levels()[node.feature]));
}

void TreeBuilder::copy_leaf(const Leaf& leaf, TreeWriter& writer) const {
  const std::size_t n = leaf.value_end - leaf.value_begin;
  writer.add_leaf(leaf.n, leaf.w,
                  target_.is_classifier ? std::span(value_class_).subspan(leaf.value_begin, n)
                                        : std::span<const std::int32_t>{},
                  std::span(values_).subspan(leaf.value_begin, n));
  if (keep_rows_) writer.add_rows(std::span(rows_).subspan(leaf.rows_begin, leaf.n));
}

// In one loop, and values asked for before their turn: cache misses overlap. Nodes are listed
// without a branch, for whether one is a leaf cannot be foreseen.
void TreeBuilder::find_thresholds() {
  constexpr std::size_t AHEAD = 16;
  splits_.resize(nodes_.size());
  std::size_t n = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    splits_[n] = static_cast<std::uint32_t>(i);
    n += nodes_[i].feature != LEAF ? 1 : 0;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const Node& later = nodes_[splits_[std::min(k + AHEAD, n - 1)]];
    const FeatureCodes& codes = matrix_.feature(later.feature);
    if (!codes.is_category) codes.low.ask_for(later.rule.cut_code);
    Node& node = nodes_[splits_[k]];
    if (!matrix_.feature(node.feature).is_category)
      node.rule = std::bit_cast<Rule>(threshold(node));
  }
}

// Nodes and leaves stand in the order in which they were grown, far from that of levels. Those of
// small trees are at hand.
void TreeBuilder::ask_for(std::span<const std::uint32_t> coming) const {
  constexpr std::size_t AHEAD = 32, FEW_NODES = 32768;
  if (nodes_.size() <= FEW_NODES || coming.size() <= AHEAD) return;
  prefetch(&nodes_[coming[AHEAD]]);
  const Node& node = nodes_[coming[AHEAD / 2]];
  if (node.feature == LEAF) prefetch(&leaves_[node.left]);
}

Tree TreeBuilder::finish() {
  TreeWriter writer(matrix_.n_levels(), target_.n_outputs, target_.is_classifier);
  writer.reserve({leaves_.size(), values_.size(), rows_.size(), set_words_.size()});
  static_assert(sizeof(Rule) == sizeof(double));
  find_thresholds();
  using Children = std::optional<std::array<std::uint32_t, 2>>;
  const auto visit = [&](std::uint32_t i) -> Children {
    const Node& node = nodes_[i];
    if (node.feature == LEAF) {
      copy_leaf(leaves_[node.left], writer);
      return {};
    }
    writer.add_split(node.feature, node.missing_left != 0, std::bit_cast<double>(node.rule),
                     left_levels(node));
    return {{node.left, node.left + 1}};
  };
  visit_breadth_first(ROOT, nodes_.size(), visit,
                      [&](std::span<const std::uint32_t> coming) { ask_for(coming); });
  return writer.finish();
}

}  // namespace bayeswood
