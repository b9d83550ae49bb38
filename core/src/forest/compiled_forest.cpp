#include "bayeswood/forest/compiled_forest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <unordered_map>

namespace bayeswood {
namespace {

constexpr std::uint16_t ALWAYS_LEFT = 0;
constexpr std::uint16_t ALWAYS_RIGHT = 65535;
constexpr std::uint16_t UNSEEN_LEVEL = 65535;
constexpr std::uint16_t SET_FLAG = 0x8000;
constexpr std::size_t MAX_PLACES = 65534;
constexpr std::size_t MAX_WIDE_COLUMNS = 1024;  // a block of rows takes 8 bytes per cell

// Sends the rows that are at a node to its children, which follow one another.
template <class Place>
void split_rows(const Place* places, Place last_left, std::uint8_t node, std::uint8_t child,
                std::size_t n_rows, std::uint8_t* at) {
  for (std::size_t i = 0; i < n_rows; ++i) {
    const auto to = static_cast<std::uint8_t>(child + (places[i] > last_left ? 1 : 0));
    at[i] = at[i] == node ? to : at[i];
  }
}

// How many thresholds lie below each value: value <= thresholds[k] exactly where its place is <= k.
// All values halve the list at the same time, and by a mask: a branch would be guessed wrong every
// other time.
template <std::size_t WIDTH>
void find_places(std::span<const double> thresholds, const double* value, std::uint16_t* place) {
  std::size_t at[WIDTH] = {};
  std::size_t n = thresholds.size();
  for (; n > 1; n -= n / 2) {
    const double* middle = thresholds.data() + n / 2 - 1;
    for (std::size_t r = 0; r < WIDTH; ++r)
      at[r] += n / 2 & -static_cast<std::size_t>(middle[at[r]] < value[r]);
  }
  for (std::size_t r = 0; r < WIDTH; ++r)
    place[r] = static_cast<std::uint16_t>(at[r] + (n == 1 && thresholds[at[r]] < value[r] ? 1 : 0));
}

// Writes the cells of WIDTH numbers of a column.
template <std::size_t WIDTH>
void put_places(std::span<const double> thresholds, const MatrixView& table, std::size_t row,
                std::size_t j, std::uint16_t* cell, std::size_t stride) {
  double value[WIDTH];
  std::uint16_t place[WIDTH];
  for (std::size_t r = 0; r < WIDTH; ++r) value[r] = table(row + r, j);
  find_places<WIDTH>(thresholds, value, place);
  for (std::size_t r = 0; r < WIDTH; ++r, cell += stride) {
    const bool missing = std::isnan(value[r]);
    cell[0] = missing ? ALWAYS_LEFT : place[r];
    cell[1] = missing ? ALWAYS_RIGHT : place[r];
  }
}

}  // namespace

void PlaceColumns::load(const CompiledForest& forest, const std::uint16_t* encoded,
                        std::size_t n_rows) {
  encoded_ = encoded;
  n_rows_ = n_rows;
  n_columns_ = forest.n_columns();
  narrow_.assign(n_columns_, {});
  wide_.assign(n_columns_, {});
}

template <class Place>
const Place* PlaceColumns::copied(std::size_t column, std::vector<std::vector<Place>>& columns) {
  std::vector<Place>& found = columns[column];
  if (found.empty()) {
    found.resize(n_rows_);
    // The place of missing values that go right is the largest, of whatever width.
    for (std::size_t i = 0; i < n_rows_; ++i)
      found[i] = static_cast<Place>(encoded_[i * n_columns_ + column]);
  }
  return found.data();
}

template const std::uint8_t* PlaceColumns::copied(std::size_t,
                                                  std::vector<std::vector<std::uint8_t>>&);
template const std::uint16_t* PlaceColumns::copied(std::size_t,
                                                   std::vector<std::vector<std::uint16_t>>&);

CompiledForest::CompiledForest(const ForestShape& shape, const Trees& trees)
    : shape_(shape), trees_(trees), thresholds_(static_cast<std::size_t>(shape.n_features)) {
  packed_ = n_columns() < SET_FLAG && collect_thresholds(trees);
  for (const auto levels : shape.n_levels) packed_ = packed_ && levels < UNSEEN_LEVEL;
  wide_ = !packed_ && n_columns() <= MAX_WIDE_COLUMNS;
  // Trees that several members share are packed once.
  std::unordered_map<const Tree*, std::size_t> first;
  std::size_t n_nodes = 0;
  for (std::size_t t = 0; t < trees.size(); ++t)
    if (first.try_emplace(trees[t].get(), t).second) n_nodes += trees[t]->n_nodes();
  if (packed_) nodes_.reserve(n_nodes);
  if (wide_) wide_nodes_.reserve(n_nodes);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const auto& tree = trees[t];
    const std::size_t same = first.at(tree.get());
    if (same < t && (packed_ || wide_)) {
      offset_.push_back(offset_[same]);
    } else if (packed_) {
      pack_tree(*tree, nodes_, [this](std::size_t f, double value) { return place_of(f, value); });
    } else if (wide_) {
      pack_tree(*tree, wide_nodes_, [](std::size_t, double value) { return value; });
    }
  }
  if (wide_) thresholds_.assign(thresholds_.size(), {});
}

