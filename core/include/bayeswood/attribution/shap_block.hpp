// Shapley values of some rows in one tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/attribution/path_table.hpp"
#include "bayeswood/forest/forest.hpp"

namespace bayeswood {

// Which outputs the leaves below each node have values for: leaves of many classes name few.
class OutputsBelow {
 public:
  OutputsBelow(const PathTable& table, const ForestShape& shape);
  std::span<const std::int32_t> of(std::size_t place) const {
    return std::span(outputs_).subspan(first_[place], first_[place + 1] - first_[place]);
  }
  std::size_t nbytes() const {
    return outputs_.size() * sizeof(std::int32_t) + first_.size() * sizeof(std::size_t);
  }

 private:
  std::vector<std::int32_t> outputs_;
  std::vector<std::size_t> first_;
};

// A tree as the rows see it.
struct ShapTree {
  const PathTable& paths;
  const OutputsBelow& outputs;
  const ForestShape& shape;
  std::span<const double> leaf_value;  // see Tree::leaf_value
  double weight;                       // of all that it says
};

// Some rows, feature after feature, and memory for their way through trees.
class ShapBlock {
 public:
  ShapBlock(const ForestShape& shape, std::size_t most_rows);

  void load(const MatrixView& table, std::size_t begin, std::size_t end);
  std::size_t n_rows() const { return n_rows_; }
  // Makes room for the paths of a tree.
  void prepare(const PathTable& paths);

  const ForestShape& shape;
  std::vector<double> x;                 // n_features x n_rows
  std::vector<std::uint8_t> kept, left;  // depth x n_rows
  std::vector<std::uint8_t> state;       // depth x n_rows
  std::vector<std::uint32_t> place;      // of the path's nodes, depth by depth
  std::vector<double> product;           // depth x n_rows x n_points
  std::vector<double> sum;               // depth x n_rows x n_outputs x n_points

 private:
  std::size_t n_rows_ = 0;
};

// Adds weight * phi to out, n_rows x n_features x n_outputs.
void add_shap(const ShapTree& tree, ShapBlock& block, double* out);
void add_shap_avx2(const ShapTree& tree, ShapBlock& block, double* out);

}  // namespace bayeswood
