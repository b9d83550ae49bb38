// Rows that move together give the trees of rows that stay where they are; kernels agree.
#include <cmath>
#include <cstring>

#include "bayeswood/grow/search/histograms/row_moves.hpp"
#include "bayeswood/grow/search/search_choice.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

constexpr std::size_t MOVED_COLUMNS = 6;

// Columns after the first six are all the same and cannot be cut: with many of them the table is
// too wide to be moved.
struct MovedCase {
  std::size_t n, d;
  std::vector<float> cells;  // column after column
  EncodedMatrix matrix;
  std::vector<double> y;

  MovedCase(std::size_t rows, std::size_t columns)
      : n(rows), d(columns), cells(drawn_cells()), matrix(encoded()), y(rows) {
    for (std::size_t i = 0; i < n; ++i)
      y[i] = std::sin(6 * cells[i]) + 3 * cells[2 * n + i] + 0.1 * static_cast<double>(i % 17);
  }
  std::vector<float> drawn_cells() const {
    const Stream stream(5, 0, Purpose::WEIGHTS);
    std::vector<float> drawn(n * d, 1.0F);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < MOVED_COLUMNS; ++j) {
        const double value = stream.uniform_at(i * MOVED_COLUMNS + j);
        drawn[j * n + i] = static_cast<float>(j % 3 == 1 ? std::floor(300 * value) : value);
      }
    }
    return drawn;
  }
  EncodedMatrix encoded() const {
    const MatrixView view(cells.data(), true, n, d, 1, static_cast<std::ptrdiff_t>(n));
    return {view, std::vector<std::int32_t>(d, 0), 1};
  }
};

struct MovedGrown {
  bool moves;
  GrownForest forest;
};

MovedGrown grow_moved(const MovedCase& data, WeightKind kind, const Kernels& kernels,
                      std::uint32_t max_depth = 0) {
  const Target target = Target::regression(data.y, 1, {});
  GrowOptions options;
  options.max_features = static_cast<std::uint32_t>(data.d);
  options.min_samples_leaf = 50;
  options.max_depth = max_depth;
  options.random_ties = false;
  options.keep_rows = true;
  options.scheme = {kind, 3};
  options.kernels = &kernels;
  return {SearchChoice(data.matrix, target, options).moves_rows(),
          grow_forest({data.matrix, target, {}, {}, 0, 2}, options, {})};
}

void check_same_moved(const MovedGrown& a, const MovedGrown& b) {
  const auto same = [](double x, double y) { return std::memcmp(&x, &y, sizeof x) == 0; };
  for (std::size_t t = 0; t < 2; ++t) {
    CHECK(a.forest.trees[t].n_nodes() > 1);
    const Tree& one = a.forest.trees[t];
    const Tree& two = b.forest.trees[t];
    CHECK(one.feature == two.feature);
    CHECK(one.leaf_rows == two.leaf_rows);
    CHECK(std::equal(one.threshold.begin(), one.threshold.end(), two.threshold.begin(),
                     two.threshold.end(), same));
    CHECK(one.leaf_value == two.leaf_value);
    const std::size_t d = b.forest.importances.size() / 2;
    for (std::size_t j = 0; j < MOVED_COLUMNS; ++j)
      CHECK(a.forest.importances[t * MOVED_COLUMNS + j] == b.forest.importances[t * d + j]);
  }
}

std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> found{&portable_kernels()};
  if (avx2_kernels() != nullptr) found.push_back(avx2_kernels());
  if (avx512_kernels() != nullptr) found.push_back(avx512_kernels());
  return found;
}

