#include "bayeswood/forest/walk/compiled_forest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <unordered_map>

#include "bayeswood/forest/inner_nodes.hpp"
#include "tree_descent.hpp"

namespace bayeswood {
namespace {

constexpr std::size_t MAX_WIDE_FEATURES = 512;  // a block of rows takes 16 bytes for each
// Of a group, for each feature in which rows have to be placed for it.
constexpr std::size_t LEAST_TREES_PER_FEATURE = 2;

// Sends the rows that are at a node to its children, which follow one another.
template <class Place>
void split_rows(const Place* places, Place last_left, std::uint8_t node, std::uint8_t child,
                std::size_t n_rows, std::uint8_t* at) {
  for (std::size_t i = 0; i < n_rows; ++i) {
    const auto to = static_cast<std::uint8_t>(child + (places[i] > last_left ? 1 : 0));
    at[i] = at[i] == node ? to : at[i];
  }
}

// Steps after which most rows have come to their leaf and found it so: one more than the training
// rows, and one more in every leaf (of a tree from a prior all may be empty), took in the mean. A
// row is counted once in every node that it steps to, and a leaf in every node above it.
std::uint32_t steps_unasked(const Tree& tree, std::span<const std::uint32_t> inner) {
  std::vector<std::uint32_t> level(inner.size(), 0);
  std::uint64_t steps = 0;
  for (std::size_t k = 0; k < inner.size(); ++k) {
    if (k > 0) level[k] = level[(inner[k] - 1) / 2] + 1;
    steps += level[k] + 2;
  }
  for (std::size_t i = 1; i < tree.n_nodes(); ++i)
    steps += static_cast<std::uint64_t>(tree.n_samples[i]);
  const double rows = static_cast<double>(tree.n_samples[0]) + static_cast<double>(tree.n_leaves());
  return 1 + static_cast<std::uint32_t>(std::ceil(static_cast<double>(steps) / rows));
}

}  // namespace

void PlaceColumns::load(const PlacedRows& rows) {
  rows_ = &rows;
  narrow_.assign(rows.layout.n_columns, {});
  wide_.assign(rows.layout.n_columns, {});
}

template <class Place>
const Place* PlaceColumns::copied(std::uint16_t column, std::vector<std::vector<Place>>& columns) {
  const std::size_t number = rows_->column_of(column);
  std::vector<Place>& found = columns[number];
  if (found.empty()) {
    const CellLayout& layout = rows_->layout;
    const std::size_t n = layout.n_rows, lanes = layout.lanes();
    found.resize(n);
    // The place of missing values that go right is the largest, of whatever width.
    for (std::size_t i = 0; i < n; i += lanes) {
      const std::uint16_t* cell = rows_->cells.data() + layout.first_cell(i) + number * lanes;
      const std::size_t end = std::min(n - i, lanes);
      for (std::size_t r = 0; r < end; ++r) found[i + r] = static_cast<Place>(cell[r]);
    }
  }
  return found.data();
}

template const std::uint8_t* PlaceColumns::copied(std::uint16_t,
                                                  std::vector<std::vector<std::uint8_t>>&);
template const std::uint16_t* PlaceColumns::copied(std::uint16_t,
                                                   std::vector<std::vector<std::uint16_t>>&);

CompiledForest::CompiledForest(const ForestShape& shape, const Trees& trees)
    : shape_(shape), trees_(trees), own_(std::make_shared<Tables>()) {
  for (const auto levels : shape.n_levels) packed_ = packed_ && levels < UNSEEN_LEVEL;
  packed_ = packed_ && n_features() < SET_FLAG && collect_groups();
  wide_ = !packed_ && n_features() <= MAX_WIDE_FEATURES;
  if (packed_) pack_trees(own_->nodes);
  if (packed_ && enter_tree() != nullptr) find_tops();
  if (wide_) pack_trees(own_->wide_nodes);
}

CompiledForest::CompiledForest(const CompiledForest& other, const ForestShape& shape,
                               const Trees& trees)
    : shape_(shape), trees_(trees), packed_(other.packed_), wide_(other.wide_), own_(other.own_) {}

bool CompiledForest::collect_groups() {
  const std::size_t n = trees_.size();
  std::size_t size = n;
  for (std::size_t begin = 0; begin < n || own_->groups.empty();) {
    ThresholdPlaces places(shape_);
    const std::size_t fit = places.collect(trees_, begin, begin + size);
    if (fit < size) {
      size = std::min(fit, size - (size + 15) / 16);
      if (size < LEAST_TREES_PER_FEATURE * places.n_features()) break;
      continue;
    }
    own_->groups.push_back(std::move(places));
    own_->group_of.resize(begin + size, static_cast<std::uint32_t>(own_->groups.size() - 1));
    begin += size;
    const std::size_t n_more = size > 0 ? (n - begin + size - 1) / size : 0;
    if (n_more > 0) size = (n - begin + n_more - 1) / n_more;
  }
  if (own_->group_of.size() == n) return true;
  own_->groups.clear();
  own_->group_of.clear();
  return false;
}

std::vector<std::size_t> CompiledForest::first_alike() const {
  std::unordered_map<const Tree*, std::size_t> first;
  std::vector<std::size_t> found;
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    if (packed_ && t > 0 && own_->group_of[t] != own_->group_of[t - 1]) first.clear();
    found.push_back(first.try_emplace(trees_[t].get(), t).first->second);
  }
  return found;
}

