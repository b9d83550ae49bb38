// Fits of fixed data by every family of the core, and what each comes to in 64 bits: of the rules
// of its trees, and of every number that is said with them. Whoever runs it on two machines and
// sees the same lines knows that both fit the same models.
//
//   fixed_fits [portable]     the second: without the kernels for this processor
#include <cinttypes>
#include <cstring>

#include "../even_prior.hpp"
#include "../random_data.hpp"
#include "bayeswood/grow/boost.hpp"
#include "bayeswood/grow/boost_classes.hpp"
#include "bayeswood/mcmc/tree_chains.hpp"
#include "bayeswood/safe_bayes/class_posterior.hpp"
#include "bayeswood/safe_bayes/leaf_counts.hpp"
#include "bayeswood/safe_bayes/number_posterior.hpp"
#include "bayeswood/smc/particle_filter.hpp"
#include "bayeswood/smc/row_block.hpp"
#include "bayeswood/sums/sum_sampler.hpp"
#include "digest.hpp"

using namespace bayeswood;

namespace {

bool wants_portable = false;

template <class Kernels>
const Kernels& chosen(const Kernels* fast, const Kernels& portable) {
  return wants_portable || fast == nullptr ? portable : *fast;
}

const Kernels* best_kernels() {
  return avx512_kernels() != nullptr ? avx512_kernels() : avx2_kernels();
}

// Responses without the last bits of `sin`, which may differ between libraries.
RandomData rounded(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  RandomData data(rows, columns, 0.05, seed);
  for (double& y : data.y) y = std::round(y * 0x1p20) * 0x1p-20;
  return data;
}

std::vector<std::int32_t> in_units(const RandomData& data) {
  std::vector<std::int32_t> units;
  for (const double y : data.y) units.push_back(static_cast<std::int32_t>(std::lround(1000 * y)));
  return units;
}

void report(const char* name, const FitDigest& digest) {
  std::printf("%-28s %016" PRIx64 " %016" PRIx64 "\n", name, digest.rules.value(),
              digest.numbers.value());
}

GrowOptions options_of(const RandomData& data, WeightKind kind) {
  GrowOptions options;
  options.max_features = static_cast<std::uint32_t>(data.d / 2);
  options.scheme = {kind, 7};
  options.keep_rows = true;
  options.kernels = &chosen(best_kernels(), portable_kernels());
  return options;
}

void grow(const char* name, const RandomData& data, const Target& target,
          const GrowOptions& options) {
  const EncodedMatrix matrix = data.encoded();
  const Forest forest(data.shape(target),
                      grow_forest({matrix, target, {}, {}, 0, 8}, options, {}).trees);
  std::vector<double> mean(data.n * forest.n_outputs());
  predict_mean(forest, data.view(), std::vector<double>(8, 0.125), mean.data(), {});
  FitDigest digest;
  for (const auto& tree : forest.trees()) digest.add(*tree);
  digest.numbers.add(mean);
  report(name, digest);
}

void grow_all() {
  const RandomData data = rounded(4000, 8, 3);
  const Target numbers = Target::regression(data.y, 1, {});
  const Target gini = Target::classification(data.labels, 3, Criterion::GINI);
  const Target entropy = Target::classification(data.labels, 3, Criterion::ENTROPY);
  grow("bayesian forest, numbers", data, numbers, options_of(data, WeightKind::EXPONENTIAL));
  grow("bayesian forest, gini", data, gini, options_of(data, WeightKind::EXPONENTIAL));
  grow("bayesian forest, entropy", data, entropy, options_of(data, WeightKind::EXPONENTIAL));
  grow("random forest, numbers", data, numbers, options_of(data, WeightKind::BOOTSTRAP));
  grow("random forest, gini", data, gini, options_of(data, WeightKind::BOOTSTRAP));
  grow("random forest, entropy", data, entropy, options_of(data, WeightKind::BOOTSTRAP));
  GrowOptions random = options_of(data, WeightKind::UNIT);
  random.splitter = Splitter::RANDOM;
  grow("random cuts, numbers", data, numbers, random);
  grow("random cuts, gini", data, gini, random);
}

void boost_numbers() {
  const RandomData data = rounded(1500, 8, 4);
  const EncodedMatrix matrix = data.encoded();
  WeightScheme scheme{WeightKind::SUBSAMPLE, 7};
  scheme.threshold = 0.4;
  BoostOptions options;
  options.stage = {4, 1, 5, 0, 7, {}};
  options.n_bags = 3;
  BoostedBags bags(matrix, {data.y, 1, {}}, scheme, options, {});
  bags.grow(20, std::vector<std::size_t>{0, 1, 2}, {});
  FitDigest digest;
  for (std::size_t b = 0; b < bags.n_bags(); ++b)
    for (const auto& tree : bags.trees(b)) digest.add(*tree);
  report("boosted sums, numbers", digest);
}

void boost_classes() {
  const RandomData data = rounded(1500, 8, 5);
  const EncodedMatrix matrix = data.encoded();
  ClassBoostOptions options;
  options.stage = {4, 3, 4, 0.0, 3};
  options.n_bags = 3;
  BoostedClasses bags(matrix, {data.labels, 3, {}},
                      make_scheme("subsample", 3, 0.4, {}, matrix.n_rows()), options, {});
  bags.grow(20, {});
  FitDigest digest;
  for (std::size_t b = 0; b < options.n_bags; ++b)
    for (const auto& tree : bags.trees(b)) digest.add(*tree);
  report("boosted sums, classes", digest);
}

SumResponse response_of(const RandomData& data, ResponseKind kind) {
  SumResponse response{kind, data.n, {}, {}, {}};
  for (std::size_t i = 0; i < data.n; ++i)
    response.y.push_back(static_cast<float>(kind == ResponseKind::NUMBER ? data.y[i]
                                            : kind == ResponseKind::CLASSES
                                                ? data.labels[i]
                                                : (data.labels[i] > 0 ? 1 : 0)));
  response.offset.assign(kind == ResponseKind::CLASSES ? 3 : 1, 0.1);
  return response;
}

void sample_sums(const char* name, ResponseKind kind, Sweep how) {
  const RandomData data = rounded(400, 8, 6);
  const EncodedMatrix matrix(data.view(), data.n_levels, 1, MOST_NARROW_CODES);
  SumResponse response = response_of(data, kind);
  SumSettings settings;
  settings.seed = 4;
  settings.model.n_trees = 10;
  settings.model.n_particles = 4;
  settings.unit.assign(response.n_sums(), 2.0);
  settings.offset = response.offset;
  settings.model.prior.assign(response.n_sums(), {0.1, 0.5, 3, 1});
  SumSampler sampler(matrix, std::move(response), std::move(settings),
                     chosen(avx2_row_kernels(), portable_row_kernels()));
  bool interrupted = false;
  FitDigest digest;
  for (const SumRecord& record : sampler.run({2, 50, 10, 2, how}, 1, {}, interrupted)) {
    for (const auto& tree : record.sums.trees) digest.add(*tree);
    digest.numbers.add(record.sums.values);
    digest.numbers.add(record.noise_sd);
  }
  report(name, digest);
}

template <class Leaves>
void sample_chains(const char* name, const RandomData& data, const Leaves& leaves) {
  const RankedTable table(data.view(), data.n_levels, {});
  const TreeLaw law(table, TreePriorKind::CHIPMAN, {0.95, 0.5}, RowCopies({}, data.n));
  ChainPlan plan;
  plan.seed = 4;
  plan.n_chains = 2;
  plan.n_burn_in = 500;
  plan.n_draws = 500;
  plan.settings.probability.fill(0.2);
  const ChainsResult result = run_chains(law, leaves, plan, 1, {});
  FitDigest digest;
  for (const DrawnTree& drawn : result.trees) digest.add(drawn.tree);
  for (const ChainRecord& chain : result.chains) {
    digest.rules.add(chain.draw);
    digest.numbers.add(chain.log_posterior);
  }
  report(name, digest);
}

template <class Leaves>
void filter(const char* name, const RandomData& data, const Leaves& leaves, Proposal proposal) {
  const RankedTable table(data.view(), data.n_levels, {});
  FilterSettings settings;
  settings.proposal = {{0.95, 0.5}, proposal, 1.0, 1};
  settings.ess_threshold = 0.5;
  settings.n_particles = 60;
  settings.n_islands = 2;
  settings.seed = 3;
  FitDigest digest;
  for (const Island& island : run_islands(table, leaves, settings, {})) {
    for (const Tree& tree : island.trees) digest.add(tree);
    digest.rules.add(island.tree_of_particle);
    digest.numbers.add(island.weights);
    digest.numbers.add(std::vector<double>{island.log_evidence});
  }
  report(name, digest);
}

void sample_trees() {
  const RandomData data = rounded(300, 8, 7);
  const ClassLeaves classes(data.labels, RowCopies({}, data.n), even_prior(3, 2.0), 1.0);
  const std::vector<std::int32_t> units = in_units(data);  // which the leaves look at
  const NumberLeaves numbers(units, RowCopies({}, data.n), {0.3, 2.0, 0.5, 1e-3}, 0.0, 1.0);
  sample_chains("mcmc trees, classes", data, classes);
  sample_chains("mcmc trees, numbers", data, numbers);
  filter("smc trees, classes", data, classes, Proposal::PRIOR);
  filter("smc trees, numbers", data, numbers, Proposal::PRIOR);
  filter("smc trees, tempered", data, classes, Proposal::TEMPERED);
}

CutCodes even_codes(const RandomData& data) {
  std::vector<CutCodes::Feature> features(data.d);
  for (std::size_t j = 0; j < data.d; ++j) {
    features[j].n_levels = data.n_levels[j];
    if (data.n_levels[j] > 0) continue;
    const double top = j % 4 == 1 ? 8 : 1;
    for (int e = 1; e < 256; ++e) features[j].edges.push_back(top * e / 256);
    for (int e = 0; e < 256; ++e) features[j].transform.push_back((e + 0.5) / 256);
  }
  return CutCodes(std::move(features));
}

void add_rules(const PriorTrees& trees, const RandomData& data, const LeafKernels& kernels,
               FitDigest& digest) {
  std::vector<std::int64_t> leaf(data.n * trees.n_trees());
  find_leaves(trees, data.view(), leaf.data(), kernels, {});
  digest.rules.add(leaf);
}

void pool_prior_trees(const char* name, bool full) {
  const RandomData data = rounded(1200, 8, 8);
  const LeafKernels& kernels = chosen(avx2_leaf_kernels(), portable_leaf_kernels());
  const PriorTrees trees({full, 6, 0.475, 500}, 7, 40, even_codes(data), {});
  FitDigest digest;
  add_rules(trees, data, kernels, digest);
  std::vector<std::int32_t> counts(trees.n_leaves() * 3, 0);
  add_counts(trees, {data.view(), data.labels, {}, 3}, 1, counts.data(), kernels, {});
  const ClassSummary classes = summarise_classes(trees, {counts, even_prior(3, 1.5), true}, {});
  digest.rules.add(counts);
  digest.numbers.add(classes.log_evidence);
  digest.numbers.add(classes.probability);
  std::vector<LeafSums> sums(trees.n_leaves(), LeafSums{});
  const std::vector<std::int32_t> units = in_units(data);
  add_sums(trees, {data.view(), units, {}}, 1, sums.data(), kernels, {});
  const NumberSummary found = summarise_numbers(trees, sums, {0.3, 2.0, 0.5, 1e-3}, true, {});
  digest.numbers.add(found.log_evidence);
  report(name, digest);
}

}  // namespace

int main(int argc, char** argv) {
  wants_portable = argc > 1 && std::strcmp(argv[1], "portable") == 0;
  grow_all();
  boost_numbers();
  boost_classes();
  sample_sums("sums by mh, numbers", ResponseKind::NUMBER, Sweep::METROPOLIS);
  sample_sums("sums by mh, two classes", ResponseKind::TWO_CLASSES, Sweep::METROPOLIS);
  sample_sums("sums by mh, classes", ResponseKind::CLASSES, Sweep::METROPOLIS);
  sample_sums("sums by particles, numbers", ResponseKind::NUMBER, Sweep::PARTICLES);
  sample_trees();
  pool_prior_trees("safe-bayes, full trees", true);
  pool_prior_trees("safe-bayes, galton-watson", false);
}
