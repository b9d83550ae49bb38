#include "bayeswood/safe_bayes/leaf_kernels.hpp"

#include <algorithm>

namespace bayeswood {
namespace {

std::uint64_t below64(const std::uint16_t* codes, std::uint16_t place) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 64; ++i) word |= static_cast<std::uint64_t>(codes[i] <= place) << i;
  return word;
}

FilledSides part(const std::uint16_t* column, std::uint16_t place, const std::uint64_t* rows,
                 std::uint64_t* left, std::uint64_t* right) {
  std::uint64_t any_left = 0;
  std::uint64_t any_right = 0;
  for (std::size_t w = 0; w < BLOCK_WORDS; ++w) {
    const std::uint64_t below = below64(column + 64 * w, place);
    any_left |= left[w] = rows[w] & below;
    any_right |= right[w] = rows[w] & ~below;
  }
  return {any_left != 0, any_right != 0};
}

void walk_full(const std::uint32_t* rules, std::uint32_t depth, const std::uint16_t* codes,
               std::uint32_t shift, std::uint32_t* leaf) {
  std::fill(leaf, leaf + BLOCK_ROWS, 0);
  for (std::uint32_t level = 0; level < depth; ++level) {
    for (std::uint32_t i = 0; i < BLOCK_ROWS; ++i) {
      const std::uint32_t rule = rules[leaf[i]];
      const std::uint16_t code = codes[((rule & 0xffff) >> shift) * BLOCK_ROWS + i];
      leaf[i] = 2 * leaf[i] + 1 + (code > rule >> 16 ? 1 : 0);
    }
  }
  const std::uint32_t n_inner = (1U << depth) - 1;
  for (std::uint32_t i = 0; i < BLOCK_ROWS; ++i) leaf[i] -= n_inner;
}

std::uint32_t count_bits(const std::uint64_t* rows) {
  int n = 0;
  for (std::size_t w = 0; w < BLOCK_WORDS; ++w) n += std::popcount(rows[w]);
  return static_cast<std::uint32_t>(n);
}

std::uint32_t count_common(const std::uint64_t* rows, const std::uint64_t* others) {
  int n = 0;
  for (std::size_t w = 0; w < BLOCK_WORDS; ++w) n += std::popcount(rows[w] & others[w]);
  return static_cast<std::uint32_t>(n);
}

}  // namespace

const LeafKernels& portable_leaf_kernels() {
  static const LeafKernels kernels{part, walk_full, count_bits, count_common};
  return kernels;
}

RowBits LeafFinder::all_rows(std::uint32_t n_rows) {
  RowBits rows{};
  for (std::uint32_t w = 0; w < BLOCK_WORDS; ++w) {
    const std::uint32_t here = std::clamp<std::int64_t>(std::int64_t{n_rows} - 64 * w, 0, 64);
    rows[w] = here == 64 ? ~0ULL : (1ULL << here) - 1;
  }
  return rows;
}

std::uint32_t LeafFinder::descend(const PriorTree& tree, const CodedBlock& block, Visit& at) {
  RowBits left, right;
  const FilledSides has = part(tree, block, at, left, right);
  const std::uint32_t child = tree.left(at.node);
  if (!has.left) {
    at.rows = right;
    return child + 1;
  }
  if (has.right) stack_.push_back({child + 1, right});
  at.rows = left;
  return child;
}

FilledSides LeafFinder::part(const PriorTree& tree, const CodedBlock& block, const Visit& at,
                             RowBits& left, RowBits& right) const {
  const std::uint16_t* column = block.column(tree.rule[at.node] & 0xffff);
  if (!codes_.has_categories() || !codes_.is_category(tree.feature(at.node)))
    return kernels_.part(column, tree.place(at.node), at.rows.data(), left.data(), right.data());
  left.fill(0);
  right.fill(0);
  FilledSides has{false, false};
  for_each_row(at.rows, [&](std::uint32_t row) {
    const bool goes_left = tree.in_left_set(at.node, column[row]);
    (goes_left ? left : right)[row / 64] |= 1ULL << (row % 64);
    (goes_left ? has.left : has.right) = true;
  });
  return has;
}

bool LeafFinder::goes_left(const PriorTree& tree, const CodedBlock& block, std::uint32_t node,
                           std::uint32_t row) const {
  const std::uint16_t code = block.column(tree.rule[node] & 0xffff)[row];
  if (codes_.has_categories() && codes_.is_category(tree.feature(node)))
    return tree.in_left_set(node, code);
  return code <= tree.place(node);
}

std::uint32_t LeafFinder::walk(const PriorTree& tree, const CodedBlock& block, std::uint32_t node,
                               std::uint32_t row) const {
  while (!tree.is_leaf(node)) node = tree.left(node) + (goes_left(tree, block, node, row) ? 0 : 1);
  return node;
}

void LeafFinder::find(const PriorTree& tree, const CodedBlock& block, std::uint32_t* leaf) {
  if (tree.is_full && !codes_.has_categories()) {
    kernels_.walk_full(tree.rule.data(), tree.depth, block.codes, block.shift, leaf);
  } else if (tree.is_full) {
    for (std::uint32_t i = 0; i < block.n_rows; ++i)
      leaf[i] = tree.leaf_number(walk(tree, block, 0, i));
  } else {
    visit(
        tree, block,
        [&](std::uint32_t number, const RowBits& rows) {
          for_each_row(rows, [&](std::uint32_t row) { leaf[row] = number; });
        },
        [&](std::uint32_t number, std::uint32_t row) { leaf[row] = number; });
  }
}

}  // namespace bayeswood
