// Twigs and the kernels for AVX-512 must give the bits of the portable ones. Where the machine has
// no AVX-512, nothing is compared.
#include <algorithm>
#include <numeric>

#include "bayeswood/grow/cart.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

double drawn(Stream& stream) {
  return stream.next_uniform();
}

// Numbers without gaps: columns in turn continuous, of five values, and the one before once more,
// so that cuts of different features are equally good.
RandomData plain_table(std::size_t n, std::size_t d, std::uint64_t seed) {
  RandomData data(n, d, 0.0, seed);
  std::fill(data.n_levels.begin(), data.n_levels.end(), 0);
  Stream stream(seed, 1, Purpose::RULES);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      double& cell = data.cells[i * d + j];
      cell = drawn(stream);
      if (j % 4 == 1) cell = std::floor(5 * cell);
      if (j % 4 == 3) cell = data.cells[i * d + j - 1];
    }
  }
  return data;
}

std::vector<Tree> trees_of(const EncodedMatrix& matrix, const Target& target, GrowOptions options,
                           const Kernels& kernels) {
  options.kernels = &kernels;
  options.keep_rows = true;
  return grow_forest({matrix, target, {}, {}, 0, 2}, options, {}).trees;
}

void check_same_trees(const EncodedMatrix& matrix, const Target& target,
                      const GrowOptions& options) {
  const auto slow = trees_of(matrix, target, options, portable_kernels());
  const auto fast = trees_of(matrix, target, options, *avx512_kernels());
  for (std::size_t t = 0; t < slow.size(); ++t) {
    CHECK(slow[t].feature == fast[t].feature);
    CHECK(slow[t].leaf_value == fast[t].leaf_value);
    CHECK(slow[t].leaf_rows == fast[t].leaf_rows);
    for (std::size_t i = 0; i < slow[t].n_nodes(); ++i)
      CHECK(slow[t].feature[i] == LEAF || slow[t].threshold[i] == fast[t].threshold[i]);
  }
}

void check_all_weights(const RandomData& data, const Target& target) {
  const EncodedMatrix matrix = data.encoded();
  for (const auto kind : {WeightKind::EXPONENTIAL, WeightKind::BOOTSTRAP, WeightKind::UNIT}) {
    for (const std::uint32_t leaf : {1U, 3U, 40U}) {
      GrowOptions options;
      options.scheme = {kind, 5};
      options.min_samples_leaf = leaf;
      options.max_features = static_cast<std::uint32_t>(leaf == 3 ? data.d / 2 + 1 : data.d);
      options.min_weight_fraction_leaf = leaf == 40 ? 0.02 : 0;
      check_same_trees(matrix, target, options);
    }
  }
}

struct Lists {
  std::vector<WeightedValue> pair;
  std::vector<std::vector<SmallEntry>> lists;
  double w = 0, wy = 0;

  Lists(std::uint32_t n, std::uint32_t n_codes, Stream& stream) : pair(n), lists(WIDE_LANES) {
    for (auto& row : pair) {
      row.w = 0.1 + drawn(stream);
      row.wy = row.w * std::floor(9 * drawn(stream));
      w += row.w;
      wy += row.wy;
    }
    for (auto& list : lists) {
      for (std::uint32_t i = 0; i < n; ++i)
        list.push_back(
            make_entry<SmallEntry>(static_cast<std::uint32_t>(n_codes * drawn(stream)), i));
      std::sort(list.begin(), list.end());
    }
  }
};

void check_same_cuts(const Cut* fast, const Cut* slow, std::uint32_t n) {
  for (std::uint32_t l = 0; l < n; ++l) {
    CHECK(fast[l].score == slow[l].score);
    CHECK(fast[l].position == slow[l].position);
  }
}

// Eight lists together, four, and two with the first once more in the other lanes.
void check_scan(const Lists& data, const Limits& limits) {
  const auto n = static_cast<std::uint32_t>(data.pair.size());
  WideTask wide{{}, n, data.pair.data(), data.w, data.wy, limits};
  for (std::uint32_t l = 0; l < WIDE_LANES; ++l) wide.list[l] = data.lists[l].data();
  Cut wide_cuts[WIDE_LANES];
  avx512_kernels()->scan_wide(wide, wide_cuts);
  for (std::uint32_t half = 0; half < WIDE_LANES; half += LANES) {
    LaneTask lanes{{}, n, data.pair.data(), data.w, data.wy, limits};
    std::copy_n(wide.list + half, LANES, lanes.list);
    Cut fast[LANES], slow[LANES];
    portable_kernels().scan_lanes(lanes, slow);
    check_same_cuts(wide_cuts + half, slow, LANES);
    avx512_kernels()->scan_lanes(lanes, fast);
    check_same_cuts(fast, slow, LANES);
    lanes.list[2] = lanes.list[3] = lanes.list[0];
    slow[2] = slow[3] = slow[0];
    avx512_kernels()->scan_lanes(lanes, fast);
    check_same_cuts(fast, slow, LANES);
  }
}

