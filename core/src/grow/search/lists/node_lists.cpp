#include "bayeswood/grow/search/lists/node_lists.hpp"

#include <algorithm>

#include "bayeswood/base/radix_sort.hpp"
#include "bayeswood/grow/search/lists/entry_sort.hpp"

namespace bayeswood {

void NodeLists::set_node(const SmallNode& node) {
  node_ = &node;
  n_ = node.totals.n;
  group_sorted_ = false;
  if (subtree_.keeps_lists() || scratch_.size() >= n_) return;
  scratch_.resize(n_);
  lists_.resize(std::size_t{LANES} * n_);
}

void NodeLists::sort_group(std::span<const std::uint32_t> features) {
  group_sorted_ = !features.empty() && !subtree_.keeps_lists() &&
                  node_->kernels.sort_lanes != nullptr && n_ <= MAX_NETWORK_ROWS;
  if (!group_sorted_) return;
  alignas(32) SmallEntry lanes[MAX_NETWORK_ROWS * LANES];
  const std::uint32_t padded = (n_ + NETWORK_STEP - 1) / NETWORK_STEP * NETWORK_STEP;
  std::fill(lanes + std::size_t{n_} * LANES, lanes + std::size_t{padded} * LANES, ~SmallEntry{0});
  interleave(features, lanes);
  node_->kernels.sort_lanes(lanes, sorting_network(padded));
  SmallEntry* lists[LANES] = {room(0), room(1), room(2), room(3)};
  for (std::uint32_t i = 0; i < n_; ++i) {
    for (std::uint32_t l = 0; l < LANES; ++l) lists[l][i] = lanes[i * LANES + l];
  }
}

// Lanes that are left over take the last feature again.
void NodeLists::interleave(std::span<const std::uint32_t> features, SmallEntry* lanes) const {
  const std::uint16_t* codes[LANES];
  for (std::size_t l = 0; l < LANES; ++l)
    codes[l] = subtree_.column(features[std::min(l, features.size() - 1)]);
  for (const auto id : rows()) {
    for (std::uint32_t l = 0; l < LANES; ++l) lanes[l] = make_entry<SmallEntry>(codes[l][id], id);
    lanes += LANES;
  }
}

const SmallEntry* NodeLists::of(std::uint32_t feature, std::uint32_t slot) {
  if (subtree_.keeps_lists()) return subtree_.list(feature) + node_->begin;
  SmallEntry* list = room(slot);
  if (group_sorted_) return list;
  const std::uint16_t* codes = subtree_.column(feature);
  const std::uint16_t* ids = rows().data();
  fill_sorted(list, scratch_.data(), n_,
              [&](std::uint32_t i) { return make_entry<SmallEntry>(codes[ids[i]], ids[i]); });
  return list;
}

const LargeEntry* TableLists::of(std::uint32_t feature, std::uint32_t) {
  list_.resize(rows_.size());
  scratch_.resize(rows_.size());
  std::size_t at = 0;
  const std::uint16_t* column = matrix_.column(feature);
  for (const auto row : rows_) list_[at++] = make_entry<LargeEntry>(column[row], row);
  radix_sort(list_.data(), scratch_.data(), list_.size(), 32, 16);
  return list_.data();
}

}  // namespace bayeswood
