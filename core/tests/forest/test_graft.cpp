#include "bayeswood/forest/graft.hpp"
#include "bayeswood/forest/leaves/leaf_responses.hpp"
#include "check.hpp"
#include "random_data.hpp"

using namespace bayeswood;

namespace {

std::vector<Tree> trees_of(const RandomData& data, const Target& target, std::uint64_t seed,
                           std::uint32_t max_depth, std::size_t n_trees) {
  GrowOptions options;
  options.max_features = static_cast<std::uint32_t>(data.d);
  options.max_depth = max_depth;
  options.scheme = {WeightKind::EXPONENTIAL, seed};
  options.keep_rows = true;
  options.kernels = &portable_kernels();
  const EncodedMatrix matrix = data.encoded();
  return grow_forest({matrix, target, {}, {}, 0, n_trees}, options, {}).trees;
}

void check_grafted(const RandomData& data, const Target& target) {
  const ForestShape shape = data.shape(target);
  const Forest trunk(shape, trees_of(data, target, 1, 2, 1));
  const Forest deep(shape, trees_of(data, target, 2, 0, 3));
  const Forest flat(shape, trees_of(data, target, 3, 1, 3));
  std::vector<std::int32_t> rows(data.n);
  for (std::size_t i = 0; i < data.n; ++i) rows[i] = static_cast<std::int32_t>(2 * i);
  std::vector<Branch> branches;
  for (std::size_t b = 0; b < trunk.tree(0).n_leaves(); ++b) {
    branches.push_back({b % 2 == 0 ? deep : flat, rows});
  }
  const Forest whole(shape, graft(trunk, branches, {2, {}}));
  std::vector<std::int32_t> top(data.n);
  apply(trunk, data.view(), top.data(), {});
  const std::size_t k = whole.n_outputs();
  std::vector<double> found(3 * data.n * k), of_deep(found.size()), of_flat(found.size());
  predict_draws(whole, data.view(), 1, {}, found.data(), {});
  predict_draws(deep, data.view(), 1, {}, of_deep.data(), {});
  predict_draws(flat, data.view(), 1, {}, of_flat.data(), {});
  for (std::size_t t = 0; t < 3; ++t) {
    CHECK(check_structure(whole.tree(t), shape).empty());
    CHECK(check_tree(whole.tree(t), shape).empty());
    for (const auto row : whole.tree(t).leaf_rows) CHECK(row % 2 == 0);
    for (std::size_t i = 0; i < data.n; ++i) {
      const auto& own = trunk.tree(0).child[top[i]] % 2 == 0 ? of_deep : of_flat;
      for (std::size_t j = 0; j < k; ++j) {
        const std::size_t at = (t * data.n + i) * k + j;
        CHECK(found[at] == own[at]);
      }
    }
  }
}

template <class Work>
bool refuses(Work&& work) {
  try {
    work();
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

}  // namespace

TEST(rows_are_predicted_by_the_branch_they_fall_into) {
  const RandomData data(300, 5, 0.1, 21);
  check_grafted(data, Target::regression(data.y, 1, {}));
  check_grafted(data, Target::classification(data.labels, 3, Criterion::GINI));
}

TEST(parts_that_do_not_fit_are_refused) {
  const RandomData data(100, 4, 0.0, 22);
  const Target target = Target::regression(data.y, 1, {});
  const Forest trunk(data.shape(target), trees_of(data, target, 1, 1, 1));
  const Forest two(data.shape(target), trees_of(data, target, 2, 1, 2));
  const Forest three(data.shape(target), trees_of(data, target, 2, 1, 3));
  const std::vector<std::int32_t> few{0};
  const std::vector<Branch> one{{two, {}}};
  const std::vector<Branch> uneven{{two, {}}, {three, {}}};
  const std::vector<Branch> unnamed{{two, few}, {two, few}};
  CHECK(refuses([&] { graft(trunk, one, {}); }));
  CHECK(refuses([&] { graft(trunk, uneven, {}); }));
  CHECK(refuses([&] { graft(trunk, unnamed, {}); }));
  CHECK(refuses([&] { graft(two, one, {}); }));
}

TEST(parts_are_weighted_as_tables_of_their_own) {
  const std::vector<std::int32_t> parts{1, 0, 1, 2, 1};
  const auto scheme = in_parts(make_scheme("exponential", 9, 0.0, {}, 5), parts, 5);
  std::vector<double> all(5), own(3);
  draw_weights(scheme, 4, {}, all);
  draw_weights(make_scheme("exponential", part_seed(9, 1), 0.0, {}, 3), 4, {}, own);
  CHECK(own[0] == all[0] && own[1] == all[2] && own[2] == all[4]);
  const auto strict = in_parts(make_scheme("exponential", 9, 100.0, {}, 5), parts, 5);
  draw_weights(strict, 4, {}, all);
  CHECK((all[0] > 0) + (all[2] > 0) + (all[4] > 0) == 1 && all[1] > 0 && all[3] > 0);
  CHECK(refuses([&] { in_parts(make_scheme("bootstrap", 9, 0.0, {}, 5), parts, 5); }));
  CHECK(refuses([&] { in_parts(make_scheme("exponential", 9, 0.0, {}, 4), parts, 4); }));
}

TEST(responses_of_parts_have_their_weights) {
  const RandomData data(200, 4, 0.0, 23);
  const Target target = Target::regression(data.y, 1, {});
  const Forest forest(data.shape(target), trees_of(data, target, 7, 1, 2));
  std::vector<std::int32_t> parts(data.n);
  for (std::size_t i = 0; i < data.n; ++i) parts[i] = static_cast<std::int32_t>(i % 3);
  const auto scheme = in_parts(make_scheme("exponential", 7, 0.0, {}, data.n), parts, data.n);
  const LeafResponses responses(forest, data.y, {}, scheme, {});
  std::vector<double> variance(responses.n_leaves());
  responses.leaf_variances(variance.data(), {});
  std::vector<double> weight(data.n);
  draw_weights(scheme, 0, {}, weight);
  const Tree& tree = forest.tree(0);
  double w = 0, wy = 0, wyy = 0;
  for (std::int32_t at = 0; at < tree.n_samples[1]; ++at) {
    const auto row = static_cast<std::size_t>(tree.leaf_rows[at]);
    w += weight[row];
    wy += weight[row] * data.y[row];
    wyy += weight[row] * data.y[row] * data.y[row];
  }
  CHECK(std::abs(variance[0] - (wyy / w - wy * wy / w / w)) < 1e-9);
}
