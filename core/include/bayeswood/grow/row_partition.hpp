// Sends the rows of a node to its children, stably, and sums these up in the order of their rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/node.hpp"
#include "bayeswood/grow/search/random_cuts/cut_sides.hpp"

namespace bayeswood {

// A node that is to be grown: its rows stand from `begin` on.
struct GrowTask {
  std::uint32_t node, depth, begin;
  NodeTotals totals;
};

class RowPartition {
 public:
  explicit RowPartition(const Target& target) : target_(target), totals_sides_(data_, target) {}

  // `rows`: of all nodes; ids of `data`.
  void set_rows(std::uint32_t* rows, std::size_t n) {
    rows_ = rows;
    constexpr std::size_t MORE = 16;  // a vector may be written beyond the last
    if (scratch_.size() < n + MORE) scratch_.resize(n + MORE);
  }
  std::span<const std::uint32_t> rows_of(const GrowTask& task) const {
    return {rows_ + task.begin, task.totals.n};
  }
  std::span<std::uint32_t> rows_of(const GrowTask& task) {
    return {rows_ + task.begin, task.totals.n};
  }

  template <class Goes>
  void part(const GrowTask& task, const RowData& data, Goes goes_left, GrowTask& left,
            GrowTask& right) {
    data_ = data;
    const auto look_away = [](std::uint32_t, std::uint32_t) {};
    if (target_.kind == TargetKind::CLASSES) {
      auto& side_w = side_weights();
      double* const sums[2] = {side_w[0].data(), side_w[1].data()};
      partition(task, goes_left, left, right, [&](std::uint32_t row, std::uint32_t goes) {
        sums[goes][data_.label[row]] += data_.w[row];
      });
      total_classes(data_, left, right);
    } else if (target_.kind == TargetKind::SCALAR) {
      partition(task, goes_left, left, right, look_away);
      add_up(left, right);
    } else {
      partition(task, goes_left, left, right, look_away);
      for (GrowTask* child : {&left, &right})
        child->totals = node_totals(own_rows(*child), data_, target_, totals_sides_);
    }
  }

  // The same of numbers, by a cut of values or codes: `by` needs no rows.
  template <class Value>
  void part_numbers(const GrowTask& task, RowPart<Value> by, const LaneKernels<Value>& kernels,
                    GrowTask& left, GrowTask& right) {
    NumberSums of_left, of_right;
    by.rows = rows_ + task.begin;
    by.scratch = scratch_.data();
    by.n = task.totals.n;
    by.left = &of_left;
    by.right = &of_right;
    const std::uint32_t n_left = kernels.part_numbers(by);
    set_places(task, n_left, left, right);
    ScalarTotals(of_left).finish(n_left, left.totals);
    ScalarTotals(of_right).finish(task.totals.n - n_left, right.totals);
  }
  // Of classes whose weights are summed up by side already; these are 0 afterwards.
  template <class Value>
  void part_classes(const GrowTask& task, RowPart<Value> by, const LaneKernels<Value>& kernels,
                    const RowData& data, GrowTask& left, GrowTask& right) {
    by.rows = rows_ + task.begin;
    by.scratch = scratch_.data();
    by.n = task.totals.n;
    set_places(task, kernels.part(by), left, right);
    total_classes(data, left, right);
  }
  // The same by sides that are known.
  template <class Value>
  void part_sides(const GrowTask& task, const CutSides& sides, const LaneKernels<Value>& kernels,
                  const RowData& data, GrowTask& left, GrowTask& right) {
    part_sides(task, sides, kernels, left, right);
    total_classes(data, left, right);
  }
  // Of two classes whose rows weigh 1: so many of the second go left.
  template <class Value>
  void part_ones(const GrowTask& task, const CutSides& sides, std::uint32_t n_left_ones,
                 const LaneKernels<Value>& kernels, GrowTask& left, GrowTask& right) {
    part_sides(task, sides, kernels, left, right);
    const auto n_ones = static_cast<std::uint32_t>(task.totals.wy);
    count_two_classes(left.totals.n, n_left_ones, left.totals);
    count_two_classes(right.totals.n, n_ones - n_left_ones, right.totals);
  }
  // Of all classes, by side: right, left.
  std::array<std::vector<double>, 2>& side_weights() {
    for (auto& class_w : side_w_) class_w.resize(target_.n_outputs, 0.0);
    return side_w_;
  }

 private:
  static void set_places(const GrowTask& task, std::uint32_t n_left, GrowTask& left,
                         GrowTask& right) {
    left.depth = right.depth = task.depth + 1;
    left.begin = task.begin;
    left.totals.n = n_left;
    right.begin = task.begin + n_left;
    right.totals.n = task.totals.n - n_left;
  }
  template <class Value>
  void part_sides(const GrowTask& task, const CutSides& sides, const LaneKernels<Value>& kernels,
                  GrowTask& left, GrowTask& right) {
    const SidePart by{rows_ + task.begin, scratch_.data(), task.totals.n, sides.kept(),
                      sides.kept_lane()};
    set_places(task, kernels.part_sides(by), left, right);
  }
  std::span<const std::uint32_t> own_rows(const GrowTask& task) const { return rows_of(task); }
  void total_classes(const RowData& data, GrowTask& left, GrowTask& right) {
    left.totals = summed_class_totals(own_rows(left), data, target_, side_w_[1]);
    right.totals = summed_class_totals(own_rows(right), data, target_, side_w_[0]);
  }

  // Numbers of both children side by side: their chains of additions overlap.
  void add_up(GrowTask& left, GrowTask& right) const {
    const auto of_left = own_rows(left), of_right = own_rows(right);
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

  // Calls look(row, 1 for left or 0) for each row in order.
  template <class Goes, class Look>
  void partition(const GrowTask& task, Goes goes_left, GrowTask& left, GrowTask& right, Look look) {
    std::uint32_t* rows = rows_ + task.begin;
    std::uint32_t n_left = 0;
    for (std::uint32_t i = 0; i < task.totals.n; ++i) {
      const std::uint32_t row = rows[i];
      const std::uint32_t goes = goes_left(row) ? 1 : 0;
      rows[n_left] = row;
      scratch_[i - n_left] = row;
      n_left += goes;
      look(row, goes);
    }
    set_places(task, n_left, left, right);
    std::copy_n(scratch_.data(), right.totals.n, rows + n_left);
  }

  const Target& target_;
  std::uint32_t* rows_ = nullptr;
  std::vector<std::uint32_t> scratch_;
  RowData data_;
  SideSet totals_sides_;
  std::array<std::vector<double>, 2> side_w_;  // of all classes, by side; 0 between nodes
};

}  // namespace bayeswood
