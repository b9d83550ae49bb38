#include <algorithm>
#include <cmath>

#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/base/vector_math.hpp"
#include "bayeswood/calibration/class_calibration.hpp"
#include "bayeswood/calibration/minimise.hpp"
#include "bayeswood/calibration/solve.hpp"
#include "bayeswood/forest/leaves/oob_votes.hpp"
#include "bayeswood/grow/cart.hpp"
#include "check.hpp"
#include "random_data.hpp"
#include "src/base/vector_math_wide.hpp"
#include "src/calibration/class_rows.hpp"

using namespace bayeswood;

namespace portable_rows {
#include "src/calibration/class_rows.inl"
}

TEST(vector_exp_and_log_are_those_of_the_library) {
  std::vector<double> at;
  for (int i = -4000; i <= 4000; ++i) at.push_back(i * 0.1731);
  std::vector<double> found = at;
  exp_in_place(found);
  for (std::size_t i = 0; i < at.size(); ++i)
    CHECK(std::abs(found[i] / std::exp(at[i]) - 1) < 5e-16);
  std::vector<double> back = found;
  log_in_place(back);
  for (std::size_t i = 0; i < at.size(); ++i)
    CHECK(std::abs(back[i] - std::log(found[i])) <= 5e-16 * std::max(1.0, std::abs(back[i])));
  std::vector<double> far{-1e6, -HUGE_VAL, 1e6, 0.0};
  exp_in_place(far);
  CHECK(far[0] == far[1] && far[0] < 1e-300 && far[0] > 0);
  CHECK(far[2] > 1e300 && std::isfinite(far[2]) && far[3] == 1.0);
}

TEST(vector_math_has_the_same_bits_with_wider_instructions) {
  if (!runs_avx2()) return;
  std::vector<double> at;
  for (int i = 1; i <= 3000; ++i) at.push_back(i * 0.0371);
  // Of one number each, nothing is wide.
  std::vector<double> exps = at, logs = at, wider_exps = at, wider_logs = at;
  exp_in_place_avx2(exps);
  log_in_place_avx2(logs);
  if (runs_avx512()) {
    exp_in_place_avx512(wider_exps);
    log_in_place_avx512(wider_logs);
    CHECK(wider_exps == exps && wider_logs == logs);
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    std::vector<double> one{at[i]}, other{at[i]};
    exp_in_place(one);
    log_in_place(other);
    CHECK(one[0] == exps[i] && other[0] == logs[i]);
  }
}

TEST(vectors_of_any_length_have_the_bits_of_one_number) {
  if (!runs_avx512()) return;
  for (std::size_t n = 0; n <= 40; ++n) {
    std::vector<double> values(n + 1);
    for (std::size_t i = 0; i <= n; ++i) values[i] = 800 * std::sin(double(i * n) + 1);
    std::vector<double> found = values;
    exp_in_place_avx512({found.data(), n});
    CHECK(found[n] == values[n]);
    for (std::size_t i = 0; i < n; ++i) {
      exp_in_place_avx2({&values[i], 1});
      CHECK(found[i] == values[i]);
    }
  }
}

TEST(a_quadratic_has_its_minimum) {
  const auto bowl = [](std::span<const double> at, std::span<double> gradient) {
    const double x = at[0] - 3, y = at[1] + 1;
    gradient[0] = 2 * x + y;
    gradient[1] = x + 4 * y;
    return x * x + x * y + 2 * y * y;
  };
  const std::vector<double> curvature{2, 4};
  const Minimum found = minimise(bowl, {0, 0}, curvature, 1e-16);
  CHECK(std::abs(found.at[0] - 3) < 1e-6 && std::abs(found.at[1] + 1) < 1e-6);
  CHECK(found.value < 1e-12);
}

TEST(a_map_has_its_zero) {
  int n_asked = 0;
  const auto bent = [&](std::span<const double> at, std::span<double> out) {
    out[0] = std::exp(at[0]) + 0.5 * at[1] - 3;
    out[1] = at[1] + 0.2 * at[0] * at[0] + 1;
    ++n_asked;
  };
  // Derivatives that are twice as large as they should be, then ten times too small.
  for (const double wrong : {2.0, 0.1}) {
    const std::vector<double> found =
        solve(bent, {-2, 3}, std::vector<double>{4 * wrong, wrong}, 1e-7);
    std::vector<double> left(2);
    bent(found, left);
    CHECK(std::abs(left[0]) < 1e-9 && std::abs(left[1]) < 1e-9);
  }
  CHECK(n_asked < 60);
}

TEST(a_map_without_a_zero_is_given_up) {
  int n_asked = 0;
  const auto lifted = [&](std::span<const double> at, std::span<double> out) {
    out[0] = at[0] * at[0] + 1;
    ++n_asked;
  };
  const std::vector<double> found = solve(lifted, {2}, std::vector<double>{4}, 1e-7);
  CHECK(std::isfinite(found[0]));
  CHECK(n_asked >= 60 && n_asked <= 70);
}

