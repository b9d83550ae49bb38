#include <cmath>
#include <vector>

#include "bayeswood/leaf/class_leaves.hpp"
#include "bayeswood/leaf/leaf_model.hpp"
#include "bayeswood/leaf/number_leaves.hpp"
#include "check.hpp"
#include "even_prior.hpp"

using namespace bayeswood;

static_assert(LeafModel<ClassLeaves> && CutLeafModel<ClassLeaves>);
static_assert(LeafModel<NumberLeaves> && CutLeafModel<NumberLeaves>);
static_assert(!LeafModel<DirichletMultinomial> && !LeafModel<NormalInverseGamma>);

namespace {

// Class numbers, and numbers as well.
const std::vector<std::int32_t> Y{0, 2, 1, 0, 0, 2, 1, 0};
const std::vector<std::int32_t> TIMES{1, 3, 2, 1, 4, 1, 1, 2};
constexpr double POWER = 0.5;

template <LeafModel L>
typename L::Stats sum_of(const L& leaves, std::size_t begin, std::size_t end) {
  typename L::Stats stats = leaves.nothing();
  for (std::size_t row = begin; row < end; ++row) leaves.add(row, stats);
  return stats;
}

template <CutLeafModel L>
void check_statistics(const L& leaves) {
  const auto whole = sum_of(leaves, 0, Y.size());
  CHECK(whole.n == leaves.copies().total());
  for (std::size_t cut = 0; cut <= Y.size(); ++cut) {
    const auto left = sum_of(leaves, 0, cut);
    auto right = whole;
    leaves.subtract(left, right);
    CHECK(right == sum_of(leaves, cut, Y.size()));
    auto both = left;
    leaves.add(right, both);
    CHECK(both == whole);
    auto chosen = leaves.nothing();
    for (std::size_t row = 0; row < Y.size(); ++row) leaves.add_if(row < cut, row, chosen);
    CHECK(chosen == left);
    CHECK(leaves.powered_log_marginal(left) == leaves.power() * leaves.log_marginal(left));
  }
}

template <CutLeafModel L>
void check_walk(const L& leaves) {
  const auto whole = sum_of(leaves, 0, Y.size());
  typename L::Walk walk(leaves);
  walk.start(whole);
  for (std::size_t cut = 1; cut < Y.size(); ++cut) {
    walk.move(cut - 1);
    const auto left = sum_of(leaves, 0, cut);
    const auto right = sum_of(leaves, cut, Y.size());
    CHECK(walk.n_left() == left.n && walk.n_right() == right.n);
    const double expected = leaves.powered_log_marginal(left) + leaves.powered_log_marginal(right);
    CHECK(std::abs(walk.powered_log_marginals() - expected) < 1e-12);
  }
}

template <CutLeafModel L>
void check_leaves(const L& leaves) {
  check_statistics(leaves);
  check_walk(leaves);
  CHECK(leaves.log_marginal(leaves.nothing()) == 0);
}

}  // namespace

TEST(statistics_of_classes_add_up) {
  for (const auto& times : {std::vector<std::int32_t>{}, TIMES})
    for (const auto& alpha : {std::vector<double>(3, 0.5), {0.25, 2.0, 0.7}})
      check_leaves(ClassLeaves(Y, RowCopies(times, Y.size()), DirichletPrior(alpha), POWER));
}

TEST(statistics_of_numbers_add_up) {
  for (const auto& times : {std::vector<std::int32_t>{}, TIMES})
    check_leaves(NumberLeaves(Y, RowCopies(times, Y.size()), {0.3, 2.0, 0.5, 1e-3}, 7.0, POWER));
}

TEST(leaves_predict_their_posterior) {
  const ClassLeaves classes(Y, RowCopies({}, Y.size()), even_prior(3, 1.5), POWER);
  double p[3];
  classes.put_predictive(sum_of(classes, 0, 4), p);
  CHECK(p[0] == 2.5 / 5.5 && p[1] == 1.5 / 5.5 && p[2] == 1.5 / 5.5);
  const std::vector<double> alpha{0.25, 2.0, 1.75};
  const ClassLeaves uneven(Y, RowCopies({}, Y.size()), DirichletPrior(alpha), POWER);
  uneven.put_predictive(sum_of(uneven, 0, 4), p);
  CHECK(p[0] == 2.25 / 8 && p[1] == 3.0 / 8 && p[2] == 2.75 / 8);
  const NumberLeaves numbers(Y, RowCopies({}, Y.size()), {1.0, 2.0, 0.5, 0.5}, 7.0, POWER);
  CHECK(numbers.predictive(sum_of(numbers, 0, 4)).mean == 7.0 + 0.5 * 3 / 5);
  CHECK(numbers.predictive(numbers.nothing()).mean == 7.0);
}

TEST(copies_count_so_often) {
  const RowCopies copies(TIMES, TIMES.size());
  const std::vector<std::uint32_t> rows{1, 4};
  CHECK(copies.total() == 15 && copies.total(rows) == 7 && copies[2] == 2 && !copies.all_once());
  const RowCopies once({}, 8);
  CHECK(once.total() == 8 && once.total(rows) == 2 && once[2] == 1 && once.all_once());
}