CompiledForest::CompiledForest(const CompiledForest& other, const ForestShape& shape,
                               const Trees& trees)
    : shape_(shape),
      trees_(trees),
      packed_(other.packed_),
      wide_(other.wide_),
      thresholds_(other.thresholds_),
      offset_(other.offset_),
      nodes_(other.nodes_),
      wide_nodes_(other.wide_nodes_) {}

bool CompiledForest::collect_thresholds(const Trees& trees) {
  for (const auto& tree : trees) {
    for (std::size_t i = 0; i < tree->n_nodes(); ++i) {
      const std::int32_t f = tree->feature[i];
      if (f != LEAF && shape_.n_levels[f] == 0) thresholds_[f].push_back(tree->threshold[i]);
    }
    // Keep the lists short while they are gathered.
    for (auto& values : thresholds_) {
      if (values.size() < 2 * MAX_PLACES) continue;
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      // More will not become fewer: sorting on for every further tree would take for ever.
      if (values.size() > MAX_PLACES) return false;
    }
  }
  // The longest list first: if it does not fit, the others need not be sorted.
  std::vector<std::vector<double>*> lists;
  for (auto& values : thresholds_) lists.push_back(&values);
  std::stable_sort(lists.begin(), lists.end(),
                   [](const auto* a, const auto* b) { return a->size() > b->size(); });
  return std::all_of(lists.begin(), lists.end(), [](std::vector<double>* values) {
    std::sort(values->begin(), values->end());
    values->erase(std::unique(values->begin(), values->end()), values->end());
    return values->size() <= MAX_PLACES;
  });
}

std::uint16_t CompiledForest::place_of(std::size_t feature, double value) const {
  std::uint16_t place;
  find_places<1>(thresholds_[feature], &value, &place);
  return place;
}

template <class AnyNode, class PlaceOf>
void CompiledForest::pack_tree(const Tree& tree, std::vector<AnyNode>& nodes, PlaceOf place) {
  offset_.push_back(nodes.size());
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
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
  std::size_t bytes = nodes_.size() * sizeof(Node) + wide_nodes_.size() * sizeof(WideNode) +
                      offset_.size() * sizeof(std::size_t);
  for (const auto& values : thresholds_) bytes += values.size() * sizeof(double);
  return bytes;
}

void CompiledForest::encode(const MatrixView& table, std::size_t begin, std::size_t end,
                            std::uint16_t* out) const {
  for (std::size_t j = 0; j < thresholds_.size(); ++j) {
    if (shape_.n_levels[j] > 0) {
      encode_levels(table, begin, end, j, out + 2 * j);
    } else {
      encode_numbers(table, begin, end, j, out + 2 * j);
    }
  }
}

void CompiledForest::encode_levels(const MatrixView& table, std::size_t begin, std::size_t end,
                                   std::size_t j, std::uint16_t* cell) const {
  for (std::size_t i = begin; i < end; ++i, cell += n_columns()) {
    const double value = table(i, j);
    const bool known = value >= 0 && value < shape_.n_levels[j];
    cell[0] = cell[1] = known ? static_cast<std::uint16_t>(value) : UNSEEN_LEVEL;
  }
}

