#include "bayeswood/forest/forest.hpp"

#include "bayeswood/forest/compiled_forest.hpp"

namespace bayeswood {

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

Forest::~Forest() = default;

bool Forest::has_rows() const {
  return !trees_.empty() && !trees_[0]->leaf_rows.empty();
}

std::size_t Forest::nbytes() const {
  std::size_t bytes = 0;
  for (const auto& tree : trees_) bytes += tree->nbytes();
  return bytes;
}

const CompiledForest& Forest::compiled() const {
  std::call_once(compiled_once_,
                 [this] { compiled_ = std::make_unique<CompiledForest>(shape_, trees_); });
  return *compiled_;
}

}  // namespace bayeswood
