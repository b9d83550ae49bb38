// How SmallGrower sends the rows of a node to its children.
#include <algorithm>

#include "bayeswood/grow/small_grower.hpp"

namespace bayeswood {
namespace {

// Stable, in place: entries whose side is 1 first. The scratch holds those that go right.
void partition_entries(SmallEntry* list, std::uint32_t n, const std::uint8_t* side,
                       SmallEntry* scratch) {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const SmallEntry entry = list[i];
    const std::uint32_t goes_left = side[id_of(entry)];
    list[left] = entry;
    scratch[right] = entry;
    left += goes_left;
    right += 1 - goes_left;
  }
  std::copy(scratch, scratch + right, list + left);
}

void keep_left_entries(SmallEntry* list, std::uint32_t n, const std::uint8_t* side) {
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const SmallEntry entry = list[i];
    list[left] = entry;
    left += side[id_of(entry)];
  }
}

void keep_right_entries(SmallEntry* list, std::uint32_t n, const std::uint8_t* side) {
  std::uint32_t at = n;
  for (std::uint32_t i = n; i-- > 0;) {
    const SmallEntry entry = list[i];
    list[at - 1] = entry;
    at -= 1U - side[id_of(entry)];
    if (at == 0) break;
  }
}

}  // namespace

std::uint32_t SmallGrower::partition(Split& split, const Task& task) {
  if (search_.lanes() != nullptr) return partition_classes(split, task);
  const bool by_code =
      !choice_.keeps_lists() && !split.missing_left && !matrix_.feature(split.feature).is_category;
  if (by_code) return partition_codes(split, task);
  const std::uint32_t n_left = assign_sides(split, task);
  partition_order(task);
  return n_left;
}

// Stable partition of the node's ids by side.
void SmallGrower::partition_order(const Task& task) {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  std::uint16_t* order = subtree_.order(task.begin);
  for (std::uint32_t i = 0; i < task.totals.n; ++i) {
    const std::uint16_t id = order[i];
    const std::uint32_t goes_left = side_[id];
    order[left] = id;
    order_scratch_[right] = id;
    left += goes_left;
    right += 1 - goes_left;
  }
  std::copy_n(order_scratch_.data(), right, order + left);
}

// The same, and sums up the children's class weights.
std::uint32_t SmallGrower::partition_classes(const Split& split, const Task& task) {
  ClassLanes::Parting parting{side_.data(), nullptr, 0};
  if (choice_.keeps_lists() || split.missing_left || matrix_.feature(split.feature).is_category) {
    assign_sides(split, task);
  } else {
    parting = {nullptr, subtree_.column(split.feature), split.cut_code};
  }
  return search_.lanes()->partition({subtree_.order(task.begin), task.totals.n},
                                    order_scratch_.data(), parting, child_classes_);
}

// The same straight from the codes; and finds the node's own neighbours of the cut, between which
// the threshold will lie, where the search did not.
std::uint32_t SmallGrower::partition_codes(Split& split, const Task& task) {
  const std::uint16_t* column = subtree_.column(split.feature);
  std::uint16_t* order = subtree_.order(task.begin);
  std::uint16_t* scratch = order_scratch_.data();
  const std::uint32_t cut = split.cut_code;
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  const auto sort_out = [&](auto look) {
    for (std::uint32_t i = 0; i < task.totals.n; ++i) {
      const std::uint16_t id = order[i];
      const std::uint32_t code = column[id];
      const std::uint32_t goes_left = code <= cut ? 1 : 0;
      order[left] = id;
      scratch[right] = id;
      left += goes_left;
      right += 1 - goes_left;
      look(code, 0U - goes_left);
    }
  };
  if (split.upper_code > 0) {
    sort_out([](std::uint32_t, std::uint32_t) {});
  } else {
    std::uint32_t below = 0;
    std::uint32_t above = MISSING_CODE;
    sort_out([&](std::uint32_t code, std::uint32_t left_mask) {
      below = std::max(below, code & left_mask);
      above = std::min(above, code | left_mask);
    });
    split.cut_code = below;
    split.upper_code = above;
  }
  std::copy_n(scratch, right, order + left);
  return left;
}

