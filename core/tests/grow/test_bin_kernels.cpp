// Bins of two classes: every instruction set must give the bits of the portable kernels, and rows
// that are counted the trees of rows that are summed up.
#include <algorithm>

#include "bayeswood/grow/cart.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

std::vector<const Kernels*> fast_kernels() {
  std::vector<const Kernels*> found;
  for (const Kernels* kernels : {avx2_kernels(), avx512_kernels()})
    if (kernels != nullptr) found.push_back(kernels);
  return found;
}

// A node of two classes by four features: codes by id, rows of any weight and of whole ones.
struct BinnedNode {
  static constexpr std::uint32_t CODES = 1024, SHIFT = 4, BINS = CODES >> SHIFT;
  std::vector<std::uint16_t> ids;
  std::vector<std::vector<std::uint16_t>> columns{LANES};
  std::vector<WeightedValue> weights;
  std::vector<PackedCount> counts;

  BinnedNode(std::uint32_t n, std::uint64_t seed) {
    Stream stream(seed, n, Purpose::RULES);
    for (std::uint32_t id = 0; id < 2 * n; ++id) {
      const double w = 0.1 + stream.next_uniform();
      const bool is_one = stream.below(3) == 0;
      weights.push_back({w, is_one ? w : 0});
      counts.push_back(count_of(row_tail(1 + stream.below(3), is_one)));
      // The last columns leave many bins empty.
      for (std::uint32_t l = 0; l < LANES; ++l)
        columns[l].push_back(static_cast<std::uint16_t>(stream.below(CODES >> (2 * l))));
      if (id % 2 == 1) ids.push_back(static_cast<std::uint16_t>(id));
    }
  }
};

template <class Row>
struct FilledBins {
  std::vector<std::vector<Row>> bins;
  std::vector<std::vector<std::uint16_t>> codes;

  FilledBins(const BinnedNode& node, const std::vector<Row>& rows, BinFiller<Row> fill)
      : bins(LANES, std::vector<Row>(BinnedNode::BINS)),
        codes(LANES, std::vector<std::uint16_t>(node.ids.size())) {
    BinFill<Row> task{node.ids.data(), node.ids.size(), rows.data(), {}, {}, {}, {}};
    for (std::uint32_t l = 0; l < LANES; ++l) {
      task.columns[l] = node.columns[l].data();
      task.shifts[l] = BinnedNode::SHIFT;
      task.bins[l] = bins[l].data();
      task.codes[l] = codes[l].data();
    }
    fill(task);
  }
};

bool same_marks(const BinMarks& a, const BinMarks& b) {
  return std::equal(a.opened, a.opened + BinnedNode::BINS / 8, b.opened) &&
         std::equal(a.offered, a.offered + BinnedNode::BINS / 8, b.offered);
}

struct CountedGains {
  std::vector<PackedCount> before = std::vector<PackedCount>(BinnedNode::BINS);
  std::vector<double> gain = std::vector<double>(BinnedNode::BINS);
  double most;
  BinMarks marks;

  CountedGains(const std::vector<PackedCount>& bins, PackedCount all, double share,
               const Kernels& kernels) {
    const CountBins task{BinnedNode::BINS,
                         bins.data(),
                         before.data(),
                         gain.data(),
                         count_n(all),
                         double(count_w(all)),
                         double(count_wy(all)),
                         3,
                         2.0};
    most = kernels.count_gains(task);
    kernels.mark_counts(task, share * most, marks);
  }
};

struct WeighedGains {
  std::vector<double> w = std::vector<double>(BinnedNode::BINS + 1), wy = w;
  std::vector<double> gain = std::vector<double>(BinnedNode::BINS);
  double most;
  BinMarks marks;

  WeighedGains(const std::vector<WeightedValue>& bins, const WeightedValue& all, double share,
               const Kernels& kernels) {
    std::uint32_t n_cuts = BinnedNode::BINS - 1;
    while (n_cuts > 0 && bins[n_cuts].w == 0) --n_cuts;
    const WeightBins task{BinnedNode::BINS, n_cuts, bins.data(), w.data(), wy.data(),
                          gain.data(),      all.w,  all.wy,      0.5};
    most = kernels.weight_gains(task);
    kernels.mark_weights(task, share * most, marks);
  }
};

void check_counted(const BinnedNode& node, const Kernels& kernels) {
  const FilledBins<PackedCount> slow(node, node.counts, portable_kernels().fill_counts);
  const FilledBins<PackedCount> fast(node, node.counts, kernels.fill_counts);
  CHECK(slow.bins == fast.bins && slow.codes == fast.codes);
  PackedCount all = 0;
  for (const auto id : node.ids) all += node.counts[id];
  for (const auto& bins : slow.bins) {
    for (const double share : {-1.0, 0.5, 1.0}) {
      const CountedGains a(bins, all, share, portable_kernels()), b(bins, all, share, kernels);
      CHECK(a.before == b.before && a.gain == b.gain && a.most == b.most);
      CHECK(same_marks(a.marks, b.marks));
    }
  }
}

void check_weighed(const BinnedNode& node, const Kernels& kernels) {
  const FilledBins<WeightedValue> slow(node, node.weights, portable_kernels().fill_weights);
  const FilledBins<WeightedValue> fast(node, node.weights, kernels.fill_weights);
  CHECK(slow.codes == fast.codes);
  WeightedValue all{0, 0};
  for (const auto id : node.ids) {
    all.w += node.weights[id].w;
    all.wy += node.weights[id].wy;
  }
  for (std::uint32_t l = 0; l < LANES; ++l) {
    for (std::uint32_t b = 0; b < BinnedNode::BINS; ++b)
      CHECK(slow.bins[l][b].w == fast.bins[l][b].w && slow.bins[l][b].wy == fast.bins[l][b].wy);
    for (const double share : {-1.0, 0.5, 1.0}) {
      const WeighedGains a(slow.bins[l], all, share, portable_kernels());
      const WeighedGains b(slow.bins[l], all, share, kernels);
      CHECK(a.w == b.w && a.wy == b.wy && a.gain == b.gain && a.most == b.most);
      CHECK(same_marks(a.marks, b.marks));
    }
  }
}

