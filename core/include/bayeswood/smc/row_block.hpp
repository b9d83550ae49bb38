// Blocks: sets of training rows, each with what all nodes that hold just these rows share.
//
// A node of a tree is a block at a depth. Blocks never change, and nodes of different particles, or
// of different places in a tree, that hold the same rows are one block: what it knows (its rows,
// the extents of its features, its log marginal likelihood, the masses of its splits) is worked out
// once. Rows and extents are found when the block is first to be expanded, for most children do not
// survive the next resampling; until then the block remembers the rule that makes it of its origin.
//
// Counts of a block: `refs`, everything that points to it; `open`, the unexpanded nodes that do.
// What only an expansion needs goes when no open node is left, the block itself with the last
// reference. Blocks are told apart by the sum of random numbers drawn for the rows, and by their
// statistics: two different ones pass for the same with probability below 2^-64 per pair.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bayeswood/sample/tree_prior.hpp"
#include "bayeswood/smc/slab.hpp"
#include "bayeswood/smc/split_table.hpp"

namespace bayeswood {

template <CutLeafModel Model>
struct Block {
  using Children = std::pair<Block*, Block*>;
  struct Known {
    std::uint64_t rule;
    Children children;
  };

  std::uint64_t key = 0;
  typename Model::Stats stats;
  double log_marginal = 0;  // to the power
  std::uint32_t refs = 0;
  std::uint32_t open = 0;
  std::uint32_t waiting = 0;  // blocks whose rows are still to be taken from these
  bool is_ready = false;
  bool is_left = false;     // of `origin`
  Block* origin = nullptr;  // where the rows come from, until they are there or not needed
  Rule rule;                // of the origin
  std::vector<std::uint32_t> rows;
  NodeExtents extents;
  std::unique_ptr<SplitTable> table;
  std::vector<Known> known;  // numeric splits made before, ascending
};

template <CutLeafModel Model>
class BlockStore {
 public:
  using Stats = typename Model::Stats;
  using B = Block<Model>;

  // `salts`: a random number for every row.
  BlockStore(const RankedTable& table, const Model& model, std::span<const std::uint64_t> salts)
      : table_(table), model_(model), salts_(salts) {}

  const RankedTable& table() const { return table_; }
  const Model& model() const { return model_; }

  // All rows; the caller holds it.
  B* root();
  // Finds rows and extents.
  void ready(B* block);
  // The two sides of a rule in a block that is ready. Both are open for the caller: a block that is
  // merely held may lose its rows.
  typename B::Children split(B* block, const Rule& rule);

  void hold(B* block) { ++block->refs; }
  void drop(B* block) {
    if (--block->refs == 0) remove(block);
  }
  // An open node begins or ceases to exist.
  void open(B* block) {
    ++block->refs;
    ++block->open;
  }
  void close(B* block) {
    if (--block->open == 0) forget(block);
    drop(block);
  }
  std::size_t n_blocks() const { return pool_.n_live(); }

 private:
  struct KeyHash {
    std::size_t operator()(std::uint64_t key) const { return static_cast<std::size_t>(key); }
  };

  typename B::Children make_children(B* block, const Rule& rule);
  B* find_or_make(std::uint64_t key, Stats&& stats, B* origin, const Rule& rule, bool is_left);
  // Says where to take the rows from, if nobody did.
  void set_origin(B* block, B* origin, const Rule& rule, bool is_left);
  void take_rows(B* block);
  void forget(B* block);
  void free_rows(B* block);
  void remove(B* block);
  void leave_origin(B* block);

  const RankedTable& table_;
  const Model& model_;
  std::span<const std::uint64_t> salts_;
  Pool<B> pool_;
  std::unordered_multimap<std::uint64_t, B*, KeyHash> by_key_;
};

extern template class BlockStore<ClassLeaves>;
extern template class BlockStore<NumberLeaves>;

}  // namespace bayeswood
