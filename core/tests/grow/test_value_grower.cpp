// Small subtrees of random cuts are grown from values: the trees must be those grown from codes.
#include <algorithm>

#include "bayeswood/grow/tree_grower.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

enum class Cells { FLOATS, DOUBLES, STEPS, ODD };

constexpr std::size_t FEW_COLUMNS = 6;

double cell_of(Cells kind, double uniform) {
  if (kind == Cells::FLOATS) return static_cast<float>(uniform - 0.5);
  if (kind == Cells::DOUBLES) return uniform - 0.5;
  if (kind == Cells::STEPS) return std::floor(5 * uniform);
  const double odd[] = {-std::numeric_limits<double>::infinity(), -3e38, -1e-45, 0.0, 1e-45, 3e38};
  return static_cast<float>(odd[static_cast<std::size_t>(6 * uniform)]);
}

// Numbers only; the last column repeats the first, so that there are ties.
struct PlainData {
  std::size_t n, n_columns;
  std::vector<double> cells, y;
  std::vector<std::int32_t> labels;

  PlainData(std::size_t rows, Cells kind, std::uint64_t seed, std::size_t columns = FEW_COLUMNS)
      : n(rows), n_columns(columns) {
    Stream stream(seed, 0, Purpose::WEIGHTS);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j + 1 < n_columns; ++j)
        cells.push_back(cell_of(j == 2 ? Cells::STEPS : kind, stream.next_uniform()));
      const double first = cells[i * n_columns];
      cells.push_back(first);
      y.push_back((first > 0 ? 1 : 0) + stream.next_uniform());
      labels.push_back(static_cast<std::int32_t>(stream.below(2) * (first > 0 ? 2 : 1)));
    }
  }
  EncodedMatrix encoded(std::uint32_t max_codes) const {
    const MatrixView view{
        cells.data(), false, n, n_columns, static_cast<std::ptrdiff_t>(n_columns), 1};
    return {view, std::vector<std::int32_t>(n_columns, 0), 1, max_codes};
  }
  // Of so many classes, half of them rare.
  Target many_classes(std::int32_t n_classes) const {
    std::vector<std::int32_t> many;
    for (std::size_t i = 0; i < n; ++i) {
      const double u = y[i] - std::floor(y[i]);
      many.push_back(static_cast<std::int32_t>((labels[i] + 1) * u * u * n_classes / 3));
    }
    return Target::classification(many, static_cast<std::uint32_t>(n_classes), Criterion::GINI);
  }
  std::vector<Target> targets() const {
    std::vector<std::int32_t> two;
    for (const auto label : labels) two.push_back(label > 0 ? 1 : 0);
    return {Target::regression(y, 1, {}),
            Target::classification(two, 2, Criterion::GINI),
            Target::classification(labels, 3, Criterion::GINI),
            Target::classification(labels, 3, Criterion::ENTROPY),
            many_classes(26),
            many_classes(64),
            many_classes(65)};
  }
};

struct GrownTree {
  Tree tree;
  std::vector<double> importance;
};

GrownTree grow_one(const EncodedMatrix& matrix, const Target& target, const GrowOptions& options,
                   const ValueTable& values) {
  TreeGrower grower(matrix, target, options, values);
  GrownTree grown;
  grown.importance.assign(matrix.n_features(), 0.0);
  const StopFlag stop{false};
  for (int again = 0; again < 2; ++again) {  // the second from buffers of the first
    draw_weights(options.scheme, 0, {}, grower.weights());
    grower.grow(0, grown.tree, grown.importance.data(), stop);
  }
  return grown;
}

void check_same(const GrownTree& a, const GrownTree& b) {
  const auto bits = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  CHECK(a.tree.feature == b.tree.feature);
  CHECK(std::equal(a.tree.threshold.begin(), a.tree.threshold.end(), b.tree.threshold.begin(),
                   b.tree.threshold.end(), bits));
  CHECK(a.tree.missing_left == b.tree.missing_left);
  CHECK(a.tree.leaf_rows == b.tree.leaf_rows);
  CHECK(a.tree.weight == b.tree.weight);
  CHECK(a.tree.leaf_class == b.tree.leaf_class);
  CHECK(a.tree.leaf_value == b.tree.leaf_value);
  CHECK(a.importance == b.importance);
}

void check_values_against_codes(const PlainData& data, std::uint32_t max_codes,
                                std::uint32_t min_samples_leaf = 1,
                                WeightKind weights = WeightKind::EXPONENTIAL) {
  const EncodedMatrix matrix = data.encoded(max_codes);
  const ValueTable values = make_value_table(matrix, 2);
  std::vector<const Kernels*> all_kernels = {&portable_kernels()};
  if (avx2_kernels() != nullptr) all_kernels.push_back(avx2_kernels());
  if (avx512_kernels() != nullptr) all_kernels.push_back(avx512_kernels());
  for (const Target& target : data.targets()) {
    for (const std::uint32_t max_features :
         {1U, 4U, 5U, static_cast<std::uint32_t>(matrix.n_features())}) {
      GrowOptions options;
      options.splitter = Splitter::RANDOM;
      options.max_features = max_features;
      options.min_samples_leaf = std::max(max_features == 4 ? 3U : 1U, min_samples_leaf);
      options.scheme = {max_features == 1 ? WeightKind::UNIT : weights, 7};
      options.keep_rows = true;
      options.kernels = &portable_kernels();
      const GrownTree by_codes = grow_one(matrix, target, options, {});
      for (const Kernels* kernels : all_kernels) {
        options.kernels = kernels;
        check_same(by_codes, grow_one(matrix, target, options, values));
      }
    }
  }
}

}  // namespace

TEST(trees_from_values_are_those_from_codes) {
  for (const Cells kind : {Cells::FLOATS, Cells::DOUBLES, Cells::STEPS, Cells::ODD}) {
    for (const std::size_t n : {std::size_t{5}, std::size_t{700}})
      check_values_against_codes(PlainData(n, kind, n), MAX_CODES);
  }
}

// Two classes are counted then.
TEST(trees_of_rows_that_weigh_1_are_those_from_codes) {
  for (const Cells kind : {Cells::FLOATS, Cells::DOUBLES, Cells::ODD}) {
    const PlainData data(600, kind, 8, 9);
    check_values_against_codes(data, MAX_CODES, 1, WeightKind::UNIT);
    if (kind != Cells::ODD) check_values_against_codes(data, 40, 1, WeightKind::UNIT);
  }
}

TEST(trees_from_bins_are_those_from_codes) {
  for (const Cells kind : {Cells::FLOATS, Cells::DOUBLES})
    check_values_against_codes(PlainData(900, kind, 3), 40);
}

// Rows of one vector, of two, and of more.
TEST(trees_from_wide_rows_are_those_from_codes) {
  for (const std::size_t n_columns : {std::size_t{16}, std::size_t{20}, std::size_t{40}}) {
    for (const Cells kind : {Cells::FLOATS, Cells::DOUBLES})
      check_values_against_codes(PlainData(300, kind, 5, n_columns), MAX_CODES);
    check_values_against_codes(PlainData(200, Cells::FLOATS, 6, n_columns), 40);
  }
}

// The root is too large to be copied, its subtrees are not; small leaves are those of the cases
// above.
TEST(subtrees_that_are_copied_follow_large_nodes) {
  const PlainData data(12000, Cells::DOUBLES, 4, 12);
  check_values_against_codes(data, MAX_CODES, 40);
  check_values_against_codes(data, 500, 400, WeightKind::UNIT);
}
