#include "bayeswood/base/random.hpp"
#include "bayeswood/forest/output_rows.hpp"
#include "check.hpp"

using namespace bayeswood;

namespace {

std::vector<double> drawn(std::size_t n, Stream& stream) {
  std::vector<double> values(n);
  for (double& value : values) value = stream.next_uniform();
  return values;
}

// All that the kernels make of the same rows of `k` outputs, one after another.
std::vector<double> made_by(const OutputKernels& kernels, std::size_t k) {
  Stream stream(k, 0, Purpose::RULES);
  constexpr std::size_t STRENGTHS = 3, LEAVES = 9, ROWS = 40;
  const auto x = drawn(k, stream), y = drawn(k, stream), factor = drawn(STRENGTHS, stream);
  std::vector<double> added(k), mixed(k), each(STRENGTHS * k);
  kernels.add_row(k, x.data(), 0.3, y.data(), added.data());
  auto moved = y;
  kernels.scale_onto(k, x.data(), 0.3, moved.data());
  CHECK(moved == added);
  kernels.mix_rows(k, 0.7, x.data(), 0.3, y.data(), mixed.data());
  const auto base = drawn(STRENGTHS * k, stream);
  kernels.add_to_each({STRENGTHS, k}, base.data(), factor.data(), x.data(), each.data());
  const std::size_t stride = k + 5;
  auto apart = drawn(STRENGTHS * stride, stream);
  kernels.add_apart({STRENGTHS, k}, base.data(), stride, apart.data());
  const auto value = drawn(LEAVES * k, stream);
  std::vector<std::uint32_t> number(2 * LEAVES), node, place;
  for (std::uint32_t i = 0; i < number.size(); ++i) number[i] = i / 2;
  for (std::uint32_t i = 0; i < ROWS; ++i) {
    node.push_back(stream.below(2 * LEAVES));
    place.push_back(2 * i);
  }
  auto sums = drawn(2 * ROWS * k, stream);
  kernels.add_leaves({k, 0.4, value.data(), number.data(), node, place}, sums.data());
  std::vector<double> all;
  for (const auto* part : {&added, &moved, &mixed, &each, &apart, &sums})
    all.insert(all.end(), part->begin(), part->end());
  return all;
}

}  // namespace

TEST(rows_of_outputs_have_the_portable_bits) {
  if (!runs_avx2()) return;
  for (std::size_t k = 1; k <= 35; ++k)
    CHECK(made_by(portable_output_kernels(), k) == made_by(avx2_output_kernels(), k));
}

TEST(rows_of_outputs_are_added_up) {
  const double x[] = {1, 2, 3}, y[] = {4, 5, 6};
  double out[3];
  output_kernels().add_row(3, x, 2, y, out);
  CHECK(out[0] == 9 && out[1] == 12 && out[2] == 15);
  output_kernels().mix_rows(3, 2, x, 3, y, out);
  CHECK(out[0] == 14 && out[1] == 19 && out[2] == 24);
}
