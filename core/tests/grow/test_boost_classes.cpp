#include <cmath>
#include <vector>

#include "bayeswood/grow/boost_classes.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

struct OutOfBagSums {
  std::vector<double> sums;
  std::vector<std::int32_t> counts;
};

OutOfBagSums out_of_bag(const BoostedClasses& bags) {
  OutOfBagSums found{std::vector<double>(2 * bags.n_rows() * bags.n_classes()),
                     std::vector<std::int32_t>(2 * bags.n_rows())};
  bags.out_of_bag(found.sums.data(), found.counts.data());
  return found;
}

BoostedClasses boosted(const EncodedMatrix& matrix, const ClassBoostData& data,
                       unsigned n_threads) {
  const WeightScheme scheme = make_scheme("subsample", 3, 0.4, {}, matrix.n_rows());
  ClassBoostOptions options;
  options.stage = {2, 3, 4, 0.0, 3};
  options.n_bags = 4;
  return {matrix, data, scheme, options, {n_threads, {}}};
}

}  // namespace

TEST(boosted_classes_are_the_same_for_any_threads_and_calls) {
  const RandomData data(400, 6, 0.1, 7);
  const EncodedMatrix matrix = data.encoded();
  const ClassBoostData given{data.labels, 3, {}};
  BoostedClasses one = boosted(matrix, given, 1), two = boosted(matrix, given, 3);
  one.grow(6, {1, {}});
  for (int part = 0; part < 3; ++part) two.grow(2, {3, {}});
  const OutOfBagSums first = out_of_bag(one), second = out_of_bag(two);
  CHECK(first.sums == second.sums && first.counts == second.counts);
  for (std::size_t bag = 0; bag < 4; ++bag)
    for (std::size_t stage = 0; stage < 6; ++stage)
      CHECK(one.trees(bag)[stage]->leaf_value == two.trees(bag)[stage]->leaf_value);
}

TEST(probabilities_of_classes_sum_to_one_however_large_the_scores) {
  std::vector<double> found;
  class_probabilities(std::vector<double>{900, -900, 0, 1, 2, 3}, 3, found);
  for (std::size_t row = 0; row < 2; ++row)
    CHECK(std::abs(found[3 * row] + found[3 * row + 1] + found[3 * row + 2] - 1) < 1e-12);
  class_probabilities(std::vector<double>{-900, 0, 900}, 2, found);
  CHECK(found.size() == 6 && found[0] == 1 && found[2] == 0.5 && found[3] == 0.5 && found[5] == 1);
}
