#include "bayeswood/forest/walk/threshold_places.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <type_traits>

#include "bayeswood/base/radix_sort.hpp"
#include "bayeswood/forest/inner_nodes.hpp"

namespace bayeswood {
namespace {

constexpr std::uint16_t ALWAYS_LEFT = 0;
constexpr std::uint16_t ALWAYS_RIGHT = 65535;
constexpr std::size_t MAX_PLACES = 65534;

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

// Places of WIDTH numbers: where missing values go left, and where they go right, if they have two
// columns. Whether none is missing.
template <std::size_t WIDTH>
bool put_places(std::span<const double> thresholds, const ValueCells& cells, const double* number,
                std::uint16_t* left, std::uint16_t* right) {
  double value[WIDTH];
  std::uint16_t place[WIDTH];
  bool all = true;
  for (std::size_t r = 0; r < WIDTH; ++r) {
    value[r] = std::isnan(number[r]) ? 0.0 : number[r];
    all = all && !std::isnan(number[r]);
  }
  find_places<WIDTH>(thresholds, cells, value, place);
  for (std::size_t r = 0; r < WIDTH; ++r) {
    const bool missing = std::isnan(number[r]);
    left[r] = missing ? ALWAYS_LEFT : place[r];
    if (right != nullptr) right[r] = missing ? ALWAYS_RIGHT : place[r];
  }
  return all;
}

// Of n trees that have so many different thresholds: how many may have no more than places. Further
// trees bring ever fewer new ones.
std::size_t most_that_fit(std::size_t n_trees, std::size_t n_thresholds) {
  return n_thresholds > MAX_PLACES ? n_trees * MAX_PLACES / n_thresholds : n_trees;
}

}  // namespace

std::size_t ThresholdPlaces::collect(const Trees& trees, std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> nodes;
  for (std::size_t t = begin; t < end; ++t) {
    const Tree& tree = *trees[t];
    list_inner_nodes(tree, nodes);
    for (const std::uint32_t i : nodes) {
      const std::int32_t f = tree.feature[i];
      if (n_levels_[f] == 0) thresholds_[f].push_back(tree.threshold[i]);
    }
    // Keep the lists short while they are gathered.
    for (auto& values : thresholds_) {
      if (values.size() < 2 * MAX_PLACES) continue;
      sort_distinct(values);
      // More will not become fewer: sorting on for every further tree would take for ever.
      if (values.size() > MAX_PLACES) return most_that_fit(t + 1 - begin, values.size());
    }
  }
  // The longest list first: if it does not fit, the others need not be sorted.
  std::vector<std::vector<double>*> lists;
  for (auto& values : thresholds_) lists.push_back(&values);
  std::stable_sort(lists.begin(), lists.end(),
                   [](const auto* a, const auto* b) { return a->size() > b->size(); });
  for (std::vector<double>* values : lists) {
    sort_distinct(*values);
    if (values->size() > MAX_PLACES) return most_that_fit(end - begin, values->size());
  }
  for (const auto& values : thresholds_) cells_.emplace_back(values);
  return end - begin;
}

std::size_t ThresholdPlaces::n_features() const {
  return static_cast<std::size_t>(std::count_if(
      thresholds_.begin(), thresholds_.end(), [](const auto& values) { return !values.empty(); }));
}

std::size_t ThresholdPlaces::nbytes() const {
  std::size_t bytes = 0;
  for (const auto& values : thresholds_) bytes += values.size() * sizeof(double);
  for (const auto& cells : cells_) bytes += cells.nbytes();
  return bytes;
}

std::uint16_t ThresholdPlaces::place_of(std::size_t feature, double value) const {
  std::uint16_t place;
  find_places<1>(thresholds_[feature], cells_[feature], &value, &place);
  return place;
}

void ThresholdPlaces::ask_for(const Tree& tree, std::span<const std::uint32_t> nodes) const {
  for (const std::uint32_t i : nodes) {
    const std::int32_t f = tree.feature[i];
    if (n_levels_[f] > 0) continue;
    const auto feature = static_cast<std::size_t>(f);
    prefetch(thresholds_[feature].data() + cells_[feature].around(tree.threshold[i]).first);
  }
}

void ThresholdPlaces::encode(const MatrixView& table, std::size_t begin, std::size_t end,
                             PlacedRows& out) const {
  const auto lay_out = [&](bool is_double) {
    out.is_double = is_double;
    out.layout = {end - begin, out.columns_per_feature() * thresholds_.size()};
    out.cells.resize(out.layout.n_cells());
  };
  lay_out(thresholds_.size() > PlacedRows::MOST_SINGLE);
  if (encode_features(table, begin, out)) return;
  lay_out(true);
  encode_features(table, begin, out);
}

bool ThresholdPlaces::encode_features(const MatrixView& table, std::size_t begin,
                                      PlacedRows& out) const {
  for (std::size_t j = 0; j < thresholds_.size(); ++j) {
    if (n_levels_[j] > 0) {
      encode_levels(table, begin, j, out);
    } else if (!encode_numbers(table, begin, j, out) && !out.is_double) {
      return false;
    }
  }
  return true;
}

void ThresholdPlaces::encode_levels(const MatrixView& table, std::size_t begin, std::size_t j,
                                    PlacedRows& out) const {
  const std::size_t lanes = out.layout.lanes(), first = j * out.columns_per_feature() * lanes;
  for (std::size_t i = 0; i < out.layout.n_rows; ++i) {
    const double value = table(begin + i, j);
    const bool known = value >= 0 && value < n_levels_[j];
    out.cells[out.layout.first_cell(i) + first] =
        known ? static_cast<std::uint16_t>(value) : UNSEEN_LEVEL;
  }
}

bool ThresholdPlaces::encode_numbers(const MatrixView& table, std::size_t begin, std::size_t j,
                                     PlacedRows& out) const {
  constexpr std::size_t WIDTH = 8;
  static_assert(CellLayout::GROUP % WIDTH == 0);
  const std::size_t lanes = out.layout.lanes(), first = j * out.columns_per_feature() * lanes;
  std::size_t i = 0;
  bool all = true;
  const auto put = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    double number[N];
    for (std::size_t r = 0; r < N; ++r) number[r] = table(begin + i + r, j);
    std::uint16_t* left = out.cells.data() + out.layout.first_cell(i) + first;
    std::uint16_t* right = out.is_double ? left + lanes : nullptr;
    all = put_places<N>(thresholds_[j], cells_[j], number, left, right) && all;
    i += N;
  };
  const std::size_t n = out.layout.n_rows;
  if (lanes > 1)
    while (i + WIDTH <= n && (all || out.is_double))
      put(std::integral_constant<std::size_t, WIDTH>{});
  while (i < n && (all || out.is_double)) put(std::integral_constant<std::size_t, 1>{});
  return all;
}

}  // namespace bayeswood
