#include "bayeswood/mcmc/chain_leaves.hpp"

namespace bayeswood {

void ClassCells::write(const Cell* cells, std::int64_t n, double* out, std::vector<double>&) const {
  for (std::int32_t c = 0; c < n_classes_; ++c) out[c] = model_.predictive(cells[c], n);
}

void NumberCells::write(const Cell* cells, std::int64_t, double* out,
                        std::vector<double>& variance) const {
  const NumberPredictive found = model_.predictive(*cells);
  *out = center_ + found.mean;
  variance.push_back(found.variance);
}

}  // namespace bayeswood
