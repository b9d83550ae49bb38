#include "bayeswood/smc/particle_tree.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "bayeswood/forest/tree_writer.hpp"

namespace bayeswood {
template <CutLeafModel Model>
std::vector<TreePiece<Model>> collect_pieces(typename HistoryPool<Model>::History history,
                                             typename AgendaPool<Model>::Agenda agenda,
                                             const AgendaPool<Model>& agendas,
                                             std::uint32_t n_nodes) {
  std::vector<TreePiece<Model>> pieces(n_nodes);
  for (const auto* record = history; record != nullptr; record = record->previous)
    pieces[record->decision.number] = {&record->decision, record->decision.block};
  agendas.for_each(
      agenda, [&](const OpenNode<Model>& node) { pieces[node.number] = {nullptr, node.block}; });
  return pieces;
}

template <CutLeafModel Model>
Tree make_tree(const std::vector<TreePiece<Model>>& pieces, const Model& model,
               const RankedTable& table, double* importances, std::vector<double>& leaf_variance) {
  TreeWriter writer(table.n_levels(), model.n_outputs(), Model::IS_CLASSIFIER);
  const std::size_t n_leaves = (pieces.size() + 1) / 2;
  writer.reserve({n_leaves, n_leaves * model.n_outputs()});
  using Children = std::optional<std::array<std::uint32_t, 2>>;
  visit_breadth_first(0U, pieces.size(), [&](std::uint32_t number) -> Children {
    const TreePiece<Model>& piece = pieces[number];
    if (piece.leaf != nullptr) {
      const auto& stats = piece.leaf->stats;
      const std::span<double> values = writer.add_leaf(stats.n, static_cast<double>(stats.n));
      if constexpr (Model::IS_CLASSIFIER) {
        model.put_predictive(stats, values.data());
      } else {
        const NumberPredictive found = model.predictive(stats);
        leaf_variance.push_back(found.variance);
        values[0] = found.mean;
      }
      return {};
    }
    const Rule& rule = piece.decision->rule;
    writer.add_split(rule.feature, rule.missing_left, rule.threshold, rule.left_levels);
    importances[rule.feature] += std::max(0.0, piece.decision->log_gain);
    return {{piece.decision->first_child, piece.decision->first_child + 1}};
  });
  return writer.finish();
}

#define BAYESWOOD_INSTANTIATE(Model)                                                    \
  template std::vector<TreePiece<Model>> collect_pieces<Model>(                         \
      HistoryPool<Model>::History, AgendaPool<Model>::Agenda, const AgendaPool<Model>&, \
      std::uint32_t);                                                                   \
  template Tree make_tree<Model>(const std::vector<TreePiece<Model>>&, const Model&,    \
                                 const RankedTable&, double*, std::vector<double>&);
BAYESWOOD_INSTANTIATE(ClassLeaves)
BAYESWOOD_INSTANTIATE(NumberLeaves)
#undef BAYESWOOD_INSTANTIATE

}  // namespace bayeswood
