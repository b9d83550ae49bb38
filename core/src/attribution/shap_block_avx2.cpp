#include <algorithm>

#include "bayeswood/attribution/shap_block.hpp"
#include "bayeswood/base/instruction_set.hpp"
#include "lanes.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx2.inl"

namespace bayeswood {
namespace {

#include "shap_path.inl"

}  // namespace

void add_shap_avx2(const ShapTree& tree, ShapBlock& block, double* out) {
  block.prepare(tree.paths);
  run_shap(tree, block, out);
}

}  // namespace bayeswood

#include "bayeswood/base/end_avx2.inl"
#else

namespace bayeswood {

void add_shap_avx2(const ShapTree&, ShapBlock&, double*) {}

}  // namespace bayeswood
#endif
