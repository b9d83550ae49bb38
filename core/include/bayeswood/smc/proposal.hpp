// How a particle decides about an open node: stop or split, and by which rule.
//
// Under the prior a node at depth d splits with probability p = split_probability(d), or never
// where no feature varies. R(s) = ML(left) ML(right) / ML(node) for a split s. A decision o is
// drawn from q and changes the particle's weight by pi(o) R(o) / q(o), with R = 1 for stopping
// (Lakshminarayanan, Roy and Teh 2013, Algorithm 1):
//   prior      q = pi;                                        weight R(o)
//   empirical  the rule from b in place of pi;                weight R(o) pi(o) / b(o)
//   tempered   q(o) = b(o) R(o)^tau / Z, Z summed over all o; weight Z R(o)^(1 - tau) pi(o) / b(o)
// and the optimal one is the tempered one at tau = 1, whose weight Z does not depend on the draw.
// Where a node must not be split (it would have too many leaves or too few rows) q stops with
// probability 1 and the weight is pi(stop).
#pragma once

#include "bayeswood/smc/row_block.hpp"
#include "bayeswood/smc/split_table.hpp"

namespace bayeswood {

enum class Proposal { PRIOR, EMPIRICAL, TEMPERED };

struct ProposalSettings {
  ChipmanPrior prior;
  Proposal kind = Proposal::PRIOR;
  double tau = 1;  // of the tempered proposal
  std::int64_t min_samples_leaf = 1;
};

template <CutLeafModel Model>
struct Outcome {
  bool is_split = false;
  Rule rule;
  typename Block<Model>::Children children{nullptr, nullptr};  // open for the caller
  double log_weight = 0;
  double log_gain = 0;  // log R
};

template <CutLeafModel Model>
class Proposer {
 public:
  Proposer(BlockStore<Model>& blocks, const ProposalSettings& settings);

  // For a block that is ready.
  Outcome<Model> propose(Block<Model>* block, std::uint32_t depth, bool may_split, Stream& stream);

 private:
  using Node = typename SplitTabler<Model>::Node;

  Node node_of(const Block<Model>* block) const {
    return {block->rows, block->extents, block->stats, block->log_marginal};
  }
  void propose_plainly(Block<Model>* block, double p, Stream& stream, Outcome<Model>& out);
  void propose_by_table(Block<Model>* block, double p, Stream& stream, Outcome<Model>& out);
  void split(Block<Model>* block, Rule&& rule, Outcome<Model>& out);

  BlockStore<Model>& blocks_;
  ProposalSettings settings_;
  bool by_table_;
  SplitTabler<Model> tabler_;
};

extern template class Proposer<ClassLeaves>;
extern template class Proposer<NumberLeaves>;

}  // namespace bayeswood