// Two lists of n entries in random order, between entries of others.
void check_parting(std::uint32_t n, double share, Stream& stream) {
  constexpr std::uint32_t MARGIN = 3;
  const SmallEntry other = ~SmallEntry{0};
  const std::size_t stride = n + 2 * MARGIN;
  RowSides sides{};
  for (std::uint32_t id = 0; id < MAX_TWIG_ROWS; ++id)
    sides.words[id / 64] |= std::uint64_t{drawn(stream) < share} << (id % 64);
  const auto goes_left = [&](SmallEntry e) { return sides.words[id_of(e) / 64] >> (e % 64) & 1; };
  std::vector<SmallEntry> lists(2 * stride, other), scratch(n + 16);
  for (std::size_t k = 0; k < 2; ++k)
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto id = static_cast<std::uint32_t>(MAX_TWIG_ROWS * drawn(stream));
      lists[k * stride + MARGIN + i] = make_entry<SmallEntry>(i, id);
    }
  const ListParts& parts = avx512_kernels()->part_lists;
  std::vector<SmallEntry> wanted = lists;
  const auto begin = wanted.begin() + stride + MARGIN;
  const auto middle = std::stable_partition(begin, begin + n, goes_left);
  std::vector<std::uint8_t> side(MAX_TWIG_ROWS);
  for (std::uint32_t id = 0; id < MAX_TWIG_ROWS; ++id) side[id] = goes_left(id) ? 1 : 0;
  RowSides packed{};
  avx512_kernels()->pack_sides(side.data(), packed);
  CHECK(std::equal(std::begin(sides.words), std::end(sides.words), std::begin(packed.words)));
  const ListParts& by_byte = avx512_kernels()->part_long_lists;
  for (const auto part :
       {parts.both, parts.left, parts.right, by_byte.both, by_byte.left, by_byte.right}) {
    std::vector<SmallEntry> found = lists;
    part({found.data() + MARGIN, stride, 2, 0, n, sides, scratch.data(), side.data()});
    const auto left = found.begin() + (begin - wanted.begin());
    const auto right = found.begin() + (middle - wanted.begin());
    CHECK(std::equal(found.begin(), left, wanted.begin()));  // the list that is skipped too
    CHECK(std::equal(left + n, found.end(), begin + n));
    const bool lefts = part != parts.right && part != by_byte.right;
    const bool rights = part != parts.left && part != by_byte.left;
    CHECK(!lefts || std::equal(left, right, begin));
    CHECK(!rights || std::equal(right, left + n, middle));
  }
}

}  // namespace

TEST(twigs_are_the_portable_trees) {
  if (avx512_kernels() == nullptr) return;
  for (const std::size_t n : {1, 2, 3, 17, 300, 1024, 1025, 3000}) {
    for (const std::size_t d : {1, 3, 10, 21}) {
      RandomData data = plain_table(n, d, n + d);
      check_all_weights(data, Target::regression(data.y, 1, {}));
      for (double& y : data.y) y = std::floor(3 * y);  // so that many leaves are pure
      check_all_weights(data, Target::regression(data.y, 1, {}));
    }
  }
}

TEST(twigs_of_two_classes_are_the_portable_trees) {
  if (avx512_kernels() == nullptr) return;
  RandomData data = plain_table(2500, 9, 6);
  for (auto& label : data.labels) label = label > 0;
  check_all_weights(data, Target::classification(data.labels, 2, Criterion::GINI));
}

// Responses of subtrees far away from the others are centred anew.
TEST(twigs_of_far_responses_are_the_portable_trees) {
  if (avx512_kernels() == nullptr) return;
  RandomData data = plain_table(3000, 6, 7);
  for (std::size_t i = 0; i < data.n; ++i)
    data.y[i] = 1e-7 * data.y[i] + std::floor(20 * data.cells[i * data.d]);
  check_all_weights(data, Target::regression(data.y, 1, {}));
}

TEST(lists_are_scanned_alike_by_any_number_of_lanes) {
  if (avx512_kernels() == nullptr) return;
  Stream stream(3, 0, Purpose::RULES);
  for (const std::uint32_t n : {2U, 3U, 6U, 15U, 16U, 17U, 18U, 33U, 255U, 257U, 300U, 1000U}) {
    for (const std::uint32_t n_codes : {1U, 3U, 60000U}) {
      const Lists data(n, n_codes, stream);
      for (const std::uint32_t min_rows : {1U, 3U, 20U, 300U})
        for (const double min_weight : {1e-12, 5.0})
          check_scan(data, {min_rows, min_weight, 1e-10});
    }
  }
}

TEST(lists_are_parted_stably) {
  if (avx512_kernels() == nullptr) return;
  Stream stream(4, 0, Purpose::RULES);
  for (std::uint32_t n = 1; n <= MAX_TWIG_ROWS; n = n < 70 ? n + 1 : n + 53)
    for (const double share : {0.0, 0.3, 0.9, 1.0}) check_parting(n, share, stream);
}