void CompiledForest::encode_numbers(const MatrixView& table, std::size_t begin, std::size_t end,
                                    std::size_t j, std::uint16_t* cell) const {
  constexpr std::size_t WIDTH = 8;
  std::size_t i = begin;
  for (; i + WIDTH <= end; i += WIDTH, cell += WIDTH * n_columns())
    put_places<WIDTH>(thresholds_[j], table, i, j, cell, n_columns());
  for (; i < end; ++i, cell += n_columns())
    put_places<1>(thresholds_[j], table, i, j, cell, n_columns());
}

void CompiledForest::encode(const MatrixView& table, std::size_t begin, std::size_t end,
                            double* out) const {
  for (std::size_t j = 0; j < thresholds_.size(); ++j) {
    const std::int32_t n_levels = shape_.n_levels[j];
    double* cell = out + 2 * j;
    for (std::size_t i = begin; i < end; ++i, cell += n_columns()) {
      const double value = table(i, j);
      const bool known = value >= 0 && value < n_levels;
      cell[1] = value;
      cell[0] = std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
      if (n_levels > 0) cell[0] = known ? std::floor(value) : UNSEEN_LEVEL;
    }
  }
}

template <bool HAS_SETS, std::size_t WIDTH, class AnyNode, class Cell>
void CompiledForest::walk_rows(std::size_t t, const AnyNode* nodes, const Cell* encoded,
                               const std::uint32_t* places, std::uint32_t* leaf) const {
  const Tree& tree = *trees_[t];
  const Cell* cells[WIDTH];
  for (std::size_t r = 0; r < WIDTH; ++r) cells[r] = encoded + places[r] * n_columns();
  std::uint32_t at[WIDTH] = {};
  std::uint32_t moved = 1;
  while (moved != 0) {
    moved = 0;
    for (std::size_t r = 0; r < WIDTH; ++r) {
      const AnyNode node = nodes[at[r]];
      std::uint32_t right;
      if (HAS_SETS && (node.column & SET_FLAG) != 0) {
        const auto level = static_cast<std::uint16_t>(cells[r][node.column ^ SET_FLAG]);
        const std::uint64_t* words = tree.category_words.data() + tree.category_offset[at[r]];
        right = level == UNSEEN_LEVEL ? tree.missing_left[at[r]] == 0 : !in_set(words, level);
      } else {
        right = !(cells[r][node.column] <= node.place);  // NaN is not
      }
      const std::uint32_t next = node.child + right;
      moved |= next ^ at[r];
      at[r] = next;
    }
  }
  std::copy(at, at + WIDTH, leaf);
}

template <class AnyNode, class Cell>
void CompiledForest::walk_all(std::size_t t, const AnyNode* nodes, const Cell* encoded,
                              std::span<const std::uint32_t> places, std::uint32_t* leaf) const {
  constexpr std::size_t WIDTH = 16;
  const bool has_sets = !trees_[t]->category_offset.empty();
  const std::size_t n = places.size();
  std::size_t i = 0;
  for (; i + WIDTH <= n; i += WIDTH) {
    if (has_sets) {
      walk_rows<true, WIDTH>(t, nodes, encoded, places.data() + i, leaf + i);
    } else {
      walk_rows<false, WIDTH>(t, nodes, encoded, places.data() + i, leaf + i);
    }
  }
  for (; i < n; ++i) {
    if (has_sets) {
      walk_rows<true, 1>(t, nodes, encoded, places.data() + i, leaf + i);
    } else {
      walk_rows<false, 1>(t, nodes, encoded, places.data() + i, leaf + i);
    }
  }
}

void CompiledForest::walk(std::size_t t, const std::uint16_t* encoded,
                          std::span<const std::uint32_t> places, std::uint32_t* leaf) const {
  walk_all(t, nodes_.data() + offset_[t], encoded, places, leaf);
}

void CompiledForest::walk_together(std::size_t t, PlaceColumns& columns, std::uint8_t* leaf) const {
  const Node* nodes = nodes_.data() + offset_[t];
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

void CompiledForest::walk(std::size_t t, const double* encoded,
                          std::span<const std::uint32_t> places, std::uint32_t* leaf) const {
  walk_all(t, wide_nodes_.data() + offset_[t], encoded, places, leaf);
}

}  // namespace bayeswood
