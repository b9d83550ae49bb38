// Adds what trees say of a block of rows, tree after tree.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "bayeswood/forest/walk/leaf_walk.hpp"

namespace bayeswood {

class LeafSums {
 public:
  // Of small trees, the leaves of so many are kept, until another tree takes their place: members
  // of sums often differ in few of their trees' shapes.
  LeafSums(const Forest& forest, const MatrixView& table, std::size_t n_kept)
      : forest_(forest), walk_(forest, table), kept_(n_kept) {}

  void load(std::size_t begin, std::size_t end) {
    walk_.load(begin, end);
    places_.resize(end - begin);
    std::iota(places_.begin(), places_.end(), 0U);
    leaf_.resize(end - begin);
    for (Kept& kept : kept_) kept.tree = nullptr;
  }

  // Adds weight * value to out, n_rows x n_outputs. `values`: of the leaves of tree t, where they
  // are numbers. `place`: among the trees whose leaves are kept.
  void add(std::size_t t, std::span<const double> values, double weight, std::size_t place,
           double* out) {
    const Tree& tree = forest_.tree(t);
    if (walk_.is_small(t) && !forest_.shape().is_classifier) {
      put_table(tree, values, weight);
      return add_table(found(t, kept_[place]), out);
    }
    walk_.find(t, places_, leaf_.data());
    add_walked(tree, values, weight, out);
  }

  // Adds the sums over trees of one shape; their values are numbers, and their own.
  void add_shape(std::span<const std::uint32_t> trees, std::span<const double> weights,
                 double* out) {
    const std::size_t k = forest_.n_outputs();
    walk_.find(trees[0], places_, leaf_.data());
    const std::uint32_t* number = forest_.tree(trees[0]).child.data();
    for (std::size_t i = 0; i < walk_.n_rows(); ++i) {
      const std::size_t first = number[leaf_[i]] * k;
      for (std::size_t j = 0; j < k; ++j) {
        double sum = 0;
        for (const std::uint32_t t : trees) sum += weights[t] * forest_.leaf_values(t)[first + j];
        out[i * k + j] += sum;
      }
    }
  }

 private:
  struct Kept {
    const Tree* tree = nullptr;
    std::vector<std::uint8_t> leaf;
  };

  const std::uint8_t* found(std::size_t t, Kept& kept) {
    if (kept.tree != &forest_.tree(t)) {
      kept.leaf.resize(walk_.n_rows());
      walk_.find_together(t, kept.leaf.data());
      kept.tree = &forest_.tree(t);
    }
    return kept.leaf.data();
  }

  // weight * value by node, for each output in which some is not 0: trees of a sum for one of many
  // classes say nothing of the others.
  void put_table(const Tree& tree, std::span<const double> values, double weight) {
    const std::size_t k = forest_.n_outputs(), n = tree.n_nodes();
    outputs_.clear();
    tables_.resize(k);
    for (std::size_t j = 0; j < k; ++j) {
      bool any = false;
      for (std::size_t i = 0; i < n; ++i) {
        if (tree.feature[i] != LEAF) continue;
        tables_[j][i] = weight * values[tree.child[i] * k + j];
        any = any || tables_[j][i] != 0;
      }
      if (any) outputs_.push_back(j);
    }
  }

  void add_table(const std::uint8_t* leaf, double* out) const {
    const std::size_t k = forest_.n_outputs(), n = walk_.n_rows();
    for (const std::size_t j : outputs_) {
      const double* table = tables_[j].data();
      if (k == 1) {
        for (std::size_t i = 0; i < n; ++i) out[i] += table[leaf[i]];
      } else {
        for (std::size_t i = 0; i < n; ++i) out[i * k + j] += table[leaf[i]];
      }
    }
  }

  // Whether all classes of all leaves are written down first, zeros too: few classes are added
  // sooner than it is found out which of them a leaf has.
  bool is_worth_filling(const Tree& tree) const {
    constexpr std::size_t MOST_CLASSES = 16;
    const std::size_t n_leaves = tree.n_leaves();
    const bool is_mixed =
        tree.leaf_value.size() > n_leaves + n_leaves / 4;  // pure ones are no surprise
    return is_mixed && forest_.n_outputs() <= MOST_CLASSES && n_leaves <= walk_.n_rows();
  }

