#include "bayeswood/grow/search/search_choice.hpp"

#include <algorithm>

#include "bayeswood/grow/search/classes/class_lanes.hpp"
#include "bayeswood/grow/search/classes/class_screen.hpp"
#include "bayeswood/grow/subtree.hpp"

namespace bayeswood {
namespace {

// Where a subtree bins its rows, they are near one another, and it begins earlier than histograms
// of the whole table would end.
constexpr std::uint32_t BINNED_ROWS = 24576;

// Most features are looked at.
bool looks_at_most(const EncodedMatrix& matrix, const GrowOptions& options) {
  return 2 * std::size_t{options.max_features} >= matrix.n_features();
}

bool is_plain(const EncodedMatrix& matrix) {
  return !matrix.has_categories() && !matrix.has_missing();
}

// Two classes are a number per row.
bool is_few_of_two_classes(const EncodedMatrix& matrix, const Target& target,
                           const GrowOptions& options) {
  return target.is_classifier && target.kind == TargetKind::SCALAR && is_plain(matrix) &&
         !looks_at_most(matrix, options);
}

// Random cuts need no search that counts could speed up.
bool counts_pay(const EncodedMatrix& matrix, const Target& target, const GrowOptions& options) {
  return is_few_of_two_classes(matrix, target, options) && options.splitter == Splitter::BEST &&
         options.randomized_fraction == 0 && !needs_rules(target, options.rules);
}

// Every thread has a copy of its tree's codes: not of a wide table.
constexpr std::size_t MOVED_FEATURES = 32;

bool scans_wide(const GrowOptions& options) {
  return options.kernels != nullptr && options.kernels->scan_wide != nullptr;
}

// To part the lists of all features costs less than to sort a node's rows for a few, as long as
// these are not too few, and are sorted at all: those of few values are summed up by code.
bool class_lists_pay(const EncodedMatrix& matrix, const Target& target,
                     const GrowOptions& options) {
  constexpr std::size_t MOST_WIDE = 7;  // features for each that a node looks at
  if (target.kind != TargetKind::CLASSES || !is_plain(matrix) || !scans_wide(options) ||
      options.n_candidates > 0 || matrix.n_rows() >= MAX_SMALL_ROWS ||
      matrix.n_features() > MOST_WIDE * options.max_features)
    return false;
  const std::size_t n_twig = std::min<std::size_t>(matrix.n_rows(), MAX_TWIG_ROWS);
  std::size_t n_sorted = 0;
  for (std::size_t j = 0; j < matrix.n_features(); ++j)
    n_sorted += 4 * std::size_t{matrix.feature(j).n_codes} > 3 * n_twig ? 1 : 0;
  return 4 * n_sorted >= 3 * matrix.n_features();
}

}  // namespace

SearchChoice::SearchChoice(const EncodedMatrix& matrix, const Target& target,
                           const GrowOptions& options)
    : kind_(target.kind),
      n_outputs_(target.n_outputs),
      has_categories_(matrix.has_categories()),
      draws_candidates_(options.n_candidates > 0),
      keeps_lists_(looks_at_most(matrix, options) || class_lists_pay(matrix, target, options)),
      keeps_histograms_(kind_ == TargetKind::SCALAR && !draws_candidates_ &&
                        options.max_features >= matrix.n_features()),
      moves_rows_(keeps_histograms_ && is_plain(matrix) && matrix.n_features() <= MOVED_FEATURES),
      may_count_(counts_pay(matrix, target, options)),
      bins_weights_(is_few_of_two_classes(matrix, target, options) &&
                    options.min_samples_leaf == 1),  // its bins do not count rows
      plain_lists_(keeps_lists_ && kind_ == TargetKind::SCALAR && is_plain(matrix) &&
                   scans_wide(options) && !draws_candidates_),
      may_screen_(kind_ == TargetKind::CLASSES && target.criterion == Criterion::GINI &&
                  !draws_candidates_ && n_outputs_ <= ClassScreen::MAX_LABELS &&
                  options.min_weight_fraction_leaf == 0),
      sums_codes_(!looks_at_most(matrix, options)),
      class_twigs_(class_lists_pay(matrix, target, options)) {}

Way SearchChoice::in_table(bool counting) const {
  if (draws_candidates_) return Way::CANDIDATES;
  if (counting) return Way::COUNTS;
  return kind_ == TargetKind::SCALAR ? Way::HISTOGRAMS : Way::LISTS;
}

Way SearchChoice::in_subtree(const NodeTotals& node, bool counting) const {
  constexpr std::uint32_t BINS_PAY = 160;  // rows
  constexpr double NEARLY_PURE = 1e-3;     // where rounding is no longer far below the tolerance
  if (draws_candidates_) return Way::CANDIDATES;
  if (node.n == 2 && !has_categories_) return Way::PAIR;
  if (plain_lists_) return Way::PLAIN_LISTS;
  if (counting) return Way::COUNTS;
  if (bins_weights_ && node.n >= BINS_PAY && node.impurity > NEARLY_PURE * node.w)
    return Way::WEIGHTS;
  return kind_ == TargetKind::CLASSES ? Way::CLASSES : Way::LISTS;
}

std::uint32_t SearchChoice::subtree_rows(bool counting) const {
  if (counting) return BINNED_ROWS;
  if (kind_ != TargetKind::SCALAR) return MAX_SMALL_ROWS;
  return bins_weights_ ? BINNED_ROWS : HISTOGRAM_ROWS;
}

// The lanes take the right side for what the left one leaves of the node. Where hardly anything is
// impure, the rounding of that would choose between equal cuts: such nodes are added up row by row.
SearchChoice::ClassScores SearchChoice::class_scores(const NodeTotals& node,
                                                     std::size_t n_present) const {
  constexpr double NEARLY_PURE = 1e-4;
  const bool pure = node.impurity <= NEARLY_PURE * node.w;
  return {!pure && n_present <= ClassLanes::MAX_CLASSES,
          !pure && may_screen_ && ClassScreen::fits(node)};
}

// Cheaper than sorting the rows where codes are few beside them.
bool SearchChoice::sums_codes(const FeatureCodes& codes, std::uint32_t n_rows,
                              std::uint32_t width) const {
  if (!sums_codes_ || codes.is_category) return false;
  if (width > 0) return codes.n_codes * (LANES + width) <= 12 * n_rows;
  return std::size_t{codes.n_codes} * n_outputs_ <= 4 * std::size_t{n_rows};
}

}  // namespace bayeswood
