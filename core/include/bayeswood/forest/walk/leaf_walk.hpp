// Sends every row down every tree, in blocks of rows that run in parallel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "bayeswood/forest/forest.hpp"
#include "bayeswood/forest/output_rows.hpp"
#include "bayeswood/forest/walk/compiled_forest.hpp"
#include "bayeswood/forest/walk/walk_tree.hpp"

namespace bayeswood {

// Finds the leaves of one block of rows at a time.
class BlockWalk {
 public:
  BlockWalk(const Forest& forest, const MatrixView& table);
  ~BlockWalk();

  void load(std::size_t begin, std::size_t end);
  std::size_t n_rows() const { return n_rows_; }
  // leaf[i]: leaf node in tree t of the i-th of `places`, which ascend from the block's begin.
  void find(std::size_t t, std::span<const std::uint32_t> places, std::uint32_t* leaf);
  // Of a small tree (see CompiledForest), for all rows of the block.
  bool is_small(std::size_t t) const { return n_rows_ >= LEAST_TOGETHER && compiled_.is_small(t); }
  void find_together(std::size_t t, std::uint8_t* leaf);

 private:
  // Fewer rows walk: sent together, they would be put to every split.
  static constexpr std::size_t LEAST_TOGETHER = 16;

  void place_rows(std::size_t t);

  const Forest& forest_;
  const MatrixView& table_;
  const CompiledForest& compiled_;
  std::size_t begin_ = 0, n_rows_ = 0;
  std::size_t group_ = 0;  // whose places are in rows_
  PlacedRows rows_;
  std::vector<double> values_;
  PlaceColumns columns_;
  std::vector<std::uint32_t> going_;
  std::vector<std::uint8_t> together_;
};

// Per draw of weights (of one tree, or of the trees that share it) and row, whether it is 0.
std::vector<std::vector<bool>> left_out_rows(std::size_t n_trees, std::size_t n_rows,
                                             const OutOfBag& bag, const Running& run);
// The same of the rows of a table, which may be some of the training rows.
std::vector<std::vector<bool>> left_out_of_table(std::size_t n_trees, std::size_t n_rows,
                                                 const OutOfBag& bag, const Running& run);

// Adds weight times the probabilities of a leaf to one row's classes.
inline void add_classes(const Tree& tree, std::size_t n_classes, std::uint32_t leaf, double weight,
                        double* out) {
  const auto begin = static_cast<std::size_t>(tree.leaf_offset[leaf]);
  const auto end = static_cast<std::size_t>(tree.leaf_offset[leaf + 1]);
  if (end - begin == n_classes) {  // a leaf of all classes has them in order
    const double* value = tree.leaf_value.data() + begin;
    for (std::size_t k = 0; k < n_classes; ++k) out[k] += weight * value[k];
    return;
  }
  const std::span<const std::int32_t> classes = tree.classes_of(leaf);
  for (std::size_t e = 0; e < classes.size(); ++e)
    out[classes[e]] += weight * tree.leaf_value[begin + e];
}

// Adds weight times what leaf nodes of a tree say to the sums of the rows of a block.
inline void add_leaves(const Tree& tree, std::size_t k, double weight,
                       std::span<const std::uint32_t> places, std::span<const std::uint32_t> leaf,
                       double* sums) {
  if (tree.leaf_value.size() == tree.n_leaves() * k)
    return output_kernels().add_leaves(
        {k, weight, tree.leaf_value.data(), tree.child.data(), leaf, places}, sums);
  for (std::size_t i = 0; i < places.size(); ++i)
    add_classes(tree, k, tree.child[leaf[i]], weight, sums + places[i] * k);
}

// The class that a leaf prefers, of equals the first.
inline std::int32_t preferred_class(const Tree& tree, std::uint32_t leaf) {
  std::int32_t best = tree.leaf_offset[leaf];
  for (std::int32_t e = best + 1; e < tree.leaf_offset[leaf + 1]; ++e) {
    if (tree.leaf_value[e] > tree.leaf_value[best]) best = e;
  }
  return tree.classes_of(leaf)[static_cast<std::size_t>(best - tree.leaf_offset[leaf])];
}

// Rows of a block: `most`, or fewer to share them out evenly among threads.
std::size_t block_rows(std::size_t n_rows, unsigned n_threads, std::size_t most);
// Most rows of a block. Every block fetches every tree anew, so they are many; but their cells and
// sums are to stay in a cache of the second level.
std::size_t most_block_rows(const Forest& forest);

// Calls task(begin, end, stop) for blocks of so many rows, side by side.
using BlockTask = std::function<void(std::size_t begin, std::size_t end, const StopFlag& stop)>;
void for_each_row_block(const Forest& forest, std::size_t n_rows, std::size_t block,
                        const Running& run, const BlockTask& task);

// For each block of rows, and in it for each tree in order, calls visit(state, tree, begin, places,
// leaf nodes) with the rows that choose(tree, begin, end, places) puts into `places`, which count
// from the block's begin. A block has one thread, and a state of its own from make_state(). `most`:
// rows of a block; 0 for most_block_rows.
template <class MakeState, class Choose, class Visit>
void for_each_block_of_leaves(const Forest& forest, const MatrixView& table, const Running& run,
                              MakeState make_state, Choose choose, Visit visit,
                              std::size_t most = 0) {
  if (most == 0) most = most_block_rows(forest);
  const std::size_t block = block_rows(table.n_rows(), run.n_threads, most);
  for_each_row_block(forest, table.n_rows(), block, run,
                     [&](std::size_t begin, std::size_t end, const StopFlag& stop) {
                       std::vector<std::uint32_t> leaf(end - begin);
                       std::vector<std::uint32_t> places(end - begin);
                       std::iota(places.begin(), places.end(), 0U);
                       BlockWalk walk(forest, table);
                       walk.load(begin, end);
                       auto state = make_state();
                       for (std::size_t t = 0; t < forest.n_trees(); ++t) {
                         check_stop(stop);
                         choose(t, begin, end, places);
                         walk.find(t, places, leaf.data());
                         visit(state, t, begin, places, leaf);
                       }
                     });
}

// Calls visit(tree, row, leaf node) for each of the rows that are chosen.
template <class Choose, class Visit>
void for_each_chosen_leaf(const Forest& forest, const MatrixView& table, const Running& run,
                          Choose choose, Visit visit) {
  for_each_block_of_leaves(
      forest, table, run, [] { return 0; }, choose,
      [&](int, std::size_t t, std::size_t begin, const auto& places, const auto& leaf) {
        for (std::size_t i = 0; i < places.size(); ++i) visit(t, begin + places[i], leaf[i]);
      });
}

// The same for all rows.
template <class Visit>
void for_each_leaf(const Forest& forest, const MatrixView& table, const Running& run, Visit visit) {
  for_each_chosen_leaf(
      forest, table, run, [](std::size_t, std::size_t, std::size_t, auto&) {}, visit);
}

// Chooses the rows that had weight 0 in a tree, given left_out_of_table. Trees of a draw have the
// same ones: places stay as the tree before left them.
class LeftOutPlaces {
 public:
  LeftOutPlaces(const std::vector<std::vector<bool>>& left_out, const WeightScheme& scheme,
                std::size_t first = 0)
      : left_out_(left_out), scheme_(scheme), first_(first) {}

