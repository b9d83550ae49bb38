#include "bayeswood/grow/search/cut_sums.hpp"

#include <algorithm>

#include "bayeswood/grow/impurity/class_impurity.hpp"

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
  pair_.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double w = data.pair[rows[i]].w;
    pair_[i] = {w, w * (data.y[rows[i]] - mean)};
  }
}

void CutSums::load_classes(std::span<const std::uint32_t> rows, const RowData& data) {
  class_number_.resize(target_.n_outputs, 0);
  w_.resize(rows.size());
  class_.resize(rows.size());
  std::uint32_t n_classes = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::uint32_t& number = class_number_[data.label[rows[i]]];
    if (number == 0) number = ++n_classes;
    class_[i] = number - 1;
    w_[i] = data.w[rows[i]];
  }
  for (const auto row : rows) class_number_[data.label[row]] = 0;
  width_ = n_classes;
}

void CutSums::load_outputs(std::span<const std::uint32_t> rows, const RowData& data) {
  width_ = target_.n_outputs;
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
  std::fill(sums_.begin(), sums_.end(), 0.0);
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
    const std::uint32_t first = cut.codes[i] <= cut.cut_code;
    const std::uint32_t second = cut.codes[i + 1] <= cut.cut_code;
    even.add(first, pair_[i]);
    odd.add(second, pair_[i + 1]);
    n_left += first + second;
  }
  if (i < n) {
    const std::uint32_t last = cut.codes[i] <= cut.cut_code;
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
    const std::size_t place = cut.codes[i] > cut.cut_code;
    side_[1].n += static_cast<std::uint32_t>(place);
    sums_[place * width_ + class_[i]] += w_[i];
  }
  side_[0].n = node_.n - side_[1].n;
  for (std::size_t k = 0; k < width_; ++k) {
    side_[0].w += sums_[k];
    side_[1].w += sums_[width_ + k];
  }
}

void CutSums::add_codes(const CodeCut& cut) {
  if (target_.kind == TargetKind::SCALAR) return add_scalar_codes(cut);
  if (target_.kind == TargetKind::CLASSES) return add_class_codes(cut);
  clear();
  for (std::size_t i = 0; i < node_.n; ++i) {
    const std::size_t place = cut.codes[i] > cut.cut_code;
    ++side_[place].n;
    side_[place].w += w_[i];
    double* sums = sums_.data() + place * width_;
    for (std::size_t k = 0; k < width_; ++k) sums[k] += values_[i * width_ + k];
  }
}

// Four chains of additions overlap, where one would wait for itself.
void CutSums::find_class_gains(const CodeCut* cuts, const Limits& limits, double* gains) {
  const std::size_t n = node_.n, both = 2 * width_;
  lane_sums_.assign(LANES * both, 0.0);
  std::array<double*, LANES> sums;
  std::array<std::uint32_t, LANES> n_right{};
  for (std::size_t k = 0; k < LANES; ++k) sums[k] = lane_sums_.data() + k * both;
  for (std::size_t i = 0; i < n; ++i) {
    const double w = w_[i];
    const std::size_t own = class_[i];
    for (std::size_t k = 0; k < LANES; ++k) {
      const std::uint32_t place = cuts[k].codes[i] > cuts[k].cut_code;
      n_right[k] += place;
      sums[k][place * width_ + own] += w;
    }
  }
  for (std::size_t k = 0; k < LANES; ++k) {
    std::array<Side, 3> side{Side{node_.n - n_right[k], 0}, Side{n_right[k], 0}, Side{}};
    for (std::size_t c = 0; c < width_; ++c) {
      side[0].w += sums[k][c];
      side[1].w += sums[k][width_ + c];
    }
    gains[k] = gain_of(side, sums[k], limits);
  }
}

void CutSums::find_scalar_gains(const CodeCut* cuts, const Limits& limits, double* gains) {
  SidePair even[LANES], odd[LANES];
  std::array<std::uint32_t, LANES> n_left{};
  const std::size_t n = node_.n;
  const auto add = [&](std::size_t i, SidePair* to) {
    for (std::size_t k = 0; k < LANES; ++k) {
      const std::uint32_t goes_left = cuts[k].codes[i] <= cuts[k].cut_code;
      to[k].add(goes_left, pair_[i]);
      n_left[k] += goes_left;
    }
  };
  std::size_t i = 0;
  for (; i + 1 < n; i += 2) {
    add(i, even);
    add(i + 1, odd);
  }
  if (i < n) add(i, even);
  for (std::size_t k = 0; k < LANES; ++k) {
    const double sums[2] = {even[k].left_wy + odd[k].left_wy, even[k].right_wy + odd[k].right_wy};
    const std::array<Side, 3> side{Side{n_left[k], even[k].left_w + odd[k].left_w},
                                   Side{node_.n - n_left[k], even[k].right_w + odd[k].right_w},
                                   Side{}};
    gains[k] = gain_of(side, sums, limits);
  }
}

void CutSums::find_gains(std::span<const CodeCut> cuts, const Limits& limits, double* gains) {
  if (cuts.size() == LANES && target_.kind == TargetKind::CLASSES)
    return find_class_gains(cuts.data(), limits, gains);
  if (cuts.size() == LANES && target_.kind == TargetKind::SCALAR)
    return find_scalar_gains(cuts.data(), limits, gains);
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    add_codes(cuts[k]);
    gains[k] = gain(limits);
  }
}

double CutSums::gain_of(const std::array<Side, 3>& side, const double* sums,
                        const Limits& limits) const {
  for (std::size_t place = 0; place < 2; ++place) {
    if (side[place].n < limits.min_rows || side[place].w < limits.min_weight) return NO_SCORE;
  }
  return over_node(score(sums, side[0].w) + score(sums + width_, side[1].w));
}

double CutSums::gain(const Limits& limits) const {
  return gain_of(side_, sums_.data(), limits);
}

double CutSums::gain(std::array<bool, 3> left, const Limits& limits) {
  std::array<Side, 2> way;
  std::fill(merged_.begin(), merged_.end(), 0.0);
  for (std::size_t place = 0; place < 3; ++place) {
    if (side_[place].n == 0) continue;
    const std::size_t to = left[place] ? 0 : 1;
    way[to].n += side_[place].n;
    way[to].w += side_[place].w;
    for (std::size_t k = 0; k < width_; ++k) {
      merged_[to * width_ + k] += sums_[place * width_ + k];
    }
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
    for (std::size_t k = 0; k < width_; ++k) sum += Entropy::term(sums[k]);
    return Entropy::score(sum, w);
  }
  for (std::size_t k = 0; k < width_; ++k) sum += sums[k] * sums[k];
  return sum / w;
}

}  // namespace bayeswood
