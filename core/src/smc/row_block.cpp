#include "bayeswood/smc/row_block.hpp"

#include <algorithm>
#include <numeric>

namespace bayeswood {
namespace {

// Calls work(side) with side(rank) true where the rule sends a rank left; numeric rules without a
// branch: as an unsigned number the missing rank is above every other.
template <class Work>
void with_side(const Rule& rule, Work&& work) {
  const std::int32_t cut = rule.cut;
  if (!rule.left_levels.empty()) {
    work([&rule](std::int32_t rank) { return rule.goes_left(rank); });
  } else if (rule.missing_left) {
    work([cut](std::int32_t rank) { return rank <= cut; });
  } else {
    work([cut](std::int32_t rank) {
      return static_cast<std::uint32_t>(rank) <= static_cast<std::uint32_t>(cut);
    });
  }
}

std::uint64_t rule_number(const Rule& rule) {
  return std::uint64_t{rule.feature} << 33 |
         std::uint64_t{static_cast<std::uint32_t>(rule.cut)} << 1 |
         static_cast<std::uint64_t>(rule.missing_left);
}

}  // namespace

template <CutLeafModel Model>
Block<Model>* BlockStore<Model>::root() {
  B* block = pool_.make();
  block->rows.resize(table_.n_rows());
  std::iota(block->rows.begin(), block->rows.end(), 0U);
  block->stats = model_.nothing();
  for (const auto i : block->rows) {
    model_.add(i, block->stats);
    block->key += salts_[i];
  }
  block->log_marginal = model_.powered_log_marginal(block->stats);
  block->extents = find_extents(table_, block->rows);
  block->is_ready = true;
  by_key_.emplace(block->key, block);
  hold(block);
  return block;
}

template <CutLeafModel Model>
void BlockStore<Model>::ready(B* block) {
  if (block->is_ready) return;
  take_rows(block);
  block->extents = find_extents(table_, block->rows, block->origin->extents);
  block->is_ready = true;
  leave_origin(block);
}

template <CutLeafModel Model>
void BlockStore<Model>::take_rows(B* block) {
  const std::int32_t* column = table_.column(block->rule.feature);
  const auto& from = block->origin->rows;
  // One more, for the branch-free write.
  const bool is_known = model_.copies().all_once();
  block->rows.resize((is_known ? static_cast<std::size_t>(block->stats.n) : from.size()) + 1);
  std::uint32_t* to = block->rows.data();
  std::size_t n = 0;
  const bool is_left = block->is_left;
  with_side(block->rule, [&](auto side) {
    for (const auto i : from) {
      to[n] = i;
      n += side(column[i]) == is_left ? 1 : 0;
    }
  });
  block->rows.resize(n);
  block->rows.shrink_to_fit();
}

template <CutLeafModel Model>
typename Block<Model>::Children BlockStore<Model>::split(B* block, const Rule& rule) {
  if (!rule.left_levels.empty()) {
    const auto [left, right] = make_children(block, rule);
    open(left);
    open(right);
    drop(left);
    drop(right);
    return {left, right};
  }
  const std::uint64_t number = rule_number(rule);
  auto at = std::lower_bound(
      block->known.begin(), block->known.end(), number,
      [](const typename B::Known& known, std::uint64_t wanted) { return known.rule < wanted; });
  if (at == block->known.end() || at->rule != number)
    at = block->known.insert(at, {number, make_children(block, rule)});
  const auto [left, right] = at->children;
  open(left);
  open(right);
  set_origin(left, block, rule, true);
  set_origin(right, block, rule, false);
  return {left, right};
}

template <CutLeafModel Model>
typename Block<Model>::Children BlockStore<Model>::make_children(B* block, const Rule& rule) {
  const std::int32_t* column = table_.column(rule.feature);
  Stats left = model_.nothing();
  std::uint64_t key = 0;
  with_side(rule, [&](auto side) {
    for (const auto i : block->rows) {
      const bool goes_left = side(column[i]);
      model_.add_if(goes_left, i, left);
      key += salts_[i] & -static_cast<std::uint64_t>(goes_left);
    }
  });
  Stats right = block->stats;
  model_.subtract(left, right);
  B* first = find_or_make(key, std::move(left), block, rule, true);
  B* second = find_or_make(block->key - key, std::move(right), block, rule, false);
  return {first, second};
}

template <CutLeafModel Model>
Block<Model>* BlockStore<Model>::find_or_make(std::uint64_t key, Stats&& stats, B* origin,
                                              const Rule& rule, bool is_left) {
  const auto [begin, end] = by_key_.equal_range(key);
  for (auto at = begin; at != end; ++at) {
    if (at->second->stats != stats) continue;
    B* block = at->second;
    hold(block);
    set_origin(block, origin, rule, is_left);
    return block;
  }
  B* block = pool_.make();
  block->key = key;
  block->log_marginal = model_.powered_log_marginal(stats);
  block->stats = std::move(stats);
  set_origin(block, origin, rule, is_left);
  by_key_.emplace(key, block);
  hold(block);
  return block;
}

template <CutLeafModel Model>
void BlockStore<Model>::set_origin(B* block, B* origin, const Rule& rule, bool is_left) {
  if (block->is_ready || block->origin != nullptr) return;
  block->origin = origin;
  block->rule = rule;
  block->is_left = is_left;
  hold(origin);
  ++origin->waiting;
}

template <CutLeafModel Model>
void BlockStore<Model>::leave_origin(B* block) {
  B* origin = block->origin;
  if (origin == nullptr) return;
  block->origin = nullptr;
  if (--origin->waiting == 0 && origin->open == 0) free_rows(origin);
  drop(origin);
}

// Nothing will expand it for now.
template <CutLeafModel Model>
void BlockStore<Model>::forget(B* block) {
  block->table.reset();
  std::vector<typename B::Known> known;
  known.swap(block->known);
  hold(block);  // its children may point to it
  for (const auto& [rule, children] : known) {
    drop(children.first);
    drop(children.second);
  }
  if (block->waiting == 0) free_rows(block);
  drop(block);
}

template <CutLeafModel Model>
void BlockStore<Model>::free_rows(B* block) {
  std::vector<std::uint32_t>().swap(block->rows);
  block->extents = {};
  block->is_ready = false;
}

template <CutLeafModel Model>
void BlockStore<Model>::remove(B* block) {
  const auto [begin, end] = by_key_.equal_range(block->key);
  for (auto at = begin; at != end; ++at) {
    if (at->second != block) continue;
    by_key_.erase(at);
    break;
  }
  leave_origin(block);
  pool_.give_back(block);
}

template class BlockStore<ClassLeaves>;
template class BlockStore<NumberLeaves>;

}  // namespace bayeswood
