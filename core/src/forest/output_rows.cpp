#include "bayeswood/forest/output_rows.hpp"

namespace bayeswood {
namespace {
namespace portable_rows {

#include "output_rows.inl"

}  // namespace portable_rows
}  // namespace

const OutputKernels& portable_output_kernels() {
  return portable_rows::KERNELS;
}

const OutputKernels& output_kernels() {
  static const OutputKernels& best =
      runs_avx2() ? avx2_output_kernels() : portable_output_kernels();
  return best;
}

}  // namespace bayeswood
