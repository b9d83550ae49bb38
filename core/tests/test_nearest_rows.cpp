#include <cmath>
#include <limits>
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
  std::vector<std::int32_t> neighbour(squared.size());
  for (const unsigned n_threads : {1u, 3u}) {
    nearest_rows(table.sample(), {true, both}, table.rows(), false,
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
  std::vector<std::int32_t> neighbour(5);
  nearest_rows(table.sample(), {false, views}, table.rows(), true,
               {1, squared.data(), neighbour.data()}, 2);
  CHECK((squared == std::vector<double>{1, 1, 1, 1.5 * 1.5, 1.5 * 1.5}));
  CHECK((neighbour == std::vector<std::int32_t>{1, 0, 1, 0, 3}));
}
