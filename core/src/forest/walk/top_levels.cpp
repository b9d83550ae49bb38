#include "bayeswood/forest/walk/top_levels.hpp"

#include <algorithm>
#include <vector>

#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/forest/walk/compiled_forest.hpp"

namespace bayeswood {
namespace {

std::uint16_t number_of_column(TopLevels::Level& level, std::uint16_t column) {
  std::uint16_t* end = level.column + level.n_columns;
  const std::uint16_t* found = std::find(level.column, end, column);
  if (found == end) level.column[level.n_columns++] = column;
  return static_cast<std::uint16_t>(found - level.column);
}

}  // namespace

TopLevels TopLevels::of(const PlaceNode* nodes, bool is_double) {
  TopLevels top;
  std::vector<std::uint32_t> at{0}, below;
  const auto has_set = [&](std::uint32_t node) { return (nodes[node].column & SET_FLAG) != 0; };
  const auto is_leaf = [&](std::uint32_t node) { return nodes[node].child == node; };
  while (top.n_levels < MOST && std::none_of(at.begin(), at.end(), has_set) &&
         !std::all_of(at.begin(), at.end(), is_leaf)) {
    Level& level = top.levels[top.n_levels++];
    below.clear();
    for (std::size_t way = 0; way < at.size(); ++way) {
      const PlaceNode& node = nodes[at[way]];
      const bool stays = is_leaf(at[way]);  // whatever it has in whichever column
      level.place[way] = node.place;
      level.which[way] = stays ? 0 : number_of_column(level, cell_column(node.column, is_double));
      below.push_back(node.child);
      below.push_back(stays ? node.child : node.child + 1);
    }
    at.swap(below);
  }
  std::copy(at.begin(), at.end(), top.node);
  return top;
}

EnterTree enter_tree() {
#if defined(BAYESWOOD_AVX2)
  if (runs_avx512()) return enter_tree_avx512;
#endif
  return nullptr;
}

}  // namespace bayeswood
