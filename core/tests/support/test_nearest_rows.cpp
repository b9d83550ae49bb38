#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "bayeswood/support/nearest_rows.hpp"
#include "check.hpp"

using namespace bayeswood;

namespace {

constexpr double MISSING = std::numeric_limits<double>::quiet_NaN();

// A number and a category, five rows.
struct Table {
  std::vector<double> columns{0, 1, 2, MISSING, 10, 0, 0, 1, 1, MISSING};
  std::vector<std::uint8_t> is_category{0, 1};
  SampleColumns sample() const { return {columns, 5, is_category, 1.5}; }
  MatrixView rows() const { return {columns.data(), false, 5, 2, 1, 5}; }
};

}  // namespace

TEST(nearest_rows_are_found_in_every_view) {
  const Table table;
  const std::vector<double> both{1, 1};
  std::vector<double> squared(3 * 5 * 2);
  std::vector<std::int32_t> neighbour(2 * 5 * 2);
  for (const unsigned n_threads : {1u, 3u}) {
    nearest_rows(table.sample(), {true, both}, table.rows(), false, instruction_set("auto"),
                 {2, squared.data(), neighbour.data()}, n_threads);
    // The second row: itself, then the first of two equally near rows.
    CHECK(squared[2] == 0 && neighbour[2] == 1);
    CHECK(squared[3] == 1 && neighbour[3] == 0);
    // A missing number is like another missing one alone.
    CHECK(squared[6] == 0 && neighbour[6] == 3);
    CHECK(squared[7] == 1.5 * 1.5 && neighbour[7] == 0);
    // Levels in the second view, both columns in the third.
    CHECK(squared[10] == 0 && neighbour[10] == 0 && neighbour[11] == 1);
    CHECK(squared[20] == 0 && squared[21] == 1);
  }
}

TEST(a_row_of_the_sample_leaves_itself_out) {
  const Table table;
  const std::vector<double> views{1, 0};
  std::vector<double> squared(5);
  nearest_rows(table.sample(), {false, views}, table.rows(), true, instruction_set("auto"),
               {1, squared.data(), nullptr}, 2);
  CHECK((squared == std::vector<double>{1, 1, 1, 1.5 * 1.5, 1.5 * 1.5}));
}

// More rows than fit a tile or the lanes, many of them equally near.
TEST(nearest_rows_are_the_same_for_any_instructions) {
  constexpr std::size_t N = 77, COLUMNS = 3;
  std::mt19937_64 random(5);
  std::vector<double> columns;
  for (std::size_t i = 0; i < COLUMNS * N; ++i)
    columns.push_back(random() % 9 == 0 ? MISSING : 0.3 * static_cast<double>(random() % 12));
  const std::vector<std::uint8_t> is_category{0, 1, 0};
  const std::vector<double> views{1, 0, 1, 0.3, 0.7, 0.2};
  const SampleColumns sample{columns, N, is_category, 1.5};
  const MatrixView rows{columns.data(), false, N, COLUMNS, 1, N};
  for (std::size_t k = 1; k <= MOST_NEIGHBOURS; ++k) {
    const auto search = [&](InstructionSet set) {
      std::vector<double> squared(5 * N * k);
      std::vector<std::int32_t> neighbour(COLUMNS * N * k);
      nearest_rows(sample, {true, views}, rows, true, set, {k, squared.data(), neighbour.data()},
                   2);
      return std::pair(squared, neighbour);
    };
    const auto [squared, neighbour] = search(InstructionSet::PORTABLE);
    CHECK(search(instruction_set("auto")) == std::pair(squared, neighbour));
    for (std::size_t i = 0; i < neighbour.size(); ++i)
      CHECK(neighbour[i] != static_cast<std::int32_t>(i / k % N));
  }
}
