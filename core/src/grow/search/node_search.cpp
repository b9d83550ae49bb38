#include "bayeswood/grow/search/node_search.hpp"

#include <numeric>

namespace bayeswood {

SubtreeSearch::SubtreeSearch(const Subtree& subtree, const SearchChoice& choice)
    : subtree_(subtree),
      choice_(choice),
      candidates_(NodeLists(subtree), subtree.matrix(), subtree.target(), subtree.rows()),
      pairs_(subtree),
      counts_(LocalRows{subtree}),
      weights_(subtree),
      classes_(subtree, choice),
      lists_(NodeLists(subtree), subtree.matrix(), subtree.target(), subtree.rows()) {}

void SubtreeSearch::set_trust(const double* trust) {
  candidates_.set_trust(trust);
  classes_.set_trust(trust);
  lists_.set_trust(trust);
}

void SubtreeSearch::load() {
  classes_.load();
}

Split SubtreeSearch::best(const SmallNode& node, TreeContext& tree) {
  switch (choice_.in_subtree(node.totals, subtree_.is_counted())) {
    case Way::CANDIDATES:
      return candidates_.draw(node, tree);
    case Way::PAIR:
      classes_.pass(node);
      return pairs_.separate(node, tree);
    case Way::COUNTS:
      return best_split(counts_, node, tree);
    case Way::WEIGHTS:
      return best_split(weights_, node, tree);
    case Way::PLAIN_LISTS: {
      const PlainLists lists{subtree_.list(0) + node.begin, subtree_.stride()};
      return best_split(
          plain_, {node.totals, subtree_.rows().pair, lists, node.limits, node.kernels}, tree);
    }
    case Way::CLASSES:
      return best_split(classes_, node, tree);
    default:
      return best_split(lists_, node, tree);
  }
}

TableSearch::TableSearch(const EncodedMatrix& matrix, const Target& target, const RowData& rows,
                         const SearchChoice& choice)
    : matrix_(matrix),
      target_(target),
      choice_(choice),
      features_(matrix.n_features()),
      trust_(matrix.n_features()),
      levels_(matrix),
      candidates_(TableLists(matrix), matrix, target, rows),
      counts_(TableRows{matrix}),
      histograms_(matrix),
      lists_(TableLists(matrix), matrix, target, rows) {
  std::iota(features_.begin(), features_.end(), 0U);
  candidates_.set_trust(trust_.data());
  histograms_.set_trust(trust_.data());
  lists_.set_trust(trust_.data());
}

const double* TableSearch::set_trust(const LargeNode& root) {
  for (const auto feature : features_) {
    if (matrix_.feature(feature).is_category) trust_[feature] = trust(root, feature);
  }
  return trust_.data();
}

double TableSearch::trust(const LargeNode& root, std::uint32_t feature) {
  const FeatureCodes& codes = matrix_.feature(feature);
  const std::size_t n_levels = std::size_t{codes.n_codes} + (codes.has_missing ? 1 : 0);
  if (n_levels <= FREE_LEVELS) return 1;
  if (target_.kind == TargetKind::SCALAR) return levels_.spread(root, feature).trust(root.totals);
  lists_.prepare(root);
  return lists_.spread(feature).trust(root.totals);
}

void TableSearch::fill_all(const LargeNode& node, Histogram& histogram) const {
  if (node.moved.exists())
    return fill_histogram(histogram, matrix_, node.moved, node.totals.n, *node.kernels.moves);
  fill_histogram(histogram, matrix_, node.rows, node.data.pair, features_);
}

Split TableSearch::best(const LargeNode& node, const Histogram* histogram, TreeContext& tree) {
  switch (choice_.in_table(node.data.counted.counts != nullptr)) {
    case Way::CANDIDATES:
      return candidates_.draw(node, tree);
    case Way::COUNTS:
      return best_split(counts_, node, tree);
    case Way::HISTOGRAMS: {
      if (histogram == nullptr) return best_split(histograms_, node, tree);
      Split best;
      histograms_.prepare(node);
      histograms_.search(*histogram, features_, best);
      return best;
    }
    default:
      return best_split(lists_, node, tree);
  }
}

}  // namespace bayeswood
