// Splits of a category of a large node, from sums of numbers by level.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/grow/category.hpp"
#include "bayeswood/grow/search/lists/node_lists.hpp"

namespace bayeswood {

class LevelSearch {
 public:
  explicit LevelSearch(const EncodedMatrix& matrix) : matrix_(matrix) {}

  // How the levels of a category differ in the node.
  LevelSpread spread(const LargeNode& node, std::uint32_t feature);
  Split search(const LargeNode& node, std::uint32_t feature, double trust);

 private:
  void sum_levels(const LargeNode& node, std::uint32_t feature);

  const EncodedMatrix& matrix_;
  std::vector<LevelSums> levels_, seen_levels_;
  std::vector<double> level_ww_, seen_ww_;
};

}  // namespace bayeswood
