#include "bayeswood/sums/sum_sampler.hpp"

#include <cmath>

#include "bayeswood/forest/tree_writer.hpp"

namespace bayeswood {
namespace {

constexpr std::size_t REFRESH = 64;  // sweeps

// Slots of the leaves below a node.
std::bitset<MOST_SLOTS> slots_below(const SumTree& tree, std::int32_t node) {
  std::bitset<MOST_SLOTS> found;
  tree.visit(node, [&](std::int32_t at) {
    if (tree[at].is_leaf()) found.set(tree[at].slot);
  });
  return found;
}

}  // namespace

SumSampler::SumSampler(const EncodedMatrix& matrix, SumResponse response, SumSettings settings,
                       const RowKernels& kernels)
    : table_(matrix),
      response_(std::move(response)),
      settings_(std::move(settings)),
      laws_(settings_.n_chains, SumLaw(table_, kernels, settings_.tree_prior)),
      n_swept_(settings_.n_chains, 0),
      sum_shapes_(settings_.n_chains),
      product_shapes_(settings_.n_chains) {
  const SumModel& model = settings_.model;
  for (std::size_t c = 0; c < settings_.n_chains; ++c) {
    const Stream stream(settings_.seed, c, Purpose::SUMS);
    chains_.push_back(make_chain(laws_[c], model, response_, stream));
    sum_shapes_[c].resize(response_.n_sums() * model.n_trees);
    product_shapes_[c].resize(response_.n_sums() * model.n_variance_trees);
  }
}

ForestShape SumSampler::shape() const {
  return {static_cast<std::int32_t>(table_.n_features()),
          static_cast<std::int32_t>(response_.n_outputs()), false, table_.n_levels()};
}

std::shared_ptr<const Tree> SumSampler::copy_shape(const SumTree& tree, const Slot* slots) const {
  TreeWriter writer(table_.n_levels(), response_.n_outputs(), false);
  writer.reserve({tree.n_leaves(), 0});
  visit_breadth_first(
      std::int32_t{0}, 2 * tree.n_leaves() - 1,
      [&](std::int32_t node) -> std::optional<std::array<std::int32_t, 2>> {
        const SumNode& at = tree[node];
        if (at.is_leaf()) {
          writer.add_leaf(at.n, at.n, {}, {});
          return std::nullopt;
        }
        const bool is_category = table_.is_category(at.rule.feature);
        const Rule rule = laws_[0].settled(
            at.rule, slots, is_category ? slots_below(tree, node) : std::bitset<MOST_SLOTS>{},
            tree[at.left].n, tree[at.right].n);
        writer.add_split(rule.feature, rule.missing_left, rule.threshold, rule.left_levels);
        return std::array{at.left, at.right};
      });
  return std::make_shared<const Tree>(writer.finish());
}

template <class Leaves, class ValueOf>
void SumSampler::record_trees(TreeSum<Leaves>& trees, std::shared_ptr<const Tree>* shapes,
                              std::size_t output, ValueOf value_of, RecordedTrees& record) const {
  for (std::size_t t = 0; t < trees.n_trees(); ++t) {
    SumTree& tree = trees.tree(t);
    if (!tree.is_recorded) shapes[t] = copy_shape(tree, trees.slots(t));
    tree.is_recorded = true;
    record.trees.push_back(shapes[t]);
    visit_breadth_first(std::int32_t{0}, 2 * tree.n_leaves() - 1,
                        [&](std::int32_t node) -> std::optional<std::array<std::int32_t, 2>> {
                          const SumNode& at = tree[node];
                          if (!at.is_leaf()) return std::array{at.left, at.right};
                          const auto value = static_cast<double>(trees.value(t, node));
                          for (std::size_t j = 0; j < response_.n_outputs(); ++j)
                            record.values.push_back(j == output ? value_of(t, value) : 0.0);
                          return std::nullopt;
                        });
  }
}

void SumSampler::record_draw(std::size_t c, SumRecord& record) {
  SumChain& chain = *chains_[c];
  const SumModel& model = settings_.model;
  for (std::size_t k = 0; k < chain.n_sums(); ++k) {
    const std::size_t output = response_.output_of(k);
    // What the sum starts from is in its first tree.
    record_trees(
        chain.sum(k), sum_shapes_[c].data() + k * model.n_trees, output,
        [&](std::size_t t, double value) {
          return settings_.unit[k] * value + (t == 0 ? settings_.offset[k] : 0.0);
        },
        record.sums);
  }
  for (std::size_t k = 0; k < chain.n_products(); ++k) {
    const double log_unit = 2 * std::log(settings_.unit[k]);
    record_trees(
        chain.product(k), product_shapes_[c].data() + k * model.n_variance_trees, k,
        [&](std::size_t t, double value) { return std::log(value) + (t == 0 ? log_unit : 0.0); },
        record.products);
  }
  if (chain.shares() != nullptr) {
    const std::vector<double>& shares = chain.shares()->shares();
    record.shares.insert(record.shares.end(), shares.begin(), shares.end());
  }
  ++record.n_draws;
}

void SumSampler::run_chain(std::size_t c, const SumRun& run, unsigned n_threads, SumRecord& record,
                           std::atomic<std::size_t>& done, const StopFlag& stop) {
  Team team(table_.n_rows() > RowLoops::BLOCK ? n_threads : 1);
  laws_[c].set_team(&team);
  sweep_chain(c, run, record, done, stop);
  laws_[c].set_team(nullptr);
}

void SumSampler::sweep_chain(std::size_t c, const SumRun& run, SumRecord& record,
                             std::atomic<std::size_t>& done, const StopFlag& stop) {
  SumChain& chain = *chains_[c];
  const std::size_t n_dropped = run.n_regrown + run.n_burn_in;
  const auto n_trees = static_cast<double>(settings_.model.n_trees * chain.n_sums());
  for (std::size_t s = 0; s < run.n_sweeps(); ++s) {
    if (stop.load(std::memory_order_relaxed)) return;
    if (s == n_dropped)
      for (std::size_t k = 0; k < chain.n_sums(); ++k) chain.sum(k).forget_counts();
    chain.sweep(s < run.n_regrown ? Sweep::FROM_ROOT : run.how, stop);
    if (stop.load(std::memory_order_relaxed)) return;
    if (++n_swept_[c] % REFRESH == 0) chain.refresh();
    for (std::size_t k = 0; k < chain.n_sums(); ++k)
      record.noise_sd.push_back(settings_.unit[k] * std::sqrt(chain.noise_variance(k)));
    record.n_leaves.push_back(static_cast<double>(chain.n_leaves()) / n_trees);
    if (s >= n_dropped && (s - n_dropped + 1) % run.thin == 0) record_draw(c, record);
    done.fetch_add(1, std::memory_order_relaxed);
  }
  for (std::size_t k = 0; k < chain.n_sums(); ++k) {
    const MoveCounts& counts = chain.sum(k).counts();
    for (std::size_t m = 0; m < N_SUM_MOVES; ++m) {
      record.counts.tried[m] += counts.tried[m];
      record.counts.accepted[m] += counts.accepted[m];
    }
  }
}

std::vector<SumRecord> SumSampler::run(const SumRun& run, unsigned n_threads, const Poll& poll,
                                       bool& interrupted) {
  std::vector<SumRecord> records(chains_.size());
  std::atomic<std::size_t> done{0};
  const std::size_t n_sweeps = run.n_sweeps() * chains_.size();
  const Poll watch = [&](std::size_t, std::size_t) { return poll(done, n_sweeps); };
  // Threads that no chain needs help those that there are.
  const unsigned for_each_chain = n_threads / static_cast<unsigned>(chains_.size());
  interrupted = false;
  try {
    parallel_for(
        chains_.size(), n_threads,
        [&](std::size_t c, unsigned, const StopFlag& stop) {
          run_chain(c, run, for_each_chain, records[c], done, stop);
        },
        poll ? watch : Poll{});
  } catch (const Interrupted&) {
    interrupted = true;
  }
  return records;
}

}  // namespace bayeswood