// Marks each row's side.
std::uint32_t SmallGrower::assign_sides(const Split& split, const Task& task) {
  if (choice_.grows_class_twigs()) return assign_plain_sides(split, task);
  const FeatureCodes& codes = matrix_.feature(split.feature);
  const bool from_list = choice_.keeps_lists();
  const SmallEntry* entries = from_list ? subtree_.list(split.feature) + task.begin : nullptr;
  const std::uint16_t* column = from_list ? nullptr : subtree_.column(split.feature);
  const std::uint16_t* order = subtree_.order(task.begin);
  std::uint32_t n_left = 0;
  const auto mark = [&](auto goes_left) {
    for (std::uint32_t i = 0; i < task.totals.n; ++i) {
      const std::uint32_t id = from_list ? id_of(entries[i]) : order[i];
      const std::uint32_t code = from_list ? code_of(entries[i]) : column[id];
      const std::uint8_t left = goes_left(code);
      side_[id] = left;
      n_left += left;
    }
  };
  if (!codes.is_category && !split.missing_left) {  // the missing code lies above every cut
    mark([cut = split.cut_code](std::uint32_t code) { return code <= cut; });
  } else {
    sides_.set(split, codes);
    mark([this](std::uint32_t code) { return sides_.goes_left(code); });
  }
  return n_left;
}

// The same where nothing is missing: those of the list's first entries. How many they are is found
// without a branch, which could not be foreseen.
std::uint32_t SmallGrower::assign_plain_sides(const Split& split, const Task& task) {
  const SmallEntry* list = subtree_.list(split.feature) + task.begin;
  const SmallEntry above = make_entry<SmallEntry>(split.cut_code + 1, 0);
  std::uint32_t n_left = 0;
  for (std::uint32_t size = task.totals.n; size > 0; size /= 2) {
    const std::uint32_t half = (size + 1) / 2;
    n_left += half & (0U - static_cast<std::uint32_t>(list[n_left + half - 1] < above));
  }
  std::uint8_t* side = side_.data();
  for (std::uint32_t i = 0; i < n_left; ++i) side[id_of(list[i])] = 1;
  for (std::uint32_t i = n_left; i < task.totals.n; ++i) side[id_of(list[i])] = 0;
  return n_left;
}

// Several lists at once; see partition_lists.
void SmallGrower::part_plain_lists(const Split& split, const Task& task, const Kernels& kernels,
                                   bool left_ends, bool right_ends) {
  if (is_class_twig_) kernels.pack_sides(side_.data(), side_bits_);
  const ListParts& parts = is_class_twig_ ? kernels.part_lists : kernels.part_long_lists;
  const ListPart part = right_ends ? parts.left : (left_ends ? parts.right : parts.both);
  part({subtree_.list(0) + task.begin, subtree_.stride(),
        static_cast<std::uint32_t>(matrix_.n_features()), split.feature, task.totals.n, side_bits_,
        list_scratch_.data(), side_.data()});
}

// Lists of children that end in a leaf are not needed any more.
void SmallGrower::partition_lists(const Split& split, const Task& task, bool left_ends,
                                  bool right_ends) {
  const std::uint32_t n = task.totals.n;
  for (std::uint32_t j = 0; j < matrix_.n_features(); ++j) {
    SmallEntry* entries = subtree_.list(j) + task.begin;
    if (j == split.feature && !split.missing_left && !matrix_.feature(j).is_category) continue;
    if (right_ends) {
      keep_left_entries(entries, n, side_.data());
    } else if (left_ends) {
      keep_right_entries(entries, n, side_.data());
    } else {
      partition_entries(entries, n, side_.data(), list_scratch_.data());
    }
  }
}

}  // namespace bayeswood
