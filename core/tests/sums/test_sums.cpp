#include <cmath>
#include <vector>

#include "bayeswood/base/distributions.hpp"
#include "bayeswood/sums/sum_sampler.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

struct Moments {
  double mean = 0, variance = 0;
};

template <class Draw>
Moments moments_of(std::size_t n, Draw draw) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const auto count = static_cast<double>(n);
  return {sum / count, squares / count - sum / count * (sum / count)};
}

// Within 5 standard errors of the mean; the share beyond is 6e-7.
bool near(const Moments& found, double mean, double variance, std::size_t n) {
  const double error = std::sqrt(variance / static_cast<double>(n));
  return std::abs(found.mean - mean) < 5 * error && std::abs(found.variance / variance - 1) < 0.1;
}

SumResponse response_of(const RandomData& data, ResponseKind kind) {
  SumResponse response{kind, data.n, {}, {}, {}};
  const bool is_number = kind == ResponseKind::NUMBER;
  for (std::size_t i = 0; i < data.n; ++i) {
    const auto label = static_cast<float>(data.labels[i]);
    const float two = label > 0 ? 1.0F : 0.0F;
    response.y.push_back(is_number ? static_cast<float>(data.y[i])
                                   : (kind == ResponseKind::CLASSES ? label : two));
  }
  response.offset.assign(kind == ResponseKind::CLASSES ? 3 : 1, 0.1);
  return response;
}

SumSettings settings_of(const SumResponse& response) {
  SumSettings settings;
  settings.seed = 4;
  settings.n_chains = 2;
  settings.model.n_trees = 7;
  settings.unit.assign(response.n_sums(), 2.0);
  settings.offset = response.offset;
  settings.model.prior.assign(response.n_sums(), {0.1, 0.5, 3, 1});
  return settings;
}

void check_lawful(const ForestShape& shape, const RecordedTrees& record, std::size_t n_rows,
                  std::uint32_t min_leaf) {
  const Forest forest(shape, record.trees, record.values);
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    Tree tree = forest.tree(t);
    const auto values = forest.leaf_values(t);
    tree.leaf_value.assign(values.begin(), values.end());
    CHECK(check_tree(tree, shape).empty());
    CHECK(tree.n_samples[0] == static_cast<std::int32_t>(n_rows));
    for (std::size_t i = 0; i < tree.n_nodes(); ++i)
      CHECK(tree.n_samples[i] >= static_cast<std::int32_t>(min_leaf));
  }
}

std::vector<SumRecord> run_all(const RandomData& data, ResponseKind kind, const RowKernels& kernels,
                               unsigned n_threads, std::uint32_t min_leaf,
                               Sweep how = Sweep::METROPOLIS) {
  const EncodedMatrix matrix(data.view(), data.n_levels, 1, MOST_NARROW_CODES);
  SumResponse response = response_of(data, kind);
  SumSettings settings = settings_of(response);
  settings.model.moves.min_leaf = min_leaf;
  settings.model.has_shares = min_leaf > 1;
  settings.model.n_particles = 4;
  if (kind == ResponseKind::NUMBER && min_leaf > 1) settings.model.n_variance_trees = 5;
  SumSampler sampler(matrix, std::move(response), std::move(settings), kernels);
  bool interrupted = false;
  sampler.run({2, 30, 0, 1, how}, n_threads, {}, interrupted);
  std::vector<SumRecord> records = sampler.run({0, 70, 5, 2, how}, n_threads, {}, interrupted);
  CHECK(!interrupted);
  const ForestShape shape = sampler.shape();
  for (const SumRecord& record : records) {
    check_lawful(shape, record.sums, data.n, min_leaf);
    if (sampler.has_products()) check_lawful(shape, record.products, data.n, min_leaf);
  }
  return records;
}

}  // namespace

TEST(random_numbers_have_their_moments) {
  constexpr std::size_t N = 40000;
  Stream stream(1, 0, Purpose::SUMS);
  CHECK(near(moments_of(N, [&] { return draw_normal(stream); }), 0, 1, N));
  for (const double low : {-1.0, 0.0, 0.7, 3.0}) {
    const double density = std::exp(-0.5 * low * low) / std::sqrt(2 * 3.141592653589793);
    const double mean = density / (0.5 * std::erfc(low / std::sqrt(2.0)));
    const auto found = moments_of(N, [&] { return draw_normal_above(stream, low); });
    CHECK(near(found, mean, 1 + low * mean - mean * mean, N));
  }
  for (const double shape : {0.3, 1.0, 7.5})
    CHECK(near(moments_of(N, [&] { return draw_gamma(stream, shape); }), shape, shape, N));
  // Mean and variance of PG(1, z): Polson, Scott and Windle (2013).
  for (const double z : {0.01, 1.0, 3.0, 9.0, 60.0}) {
    const double mean = std::tanh(z / 2) / (2 * z);
    const double cosh = std::cosh(z / 2);
    const double variance = (std::sinh(z) - z) / (4 * z * z * z * cosh * cosh);
    CHECK(near(moments_of(N, [&] { return draw_polya_gamma(stream, -z); }), mean, variance, N));
  }
}

