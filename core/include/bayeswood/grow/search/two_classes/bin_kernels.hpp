// The kernels of bins, for the tables in scan.hpp.
#pragma once

#include "bayeswood/grow/search/scan.hpp"

namespace bayeswood {

// Puts faster ones in place of some.
void use_avx512_bins(Kernels& kernels);

}  // namespace bayeswood
