#include "bayeswood/smc/particle_tree.hpp"

#include <algorithm>
#include <limits>

namespace bayeswood {
namespace {

template <class Model>
class TreeWriter {
 public:
  TreeWriter(const Model& model, const RankedTable& table, double* importances,
             std::vector<NumberPredictive>& predictive)
      : model_(model), table_(table), importances_(importances), predictive_(predictive) {
    if (Model::COUNTS) tree_.leaf_offset.push_back(0);
  }

  void add_split(const typename HistoryPool<Model>::Decision& decision) {
    const Rule& rule = decision.rule;
    const bool is_category = table_.is_category(rule.feature);
    tree_.feature.push_back(static_cast<std::int32_t>(rule.feature));
    tree_.threshold.push_back(is_category ? std::numeric_limits<double>::quiet_NaN()
                                          : rule.threshold);
    tree_.missing_left.push_back(rule.missing_left ? 1 : 0);
    tree_.category_words.insert(tree_.category_words.end(), rule.left_levels.begin(),
                                rule.left_levels.end());
    importances_[rule.feature] += std::max(0.0, decision.log_gain);
  }

  void add_leaf(const typename Model::Stats& stats) {
    tree_.feature.push_back(LEAF);
    tree_.threshold.push_back(std::numeric_limits<double>::quiet_NaN());
    tree_.missing_left.push_back(0);
    n_samples_.push_back(static_cast<std::int32_t>(stats.n));
    weight_.push_back(static_cast<float>(stats.n));
    const std::size_t begin = tree_.leaf_value.size();
    tree_.leaf_value.resize(begin + model_.n_outputs());
    model_.put_predictive(stats, tree_.leaf_value.data() + begin);
    if constexpr (Model::COUNTS) {
      for (std::size_t c = 0; c < model_.n_outputs(); ++c)
        tree_.leaf_class.push_back(static_cast<std::int32_t>(c));
      tree_.leaf_offset.push_back(static_cast<std::int32_t>(tree_.leaf_class.size()));
    } else {
      predictive_.push_back(model_.predictive(stats));
    }
  }

  Tree finish() {
    tree_.link(n_samples_, weight_, table_.n_levels());
    return std::move(tree_);
  }

 private:
  const Model& model_;
  const RankedTable& table_;
  double* importances_;
  std::vector<NumberPredictive>& predictive_;
  Tree tree_;
  std::vector<std::int32_t> n_samples_;
  std::vector<float> weight_;
};

}  // namespace

template <class Model>
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

template <class Model>
Tree make_tree(const std::vector<TreePiece<Model>>& pieces, const Model& model,
               const RankedTable& table, double* importances,
               std::vector<NumberPredictive>& predictive) {
  TreeWriter<Model> writer(model, table, importances, predictive);
  std::vector<std::uint32_t> order{0};  // breadth first
  order.reserve(pieces.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const TreePiece<Model>& piece = pieces[order[i]];
    if (piece.leaf != nullptr) {
      writer.add_leaf(piece.leaf->stats);
    } else {
      writer.add_split(*piece.decision);
      order.push_back(piece.decision->first_child);
      order.push_back(piece.decision->first_child + 1);
    }
  }
  return writer.finish();
}

#define BAYESWOOD_INSTANTIATE(Model)                                                    \
  template std::vector<TreePiece<Model>> collect_pieces<Model>(                         \
      HistoryPool<Model>::History, AgendaPool<Model>::Agenda, const AgendaPool<Model>&, \
      std::uint32_t);                                                                   \
  template Tree make_tree<Model>(const std::vector<TreePiece<Model>>&, const Model&,    \
                                 const RankedTable&, double*, std::vector<NumberPredictive>&);
BAYESWOOD_INSTANTIATE(ClassLeaves)
BAYESWOOD_INSTANTIATE(NumberLeaves)
#undef BAYESWOOD_INSTANTIATE

}  // namespace bayeswood
