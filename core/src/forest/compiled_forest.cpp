#include "bayeswood/forest/compiled_forest.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <unordered_map>

#include "bayeswood/base/radix_sort.hpp"
#include "tree_descent.hpp"

namespace bayeswood {
namespace {

constexpr std::uint16_t ALWAYS_LEFT = 0;
constexpr std::uint16_t ALWAYS_RIGHT = 65535;
constexpr std::size_t MAX_PLACES = 65534;
constexpr std::size_t MAX_WIDE_COLUMNS = 1024;  // a block of rows takes 8 bytes per cell

// Ascending, each once. As integers doubles of one sign are in order.
void sort_distinct(std::vector<double>& values) {
  constexpr std::size_t FEW = 512;
  constexpr std::uint64_t SIGN = std::uint64_t{1} << 63;
  const std::size_t n = values.size();
  if (n < FEW) {
    std::sort(values.begin(), values.end());
  } else {
    std::vector<std::uint64_t> keys(n), scratch(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto bits = std::bit_cast<std::uint64_t>(values[i] + 0.0);  // no negative zero
      keys[i] = (bits & SIGN) != 0 ? ~bits : bits ^ SIGN;
    }
    radix_sort(keys.data(), scratch.data(), n, 0, 64);
    for (std::size_t i = 0; i < n; ++i)
      values[i] = std::bit_cast<double>((keys[i] & SIGN) != 0 ? keys[i] ^ SIGN : ~keys[i]);
  }
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Sends the rows that are at a node to its children, which follow one another.
template <class Place>
void split_rows(const Place* places, Place last_left, std::uint8_t node, std::uint8_t child,
                std::size_t n_rows, std::uint8_t* at) {
  for (std::size_t i = 0; i < n_rows; ++i) {
    const auto to = static_cast<std::uint8_t>(child + (places[i] > last_left ? 1 : 0));
    at[i] = at[i] == node ? to : at[i];
  }
}

// Places of WIDTH numbers: where missing values go left, and where they go right.
template <std::size_t WIDTH>
void put_places(std::span<const double> thresholds, const ValueCells& cells, const double* number,
                std::uint16_t* left, std::uint16_t* right) {
  double value[WIDTH];
  std::uint16_t place[WIDTH];
  for (std::size_t r = 0; r < WIDTH; ++r) value[r] = std::isnan(number[r]) ? 0.0 : number[r];
  find_places<WIDTH>(thresholds, cells, value, place);
  for (std::size_t r = 0; r < WIDTH; ++r) {
    const bool missing = std::isnan(number[r]);
    left[r] = missing ? ALWAYS_LEFT : place[r];
    right[r] = missing ? ALWAYS_RIGHT : place[r];
  }
}

// Steps after which most rows have come to their leaf and found it so: one more than the training
// rows took in the mean.
std::uint32_t steps_unasked(const Tree& tree) {
  std::vector<std::uint32_t> level(tree.n_nodes(), 0);
  double steps = 0, rows = 0;
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    if (tree.feature[i] != LEAF) {
      level[tree.child[i]] = level[tree.child[i] + 1] = level[i] + 1;
      continue;
    }
    const double here = 1.0 + tree.n_samples[i];  // of a tree from a prior all may be 0
    steps += here * level[i];
    rows += here;
  }
  return 1 + static_cast<std::uint32_t>(std::ceil(steps / rows));
}

}  // namespace

void PlaceColumns::load(const CompiledForest& forest, const std::uint16_t* encoded,
                        std::size_t n_rows) {
  encoded_ = encoded;
  layout_ = forest.layout(n_rows);
  narrow_.assign(layout_.n_columns, {});
  wide_.assign(layout_.n_columns, {});
}

template <class Place>
const Place* PlaceColumns::copied(std::size_t column, std::vector<std::vector<Place>>& columns) {
  std::vector<Place>& found = columns[column];
  if (found.empty()) {
    const std::size_t n = layout_.n_rows, lanes = layout_.lanes();
    found.resize(n);
    // The place of missing values that go right is the largest, of whatever width.
    for (std::size_t i = 0; i < n; i += lanes) {
      const std::uint16_t* cell = encoded_ + layout_.first_cell(i) + column * lanes;
      const std::size_t end = std::min(n - i, lanes);
      for (std::size_t r = 0; r < end; ++r) found[i + r] = static_cast<Place>(cell[r]);
    }
  }
  return found.data();
}

template const std::uint8_t* PlaceColumns::copied(std::size_t,
                                                  std::vector<std::vector<std::uint8_t>>&);
template const std::uint16_t* PlaceColumns::copied(std::size_t,
                                                   std::vector<std::vector<std::uint16_t>>&);

CompiledForest::CompiledForest(const ForestShape& shape, const Trees& trees)
    : shape_(shape), trees_(trees), own_(std::make_shared<Tables>()) {
  own_->thresholds.resize(static_cast<std::size_t>(shape.n_features));
  packed_ = n_columns() < SET_FLAG && collect_thresholds(trees);
  for (const auto levels : shape.n_levels) packed_ = packed_ && levels < UNSEEN_LEVEL;
  wide_ = !packed_ && n_columns() <= MAX_WIDE_COLUMNS;
  // Trees that several members share are packed once.
  std::unordered_map<const Tree*, std::size_t> first;
  std::size_t n_nodes = 0;
  for (std::size_t t = 0; t < trees.size(); ++t)
    if (first.try_emplace(trees[t].get(), t).second) n_nodes += trees[t]->n_nodes();
  if (packed_)
    for (const auto& values : own_->thresholds) own_->cells.emplace_back(values);
  if (packed_) own_->nodes.reserve(n_nodes);
  if (wide_) own_->wide_nodes.reserve(n_nodes);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const auto& tree = trees[t];
    const std::size_t same = first.at(tree.get());
    if (packed_ || wide_)
      own_->n_steps.push_back(same < t ? own_->n_steps[same] : steps_unasked(*tree));
    if (same < t && (packed_ || wide_)) {
      own_->offset.push_back(own_->offset[same]);
    } else if (packed_) {
      pack_tree(*tree, own_->nodes,
                [this](std::size_t f, double value) { return place_of(f, value); });
    } else if (wide_) {
      pack_tree(*tree, own_->wide_nodes, [](std::size_t, double value) { return value; });
    }
  }
  if (wide_) own_->thresholds.assign(own_->thresholds.size(), {});
}

