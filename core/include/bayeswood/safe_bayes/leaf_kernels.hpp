// From a block of coded rows to the leaves of one tree, in two ways that give the same leaves.
//
// Small trees: each node holds its rows as 512 bits; one comparison of a column gives the bits of
// the left child. Subtrees without rows are skipped, and rows that are nearly alone walk on by
// themselves. Full trees: all rows walk level by level.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "bayeswood/safe_bayes/prior_trees.hpp"

namespace bayeswood {

using RowBits = std::array<std::uint64_t, BLOCK_WORDS>;

// Which side of a cut has rows.
struct FilledSides {
  bool left, right;
};

struct LeafKernels {
  // Those of the rows whose code is <= place, and the others.
  FilledSides (*part)(const std::uint16_t* column, std::uint16_t place, const std::uint64_t* rows,
                      std::uint64_t* left, std::uint64_t* right);
  // Leaf numbers of a whole block in a full tree without categories.
  void (*walk_full)(const std::uint32_t* rules, std::uint32_t depth, const std::uint16_t* codes,
                    std::uint32_t shift, std::uint32_t* leaf);
  // Number of bits set, and of bits set in both.
  std::uint32_t (*count_bits)(const std::uint64_t* rows);
  std::uint32_t (*count_common)(const std::uint64_t* rows, const std::uint64_t* others);
};

const LeafKernels& portable_leaf_kernels();
// nullptr where the compiler or the machine has no AVX2.
const LeafKernels* avx2_leaf_kernels();
// nullptr where the compiler or the machine has no AVX-512.
const LeafKernels* avx512_leaf_kernels();

struct CodedBlock {
  const std::uint16_t* codes;
  std::uint32_t shift;
  std::uint32_t n_rows;
  const std::uint16_t* column(std::uint32_t c) const { return codes + (c >> shift) * BLOCK_ROWS; }
};

inline CodedBlock block_of(const CodedRows& rows, std::size_t b) {
  return {rows.block(b), rows.shift(), static_cast<std::uint32_t>(rows.rows_in(b))};
}

class LeafFinder {
 public:
  LeafFinder(const CutCodes& codes, const LeafKernels& kernels)
      : codes_(codes), kernels_(kernels) {}

  // Leaf number of each row of the block.
  void find(const PriorTree& tree, const CodedBlock& block, std::uint32_t* leaf);

  // Calls group(leaf, bits) or single(leaf, row) so that every row is told once.
  template <class Group, class Single>
  void visit(const PriorTree& tree, const CodedBlock& block, Group group, Single single) {
    stack_.clear();
    stack_.push_back({0, all_rows(block.n_rows)});
    while (!stack_.empty()) {
      Visit at = stack_.back();
      stack_.pop_back();
      while (!tree.is_leaf(at.node)) {
        if (kernels_.count_bits(at.rows.data()) <= FEW_ROWS) break;
        at.node = descend(tree, block, at);
      }
      if (tree.is_leaf(at.node)) {
        group(tree.leaf_number(at.node), at.rows);
      } else {
        for_each_row(at.rows, [&](std::uint32_t row) {
          single(tree.leaf_number(walk(tree, block, at.node, row)), row);
        });
      }
    }
  }

  template <class Each>
  static void for_each_row(const RowBits& rows, Each each) {
    for (std::uint32_t w = 0; w < BLOCK_WORDS; ++w) {
      for (std::uint64_t bits = rows[w]; bits != 0; bits &= bits - 1)
        each(64 * w + static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  }

 private:
  static constexpr std::uint32_t FEW_ROWS = 4;
  struct Visit {
    std::uint32_t node;
    RowBits rows;
  };

  static RowBits all_rows(std::uint32_t n_rows);
  // Leaves the rows of the returned child in `at`; the other child waits if it has rows.
  std::uint32_t descend(const PriorTree& tree, const CodedBlock& block, Visit& at);
  // The rows of a node in its children.
  FilledSides part(const PriorTree& tree, const CodedBlock& block, const Visit& at, RowBits& left,
                   RowBits& right) const;
  bool goes_left(const PriorTree& tree, const CodedBlock& block, std::uint32_t node,
                 std::uint32_t row) const;
  std::uint32_t walk(const PriorTree& tree, const CodedBlock& block, std::uint32_t node,
                     std::uint32_t row) const;

  const CutCodes& codes_;
  const LeafKernels& kernels_;
  std::vector<Visit> stack_;
};

}  // namespace bayeswood
