#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "bayeswood/base/radix_sort.hpp"
#include "bayeswood/base/value_cells.hpp"
#include "bayeswood/forest/leaves/leaf_responses.hpp"
#include "bayeswood/grow/search/scan.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

TEST(radix_sort_is_stable) {
  Stream stream(1, 2, Purpose::WEIGHTS);
  std::vector<std::uint64_t> keys(5000), scratch(5000);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = (static_cast<std::uint64_t>(stream.below(300)) << 32) | i;
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  radix_sort(keys.data(), scratch.data(), keys.size(), 32, 16);
  CHECK(keys == expected);
}

TEST(cells_leave_out_only_values_that_are_less_or_greater) {
  Stream stream(5, 2, Purpose::WEIGHTS);
  std::uint64_t at = 0;
  for (const double power : {1.0, 9.0, 0.0}) {  // even, with a tail, all the same
    std::vector<double> values{-HUGE_VAL, HUGE_VAL};
    for (int i = 0; i < 3000; ++i) values.push_back(std::pow(stream.uniform_at(at++), power));
    std::sort(values.begin(), values.end());
    const ValueCells cells(values);
    CHECK(cells.empty() == (power == 0));
    std::vector<double> asked = values;
    for (int i = 0; i < 1000; ++i) asked.push_back(3 * stream.uniform_at(at++) - 1);
    for (const double value : asked) {
      const ValueCells::Cell cell = cells.around(value);
      CHECK(cell.first == 0 || values[cell.first - 1] < value);
      CHECK(cell.end == values.size() || values[cell.end] > value);
    }
  }
}

TEST(codes_keep_the_order_of_values) {
  const RandomData data(3000, 8, 0.1, 1);
  for (const std::uint32_t max_codes : {65535U, 100U}) {
    const EncodedMatrix matrix = data.encoded(max_codes);
    for (std::size_t j = 0; j < data.d; ++j) {
      CHECK(matrix.feature(j).n_codes <= std::max(max_codes, 5U));
      for (std::size_t i = 1; i < data.n; ++i) {
        const double a = data.cells[(i - 1) * data.d + j];
        const double b = data.cells[i * data.d + j];
        CHECK(std::isnan(a) == (matrix.column(j)[i - 1] == MISSING_CODE));
        if (a < b) CHECK(matrix.column(j)[i - 1] <= matrix.column(j)[i]);
        if (a == b) CHECK(matrix.column(j)[i - 1] == matrix.column(j)[i]);
      }
    }
  }
}

TEST(thresholds_part_neighbours_whatever_the_rounding) {
  const double one_up = std::nextafter(1.0, 2.0);
  const std::vector<std::vector<double>> pairs{
      {1.0, one_up}, {-one_up, -1.0}, {-1.7e308, 1.7e308}, {0.0, 5e-324}, {-0.1, 0.0}};
  for (const auto& pair : pairs) {
    const EncodedMatrix matrix({pair.data(), false, 2, 1, 1, 1}, {0}, 1);
    const double threshold = matrix.feature(0).threshold_between(0, 1);
    CHECK(pair[0] <= threshold && threshold < pair[1]);
  }
}

TEST(a_loop_stops_when_told_and_leaves_no_thread) {
  std::atomic<int> started{0};
  bool interrupted = false;
  try {
    parallel_for(
        1000, 3,
        [&](std::size_t, unsigned, const StopFlag& stop) {
          ++started;
          while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        },
        [](std::size_t, std::size_t) { return false; });
  } catch (const Interrupted&) {
    interrupted = true;
  }
  CHECK(interrupted);
  CHECK(started <= 3);
}

TEST(an_error_in_a_task_comes_out) {
  bool caught = false;
  try {
    parallel_for(10, 2, [](std::size_t i, unsigned, const StopFlag&) {
      if (i == 4) throw std::runtime_error("four");
    });
  } catch (const std::runtime_error& error) {
    caught = std::string(error.what()) == "four";
  }
  CHECK(caught);
}

TEST(quantiles_of_one_leaf_are_those_of_the_sample) {
  const std::vector<double> x{1, 1, 1, 1};
  const std::vector<double> y{4, 1, 3, 2};
  const EncodedMatrix matrix({x.data(), false, 4, 1, 1, 1}, {0}, 1);
  GrowOptions options;
  options.keep_rows = true;
  options.kernels = &portable_kernels();
  const Target target = Target::regression(y, 1, {});
  const GrownForest grown = grow_forest({matrix, target, {}, {}, 0, 1}, options, {});
  const Forest forest({1, 1, false, {0}}, grown.trees);
  CHECK(forest.tree(0).n_nodes() == 1);
  const std::vector<double> alpha{0, 0.25, 0.26, 0.5, 1};
  const std::vector<double> one{1.0};
  std::vector<double> out(5);
  const LeafResponses responses(forest, y, {}, options.scheme, {});
  responses.quantiles({x.data(), false, 1, 1, 1, 1}, one, alpha, out.data(), {});
  CHECK((out == std::vector<double>{1, 1, 2, 2, 4}));
}

TEST(networks_sort_every_lane) {
  if (avx2_kernels() == nullptr) return;
  Stream stream(3, 4, Purpose::WEIGHTS);
  for (std::uint32_t n = NETWORK_STEP; n <= MAX_NETWORK_ROWS; n += NETWORK_STEP) {
    std::vector<SmallEntry> lanes(n * LANES);
    for (auto& entry : lanes) entry = static_cast<SmallEntry>(stream.next());
    std::vector<std::vector<SmallEntry>> expected(LANES);
    for (std::uint32_t i = 0; i < lanes.size(); ++i) expected[i % LANES].push_back(lanes[i]);
    avx2_kernels()->sort_lanes(lanes.data(), sorting_network(n));
    for (std::uint32_t l = 0; l < LANES; ++l) {
      std::sort(expected[l].begin(), expected[l].end());
      for (std::uint32_t i = 0; i < n; ++i) CHECK(lanes[i * LANES + l] == expected[l][i]);
    }
  }
}
