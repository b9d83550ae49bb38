// Grows small trees from histograms, one for each stage of a boosted sum.
//
// The tree of a stage minimises the weighted squared error of one or several responses per row
// (residuals, or gradients over curvatures with these as weights). Rows stay partitioned by node; a
// node's histograms are those of its parent less its sibling's. Rows that have no say may go down
// the tree beside the others, so that what it says of them is known without a walk.
//
// Rules: as of weighted CART (cart.hpp) on the bins of the table, with two differences. A node is
// cut only if that gains something. A threshold lies half-way between the values of the two bins
// with rows in the node, or, if that is inside a bin between them, at the bin's upper end, so that
// bins tell sides.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayeswood/forest/tree.hpp"
#include "bayeswood/grow/stage/bin_sums.hpp"

namespace bayeswood {

struct StageOptions {
  std::uint32_t max_features = 1;  // as in GrowOptions
  std::uint32_t min_samples_leaf = 1;
  std::uint32_t max_depth = 4;
  double min_weight_fraction_leaf = 0;
  std::uint64_t seed = 0;
  std::vector<std::int8_t> monotone = {};  // by feature, see forest/monotone.hpp; one response
  bool leaf_means = true;                  // else leaves hold 0: whoever grows sets them
};

// The rows of a bag: those that a tree is grown on, and those that only go down it. Both are
// reordered.
struct StageRows {
  std::span<std::uint32_t> inside, outside;
};

class StageGrower {
 public:
  // `most_rows`: that a tree is grown on. `weighted`: whether targets will have weights. The bins
  // must outlive the grower.
  StageGrower(const ByteBins& bins, const StageOptions& options, std::size_t most_rows,
              std::uint32_t n_outputs, bool weighted);

  // The tree whose random numbers have this number. Its leaves hold weighted means of the
  // responses. Adds to `gains`, by feature, what the squared error fell by.
  Tree grow(std::uint64_t number, const StageTarget& target, const StageRows& rows, double* gains,
            const StopFlag& stop);

  // The rows in a leaf of the tree that was grown last, until the next.
  std::span<const std::uint32_t> inside(std::size_t leaf) const {
    const Node& node = nodes_[leaf_nodes_[leaf]];
    return rows_.inside.subspan(node.in_begin, node.totals.n);
  }
  std::span<const std::uint32_t> outside(std::size_t leaf) const {
    const Node& node = nodes_[leaf_nodes_[leaf]];
    return rows_.outside.subspan(node.out_begin, node.n_out);
  }

 private:
  struct Node {
    std::uint32_t depth = 0;
    std::size_t in_begin = 0, out_begin = 0, n_out = 0;
    NodeTotals totals;
    std::unique_ptr<NodeBins> bins;  // while it waits to be cut
    std::int32_t feature = LEAF;
    double threshold = 0;
    bool missing_left = false;
    std::uint32_t left = 0;     // the right child follows
    std::size_t set_begin = 0;  // of a category
  };

  std::span<std::uint32_t> rows_of(const Node& node) const {
    return rows_.inside.subspan(node.in_begin, node.totals.n);
  }
  bool may_cut(const Node& node) const {
    return node.depth < options_.max_depth && node.totals.n >= 2 * options_.min_samples_leaf;
  }
  bool keeps_bins(const Node& node) const;
  Limits limits(const NodeTotals& node) const;
  void set_trust(const Node& root);
  Split find_split(Node& node, FeatureOrder& features);
  Split search(Node& node, std::uint32_t feature, const Limits& limits);
  void cut(std::uint32_t at, const Split& split);
  void settle(Node& node, const Split& split);
  void settle_number(Node& node, const Split& split);
  void settle_category(Node& node, const Split& split);
  std::size_t part(std::int32_t feature, std::span<std::uint32_t> rows);
  void hand_down(Node& parent, Node& left, Node& right);
  std::unique_ptr<NodeBins> take_bins();
  Tree finish(const StageTarget& target);
  void mean(const StageTarget& target, const Node& node, std::span<double> out) const;

  const ByteBins& bins_;
  const StageOptions& options_;
  std::unique_ptr<BinSums> sums_;
  std::uint32_t n_outputs_;
  bool subtracts_;  // whether nodes take histograms from their parents
  StageTarget target_;
  StageRows rows_;
  NodeTotals root_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> stack_, leaf_nodes_;
  std::vector<double> trust_;            // by feature, in categories
  std::vector<std::uint8_t> goes_left_;  // by bin, or by level; the last for missing values
  std::vector<std::uint64_t> sets_;
  std::vector<std::uint32_t> scratch_;
  std::vector<std::unique_ptr<NodeBins>> spare_;
  NodeBins single_;  // of one feature at a time
};

}  // namespace bayeswood
