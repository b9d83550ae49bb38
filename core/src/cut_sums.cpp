#include "bayeswood/grow/cut_sums.hpp"

#include <algorithm>

#include "bayeswood/leaf/class_impurity.hpp"

namespace bayeswood {

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

void CutSums::add_codes(std::span<const std::uint16_t> codes, std::uint32_t cut_code) {
  clear();
  const std::size_t n = codes.size();
  std::size_t n_left = 0;
  if (target_.kind == TargetKind::SCALAR) {
    std::array<WeightedValue, 2> left{}, right{};  // even and odd rows: two chains of additions
    for (std::size_t i = 0; i < n; ++i) {
      const bool goes_left = codes[i] <= cut_code;
      const double is_left = goes_left ? 1.0 : 0.0;
      n_left += goes_left ? 1 : 0;
      left[i & 1].w += is_left * pair_[i].w;
      left[i & 1].wy += is_left * pair_[i].wy;
      right[i & 1].w += (1 - is_left) * pair_[i].w;
      right[i & 1].wy += (1 - is_left) * pair_[i].wy;
    }
    side_[0].w = left[0].w + left[1].w;
    side_[1].w = right[0].w + right[1].w;
    sums_[0] = left[0].wy + left[1].wy;
    sums_[1] = right[0].wy + right[1].wy;
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t place = codes[i] <= cut_code ? 0 : 1;
      n_left += 1 - place;
      double* sums = sums_.data() + place * width_;
      if (target_.kind == TargetKind::CLASSES) {
        sums[class_[i]] += w_[i];
        continue;
      }
      side_[place].w += w_[i];
      for (std::size_t k = 0; k < width_; ++k) sums[k] += values_[i * width_ + k];
    }
    for (std::size_t k = 0; target_.kind == TargetKind::CLASSES && k < width_; ++k) {
      side_[0].w += sums_[k];
      side_[1].w += sums_[width_ + k];
    }
  }
  side_[0].n = static_cast<std::uint32_t>(n_left);
  side_[1].n = static_cast<std::uint32_t>(n - n_left);
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
  const double children =
      score(merged_.data(), way[0].w) + score(merged_.data() + width_, way[1].w);
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