// Trees that several members share are packed once, or once for a group.
template <class AnyNode>
void CompiledForest::pack_trees(UnwrittenVector<AnyNode>& nodes) {
  const std::vector<std::size_t> first = first_alike();
  std::size_t n_nodes = 0;
  for (std::size_t t = 0; t < trees_.size(); ++t)
    if (first[t] == t) n_nodes += trees_[t]->n_nodes();
  nodes.resize(n_nodes);
  std::vector<std::uint32_t> inner;
  std::size_t n_packed = 0;
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    const Tree& tree = *trees_[t];
    if (first[t] < t) {
      own_->offset.push_back(own_->offset[first[t]]);
      own_->n_steps.push_back(own_->n_steps[first[t]]);
      continue;
    }
    list_inner_nodes(tree, inner);
    own_->offset.push_back(n_packed);
    own_->n_steps.push_back(steps_unasked(tree, inner));
    pack_tree(t, inner, nodes.data() + n_packed);
    n_packed += tree.n_nodes();
  }
}

void CompiledForest::find_tops() {
  const std::vector<std::size_t> first = first_alike();
  constexpr auto NONE = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    const bool is_new = first[t] == t && !is_small(t);
    own_->top_of.push_back(first[t] < t ? own_->top_of[first[t]] : NONE);
    if (!is_new) continue;
    own_->top_of[t] = static_cast<std::uint32_t>(own_->tops.size());
    for (const bool is_double : {false, true})
      own_->tops.push_back(TopLevels::of(own_->nodes.data() + own_->offset[t], is_double));
  }
}

template <class AnyNode>
void CompiledForest::pack_tree(std::size_t t, std::span<const std::uint32_t> inner,
                               AnyNode* nodes) const {
  constexpr std::size_t AHEAD = 16;
  constexpr bool IS_PLACE = std::is_same_v<AnyNode, Node>;
  using Limits = std::numeric_limits<decltype(AnyNode::place)>;
  const Tree& tree = *trees_[t];
  AnyNode leaf{};
  leaf.place = Limits::has_infinity ? Limits::infinity() : Limits::max();  // nothing is above
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    nodes[i] = leaf;
    nodes[i].child = static_cast<std::uint32_t>(i);
  }
  for (std::size_t k = 0; k < inner.size(); ++k) {
    if (IS_PLACE && k % AHEAD == 0)
      own_->groups[own_->group_of[t]].ask_for(tree,
                                              inner.subspan(k, std::min(AHEAD, inner.size() - k)));
    const std::size_t i = inner[k];
    const std::int32_t f = tree.feature[i];
    AnyNode node{};
    node.child = static_cast<std::uint32_t>(2 * k + 1);
    if (shape_.n_levels[f] > 0) {
      node.column = static_cast<std::uint16_t>(f * (IS_PLACE ? 1 : 2) | SET_FLAG);
    } else {
      const bool right = tree.missing_left[i] == 0;
      node.column = static_cast<std::uint16_t>(IS_PLACE ? f | (right ? MISSING_RIGHT : 0)
                                                        : 2 * f + (right ? 1 : 0));
      if constexpr (IS_PLACE)
        node.place = own_->groups[own_->group_of[t]].place_of(static_cast<std::size_t>(f),
                                                              tree.threshold[i]);
      else
        node.place = tree.threshold[i];
    }
    nodes[i] = node;
  }
}

