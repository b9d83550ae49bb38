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
      law_(table_, kernels, settings_.tree_prior),
      n_swept_(settings_.n_chains, 0),
      shapes_(settings_.n_chains) {
  for (std::size_t c = 0; c < settings_.n_chains; ++c) {
    const Stream stream(settings_.seed, c, Purpose::SUMS);
    chains_.push_back(
        make_chain(law_, settings_.moves, settings_.n_trees, response_, settings_.prior, stream));
    shapes_[c].resize(response_.n_sums() * settings_.n_trees);
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
        const Rule rule = law_.settled(
            at.rule, slots, is_category ? slots_below(tree, node) : std::bitset<MOST_SLOTS>{},
            tree[at.left].n, tree[at.right].n);
        writer.add_split(rule.feature, rule.missing_left, rule.threshold, rule.left_levels);
        return std::array{at.left, at.right};
      });
  return std::make_shared<const Tree>(writer.finish());
}

void SumSampler::record_draw(std::size_t c, SumRecord& record) {
  SumChain& chain = *chains_[c];
  const std::size_t n_sums = chain.n_sums();
  for (std::size_t k = 0; k < n_sums; ++k) {
    TreeSum<MeanLeaves>& sum = chain.sum(k);
    const std::size_t output = response_.output_of(k);
    for (std::size_t t = 0; t < sum.n_trees(); ++t) {
      SumTree& tree = sum.tree(t);
      std::shared_ptr<const Tree>& shape = shapes_[c][k * settings_.n_trees + t];
      if (!tree.is_recorded) shape = copy_shape(tree, sum.slots(t));
      tree.is_recorded = true;
      record.trees.push_back(shape);
      // Leaves in breadth-first order; what the sum starts from is in its first tree.
      const double start = t == 0 ? settings_.offset[k] : 0.0;
      visit_breadth_first(
          std::int32_t{0}, 2 * tree.n_leaves() - 1,
          [&](std::int32_t node) -> std::optional<std::array<std::int32_t, 2>> {
            const SumNode& at = tree[node];
            if (!at.is_leaf()) return std::array{at.left, at.right};
            const auto value = static_cast<double>(sum.value(t, node));
            for (std::size_t j = 0; j < response_.n_outputs(); ++j)
              record.values.push_back(j == output ? start + settings_.unit[k] * value : 0);
            return std::nullopt;
          });
    }
  }
  ++record.n_draws;
}

void SumSampler::run_chain(std::size_t c, const SumRun& run, SumRecord& record,
                           std::atomic<std::size_t>& done, const StopFlag& stop) {
  SumChain& chain = *chains_[c];
  const std::size_t n_dropped = run.n_regrown + run.n_burn_in;
  const auto n_trees = static_cast<double>(settings_.n_trees * chain.n_sums());
  for (std::size_t s = 0; s < run.n_sweeps(); ++s) {
    if (stop.load(std::memory_order_relaxed)) return;
    if (s == n_dropped)
      for (std::size_t k = 0; k < chain.n_sums(); ++k) chain.sum(k).forget_counts();
    chain.sweep(s < run.n_regrown || (s >= n_dropped && run.regrow_draws), stop);
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

std::vector<SumRecord> SumSampler::run(const SumRun& run, unsigned n_threads, const SumPoll& poll,
                                       bool& interrupted) {
  std::vector<SumRecord> records(chains_.size());
  std::atomic<std::size_t> done{0};
  const std::size_t n_sweeps = run.n_sweeps() * chains_.size();
  const Poll watch = [&](std::size_t, std::size_t) { return poll({done, n_sweeps}); };
  interrupted = false;
  try {
    parallel_for(
        chains_.size(), n_threads,
        [&](std::size_t c, unsigned, const StopFlag& stop) {
          run_chain(c, run, records[c], done, stop);
        },
        poll ? watch : Poll{});
  } catch (const Interrupted&) {
    interrupted = true;
  }
  return records;
}

}  // namespace bayeswood
