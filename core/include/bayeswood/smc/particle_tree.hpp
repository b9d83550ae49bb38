// The tree of one particle, in the form that is handed over.
#pragma once

#include <vector>

#include "bayeswood/forest/tree.hpp"
#include "bayeswood/smc/agenda.hpp"
#include "bayeswood/smc/history.hpp"

namespace bayeswood {

// A node of a tree that is still in pieces.
template <CutLeafModel Model>
struct TreePiece {
  const typename HistoryPool<Model>::Decision* decision = nullptr;  // null: was left open
  const Block<Model>* leaf = nullptr;
};

// By node number: decisions from the history, and what the agenda still holds as leaves.
template <CutLeafModel Model>
std::vector<TreePiece<Model>> collect_pieces(typename HistoryPool<Model>::History history,
                                             typename AgendaPool<Model>::Agenda agenda,
                                             const AgendaPool<Model>& agendas,
                                             std::uint32_t n_nodes);

// `importances`: n_features log gains to add to; `leaf_variance`: the leaves' are appended
// (numbers).
template <CutLeafModel Model>
Tree make_tree(const std::vector<TreePiece<Model>>& pieces, const Model& model,
               const RankedTable& table, double* importances, std::vector<double>& leaf_variance);

}  // namespace bayeswood
