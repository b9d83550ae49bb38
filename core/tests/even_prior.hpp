// The prior that treats all classes alike.
#pragma once

#include <vector>

#include "bayeswood/leaf/dirichlet_multinomial.hpp"

inline bayeswood::DirichletPrior even_prior(std::size_t n_classes, double total) {
  return bayeswood::DirichletPrior(
      std::vector<double>(n_classes, total / static_cast<double>(n_classes)));
}
