// Trees drawn over the rows of a table whose responses nobody looks at.
//
// The prior sees X: two rows of a node are drawn, a feature uniformly of those in which they
// differ, and a cut between them: uniform over the steps of the feature's scale that part the two,
// or a uniformly random subset of levels with one of the two in it. So cuts fall where the node's
// rows are, features that hardly vary are hardly ever cut, and trees grow as deep as there are rows
// to part. The node of most rows is cut next, until there are max_leaves leaves or no two rows are
// left to be parted. A coin decides the side of missing values and unseen levels.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/base/matrix_view.hpp"
#include "bayeswood/safe_bayes/prior_trees.hpp"

namespace bayeswood {

// The distinct rows of a table as codes, at most MOST_ROWS of them: those of the least hashes, so
// that neither their order nor copies of a row matter.
class RowCodes {
 public:
  static constexpr std::size_t MOST_ROWS = 1 << 17;

  RowCodes(const CutCodes& codes, const MatrixView& table, std::uint64_t seed);

  std::size_t n_rows() const { return n_rows_; }
  const std::uint16_t* row(std::uint32_t i) const { return cells_.data() + i * n_features_; }

 private:
  std::size_t n_features_;
  std::size_t n_rows_ = 0;
  std::vector<std::uint16_t> cells_;  // row after row
};

std::vector<PriorTree> draw_over_rows(const CutCodes& codes, const RowCodes& rows,
                                      std::uint64_t seed, std::size_t n_trees,
                                      std::uint32_t max_leaves, const Running& run);

// The trees whose rules were written down: PriorTree::rule and set_words one tree after another.
// Throws std::invalid_argument unless they are trees over these codes.
std::vector<PriorTree> read_rules(const CutCodes& codes, std::span<const std::int64_t> n_leaves,
                                  std::span<const std::uint32_t> rules,
                                  std::span<const std::uint64_t> set_words);

}  // namespace bayeswood
