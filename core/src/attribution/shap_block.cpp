#include "bayeswood/attribution/shap_block.hpp"

#include <algorithm>

#include "lanes.hpp"

namespace bayeswood {
namespace {

#include "shap_path.inl"

}  // namespace

OutputsBelow::OutputsBelow(const PathTable& table, const ForestShape& shape) {
  const auto nodes = table.nodes();
  const Tree& tree = table.tree();
  std::vector<std::vector<std::int32_t>> below(nodes.size());
  std::vector<std::size_t> at(tree.n_nodes());
  for (std::size_t place = 0; place < nodes.size(); ++place) at[nodes[place].node] = place;
  for (std::size_t place = nodes.size(); place-- > 0;) {
    const std::uint32_t node = nodes[place].node;
    if (!shape.is_classifier) {
      for (std::int32_t k = 0; k < shape.n_outputs; ++k) below[place].push_back(k);
    } else if (tree.feature[node] == LEAF) {
      const std::span<const std::int32_t> classes = tree.classes_of(tree.child[node]);
      below[place].assign(classes.begin(), classes.end());
    } else {
      const auto& left = below[at[tree.child[node]]];
      const auto& right = below[at[tree.child[node] + 1]];
      std::set_union(left.begin(), left.end(), right.begin(), right.end(),
                     std::back_inserter(below[place]));
    }
  }
  first_.push_back(0);
  for (const auto& outputs : below) {
    outputs_.insert(outputs_.end(), outputs.begin(), outputs.end());
    first_.push_back(outputs_.size());
  }
}

ShapBlock::ShapBlock(const ForestShape& of_forest, std::size_t most_rows)
    : shape(of_forest), x(static_cast<std::size_t>(of_forest.n_features) * most_rows) {}

void ShapBlock::load(const MatrixView& table, std::size_t begin, std::size_t end) {
  n_rows_ = end - begin;
  for (std::size_t f = 0; f < table.n_columns(); ++f)
    for (std::size_t r = 0; r < n_rows_; ++r) x[f * n_rows_ + r] = table(begin + r, f);
}

void ShapBlock::prepare(const PathTable& paths) {
  const std::size_t levels = paths.depth() + 1;
  const auto grow = [](auto& vector, std::size_t size) {
    if (vector.size() < size) vector.resize(size);
  };
  grow(kept, levels * n_rows_);
  grow(left, levels * n_rows_);
  grow(state, levels * n_rows_);
  grow(place, levels);
  grow(product, levels * n_rows_ * paths.n_points());
  grow(sum, levels * n_rows_ * static_cast<std::size_t>(shape.n_outputs) * paths.n_points());
}

void add_shap(const ShapTree& tree, ShapBlock& block, double* out) {
  block.prepare(tree.paths);
  run_shap(tree, block, out);
}

}  // namespace bayeswood
