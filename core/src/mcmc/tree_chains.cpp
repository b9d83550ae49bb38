#include "bayeswood/mcmc/tree_chains.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace bayeswood {

// Of all chains together.
struct ChainCounters {
  std::atomic<std::size_t> iterations{0}, accepted{0};
  void add(std::size_t more_iterations, std::size_t more_accepted) {
    iterations += more_iterations;
    accepted += more_accepted;
  }
};

namespace {

// Iterations between two looks at the stop flag.
constexpr std::size_t ROUND = 32;
constexpr std::size_t REFRESH = 1024;
// Iterations for which memory is asked at once; more as they come.
constexpr std::size_t MOST_RESERVED = 1 << 16;

void reserve(const ChainPlan& plan, ChainRecord& record) {
  const std::size_t n = std::min(plan.n_iterations(), MOST_RESERVED);
  record.log_likelihood.reserve(n);
  record.log_posterior.reserve(n);
  record.n_leaves.reserve(n);
  record.depth.reserve(n);
  record.move.reserve(n);
  record.accepted.reserve(n);
  record.draw.reserve(std::min(plan.n_draws, n));
}

template <LeafModel Leaves>
void note_step(const Metropolis<Leaves>& chain, const StepInfo& info, ChainRecord& record) {
  record.log_likelihood.push_back(chain.log_likelihood());
  record.log_posterior.push_back(chain.log_posterior());
  record.n_leaves.push_back(static_cast<std::int32_t>(chain.tree().n_leaves()));
  record.depth.push_back(static_cast<std::int32_t>(chain.tree().depth()));
  record.move.push_back(static_cast<std::uint8_t>(info.move));
  record.accepted.push_back(info.accepted ? 1 : 0);
}

// One chain from its start to its end, or to the stop.
template <LeafModel Leaves>
void run_chain(const TreeLaw& law, const Leaves& leaves, const ChainPlan& plan, std::size_t number,
               ChainRecord& record, TreeDraws& draws, ChainCounters& counters,
               const StopFlag& stop) {
  const std::uint32_t no_limit = std::numeric_limits<std::uint32_t>::max();
  const bool is_restricted = plan.growth_iterations > 0;
  Metropolis<Leaves> chain(law, leaves, plan.settings,
                           Stream(plan.seed, number, Purpose::CHAIN_START),
                           Stream(plan.seed, number, Purpose::CHAIN_MOVES),
                           is_restricted ? plan.growth_leaves : no_limit);
  reserve(plan, record);
  std::vector<typename Leaves::Stats> sums;
  bool changed = true;
  std::size_t pending = 0;
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < plan.n_iterations(); ++i) {
    if (i % ROUND == 0) {
      counters.add(std::exchange(pending, 0), std::exchange(accepted, 0));
      if (stop.load(std::memory_order_relaxed)) return;
    }
    if (i % REFRESH == 0) chain.refresh();
    const StepInfo info = chain.step(i < plan.growth_iterations ? plan.growth_leaves : no_limit);
    changed |= info.accepted;
    pending += 1;
    accepted += info.accepted ? 1 : 0;
    note_step(chain, info, record);
    if (i < plan.n_burn_in || (i - plan.n_burn_in + 1) % plan.thin != 0) continue;
    if (std::exchange(changed, false) || record.draw.empty()) {
      record.draw.push_back(draws.add(copy_tree(chain, sums)));
    } else {
      record.draw.push_back(record.draw.back());
    }
  }
  counters.add(pending, accepted);
}

// Numbers the chains' trees anew, those that several visited once.
std::vector<DrawnTree> join(std::vector<TreeDraws>& draws, std::vector<ChainRecord>& chains) {
  TreeDraws all;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    std::vector<std::uint32_t> number;
    for (DrawnTree& drawn : draws[c].trees()) number.push_back(all.add(std::move(drawn)));
    draws[c] = TreeDraws{};
    for (auto& draw : chains[c].draw) draw = number[draw];
  }
  return std::move(all.trees());
}

}  // namespace

template <LeafModel Leaves>
ChainsResult run_chains(const TreeLaw& law, const Leaves& leaves, const ChainPlan& plan,
                        unsigned n_threads, const ChainPoll& poll) {
  ChainsResult result;
  result.chains.resize(plan.n_chains);
  std::vector<TreeDraws> draws(plan.n_chains);
  ChainCounters counters;
  const std::size_t n_iterations = plan.n_chains * plan.n_iterations();
  const auto task = [&](std::size_t c, unsigned, const StopFlag& stop) {
    run_chain(law, leaves, plan, c, result.chains[c], draws[c], counters, stop);
  };
  const Poll watch = [&](std::size_t done, std::size_t) {
    return poll({done, plan.n_chains, counters.iterations, n_iterations, counters.accepted});
  };
  try {
    parallel_for(plan.n_chains, n_threads, task, poll ? watch : Poll{});
  } catch (const Interrupted&) {
    result.interrupted = true;
  }
  result.trees = join(draws, result.chains);
  return result;
}

template ChainsResult run_chains(const TreeLaw&, const ClassLeaves&, const ChainPlan&, unsigned,
                                 const ChainPoll&);
template ChainsResult run_chains(const TreeLaw&, const NumberLeaves&, const ChainPlan&, unsigned,
                                 const ChainPoll&);

}  // namespace bayeswood