std::size_t CompiledForest::nbytes() const {
  std::size_t bytes =
      own_->nodes.size() * sizeof(Node) + own_->wide_nodes.size() * sizeof(WideNode) +
      own_->offset.size() * sizeof(std::size_t) +
      (own_->n_steps.size() + own_->group_of.size() + own_->top_of.size()) * sizeof(std::uint32_t) +
      own_->tops.size() * sizeof(TopLevels);
  for (const auto& places : own_->groups) bytes += places.nbytes();
  return bytes;
}

void CompiledForest::encode(const MatrixView& table, std::size_t begin, std::size_t end,
                            double* out) const {
  const CellLayout cells = value_layout(end - begin);
  for (std::size_t j = 0; j < n_features(); ++j) {
    const std::int32_t n_levels = shape_.n_levels[j];
    for (std::size_t i = begin; i < end; ++i) {
      const double value = table(i, j);
      const bool known = value >= 0 && value < n_levels;
      double* cell = out + cells.first_cell(i - begin) + 2 * j * cells.lanes();
      cell[cells.lanes()] = value;
      cell[0] = std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
      if (n_levels > 0) cell[0] = known ? std::floor(value) : UNSEEN_LEVEL;
    }
  }
}

template <bool IS_DOUBLE, class AnyNode, class Cell>
void CompiledForest::walk_all(std::size_t t, const AnyNode* nodes, const Cell* cells,
                              const CellLayout& layout, std::span<const std::uint32_t> places,
                              std::uint32_t* leaf, std::vector<std::uint32_t>& going) const {
  const auto walk = [&]<bool HAS_SETS>(std::bool_constant<HAS_SETS>) {
    constexpr std::size_t GROUP = CellLayout::GROUP;
    const Tree& tree = *trees_[t];
    if (layout.lanes() == 1) {
      const TreeDescent<HAS_SETS, IS_DOUBLE, 1, AnyNode, Cell> descent{tree, nodes, cells,
                                                                       layout.n_columns};
      return descent.each(places, leaf);
    }
    const TreeDescent<HAS_SETS, IS_DOUBLE, GROUP, AnyNode, Cell> descent{
        tree, nodes, cells, layout.n_columns, top_of(t, IS_DOUBLE), enter_tree()};
    descent.all(places, own_->n_steps[t], leaf, going);
  };
  if (trees_[t]->category_offset.empty()) return walk(std::false_type{});
  walk(std::true_type{});
}

void CompiledForest::walk(std::size_t t, const PlacedRows& rows,
                          std::span<const std::uint32_t> places, std::uint32_t* leaf,
                          std::vector<std::uint32_t>& going) const {
  const Node* nodes = own_->nodes.data() + own_->offset[t];
  if (rows.is_double)
    return walk_all<true>(t, nodes, rows.cells.data(), rows.layout, places, leaf, going);
  walk_all<false>(t, nodes, rows.cells.data(), rows.layout, places, leaf, going);
}

void CompiledForest::walk_together(std::size_t t, PlaceColumns& columns, std::uint8_t* leaf) const {
  const Node* nodes = own_->nodes.data() + own_->offset[t];
  const ThresholdPlaces& group = own_->groups[own_->group_of[t]];
  const std::size_t n_nodes = trees_[t]->n_nodes(), n_rows = columns.n_rows();
  std::fill_n(leaf, n_rows, std::uint8_t{0});
  for (std::size_t i = 0; i < n_nodes; ++i) {
    const Node& node = nodes[i];
    if (node.child == i) continue;  // a leaf leads to itself
    const auto at = static_cast<std::uint8_t>(i), child = static_cast<std::uint8_t>(node.child);
    if (group.is_narrow(node.column & ~MISSING_RIGHT)) {
      const auto place = static_cast<std::uint8_t>(node.place);
      split_rows(columns.narrow(node.column), place, at, child, n_rows, leaf);
    } else {
      split_rows(columns.wide(node.column), node.place, at, child, n_rows, leaf);
    }
  }
}

void CompiledForest::walk(std::size_t t, const double* encoded, std::size_t n_rows,
                          std::span<const std::uint32_t> places, std::uint32_t* leaf,
                          std::vector<std::uint32_t>& going) const {
  walk_all<true>(t, own_->wide_nodes.data() + own_->offset[t], encoded, value_layout(n_rows),
                 places, leaf, going);
}

}  // namespace bayeswood
