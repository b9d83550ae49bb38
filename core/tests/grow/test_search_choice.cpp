// Which way is chosen for which node.
#include <algorithm>

#include "bayeswood/grow/search/search_choice.hpp"
#include "bayeswood/grow/subtree.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

struct ChoiceCase {
  RandomData data;
  EncodedMatrix matrix;
  Target target;
  GrowOptions options;

  explicit ChoiceCase(bool plain = true) : data(table(plain)), matrix(data.encoded()) {
    options.max_features = 3;
    options.kernels = &portable_kernels();
  }
  static RandomData table(bool plain) {
    RandomData data(200, 16, 0.0, 3);
    if (plain) std::fill(data.n_levels.begin(), data.n_levels.end(), 0);
    return data;
  }
  void set_numbers() { target = Target::regression(data.y, 1, {}); }
  void set_classes(std::uint32_t n_classes, Criterion criterion = Criterion::GINI) {
    for (auto& label : data.labels) label %= static_cast<std::int32_t>(n_classes);
    target = Target::classification(data.labels, n_classes, criterion);
  }
  SearchChoice choice() const { return {matrix, target, options}; }
};

NodeTotals impure(std::uint32_t n) {
  NodeTotals totals;
  totals.n = n;
  totals.w = n;
  totals.impurity = 0.4 * n;
  return totals;
}

}  // namespace

TEST(numbers_are_searched_by_lists_and_histograms) {
  ChoiceCase one;
  one.set_numbers();
  CHECK(one.choice().in_table(false) == Way::HISTOGRAMS);
  CHECK(one.choice().in_subtree(impure(500), false) == Way::LISTS);
  CHECK(one.choice().in_subtree(impure(2), false) == Way::PAIR);
  CHECK(!one.choice().keeps_lists() && !one.choice().may_count());
  CHECK(one.choice().subtree_rows(false) == HISTOGRAM_ROWS);
  one.options.max_features = 8;
  CHECK(one.choice().keeps_lists() && !one.choice().keeps_histograms());
  one.options.max_features = 16;
  CHECK(one.choice().keeps_histograms() && !one.choice().grows_twigs());
}

TEST(eight_plain_lists_at_once_need_wide_registers) {
  ChoiceCase one;
  ChoiceCase with_categories(false);
  for (auto* it : {&one, &with_categories}) {
    it->set_numbers();
    it->options.max_features = 16;
    it->options.kernels = avx512_kernels();
  }
  if (avx512_kernels() == nullptr) return;
  CHECK(one.choice().in_subtree(impure(2000), false) == Way::PLAIN_LISTS);
  CHECK(with_categories.choice().in_subtree(impure(2000), false) == Way::LISTS);
  CHECK(with_categories.choice().in_subtree(impure(2), false) == Way::LISTS);
}

TEST(two_classes_are_counted_or_weighed) {
  ChoiceCase one;
  one.set_classes(2);
  CHECK(one.choice().may_count());
  CHECK(one.choice().in_table(true) == Way::COUNTS);
  CHECK(one.choice().in_subtree(impure(50), true) == Way::COUNTS);
  CHECK(one.choice().in_subtree(impure(160), false) == Way::WEIGHTS);
  CHECK(one.choice().in_subtree(impure(159), false) == Way::LISTS);
  NodeTotals pure = impure(500);
  pure.impurity = 1e-4 * pure.w;
  CHECK(one.choice().in_subtree(pure, false) == Way::LISTS);
  one.options.min_samples_leaf = 2;
  CHECK(one.choice().in_subtree(impure(500), false) == Way::LISTS);
  one.options.max_features = 8;
  CHECK(!one.choice().may_count());
  ChoiceCase with_categories(false);
  with_categories.set_classes(2);
  CHECK(!with_categories.choice().may_count() && !with_categories.choice().bins_weights());
}

TEST(several_classes_have_their_own_way) {
  ChoiceCase one;
  one.set_classes(3);
  const SearchChoice choice = one.choice();
  CHECK(choice.in_subtree(impure(500), false) == Way::CLASSES);
  CHECK(choice.in_table(false) == Way::LISTS);
  CHECK(choice.subtree_rows(false) == MAX_SMALL_ROWS);
  CHECK(choice.class_scores(impure(31), 16).in_lanes);
  CHECK(!choice.class_scores(impure(31), 17).in_lanes);
  CHECK(!choice.class_scores(impure(31), 3).screened &&
        choice.class_scores(impure(32), 3).screened);
  NodeTotals pure = impure(500);
  pure.impurity = 1e-5 * pure.w;
  CHECK(!choice.class_scores(pure, 3).in_lanes && !choice.class_scores(pure, 3).screened);
  const FeatureCodes& eight_values = one.matrix.feature(1);
  CHECK(choice.sums_codes(eight_values, 6, 4) && !choice.sums_codes(eight_values, 5, 4));
  CHECK(choice.sums_codes(eight_values, 6, 0) && !choice.sums_codes(eight_values, 5, 0));
}

TEST(classes_keep_lists_where_most_are_sorted) {
  ChoiceCase one;
  for (std::size_t i = 0; i < one.data.n; ++i)
    for (std::size_t j = 1; j < one.data.d; j += 4)
      one.data.cells[i * one.data.d + j] += 1e-3 * static_cast<double>(i);
  ChoiceCase few_values;
  few_values.set_classes(3);
  one.matrix = one.data.encoded();
  one.set_classes(3);
  CHECK(!one.choice().keeps_lists() && !one.choice().grows_class_twigs());
  if (avx512_kernels() == nullptr) return;
  one.options.kernels = few_values.options.kernels = avx512_kernels();
  CHECK(one.choice().keeps_lists() && one.choice().grows_class_twigs());
  CHECK(one.choice().sums_codes(one.matrix.feature(3), 6, 4));
  CHECK(!few_values.choice().keeps_lists());
  one.options.max_features = 2;
  CHECK(!one.choice().keeps_lists());
  one.options.max_features = 8;
  CHECK(one.choice().grows_class_twigs() && !one.choice().sums_codes(one.matrix.feature(3), 6, 4));
  one.set_numbers();
  CHECK(one.choice().keeps_lists() && !one.choice().grows_class_twigs());
}

TEST(a_draw_among_the_best_goes_before_all) {
  ChoiceCase one;
  one.set_classes(3, Criterion::ENTROPY);
  one.options.n_candidates = 5;
  CHECK(one.choice().in_table(false) == Way::CANDIDATES);
  CHECK(one.choice().in_subtree(impure(2), false) == Way::CANDIDATES);
}