template <class Value>
void check_parts(MoveKernels::Part<Value> part, std::span<const std::uint64_t> sides,
                 std::span<const std::uint32_t> order, bool in_place) {
  const auto n = static_cast<std::uint32_t>(order.size());
  std::vector<Value> from(n), to(n), scratch(n + 64 / sizeof(Value));
  const auto value = [](std::uint32_t i) {
    if constexpr (std::is_same_v<Value, WeightedValue>)
      return Value{i + 0.5, -1.0 * i};
    else
      return static_cast<Value>(i);
  };
  for (std::uint32_t i = 0; i < n; ++i) from[i] = value(i);
  if (in_place) to = from;
  part({in_place ? to.data() : from.data(), to.data(), n, sides.data(), scratch.data()});
  for (std::uint32_t i = 0; i < n; ++i) {
    const Value wanted = value(order[i]);
    CHECK(std::memcmp(&to[i], &wanted, sizeof wanted) == 0);
  }
}

void check_moves(const MoveKernels& moves, std::uint32_t n, std::uint32_t cut) {
  const Stream stream(n, cut, Purpose::WEIGHTS);
  std::vector<std::uint16_t> codes(n);
  for (std::uint32_t i = 0; i < n; ++i)
    codes[i] = static_cast<std::uint16_t>(65535 * stream.uniform_at(i));
  std::vector<std::uint32_t> order, right;
  std::uint32_t below = 0, above = MISSING_CODE;
  for (std::uint32_t i = 0; i < n; ++i) {
    (codes[i] <= cut ? order : right).push_back(i);
    if (codes[i] <= cut) below = std::max<std::uint32_t>(below, codes[i]);
    if (codes[i] > cut) above = std::min<std::uint32_t>(above, codes[i]);
  }
  const auto n_left = static_cast<std::uint32_t>(order.size());
  order.insert(order.end(), right.begin(), right.end());
  std::vector<std::uint64_t> sides((n + 63) / 64);
  SideMarks marks{codes.data(), n, cut, sides.data(), 0, MISSING_CODE};
  CHECK(moves.mark(marks) == n_left);
  CHECK(marks.below == below && marks.above == above);
  for (const bool in_place : {false, true}) {
    check_parts<std::uint16_t>(moves.part_codes, sides, order, in_place);
    check_parts<std::uint32_t>(moves.part_rows, sides, order, in_place);
    check_parts<double>(moves.part_numbers, sides, order, in_place);
    check_parts<WeightedValue>(moves.part_pairs, sides, order, in_place);
  }
  std::vector<std::uint32_t> places(n + 16);
  const auto low = static_cast<std::uint16_t>(cut / 2);
  const std::uint32_t n_within =
      moves.within({codes.data(), n, low, static_cast<std::uint16_t>(cut), places.data()});
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < n; ++i)
    if (codes[i] >= low && codes[i] <= cut) wanted.push_back(i);
  CHECK(std::vector(places.begin(), places.begin() + n_within) == wanted);
}

}  // namespace

TEST(moved_rows_grow_the_same_trees) {
  const MovedCase narrow(40000, MOVED_COLUMNS);
  const MovedCase wide(40000, 33);
  for (const Kernels* kernels : all_kernels()) {
    for (const auto kind : {WeightKind::EXPONENTIAL, WeightKind::BOOTSTRAP}) {
      const MovedGrown moved = grow_moved(narrow, kind, *kernels);
      const MovedGrown still = grow_moved(wide, kind, *kernels);
      CHECK(moved.moves && !still.moves);
      check_same_moved(moved, still);
      CHECK(moved.forest.trees[0].n_nodes() > 100);
      check_same_moved(grow_moved(narrow, kind, *kernels, 1), grow_moved(wide, kind, *kernels, 1));
    }
  }
}

TEST(kernels_move_rows_alike) {
  std::vector<const MoveKernels*> all;
  for (const Kernels* kernels : all_kernels()) all.push_back(kernels->moves);
  if (avx512_kernels() != nullptr) all.push_back(&older_avx512_moves());
  for (const MoveKernels* moves : all) {
    for (const std::uint32_t n : {1U, 7U, 16U, 31U, 64U, 65U, 200U, 1003U})
      for (const std::uint32_t cut : {0U, 900U, 30000U, 60000U, 65535U})
        check_moves(*moves, n, cut);
  }
}
