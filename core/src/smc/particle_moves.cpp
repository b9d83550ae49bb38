#include "bayeswood/smc/particle_moves.hpp"

#include <stdexcept>

namespace bayeswood {
namespace {

// The bits of the levels that a node does not hold, drawn anew.
void toss_absent(const RankedTable& table, Rows rows, Stream& stream, Rule& rule) {
  const std::int32_t n_levels = table.n_levels()[rule.feature];
  std::vector<std::uint64_t> present(rule.left_levels.size(), 0);
  for (const auto level : present_levels(table, rows, rule.feature))
    present[level >> 6] |= 1ULL << (level & 63);
  for (std::size_t w = 0; w < present.size(); ++w)
    rule.left_levels[w] = (rule.left_levels[w] & present[w]) | (stream.next() & ~present[w]);
  if ((n_levels & 63) != 0) rule.left_levels.back() &= (1ULL << (n_levels & 63)) - 1;
}

// A particle's rule as a chain has it: what its node did not settle is open again.
Rule unsettled(const Rule& rule, const RankedTable& table, Rows rows, Stream& stream) {
  Rule out = rule;
  if (!table.has_missing(rule.feature)) out.missing_left = false;
  if (table.is_category(rule.feature)) {
    toss_absent(table, rows, stream, out);
  } else {
    // The rank below the threshold among all values, of which the node may lack some.
    const std::int32_t last = table.n_ranks(rule.feature) - 1;
    out.cut = table.rank_below(rule.feature, 0, last, rule.threshold);
  }
  return out;
}

}  // namespace

template <CutLeafModel Model>
Metropolis<Model> start_chain(const std::vector<TreePiece<Model>>& pieces, const TreeLaw& law,
                              const Model& model, const ChainSettings& settings, Stream levels) {
  Metropolis<Model> chain(law, model, settings, levels, levels, 1);
  std::vector<std::int32_t> node(pieces.size(), 0);  // of the chain, by number
  for (std::size_t number = 0; number < pieces.size(); ++number) {
    const auto* decision = pieces[number].decision;
    if (pieces[number].leaf != nullptr) continue;
    const std::int32_t at = node[number];
    const Rule rule = unsettled(decision->rule, law.table(), chain.tree().rows(at), levels);
    if (!chain.split_leaf(at, rule)) throw std::logic_error("a particle's tree is not lawful");
    node[decision->first_child] = chain.tree()[at].left;
    node[decision->first_child + 1] = chain.tree()[at].right;
  }
  return chain;
}

template Metropolis<ClassLeaves> start_chain(const std::vector<TreePiece<ClassLeaves>>&,
                                             const TreeLaw&, const ClassLeaves&,
                                             const ChainSettings&, Stream);
template Metropolis<NumberLeaves> start_chain(const std::vector<TreePiece<NumberLeaves>>&,
                                              const TreeLaw&, const NumberLeaves&,
                                              const ChainSettings&, Stream);

}  // namespace bayeswood
