// How RandomGrower sends the rows of a node to its children, and sums these up.
#include <algorithm>

#include "bayeswood/grow/random_grower.hpp"

namespace bayeswood {

void RandomGrower::part(const Split& split, const Task& task, Task& left, Task& right) {
  left.depth = right.depth = task.depth + 1;
  const std::uint32_t cut = split.cut_code;
  if (packed_codes_ != nullptr) {
    const std::uint16_t* codes = packed_codes_ + split.feature;
    return part_rows(
        task, [=, this](std::uint32_t id) { return codes[id * stride_] <= cut; }, left, right);
  }
  const std::uint16_t* column = matrix_.column(split.feature);
  if (is_plain_)
    return part_rows(task, [=](std::uint32_t row) { return column[row] <= cut; }, left, right);
  sides_.set(split, matrix_.feature(split.feature));
  part_rows(task, [&](std::uint32_t row) { return sides_.goes_left(column[row]); }, left, right);
}

// Partitions the rows, and sums up those of both children.
template <class Goes>
void RandomGrower::part_rows(const Task& task, Goes goes_left, Task& left, Task& right) {
  const auto look_away = [](std::uint32_t, std::uint32_t) {};
  if (target_.kind == TargetKind::CLASSES) {
    for (auto& class_w : side_w_) class_w.resize(target_.n_outputs, 0.0);
    double* const sums[2] = {side_w_[0].data(), side_w_[1].data()};
    partition(task, goes_left, left, right, [&](std::uint32_t row, std::uint32_t goes) {
      sums[goes][data_.label[row]] += data_.w[row];
    });
    left.totals = summed_class_totals(rows_of(left), data_, target_, side_w_[1]);
    right.totals = summed_class_totals(rows_of(right), data_, target_, side_w_[0]);
  } else if (target_.kind == TargetKind::SCALAR) {
    partition(task, goes_left, left, right, look_away);
    add_up(left, right);
  } else {
    partition(task, goes_left, left, right, look_away);
    for (Task* child : {&left, &right})
      child->totals = node_totals(rows_of(*child), data_, target_, totals_sides_);
  }
}

// Numbers of both children side by side: their chains of additions overlap.
void RandomGrower::add_up(Task& left, Task& right) const {
  const auto of_left = rows_of(left), of_right = rows_of(right);
  ScalarTotals left_sums, right_sums;
  const auto add_left = [&](std::size_t i) {
    left_sums.add(data_.pair[of_left[i]], data_.y[of_left[i]]);
  };
  const auto add_right = [&](std::size_t i) {
    right_sums.add(data_.pair[of_right[i]], data_.y[of_right[i]]);
  };
  const std::size_t both = std::min(of_left.size(), of_right.size());
  for (std::size_t i = 0; i < both; ++i) {
    add_left(i);
    add_right(i);
  }
  for (std::size_t i = both; i < of_left.size(); ++i) add_left(i);
  for (std::size_t i = both; i < of_right.size(); ++i) add_right(i);
  left.totals = left_sums.finish(left.totals.n);
  right.totals = right_sums.finish(right.totals.n);
}

// Stable. Calls look(row, 1 for left or 0) for each row in order.
template <class Goes, class Look>
void RandomGrower::partition(const Task& task, Goes goes_left, Task& left, Task& right, Look look) {
  std::uint32_t* rows = rows_->data() + task.begin;
  std::uint32_t n_left = 0;
  for (std::uint32_t i = 0; i < task.totals.n; ++i) {
    const std::uint32_t row = rows[i];
    const std::uint32_t goes = goes_left(row) ? 1 : 0;
    rows[n_left] = row;
    scratch_[i - n_left] = row;
    n_left += goes;
    look(row, goes);
  }
  left.begin = task.begin;
  left.totals.n = n_left;
  right.begin = task.begin + n_left;
  right.totals.n = task.totals.n - n_left;
  std::copy_n(scratch_.data(), right.totals.n, rows + n_left);
}

}  // namespace bayeswood
