#include "bayeswood/grow/search/random_cuts/cut_sums.hpp"

#include <algorithm>
#include <numeric>

namespace bayeswood {
namespace {

struct SidePair {
  double left_w = 0, left_wy = 0, right_w = 0, right_wy = 0;
  void add(std::uint32_t goes_left, const WeightedValue& row) {
    const double mask = goes_left;
    left_w += mask * row.w;
    left_wy += mask * row.wy;
    right_w += (1 - mask) * row.w;
    right_wy += (1 - mask) * row.wy;
  }
};

// The classes of rows in the order in which they are first seen, of 64 at most, whether one was
// seen being a bit: nothing waits for memory. Returns how many.
std::uint32_t list_few_classes(std::span<const std::int32_t> label, std::int32_t* seen) {
  std::uint64_t bits = 0;
  std::uint32_t n = 0;
  for (const std::int32_t own : label) {
    const std::uint64_t bit = std::uint64_t{1} << own;
    seen[n] = own;
    n += (bits & bit) == 0 ? 1 : 0;
    bits |= bit;
  }
  return n;
}

// Of any number. `is_seen`: 0 before and after.
std::uint32_t list_classes(std::span<const std::int32_t> label, std::uint8_t* is_seen,
                           std::int32_t* seen) {
  std::uint32_t n = 0;
  for (const std::int32_t own : label) {
    seen[n] = own;
    n += is_seen[own] == 0 ? 1 : 0;
    is_seen[own] = 1;
  }
  for (std::uint32_t c = 0; c < n; ++c) is_seen[seen[c]] = 0;
  return n;
}

}  // namespace

void CutSums::load_node(std::span<const std::uint32_t> rows, const RowData& data,
                        const NodeTotals& totals) {
  node_ = totals;
  if (target_.kind == TargetKind::SCALAR) {
    load_scalar(rows, data);
  } else if (target_.kind == TargetKind::CLASSES) {
    load_classes(rows, data);
  } else {
    load_outputs(rows, data);
  }
  sums_.resize(3 * width_);
  merged_.resize(2 * width_);
}

void CutSums::load_scalar(std::span<const std::uint32_t> rows, const RowData& data) {
  const double mean = node_.wy / node_.w;
  outputs_.assign(1, 0);
  if (pair_.size() < rows.size()) pair_.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double w = data.pair[rows[i]].w;
    pair_[i] = {w, w * (data.y[rows[i]] - mean)};
  }
}

void CutSums::load_numbers(std::span<const std::uint32_t> rows, const NumberRow* numbers,
                           const NodeTotals& totals) {
  node_ = totals;
  const double mean = node_.wy / node_.w;
  if (pair_.size() < rows.size()) pair_.resize(rows.size());
  WeightedValue* to = pair_.data();
  for (const std::uint32_t row : rows) {
    const NumberRow& own = numbers[row];
    *to++ = {own.w, own.w * (own.y - mean)};
  }
}

void CutSums::keep(std::size_t lane) {
  kept_.resize(2 * outputs_.size());
  for (std::size_t c = 0; c < outputs_.size(); ++c) {
    const double* from = lane_sums_[outputs_[c]].sums + lane;
    kept_[2 * c] = from[0];
    kept_[2 * c + 1] = from[LANES];
  }
}

void CutSums::write_kept(double* left, double* right) const {
  for (std::size_t c = 0; c < outputs_.size(); ++c) {
    left[outputs_[c]] = kept_[2 * c];
    right[outputs_[c]] = kept_[2 * c + 1];
  }
}

void CutSums::load_classes(std::span<const std::uint32_t> rows, const RowData& data) {
  constexpr std::size_t FEW = 64;
  if (w_.size() < rows.size()) {
    w_.resize(rows.size());
    class_.resize(rows.size());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    class_[i] = data.label[rows[i]];
    w_[i] = data.w[rows[i]];
  }
  width_ = target_.n_outputs;
  outputs_.resize(width_ + 1);
  is_seen_.resize(width_, 0);
  const auto label = std::span<const std::int32_t>(class_).first(rows.size());
  outputs_.resize(width_ <= FEW ? list_few_classes(label, outputs_.data())
                                : list_classes(label, is_seen_.data(), outputs_.data()));
}

