#include <algorithm>

#include "bayeswood/grow/scan.hpp"
#include "lane_kernels.inl"

namespace bayeswood {

const Kernels& portable_kernels() {
  static const Kernels kernels{scan_lanes, bound_bins};
  return kernels;
}

}  // namespace bayeswood
