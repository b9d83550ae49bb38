#include "bayeswood/smc/proposal.hpp"

#include <cmath>
#include <limits>

namespace bayeswood {
namespace {

TableSettings table_settings(const ProposalSettings& settings) {
  const bool is_tempered = settings.kind == Proposal::TEMPERED;
  return {is_tempered ? settings.tau : 0.0, settings.kind == Proposal::EMPIRICAL,
          settings.min_samples_leaf};
}

double log_sum(double a, double b) {
  const double larger = std::max(a, b);
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

}  // namespace

// Rules that would leave too few rows are left out of every proposal, which takes tables.
template <CutLeafModel Model>
Proposer<Model>::Proposer(BlockStore<Model>& blocks, const ProposalSettings& settings)
    : blocks_(blocks),
      settings_(settings),
      by_table_(settings.kind == Proposal::TEMPERED || settings.min_samples_leaf > 1),
      tabler_(blocks.table(), blocks.model(), table_settings(settings)) {}

template <CutLeafModel Model>
Outcome<Model> Proposer<Model>::propose(Block<Model>* block, std::uint32_t depth, bool may_split,
                                        Stream& stream) {
  Outcome<Model> out;
  if (!block->extents.splits()) return out;
  const double p = settings_.prior.split_probability(depth);
  if (!may_split || block->stats.n < 2 * settings_.min_samples_leaf) {
    out.log_weight = std::log1p(-p);
  } else if (by_table_) {
    propose_by_table(block, p, stream, out);
  } else {
    propose_plainly(block, p, stream, out);
  }
  return out;
}

template <CutLeafModel Model>
void Proposer<Model>::propose_plainly(Block<Model>* block, double p, Stream& stream,
                                      Outcome<Model>& out) {
  if (stream.next_uniform() >= p) return;
  const std::size_t place = draw_feature(block->extents, stream);
  const bool is_category = blocks_.table().is_category(block->extents.feature[place]);
  if (settings_.kind == Proposal::PRIOR || is_category) {
    split(block, draw_rule_of(blocks_.table(), block->rows, block->extents, place, stream), out);
    out.log_weight = out.log_gain;
    return;
  }
  if (!block->table) block->table = std::make_unique<SplitTable>();
  TableDraw draw = tabler_.draw_of(node_of(block), *block->table, place, stream);
  split(block, std::move(draw.rule), out);
  out.log_weight = out.log_gain + draw.log_base_ratio;
}

template <CutLeafModel Model>
void Proposer<Model>::propose_by_table(Block<Model>* block, double p, Stream& stream,
                                       Outcome<Model>& out) {
  const Node node = node_of(block);
  if (!block->table) block->table = std::make_unique<SplitTable>(tabler_.make(node));
  SplitTable& table = *block->table;
  const double log_stop = std::log1p(-p);
  out.log_weight = log_stop;
  if (table.total() <= 0) return;
  const double log_split =
      std::log(p) + std::log(table.total() / static_cast<double>(block->extents.n_varying())) +
      table.log_scale;
  const double log_z = log_sum(log_stop, log_split);
  out.log_weight = log_z;
  if (std::log(stream.next_uniform()) < log_stop - log_z) return;
  TableDraw draw = tabler_.draw(node, table, stream);
  split(block, std::move(draw.rule), out);
  const bool is_legal =
      std::min<std::int64_t>(out.children.first->stats.n, out.children.second->stats.n) >=
      settings_.min_samples_leaf;
  // At tau = 1 the ratio cancels but for the rounding of the table; where the rule is one of many
  // that share a ratio it does not.
  out.log_weight = log_z + draw.log_base_ratio + (out.log_gain - draw.log_tilt);
  if (!is_legal) out.log_weight = -std::numeric_limits<double>::infinity();
}

template <CutLeafModel Model>
void Proposer<Model>::split(Block<Model>* block, Rule&& rule, Outcome<Model>& out) {
  out.is_split = true;
  out.children = blocks_.split(block, rule);
  out.log_gain =
      out.children.first->log_marginal + out.children.second->log_marginal - block->log_marginal;
  std::vector<std::int32_t> present;
  const RankedTable& table = blocks_.table();
  if (!rule.left_levels.empty()) present = present_levels(table, block->rows, rule.feature);
  settle_unseen(table, present, out.children.first->stats.n, out.children.second->stats.n, rule);
  out.rule = std::move(rule);
}

template class Proposer<ClassLeaves>;
template class Proposer<NumberLeaves>;

}  // namespace bayeswood