  void operator()(std::size_t t, std::size_t begin, std::size_t end,
                  std::vector<std::uint32_t>& places) const;

 private:
  const std::vector<std::vector<bool>>& left_out_;
  const WeightScheme& scheme_;
  std::size_t first_;  // row of the table that the walked one begins with
};

// Calls visit(state, tree, begin, places, leaf nodes) as for_each_block_of_leaves does, with the
// rows of the table that had weight 0 in the tree. Memory: a bit per row and draw.
template <class MakeState, class Visit>
void for_each_block_of_oob_leaves(const Forest& forest, const MatrixView& table,
                                  const OutOfBag& bag, const Running& run, MakeState make_state,
                                  Visit visit) {
  const auto left_out = left_out_of_table(forest.n_trees(), table.n_rows(), bag, run);
  for_each_block_of_leaves(forest, table, run, make_state, LeftOutPlaces(left_out, bag.scheme),
                           visit);
}

// Calls visit(tree, row, leaf node) for each of these.
template <class Visit>
void for_each_oob_leaf(const Forest& forest, const MatrixView& table, const OutOfBag& bag,
                       const Running& run, Visit visit) {
  for_each_block_of_oob_leaves(
      forest, table, bag, run, [] { return 0; },
      [&](int, std::size_t t, std::size_t begin, const auto& places, const auto& leaf) {
        for (std::size_t i = 0; i < places.size(); ++i) visit(t, begin + places[i], leaf[i]);
      });
}

}  // namespace bayeswood