void CutSums::load_outputs(std::span<const std::uint32_t> rows, const RowData& data) {
  width_ = target_.n_outputs;
  outputs_.resize(width_);
  std::iota(outputs_.begin(), outputs_.end(), 0);
  w_.resize(rows.size());
  values_.resize(rows.size() * width_);
  mean_.assign(width_, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    w_[i] = data.w[rows[i]];
    const double* y = data.values + rows[i] * width_;
    for (std::size_t k = 0; k < width_; ++k) mean_[k] += w_[i] / node_.w * y[k];
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double* y = data.values + rows[i] * width_;
    for (std::size_t k = 0; k < width_; ++k) values_[i * width_ + k] = w_[i] * (y[k] - mean_[k]);
  }
}

void CutSums::clear() {
  side_ = {};
  for (double* place = sums_.data(); place < sums_.data() + sums_.size(); place += width_)
    for (const std::int32_t k : outputs_) place[k] = 0;
}

// Of the node's classes; sums of numbers are written, not added to.
void CutSums::clear_lanes() {
  lane_sums_.resize(std::max<std::size_t>(2, width_));
  if (target_.kind != TargetKind::CLASSES) return;
  for (const std::int32_t own : outputs_) lane_sums_[own] = {};
}

void CutSums::add(std::span<const Place> places) {
  clear();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto place = static_cast<std::size_t>(places[i]);
    double* sums = sums_.data() + place * width_;
    ++side_[place].n;
    if (target_.kind == TargetKind::SCALAR) {
      side_[place].w += pair_[i].w;
      sums[0] += pair_[i].wy;
      continue;
    }
    side_[place].w += w_[i];
    if (target_.kind == TargetKind::CLASSES) {
      sums[class_[i]] += w_[i];
    } else {
      for (std::size_t k = 0; k < width_; ++k) sums[k] += values_[i * width_ + k];
    }
  }
}

// Both sides by masks in place of branches, even and odd rows apart: no addition waits for more
// than it must. The order of the sums is the same on every machine.
void CutSums::add_scalar_codes(const CodeCut& cut) {
  SidePair even, odd;
  const std::size_t n = node_.n;
  std::uint32_t n_left = 0;
  std::size_t i = 0;
  for (; i + 1 < n; i += 2) {
    const std::uint32_t first = cut.goes_right(i) ? 0 : 1;
    const std::uint32_t second = cut.goes_right(i + 1) ? 0 : 1;
    even.add(first, pair_[i]);
    odd.add(second, pair_[i + 1]);
    n_left += first + second;
  }
  if (i < n) {
    const std::uint32_t last = cut.goes_right(i) ? 0 : 1;
    even.add(last, pair_[i]);
    n_left += last;
  }
  side_ = {Side{n_left, even.left_w + odd.left_w},
           Side{node_.n - n_left, even.right_w + odd.right_w}, Side{}};
  sums_[0] = even.left_wy + odd.left_wy;
  sums_[1] = even.right_wy + odd.right_wy;
}

void CutSums::add_class_codes(const CodeCut& cut) {
  clear();
  for (std::size_t i = 0; i < node_.n; ++i) {
    const std::size_t place = cut.goes_right(i) ? 1 : 0;
    side_[1].n += static_cast<std::uint32_t>(place);
    sums_[place * width_ + class_[i]] += w_[i];
  }
  side_[0].n = node_.n - side_[1].n;
  for (const std::int32_t own : outputs_) {
    side_[0].w += sums_[own];
    side_[1].w += sums_[width_ + own];
  }
}

void CutSums::add_codes(const CodeCut& cut) {
  if (target_.kind == TargetKind::SCALAR) return add_scalar_codes(cut);
  if (target_.kind == TargetKind::CLASSES) return add_class_codes(cut);
  clear();
  for (std::size_t i = 0; i < node_.n; ++i) {
    const std::size_t place = cut.goes_right(i) ? 1 : 0;
    ++side_[place].n;
    side_[place].w += w_[i];
    double* sums = sums_.data() + place * width_;
    for (std::size_t k = 0; k < width_; ++k) sums[k] += values_[i * width_ + k];
  }
}

