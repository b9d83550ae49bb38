#include "bayeswood/forest/forest.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include "bayeswood/base/random.hpp"
#include "bayeswood/forest/walk/compiled_forest.hpp"

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

std::uint64_t shape_key(const Tree& tree) {
  std::uint64_t key = tree.n_nodes();
  const auto add = [&key](std::uint64_t bits) { key = mix64(key ^ mix64(bits)); };
  for (const auto feature : tree.feature) add(static_cast<std::uint64_t>(feature));
  for (const double threshold : tree.threshold) add(std::bit_cast<std::uint64_t>(threshold));
  for (const std::uint64_t word : tree.category_words) add(word);
  for (const auto n : tree.n_samples) add(static_cast<std::uint64_t>(n));
  return key;
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

bool same_shape(const Tree& a, const Tree& b) {
  return a.feature == b.feature && same_bits(a.threshold, b.threshold) &&
         a.missing_left == b.missing_left && a.n_samples == b.n_samples && a.weight == b.weight &&
         a.category_words == b.category_words && a.leaf_rows == b.leaf_rows;
}

// Trees that are alike in all but their values become the same.
void unite_shapes(Trees& trees) {
  std::unordered_map<const Tree*, std::shared_ptr<const Tree>> known;
  std::unordered_multimap<std::uint64_t, std::shared_ptr<const Tree>> by_key;
  for (auto& tree : trees) {
    auto& found = known[tree.get()];
    if (!found) {
      const std::uint64_t key = shape_key(*tree);
      const auto [begin, end] = by_key.equal_range(key);
      const auto same =
          std::find_if(begin, end, [&](const auto& at) { return same_shape(*at.second, *tree); });
      found = same != end ? same->second : tree;
      if (same == end) by_key.emplace(key, tree);
    }
    tree = found;
  }
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
  unite_shapes(trees_);
  first_value_.reserve(trees_.size() + 1);
  first_value_.push_back(0);
  for (const auto& tree : trees_)
    first_value_.push_back(first_value_.back() + tree->n_leaves() * n_outputs());
  if (first_value_.back() != values_.size())
    throw std::invalid_argument("leaf_values: n_outputs for each leaf");
  group_by_shape();
}

void Forest::group_by_shape() {
  std::unordered_map<const Tree*, std::size_t> number;
  std::vector<std::size_t> shape_of;
  first_of_shape_.assign(1, 0);
  for (const auto& tree : trees_) {
    shape_of.push_back(number.try_emplace(tree.get(), number.size()).first->second);
    if (shape_of.back() + 1 == first_of_shape_.size()) first_of_shape_.push_back(0);
    ++first_of_shape_[shape_of.back() + 1];
  }
  std::partial_sum(first_of_shape_.begin(), first_of_shape_.end(), first_of_shape_.begin());
  std::vector<std::size_t> next(first_of_shape_);
  by_shape_.resize(n_trees());
  for (std::size_t t = 0; t < n_trees(); ++t)
    by_shape_[next[shape_of[t]]++] = static_cast<std::uint32_t>(t);
}

Forest::~Forest() = default;

bool Forest::has_rows() const {
  return !trees_.empty() && !trees_[0]->leaf_rows.empty();
}

std::size_t Forest::nbytes() const {
  std::size_t bytes = values_.capacity() * sizeof(double);
  if (shares_shapes())
    bytes += trees_.size() * (sizeof(std::size_t) + sizeof(std::uint32_t) + sizeof(trees_[0]));
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