TEST(rows_of_classes_have_the_same_bits_with_wider_instructions) {
  for (const std::size_t k : {2, 3, 7, 26}) {
    const std::size_t n = 5;
    std::vector<double> log(n * k), slope(k), offset(k), share(n * k), top(n), total(n);
    for (std::size_t i = 0; i < n * k; ++i) log[i] = std::sin(double(i) * 1.7);
    for (std::size_t c = 0; c < k; ++c)
      slope[c] = 1 + 0.1 * double(c), offset[c] = -0.3 * double(c);
    std::vector<double> other = share, other_top = top, other_total = total;
    const ClassRows wide{n, k, slope.data(), offset.data(), log.data(), share.data()};
    const ClassRows plain{n, k, slope.data(), offset.data(), log.data(), other.data()};
    score_rows(wide, top.data());
    portable_rows::score_each(plain, other_top.data());
    CHECK(share == other && top == other_top && *std::max_element(share.begin(), share.end()) == 0);
    exp_in_place(share);
    exp_in_place(other);
    sum_shares(wide, total.data());
    portable_rows::sum_each(plain, other_total.data());
    CHECK(total == other_total);
    std::vector<double> mass(k), moment(k), other_mass(k), other_moment(k), pairs(k * k),
        same(k * k);
    add_rows(wide, total.data(), mass.data(), moment.data());
    portable_rows::add_each(plain, total.data(), other_mass.data(), other_moment.data());
    CHECK(mass == other_mass && moment == other_moment);
    subtract_outer(k, slope.data(), 0.7, pairs.data());
    portable_rows::subtract_each(k, slope.data(), 0.7, same.data());
    CHECK(pairs == same && pairs[k * k - 1] == -(0.7 * slope[k - 1]) * slope[k - 1]);
  }
}

TEST(rows_of_any_number_of_classes_have_the_portable_bits) {
  for (std::size_t k = 1; k <= 40; ++k) {
    const std::size_t n = 4;
    std::vector<double> log(n * k), slope(k), offset(k), scale(n), top(n), other_top(n);
    for (std::size_t i = 0; i < n * k; ++i) log[i] = std::sin(double(i + k));
    for (std::size_t c = 0; c < k; ++c)
      slope[c] = 1 + std::cos(double(c)), offset[c] = 1 / slope[c];
    for (std::size_t i = 0; i < n; ++i) scale[i] = 0.1 + double(i);
    std::vector<double> share(n * k + 1, 5.0), other = share;
    std::vector<double> mass(2 * k + 2, 0.5), others = mass;
    const ClassRows wide{n, k, slope.data(), offset.data(), log.data(), share.data()};
    const ClassRows plain{n, k, slope.data(), offset.data(), log.data(), other.data()};
    score_rows(wide, top.data());
    portable_rows::score_each(plain, other_top.data());
    CHECK(share == other && top == other_top);
    add_rows(wide, scale.data(), mass.data(), mass.data() + k + 1);
    portable_rows::add_each(plain, scale.data(), others.data(), others.data() + k + 1);
    CHECK(mass == others);
  }
}

TEST(curvature_of_pairs_is_divided_by) {
  const std::vector<double> matrix{4, 0, 0, 2, 5, 0, -1, 1, 3};  // what is above does not count
  std::vector<double> x{1, -2, 3};
  const std::vector<double> times{4 * x[0] + 2 * x[1] - x[2], 2 * x[0] + 5 * x[1] + x[2],
                                  -x[0] + x[1] + 3 * x[2]};
  std::vector<double> found = times;
  Curvature::of_pairs(matrix, 3).divide(found);
  for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(found[i] - x[i]) < 1e-12);
  // Two parameters that count as one: the second stands alone then.
  std::vector<double> flat{6, 6};
  Curvature::of_pairs({2, 0, 2, 2}, 2).divide(flat);
  CHECK(std::abs(flat[0] - 3) < 1e-12 && std::abs(flat[1] - 3) < 1e-12);
}

TEST(votes_do_not_depend_on_blocks_or_threads) {
  const RandomData data(300, 5, 0.1, 4);
  const Target target = Target::classification(data.labels, 3, Criterion::GINI);
  GrowOptions options;
  options.max_features = 2;
  options.scheme = {WeightKind::EXPONENTIAL, 7};
  options.scheme.threshold = 0.5;
  options.kernels = &portable_kernels();
  const EncodedMatrix matrix = data.encoded();
  const Forest forest(data.shape(target),
                      grow_forest({matrix, target, {}, {}, 0, 6}, options, {1, {}}).trees);
  const std::vector<double> weights{1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> half{0, 1, 0, 1, 0, 1};
  const OutOfBag bag{options.scheme, {}};
  const OobVotes whole = predict_oob_votes(forest, data.view(), bag, weights, half, {1, {}});
  const OobVotes blocks = predict_oob_votes(forest, data.view(), bag, weights, half, {3, {}}, 50);
  CHECK(whole.start == blocks.start && whole.label == blocks.label);
  CHECK(whole.mean == blocks.mean && whole.counts == blocks.counts);
  CHECK(whole.half[0] == blocks.half[0] && whole.half[1] == blocks.half[1]);

  // The mean probability of a class is its share, but for the pull on its offset.
  const std::vector<double> ones(data.n, 1.0);
  std::vector<double> used(data.n, 0.0);
  std::vector<double> count(3, 0.0);
  for (std::size_t i = 0; i < data.n; ++i) {
    used[i] = whole.counts[i] > 0 ? 1.0 : 0.0;
    if (whole.counts[i] > 0) count[static_cast<std::size_t>(data.labels[i])] += 1;
  }
  const VotesView votes{whole.start, whole.label, whole.mean, whole.half[0], whole.half[1], 3};
  const ClassCalibration fitted = fit_class_calibration({votes, data.labels, used, 2.5, 0.0});
  std::vector<double> slope = fitted.slopes;
  for (double& s : slope) s *= fitted.power;
  const LogVotes logs(votes, votes.mean, used, 2.5);
  const ClassSums sums = logs.sums({slope, fitted.offset}, ones);
  for (std::size_t c = 0; c < 3; ++c)
    CHECK(std::abs(sums.mass[c] + fitted.offset[c] / 4 - count[c]) < 1e-3);
}