  // weight * probability by leaf and class.
  void fill_classes(const Tree& tree, double weight) {
    const std::size_t k = forest_.n_outputs(), n = tree.n_leaves();
    filled_.assign(n * k, 0.0);
    const double* value = tree.leaf_value.data();
    for (std::size_t leaf = 0; leaf < n; ++leaf)
      for (const std::int32_t label : tree.classes_of(leaf))
        filled_[leaf * k + static_cast<std::size_t>(label)] = weight * *value++;
  }

  // K: number of outputs, if it is known beforehand.
  template <std::size_t K>
  void add_filled(const std::uint32_t* number, double* out) const {
    const std::size_t k = K > 0 ? K : forest_.n_outputs(), n = walk_.n_rows();
    for (std::size_t i = 0; i < n; ++i) {
      const double* of_leaf = filled_.data() + number[leaf_[i]] * k;
      for (std::size_t j = 0; j < k; ++j) out[i * k + j] += of_leaf[j];
    }
  }

  // Of a tree whose leaves have one class each.
  void add_pure(const Tree& tree, double weight, double* out) const {
    const std::size_t k = forest_.n_outputs(), n = walk_.n_rows();
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t leaf = tree.child[leaf_[i]];
      out[i * k + static_cast<std::size_t>(tree.leaf_class[leaf])] +=
          weight * tree.leaf_value[leaf];
    }
  }

  void add_walked(const Tree& tree, std::span<const double> values, double weight, double* out) {
    const std::size_t k = forest_.n_outputs(), n = walk_.n_rows();
    const std::uint32_t* number = tree.child.data();
    if (forest_.shape().is_classifier) {
      if (tree.leaf_value.size() == tree.n_leaves()) return add_pure(tree, weight, out);
      if (is_worth_filling(tree)) {
        fill_classes(tree, weight);
        return k == 2 ? add_filled<2>(number, out) : add_filled<0>(number, out);
      }
      for (std::size_t i = 0; i < n; ++i)
        add_classes(tree, k, number[leaf_[i]], weight, out + i * k);
      return;
    }
    const double* value = values.data();
    for (std::size_t i = 0; i < n; ++i) {
      const double* of_leaf = value + number[leaf_[i]] * k;
      for (std::size_t j = 0; j < k; ++j) out[i * k + j] += weight * of_leaf[j];
    }
  }

  const Forest& forest_;
  BlockWalk walk_;
  std::vector<Kept> kept_;
  std::vector<std::uint32_t> places_, leaf_;
  std::vector<std::array<double, CompiledForest::MOST_SMALL_NODES>> tables_;
  std::vector<std::size_t> outputs_;
  std::vector<double> filled_;
};

// Where a member's sums are put if nowhere else.
inline double* no_place(std::size_t) {
  return nullptr;
}

// What all members say, block of rows by block of rows: the sum of their trees, times tree_factors
// (empty: 1).
struct MemberBlocks {
  const Forest& forest;
  const MatrixView& table;
  std::size_t trees_per_member;
  std::span<const double> tree_factors = {};

  std::size_t n_members() const {
    return (forest.n_trees() + trees_per_member - 1) / trees_per_member;
  }

  // Calls visit(member, sums) for all members in order, sums of the rows [begin, end): n_rows x
  // n_outputs, at place(member) or, where that is nullptr, for this call.
  template <class Place, class Visit>
  void visit_block(std::size_t begin, std::size_t end, const StopFlag& stop, Place place,
                   Visit visit) const {
    LeafSums leaves(forest, table, trees_per_member);
    leaves.load(begin, end);
    std::vector<double> own((end - begin) * forest.n_outputs());
    for (std::size_t member = 0; member < n_members(); ++member) {
      check_stop(stop);
      const std::size_t first = member * trees_per_member;
      const std::size_t last = std::min(first + trees_per_member, forest.n_trees());
      double* wanted = place(member);
      double* sums = wanted != nullptr ? wanted : own.data();
      std::fill_n(sums, own.size(), 0.0);
      for (std::size_t t = first; t < last; ++t)
        leaves.add(t, forest.leaf_values(t), tree_factors.empty() ? 1.0 : tree_factors[t],
                   t - first, sums);
      visit(member, static_cast<const double*>(sums));
    }
  }

  // Calls task(begin, end, stop) for blocks of rows, each on one thread.
  template <class Task>
  void for_each(const Running& run, Task task) const {
    constexpr std::size_t MOST = 1024;  // with the leaves of 200 small trees they stay in cache
    const std::size_t block = block_rows(table.n_rows(), run.n_threads, MOST);
    for_each_row_block(forest, table.n_rows(), block, run, task);
  }
};

}  // namespace bayeswood