CompiledForest::CompiledForest(const CompiledForest& other, const ForestShape& shape,
                               const Trees& trees)
    : shape_(shape), trees_(trees), packed_(other.packed_), wide_(other.wide_), own_(other.own_) {}

bool CompiledForest::collect_thresholds(const Trees& trees) {
  for (const auto& tree : trees) {
    for (std::size_t i = 0; i < tree->n_nodes(); ++i) {
      const std::int32_t f = tree->feature[i];
      if (f != LEAF && shape_.n_levels[f] == 0) own_->thresholds[f].push_back(tree->threshold[i]);
    }
    // Keep the lists short while they are gathered.
    for (auto& values : own_->thresholds) {
      if (values.size() < 2 * MAX_PLACES) continue;
      sort_distinct(values);
      // More will not become fewer: sorting on for every further tree would take for ever.
      if (values.size() > MAX_PLACES) return false;
    }
  }
  // The longest list first: if it does not fit, the others need not be sorted.
  std::vector<std::vector<double>*> lists;
  for (auto& values : own_->thresholds) lists.push_back(&values);
  std::stable_sort(lists.begin(), lists.end(),
                   [](const auto* a, const auto* b) { return a->size() > b->size(); });
  return std::all_of(lists.begin(), lists.end(), [](std::vector<double>* values) {
    sort_distinct(*values);
    return values->size() <= MAX_PLACES;
  });
}

std::uint16_t CompiledForest::place_of(std::size_t feature, double value) const {
  std::uint16_t place;
  find_places<1>(own_->thresholds[feature], own_->cells[feature], &value, &place);
  return place;
}

// The thresholds around those of some nodes, which are met in no order.
void CompiledForest::ask_for_places(const Tree& tree, std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) {
    const std::int32_t f = tree.feature[i];
    if (f == LEAF || shape_.n_levels[f] > 0) continue;
    const auto feature = static_cast<std::size_t>(f);
    prefetch(own_->thresholds[feature].data() +
             own_->cells[feature].around(tree.threshold[i]).first);
  }
}

template <class AnyNode, class PlaceOf>
void CompiledForest::pack_tree(const Tree& tree, LargeVector<AnyNode>& nodes, PlaceOf place) {
  constexpr std::size_t AHEAD = 32;
  own_->offset.push_back(nodes.size());
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    if (packed_ && i % AHEAD == 0) ask_for_places(tree, i, std::min(i + AHEAD, tree.n_nodes()));
    const std::int32_t f = tree.feature[i];
    AnyNode node{};
    node.child = tree.child[i];
    if (f == LEAF) {
      node.child = static_cast<std::uint32_t>(i);
      // Nothing in column 0 is above it: stay.
      node.place = std::is_same_v<AnyNode, Node>
                       ? static_cast<decltype(node.place)>(ALWAYS_RIGHT)
                       : std::numeric_limits<decltype(node.place)>::infinity();
    } else if (shape_.n_levels[f] > 0) {
      node.column = static_cast<std::uint16_t>(2 * f | SET_FLAG);
    } else {
      node.column = static_cast<std::uint16_t>(2 * f + (tree.missing_left[i] != 0 ? 0 : 1));
      node.place = place(static_cast<std::size_t>(f), tree.threshold[i]);
    }
    nodes.push_back(node);
  }
}

