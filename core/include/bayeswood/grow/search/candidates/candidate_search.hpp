// A draw among the best splits over all features, by entropy (Dietterich's randomised trees).
#pragma once

#include "bayeswood/grow/search/lists/list_search.hpp"
#include "bayeswood/grow/search/lists/node_lists.hpp"

namespace bayeswood {

template <class Lists>
class CandidateSearch {
 public:
  using Node = typename Lists::Node;

  CandidateSearch(const Lists& lists, const EncodedMatrix& matrix, const Target& target,
                  const RowData& rows)
      : matrix_(matrix), lists_(lists), search_(rows, target) {}

  void set_trust(const double* trust) { search_.set_trust(trust); }

  // One of as many as the tree's options say.
  Split draw(const Node& node, TreeContext& tree) {
    lists_.set_node(node);
    search_.set_node(lists_.rows());
    top_.restart(tree.options.n_candidates, node.limits.tolerance);
    tree.features.restart();
    while (tree.features.left() > 0) {
      check_stop(tree.stop);
      const std::uint32_t feature = tree.features.next();
      search_.offer_all(lists_.of(feature, 0), matrix_.feature(feature), feature, node.totals,
                        node.limits, top_);
    }
    return top_.draw(tree.choices);
  }

 private:
  const EncodedMatrix& matrix_;
  Lists lists_;
  ListSearch<typename Lists::Entry> search_;
  TopSplits top_;
};

}  // namespace bayeswood