TEST(sums_are_lawful_and_do_not_depend_on_threads_or_instructions) {
  const RandomData data(211, 5, 0.1, 17);
  for (const auto kind : {ResponseKind::NUMBER, ResponseKind::TWO_CLASSES, ResponseKind::CLASSES}) {
    for (const std::uint32_t min_leaf : {1U, 6U}) {
      const auto first = run_all(data, kind, portable_row_kernels(), 1, min_leaf);
      const auto second = run_all(data, kind, portable_row_kernels(), 2, min_leaf);
      for (std::size_t c = 0; c < first.size(); ++c)
        CHECK(first[c].sums.values == second[c].sums.values);
      if (avx2_row_kernels() == nullptr) continue;
      const auto third = run_all(data, kind, *avx2_row_kernels(), 1, min_leaf);
      for (std::size_t c = 0; c < first.size(); ++c)
        CHECK(first[c].sums.values == third[c].sums.values);
    }
  }
}

TEST(trees_drawn_anew_are_lawful) {
  const RandomData data(120, 5, 0.1, 29);
  for (const auto how : {Sweep::FROM_ROOT, Sweep::PARTICLES}) {
    for (const std::uint32_t min_leaf : {1U, 4U}) {
      run_all(data, ResponseKind::NUMBER, portable_row_kernels(), 1, min_leaf, how);
      run_all(data, ResponseKind::CLASSES, portable_row_kernels(), 1, min_leaf, how);
    }
  }
}

TEST(wide_categories_have_the_same_bits) {
  RandomData data(3000, 4, 0.05, 8);
  data.n_levels[0] = 400;
  for (std::size_t i = 0; i < data.n; ++i)
    if (!std::isnan(data.cells[i * data.d]))
      data.cells[i * data.d] = std::floor(400 * data.cells[i * data.d]);
  const auto first = run_all(data, ResponseKind::NUMBER, portable_row_kernels(), 1, 1);
  if (avx2_row_kernels() == nullptr) return;
  const auto second = run_all(data, ResponseKind::NUMBER, *avx2_row_kernels(), 1, 1);
  for (std::size_t c = 0; c < first.size(); ++c) CHECK(first[c].noise_sd == second[c].noise_sd);
}

TEST(a_stopped_run_keeps_what_it_has) {
  const RandomData data(400, 4, 0.0, 5);
  const EncodedMatrix matrix(data.view(), data.n_levels, 1, MOST_NARROW_CODES);
  SumResponse response = response_of(data, ResponseKind::NUMBER);
  SumSettings settings = settings_of(response);
  SumSampler sampler(matrix, std::move(response), std::move(settings), portable_row_kernels());
  bool interrupted = false;
  int polls = 0;
  const auto records = sampler.run(
      {0, 0, 10000000, 1, Sweep::METROPOLIS}, 1,
      [&](std::size_t, std::size_t) { return ++polls < 3; }, interrupted);
  CHECK(interrupted);
  CHECK(records[0].n_draws > 0);
  CHECK(records[0].sums.trees.size() == records[0].n_draws * 7);
}

TEST(a_team_does_every_task_once) {
  for (const unsigned n_members : {1U, 3U}) {
    Team team(n_members);
    for (std::size_t call = 0; call < 300; ++call) {
      std::vector<int> done(call % 7, 0);
      team.run(done.size(), [&](std::size_t i) { ++done[i]; });
      for (const int n : done) CHECK(n == 1);
    }
  }
}

TEST(rows_that_are_shared_out_give_the_same_bits) {
  constexpr std::size_t N = 2 * RowLoops::BLOCK + 77;
  Stream stream(3, 0, Purpose::SUMS);
  std::vector<float> start(N);
  std::vector<Slot> slots(N), other(N);
  std::vector<std::uint8_t> codes(N);
  for (std::size_t i = 0; i < N; ++i) {
    start[i] = static_cast<float>(draw_normal(stream));
    slots[i] = static_cast<Slot>(stream.below(3));
    codes[i] = static_cast<std::uint8_t>(1 + stream.below(200));
  }
  const std::vector<float> values(MOST_SLOTS, 0.5F);
  Team team(3);
  std::vector<std::vector<double>> sums;
  std::vector<std::vector<float>> rests;
  for (Team* used : {static_cast<Team*>(nullptr), &team}) {
    RowLoops loops(portable_row_kernels());
    loops.set_team(used);
    const CodeRange range = loops.range(slots.data(), 1, codes.data(), N);
    CHECK(range.low == 1 && range.high == 200);
    std::size_t expected = 0;
    for (std::size_t i = 0; i < N; ++i) expected += slots[i] == 1 && codes[i] > 77 ? 1 : 0;
    CHECK(loops.split(slots.data(), {1, 3, 77, false}, codes.data(), N, other.data()) == expected);
    rests.push_back(start);
    sums.emplace_back(2 * MOST_SLOTS, 0.0);
    const RowPass pass{N,
                       rests.back().data(),
                       start.data(),
                       slots.data(),
                       slots.data(),
                       other.data(),
                       values.data(),
                       values.data(),
                       3,
                       3,
                       4};
    loops.add_pass(pass, {sums.back().data(), sums.back().data() + MOST_SLOTS});
    sums.emplace_back(MOST_SLOTS, 0.0);
    loops.sum_slots(start.data(), nullptr, other.data(), 4, N, {sums.back().data(), nullptr});
    double total = 0, direct = 0;
    for (std::size_t s = 0; s < 4; ++s) total += sums.back()[s];
    for (const float value : start) direct += static_cast<double>(value);
    CHECK(std::abs(total - direct) < 1e-2);
  }
  CHECK(rests[0] == rests[1]);
  CHECK(sums[0] == sums[2] && sums[1] == sums[3]);
}