// Half of the bins are open, and the rows in them are found in order.
void check_opening(const BinnedNode& node, const Kernels& kernels) {
  std::uint8_t opened[MAX_BINS / 8] = {};
  for (std::uint32_t b = 0; b < BinnedNode::BINS; b += 3) opened[b / 8] |= 1U << (b % 8);
  const auto& codes = node.columns[0];
  std::vector<std::uint32_t> places(codes.size() + 16), wanted;
  for (std::uint32_t i = 0; i < codes.size(); ++i)
    if ((codes[i] >> BinnedNode::SHIFT) % 3 == 0) wanted.push_back(i);
  const std::size_t n =
      kernels.open_bins({codes.data(), codes.size(), BinnedNode::SHIFT, opened, places.data()});
  places.resize(n);
  CHECK(places == wanted);
}

void check_few_sorted(const Kernels& kernels) {
  if (kernels.sort_few == nullptr) return;
  Stream stream(3, 1, Purpose::RULES);
  for (std::uint32_t n = 0; n <= FEW_ENTRIES; ++n) {
    std::vector<std::uint32_t> entries(n);
    for (auto& entry : entries) entry = stream.below(n % 3 == 0 ? 9 : ~0U) << (n % 2);
    std::vector<std::uint32_t> wanted = entries;
    std::sort(wanted.begin(), wanted.end());
    kernels.sort_few(entries.data(), n);
    CHECK(entries == wanted);
  }
}

// Columns in turn continuous and of eight values, labels that the first one tells something of.
struct TwoClasses {
  RandomData data;
  Target target;

  TwoClasses(std::size_t n, std::size_t d, std::uint64_t seed)
      : data(n, d, 0.0, seed), target(labelled(data)) {
    std::fill(data.n_levels.begin(), data.n_levels.end(), 0);
  }
  static Target labelled(RandomData& data) {
    for (auto& label : data.labels) label = label > 0 ? 1 : 0;
    return Target::classification(data.labels, 2, Criterion::GINI);
  }
  GrownForest grow(GrowOptions options, const Kernels& kernels,
                   const std::vector<double>& given = {}) const {
    const EncodedMatrix matrix = data.encoded();
    options.kernels = &kernels;
    options.keep_rows = true;
    return grow_forest({matrix, target, {}, given, 0, 1}, options, {});
  }
};

void check_equal_trees(const GrownForest& a, const GrownForest& b) {
  CHECK(a.importances == b.importances);
  for (std::size_t t = 0; t < a.trees.size(); ++t) {
    CHECK(a.trees[t].feature == b.trees[t].feature);
    CHECK(a.trees[t].leaf_value == b.trees[t].leaf_value);
    CHECK(a.trees[t].leaf_rows == b.trees[t].leaf_rows);
    for (std::size_t i = 0; i < a.trees[t].n_nodes(); ++i)
      CHECK(a.trees[t].feature[i] == LEAF || a.trees[t].threshold[i] == b.trees[t].threshold[i]);
  }
}

}  // namespace

TEST(bins_of_two_classes_are_the_same_on_every_machine) {
  for (const Kernels* kernels : fast_kernels()) {
    for (const std::uint32_t n : {3U, 31U, 160U, 1027U}) {
      const BinnedNode node(n, 7);
      check_counted(node, *kernels);
      check_weighed(node, *kernels);
      check_opening(node, *kernels);
    }
    check_few_sorted(*kernels);
  }
  check_opening(BinnedNode(500, 8), portable_kernels());
}

// The last is larger than a subtree.
TEST(trees_of_two_classes_are_the_same_on_every_machine) {
  for (const std::size_t n : {std::size_t{300}, std::size_t{4000}, std::size_t{26000}}) {
    const TwoClasses problem(n, 7, n);
    for (const auto kind : {WeightKind::EXPONENTIAL, WeightKind::BOOTSTRAP, WeightKind::UNIT}) {
      GrowOptions options;
      options.scheme = {kind, 5};
      options.max_features = 2;
      options.min_samples_leaf = n == 4000 ? 2 : 1;
      const GrownForest slow = problem.grow(options, portable_kernels());
      for (const Kernels* kernels : fast_kernels())
        check_equal_trees(slow, problem.grow(options, *kernels));
    }
  }
}

// Rows that weigh 1 are counted, rows that weigh 2 are not: sums are twice as large to the bit.
TEST(random_cuts_count_what_they_would_sum_up) {
  for (const std::size_t n : {std::size_t{400}, std::size_t{9000}}) {
    const TwoClasses problem(n, 9, n);
    GrowOptions options;
    options.splitter = Splitter::RANDOM;
    options.scheme = {WeightKind::GIVEN, 5};
    options.max_features = 3;
    const auto grown = [&](double w, const Kernels& kernels) {
      return problem.grow(options, kernels, std::vector<double>(n, w));
    };
    const GrownForest counted = grown(1, portable_kernels());
    check_equal_trees(counted, grown(2, portable_kernels()));
    for (const Kernels* kernels : fast_kernels()) check_equal_trees(counted, grown(1, *kernels));
  }
}
