// Kernels of several classes for AVX-512 must give the bits of the portable ones. Where the machine
// has no AVX-512, nothing is compared.
#include <algorithm>
#include <numeric>

#include "bayeswood/grow/cart.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

struct LabelledRows {
  std::vector<double> w;
  std::vector<std::int32_t> label;
  std::vector<std::uint8_t> lane, side;
  std::vector<std::uint16_t> column, order;

  LabelledRows(std::uint32_t n, std::uint32_t n_classes, Stream& stream)
      : w(n), label(n), lane(n_classes), side(n), column(n), order(n) {
    std::iota(lane.rbegin(), lane.rend(), std::uint8_t{0});
    std::iota(order.begin(), order.end(), std::uint16_t{0});
    for (std::uint32_t i = 0; i < n; ++i) {
      w[i] = 0.1 + stream.next_uniform();
      label[i] = static_cast<std::int32_t>(stream.below(n_classes));
      column[i] = static_cast<std::uint16_t>(stream.below(100));
      side[i] = stream.below(3) == 0 ? 1 : 0;
    }
  }
};

struct ClassParted {
  std::vector<std::uint16_t> order;
  std::vector<double> left, right;
  std::uint32_t n_left;
};

ClassParted part_by(const Kernels& kernels, const LabelledRows& rows, bool by_side) {
  const auto n = static_cast<std::uint32_t>(rows.order.size());
  const auto n_vectors = static_cast<std::uint32_t>((rows.lane.size() + LANES - 1) / LANES);
  const std::vector<double> sums(n_vectors * LANES, -1.0);
  ClassParted parted{rows.order, sums, sums, 0};
  std::vector<std::uint16_t> scratch(n);
  parted.n_left = kernels.part_classes(
      {parted.order.data(), scratch.data(), n, by_side ? rows.side.data() : nullptr,
       by_side ? nullptr : rows.column.data(), 40, rows.w.data(), rows.label.data(),
       rows.lane.data(), n_vectors, parted.left.data(), parted.right.data()});
  return parted;
}

}  // namespace

TEST(class_weights_of_children_have_the_portable_bits) {
  if (avx512_kernels() == nullptr) return;
  Stream stream(3, 0, Purpose::RULES);
  for (std::uint32_t n_classes = 1; n_classes <= MAX_CLASS_VECTORS * LANES; ++n_classes) {
    for (const std::uint32_t n : {1U, 2U, 7U, 300U}) {
      const LabelledRows rows(n, n_classes, stream);
      for (const bool by_side : {false, true}) {
        const ClassParted slow = part_by(portable_kernels(), rows, by_side);
        const ClassParted fast = part_by(*avx512_kernels(), rows, by_side);
        CHECK(slow.n_left == fast.n_left && slow.order == fast.order);
        CHECK(slow.left == fast.left && slow.right == fast.right);
      }
    }
  }
}

TEST(class_trees_have_the_portable_bits) {
  if (avx512_kernels() == nullptr) return;
  for (const bool plain : {true, false}) {
    RandomData data(1500, 12, plain ? 0.0 : 0.05, 8);
    if (plain) std::fill(data.n_levels.begin(), data.n_levels.end(), 0);
    const EncodedMatrix matrix = data.encoded();
    for (const std::uint32_t n_classes : {3U, 7U, 13U, 40U}) {
      std::vector<std::int32_t> labels(data.n);
      for (std::size_t i = 0; i < data.n; ++i)
        labels[i] = static_cast<std::int32_t>(mix64(i / 3) % n_classes);
      const Target target = Target::classification(labels, n_classes, Criterion::GINI);
      for (const auto kind : {WeightKind::EXPONENTIAL, WeightKind::BOOTSTRAP}) {
        GrowOptions options;
        options.scheme = {kind, 5};
        options.max_features = 3;
        options.kernels = &portable_kernels();
        const auto slow = grow_forest({matrix, target, {}, {}, 0, 2}, options, {});
        options.kernels = avx512_kernels();
        const auto fast = grow_forest({matrix, target, {}, {}, 0, 2}, options, {});
        CHECK(slow.importances == fast.importances);
        for (std::size_t t = 0; t < slow.trees.size(); ++t) {
          CHECK(slow.trees[t].feature == fast.trees[t].feature);
          CHECK(slow.trees[t].leaf_value == fast.trees[t].leaf_value);
        }
      }
    }
  }
}