std::size_t CompiledForest::nbytes() const {
  std::size_t bytes =
      own_->nodes.size() * sizeof(Node) + own_->wide_nodes.size() * sizeof(WideNode) +
      own_->offset.size() * sizeof(std::size_t) + own_->n_steps.size() * sizeof(std::uint32_t);
  for (const auto& values : own_->thresholds) bytes += values.size() * sizeof(double);
  for (const auto& cells : own_->cells) bytes += cells.nbytes();
  return bytes;
}

void CompiledForest::encode(const MatrixView& table, std::size_t begin, std::size_t end,
                            std::uint16_t* out) const {
  for (std::size_t j = 0; j < own_->thresholds.size(); ++j) {
    if (shape_.n_levels[j] > 0) {
      encode_levels(table, begin, end, j, out);
    } else {
      encode_numbers(table, begin, end, j, out);
    }
  }
}

void CompiledForest::encode_levels(const MatrixView& table, std::size_t begin, std::size_t end,
                                   std::size_t j, std::uint16_t* out) const {
  const CellLayout cells = layout(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const double value = table(i, j);
    const bool known = value >= 0 && value < shape_.n_levels[j];
    std::uint16_t* cell = out + cells.first_cell(i - begin) + 2 * j * cells.lanes();
    cell[0] = cell[cells.lanes()] = known ? static_cast<std::uint16_t>(value) : UNSEEN_LEVEL;
  }
}

void CompiledForest::encode_numbers(const MatrixView& table, std::size_t begin, std::size_t end,
                                    std::size_t j, std::uint16_t* out) const {
  constexpr std::size_t WIDTH = 8;
  static_assert(CellLayout::GROUP % WIDTH == 0);
  const CellLayout cells = layout(end - begin);
  std::size_t i = begin;
  const auto put = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    double number[N];
    for (std::size_t r = 0; r < N; ++r) number[r] = table(i + r, j);
    std::uint16_t* left = out + cells.first_cell(i - begin) + 2 * j * cells.lanes();
    put_places<N>(own_->thresholds[j], own_->cells[j], number, left, left + cells.lanes());
    i += N;
  };
  if (cells.lanes() > 1)
    while (i + WIDTH <= end) put(std::integral_constant<std::size_t, WIDTH>{});
  while (i < end) put(std::integral_constant<std::size_t, 1>{});
}

void CompiledForest::encode(const MatrixView& table, std::size_t begin, std::size_t end,
                            double* out) const {
  const CellLayout cells = layout(end - begin);
  for (std::size_t j = 0; j < own_->thresholds.size(); ++j) {
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

template <class AnyNode, class Cell>
void CompiledForest::walk_all(std::size_t t, const AnyNode* nodes, const Cell* encoded,
                              std::size_t n_rows, std::span<const std::uint32_t> places,
                              std::uint32_t* leaf, std::vector<std::uint32_t>& going) const {
  const auto walk = [&]<bool HAS_SETS>(std::bool_constant<HAS_SETS>) {
    const Tree& tree = *trees_[t];
    if (layout(n_rows).lanes() == 1)
      return TreeDescent<HAS_SETS, 1, AnyNode, Cell>{tree, nodes, encoded, n_columns()}.each(places,
                                                                                             leaf);
    TreeDescent<HAS_SETS, CellLayout::GROUP, AnyNode, Cell>{tree, nodes, encoded, n_columns()}.all(
        places, own_->n_steps[t], leaf, going);
  };
  if (trees_[t]->category_offset.empty()) return walk(std::false_type{});
  walk(std::true_type{});
}

void CompiledForest::walk(std::size_t t, const std::uint16_t* encoded, std::size_t n_rows,
                          std::span<const std::uint32_t> places, std::uint32_t* leaf,
                          std::vector<std::uint32_t>& going) const {
  walk_all(t, own_->nodes.data() + own_->offset[t], encoded, n_rows, places, leaf, going);
}

void CompiledForest::walk_together(std::size_t t, PlaceColumns& columns, std::uint8_t* leaf) const {
  const Node* nodes = own_->nodes.data() + own_->offset[t];
  const std::size_t n_nodes = trees_[t]->n_nodes(), n_rows = columns.n_rows();
  std::fill_n(leaf, n_rows, std::uint8_t{0});
  for (std::size_t i = 0; i < n_nodes; ++i) {
    const Node& node = nodes[i];
    if (node.child == i) continue;  // a leaf leads to itself
    const auto at = static_cast<std::uint8_t>(i), child = static_cast<std::uint8_t>(node.child);
    if (is_narrow(node.column / 2)) {
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
  walk_all(t, own_->wide_nodes.data() + own_->offset[t], encoded, n_rows, places, leaf, going);
}

}  // namespace bayeswood
