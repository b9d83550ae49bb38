#include "bayeswood/mcmc/chain_leaves.hpp"

#include <algorithm>

namespace bayeswood {

void ClassCells::write(const Cell* cells, std::int64_t n, Tree& tree, std::vector<double>&) const {
  if (tree.leaf_offset.empty()) tree.leaf_offset.push_back(0);
  for (std::int32_t c = 0; c < n_classes_; ++c) {
    tree.leaf_class.push_back(c);
    tree.leaf_value.push_back(std::min(1.0, model_.predictive(cells[c], n)));
  }
  tree.leaf_offset.push_back(static_cast<std::int32_t>(tree.leaf_class.size()));
}

void NumberCells::write(const Cell* cells, std::int64_t, Tree& tree,
                        std::vector<double>& variance) const {
  const NumberPredictive found = model_.predictive(*cells);
  tree.leaf_value.push_back(center_ + found.mean);
  variance.push_back(found.variance);
}

}  // namespace bayeswood
