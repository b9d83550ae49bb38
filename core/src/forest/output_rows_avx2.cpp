#include "bayeswood/forest/output_rows.hpp"

#if defined(BAYESWOOD_AVX2)
#include "bayeswood/base/begin_avx2.inl"

namespace bayeswood {
namespace {

#include "output_rows.inl"

}  // namespace

const OutputKernels& avx2_output_kernels() {
  return KERNELS;
}

}  // namespace bayeswood

#include "bayeswood/base/end_avx2.inl"
#else

namespace bayeswood {

const OutputKernels& avx2_output_kernels() {
  return portable_output_kernels();
}

}  // namespace bayeswood
#endif
