#include "bayeswood/forest/forest.hpp"

#include <algorithm>
#include <stdexcept>

#include "bayeswood/forest/compiled_forest.hpp"

namespace bayeswood {
namespace {

// Pointers to the trees; the same ones next to each other where some are shared.
std::vector<const Tree*> trees_by_shape(const Forest& forest) {
  std::vector<const Tree*> trees;
  trees.reserve(forest.n_trees());
  for (const auto& tree : forest.trees()) trees.push_back(tree.get());
  if (forest.shares_shapes()) std::sort(trees.begin(), trees.end());
  return trees;
}

}  // namespace

Forest::Forest(ForestShape shape, std::vector<Tree> trees) : shape_(std::move(shape)) {
  trees_.reserve(trees.size());
  for (Tree& tree : trees) trees_.push_back(std::make_shared<const Tree>(std::move(tree)));
}

Forest::Forest(ForestShape shape, Trees trees)
    : shape_(std::move(shape)), trees_(std::move(trees)) {}

Forest::Forest(const Forest& other, std::vector<Tree> trees)
    : Forest(other.shape_, std::move(trees)) {
  std::call_once(compiled_once_, [&] {
    compiled_ = std::make_unique<CompiledForest>(other.compiled(), shape_, trees_);
  });
}

Forest::Forest(ForestShape shape, Trees shapes, std::vector<double> leaf_values)
    : shape_(std::move(shape)), trees_(std::move(shapes)), values_(std::move(leaf_values)) {
  first_value_.reserve(trees_.size() + 1);
  first_value_.push_back(0);
  for (const auto& tree : trees_)
    first_value_.push_back(first_value_.back() + tree->n_leaves() * n_outputs());
  if (first_value_.back() != values_.size())
    throw std::invalid_argument("leaf_values: n_outputs for each leaf");
}

Forest::~Forest() = default;

bool Forest::has_rows() const {
  return !trees_.empty() && !trees_[0]->leaf_rows.empty();
}

std::size_t Forest::nbytes() const {
  std::size_t bytes = values_.capacity() * sizeof(double);
  if (shares_shapes()) bytes += trees_.size() * (sizeof(std::size_t) + sizeof(trees_[0]));
  const Tree* before = nullptr;
  for (const auto& tree : trees_by_shape(*this)) {
    if (tree != before) bytes += tree->nbytes();
    before = tree;
  }
  return bytes;
}

const CompiledForest& Forest::compiled() const {
  std::call_once(compiled_once_,
                 [this] { compiled_ = std::make_unique<CompiledForest>(shape_, trees_); });
  return *compiled_;
}

}  // namespace bayeswood
