// Splits of several classes in a subtree. Under Gini the weights of the classes that a node has
// left stand in lanes, if there are few, and cuts that cannot be the best are ruled out. Features
// of few values are split from sums by code, the others from sorted lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/search/classes/class_bins.hpp"
#include "bayeswood/grow/search/classes/class_histogram.hpp"
#include "bayeswood/grow/search/lists/list_search.hpp"
#include "bayeswood/grow/search/lists/node_lists.hpp"
#include "bayeswood/grow/search/search_choice.hpp"
#include "bayeswood/grow/search/split_search.hpp"

namespace bayeswood {

class ClassSearch {
 public:
  using Node = SmallNode;
  static constexpr std::size_t GROUP = LANES;

  ClassSearch(const Subtree& subtree, const SearchChoice& choice)
      : subtree_(subtree),
        choice_(choice),
        lists_(subtree),
        search_(subtree.rows(), subtree.target()),
        histogram_(subtree.target()),
        lanes_(subtree.rows(), subtree.target()),
        bins_(lanes_) {}

  void set_trust(const double* trust) { search_.set_trust(trust); }
  // After another subtree was loaded.
  void load();

  void prepare(const SmallNode& node);
  std::uint32_t search(std::span<const std::uint32_t> features, Split& best);

  // Where the classes of the node stand in lanes, its children may be summed up there.
  ClassLanes* lanes() { return in_lanes_ ? &lanes_ : nullptr; }
  // Where they do not, the weights of its children's classes may wait there all the same.
  ClassLanes* waiting() { return may_wait_ ? &lanes_ : nullptr; }
  // Of a node that another search takes.
  void drop(std::uint32_t n_pushed) { lanes_.drop(n_pushed); }
  // In place of `prepare`, of a node that is not to be searched.
  void pass(const SmallNode& node) {
    lanes_.drop(node.n_pushed);
    in_lanes_ = may_wait_ = false;
  }

 private:
  bool any_by_code(std::span<const std::uint32_t> features);
  const std::uint16_t* codes_of(std::uint32_t feature, std::uint32_t slot);
  void fill_bins(std::span<const std::uint32_t> features);
  void fill_histogram(std::span<const std::uint32_t> features);
  void set_floor(std::uint32_t feature, double floor);
  Split search_feature(std::uint32_t feature, std::uint32_t slot);

  const Subtree& subtree_;
  const SearchChoice& choice_;
  const SmallNode* node_ = nullptr;
  bool in_lanes_ = false;
  bool may_wait_ = false;
  bool by_code_[LANES] = {};                 // of the group: split from sums by code
  std::vector<std::uint16_t> codes_[LANES];  // by id, of such, where lists are kept
  NodeLists lists_;
  ListSearch<SmallEntry> search_;
  ClassHistogram histogram_;
  ClassLanes lanes_;
  ClassBins bins_;
  ClassScreen screen_;
};

static_assert(SplitSearch<ClassSearch>);

}  // namespace bayeswood