void CutSums::find_scalar_gains(const std::uint32_t* n_left, const Limits& limits,
                                double* gains) const {
  const double* sums = lane_sums_[0].sums;
  find_number_gains({sums, sums + LANES, sums + 2 * LANES, sums + 3 * LANES}, node_.n, n_left,
                    limits, gains);
}

template <class Value>
void CutSums::find_gains(const LaneRows<Value>& rows, const Value* cuts, const Limits& limits,
                         const LaneKernels<Value>& kernels, double* gains) {
  const bool classes = target_.kind == TargetKind::CLASSES;
  std::uint32_t n_left[LANES];
  clear_lanes();
  LaneCuts<Value> task{
      rows, {}, pair_.data(), w_.data(), class_.data(), lane_sums_[0].sums, n_left, are_units_};
  std::copy_n(cuts, LANES, task.cut);
  (classes ? kernels.sum_classes : kernels.sum_numbers)(task);
  if (!classes) return find_scalar_gains(n_left, limits, gains);
  find_class_gains({lane_sums_[0].sums, outputs_, n_left}, target_.criterion, node_, limits, gains);
}

template <class Value>
void CutSums::find_wide_gains(const LaneRows<Value>& rows, const Value* cuts, const Limits& limits,
                              const LaneKernels<Value>& kernels, double* gains) const {
  constexpr std::size_t WIDE = 2 * LANES;
  double sums[4 * WIDE];
  std::uint32_t n_left[WIDE];
  WideCuts<Value> task{rows, {}, pair_.data(), are_units_, sums, n_left};
  std::copy_n(cuts, WIDE, task.cut);
  kernels.sum_wide(task);
  for (std::size_t k = 0; k < WIDE; k += LANES) {
    const double* own = sums + k;
    find_number_gains({own, own + WIDE, own + 2 * WIDE, own + 3 * WIDE}, node_.n, n_left + k,
                      limits, gains + k);
  }
}
template void CutSums::find_wide_gains(const LaneRows<float>&, const float*, const Limits&,
                                       const LaneKernels<float>&, double*) const;
template void CutSums::find_wide_gains(const LaneRows<double>&, const double*, const Limits&,
                                       const LaneKernels<double>&, double*) const;

template void CutSums::find_gains(const LaneCodes&, const std::uint16_t*, const Limits&,
                                  const LaneKernels<std::uint16_t>&, double*);
template void CutSums::find_gains(const LaneRows<float>&, const float*, const Limits&,
                                  const LaneKernels<float>&, double*);
template void CutSums::find_gains(const LaneRows<double>&, const double*, const Limits&,
                                  const LaneKernels<double>&, double*);

double CutSums::gain(const Limits& limits) const {
  if (!is_allowed(node_.n, side_[0].n, side_[0].w, side_[1].w, limits)) return NO_SCORE;
  return over_node(score(sums_.data(), side_[0].w) + score(sums_.data() + width_, side_[1].w));
}

double CutSums::gain(std::array<bool, 3> left, const Limits& limits) {
  std::array<Side, 2> way;
  std::fill(merged_.begin(), merged_.end(), 0.0);
  for (std::size_t place = 0; place < 3; ++place) {
    if (side_[place].n == 0) continue;
    const std::size_t to = left[place] ? 0 : 1;
    way[to].n += side_[place].n;
    way[to].w += side_[place].w;
    for (const std::int32_t k : outputs_) merged_[to * width_ + k] += sums_[place * width_ + k];
  }
  for (const Side& side : way) {
    if (side.n < limits.min_rows || side.w < limits.min_weight) return NO_SCORE;
  }
  return over_node(score(merged_.data(), way[0].w) + score(merged_.data() + width_, way[1].w));
}

// What the children score above the node; numbers are centred, so that the node scores 0.
double CutSums::over_node(double children) const {
  return target_.kind == TargetKind::CLASSES ? children - node_.score : children;
}

double CutSums::score(const double* sums, double w) const {
  double sum = 0;
  if (target_.kind == TargetKind::CLASSES && target_.criterion == Criterion::ENTROPY) {
    for (const std::int32_t k : outputs_) sum += Entropy::term(sums[k]);
    return Entropy::score(sum, w);
  }
  for (const std::int32_t k : outputs_) sum += sums[k] * sums[k];
  return sum / w;
}

}  // namespace bayeswood
