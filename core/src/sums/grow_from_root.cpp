#include "bayeswood/sums/grow_from_root.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "bayeswood/base/vector_math.hpp"

namespace bayeswood {
namespace {

// Fewer rows of a node are not worth waking other threads.
constexpr std::size_t MANY_ROWS = 4096;

// What leaves are worth is factor * exp(exponent). Means: with precision p = mass + noise / prior,
//   exponent = rest^2 / (2 noise p),   factor = sqrt(noise / (prior p)).
class MeanWorth {
 public:
  MeanWorth(const MeanLeaves& leaves, const std::vector<double>&)
      : ratio_(leaves.noise / leaves.prior), half_(0.5 / leaves.noise) {}

  void leaf(const CodeBin& sums, double& exponent, double& factor) const {
    const double precision = sums.mass + ratio_;
    exponent = half_ * sums.rest * sums.rest / precision;
    factor = std::sqrt(ratio_ / precision);
  }
  // Of pairs of leaves, given rest and mass of the left ones, which become exponent and factor.
  void pairs(const CodeBin& total, std::size_t n, double* rest, double* mass) const {
    for (std::size_t i = 0; i < n; ++i) {
      const double left = mass[i] + ratio_, right = total.mass - mass[i] + ratio_;
      const double other = total.rest - rest[i];
      const double inverse = 1 / (left * right);
      rest[i] = half_ * (rest[i] * rest[i] * right + other * other * left) * inverse;
      mass[i] = ratio_ * std::sqrt(inverse);
    }
  }

 private:
  double ratio_, half_;
};

// Variances: see VarianceLeaves; rows have no weights.
class VarianceWorth {
 public:
  VarianceWorth(const VarianceLeaves& leaves, const std::vector<double>& log_gamma)
      : leaves_(leaves),
        log_gamma_(log_gamma),
        start_(leaves.shape * std::log(leaves.scale) - std::lgamma(leaves.shape)) {}

  void leaf(const CodeBin& sums, double& exponent, double& factor) const {
    exponent = start_ + log_gamma_[static_cast<std::size_t>(sums.mass)] -
               (leaves_.shape + 0.5 * sums.mass) * std::log(leaves_.scale + 0.5 * sums.rest);
    factor = 1;
  }
  void pairs(const CodeBin& total, std::size_t n, double* rest, double* mass) const {
    for (std::size_t i = 0; i < n; ++i) {
      // Differences of squares must not fall below what there is.
      const CodeBin other{std::max(total.rest - rest[i], 0.0), total.mass - mass[i]};
      double left, right, factor;
      leaf({rest[i], mass[i]}, left, factor);
      leaf(other, right, factor);
      rest[i] = left + right;
      mass[i] = factor;
    }
  }

 private:
  const VarianceLeaves& leaves_;
  const std::vector<double>& log_gamma_;
  double start_;
};

// In four lanes, which do not wait for each other.
double sum_of(std::span<const double> values) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += values[i + lane];
  for (; i < values.size(); ++i) sums[0] += values[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

MeanWorth worth_of(const MeanLeaves& leaves, const std::vector<double>& table) {
  return {leaves, table};
}
VarianceWorth worth_of(const VarianceLeaves& leaves, const std::vector<double>& table) {
  return {leaves, table};
}

}  // namespace

RootGrower::RootGrower(const SumLaw& law, std::uint32_t min_leaf)
    : law_(law), min_leaf_(min_leaf) {}

template <class Leaves>
void RootGrower::prepare(const Leaves& leaves, bool weighted) {
  weighted_ = weighted;
  const CodeTable& table = law_.table();
  if constexpr (Leaves::MULTIPLY) {
    log_gamma_.clear();
    for (std::size_t n = 0; n <= table.n_rows(); ++n)
      log_gamma_.push_back(std::lgamma(leaves.shape + 0.5 * static_cast<double>(n)));
  }
  cuts_.resize(table.n_features());
  order_.resize(table.n_features());
  first_cut_.assign(1, 0);
  for (std::size_t j = 0; j < table.n_features(); ++j) {
    const std::size_t n_sides = table.has_missing(j) ? 2 : 1;
    first_cut_.push_back(first_cut_.back() + n_sides * table.n_codes(j));
    if (table.is_category(j)) order_[j].reserve(table.n_codes(j));
  }
  for (auto* by_cut : {&place_, &alike_}) by_cut->resize(first_cut_.back());
  for (auto* by_cut : {&exponent_, &factor_}) by_cut->resize(first_cut_.back());
  missing_left_.resize(first_cut_.back());
}

void RootGrower::release() {
  histograms_.clear();
  free_.clear();
}

std::size_t RootGrower::take_histogram() {
  if (free_.empty()) {
    histograms_.emplace_back(law_.table(), weighted_);
    return histograms_.size() - 1;
  }
  const std::size_t last = free_.back();
  free_.pop_back();
  return last;
}

template <class Task>
void RootGrower::for_features(const Varying& within, std::size_t n_rows, Task task) const {
  const auto of_varying = [&](std::size_t j) {
    if (law_.varies(within, static_cast<std::uint32_t>(j))) task(static_cast<std::uint32_t>(j));
  };
  if (n_rows >= MANY_ROWS) return law_.loops().share(cuts_.size(), of_varying);
  for (std::size_t j = 0; j < cuts_.size(); ++j) of_varying(j);
}

RowRun RootGrower::rows_of(std::size_t begin, std::size_t end) const {
  return {{rows_.data() + begin, end - begin},
          rest_.data() + begin,
          weighted_ ? weight_.data() + begin : nullptr};
}

void RootGrower::order_levels(std::uint32_t feature, const CodeHistogram& histogram) {
  const auto bins = histogram.bins(feature);
  std::vector<std::int32_t>& order = order_[feature];
  order.clear();
  for (std::size_t level = 0; level + 1 < bins.size(); ++level)
    if (histogram.count(feature, level) > 0) order.push_back(static_cast<std::int32_t>(level));
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return bins[a].rest / bins[a].mass < bins[b].rest / bins[b].mass;
  });
}

void RootGrower::list_cuts(std::uint32_t feature, const CodeHistogram& histogram,
                           std::uint32_t n_rows) {
  const auto bins = histogram.bins(feature);
  const bool is_category = law_.table().is_category(feature);
  const auto count = [&](std::int32_t code) { return histogram.count(feature, code); };
  Cuts& cuts = cuts_[feature];
  cuts.begin = cuts.end = first_cut_[feature];
  cuts.low = 0;
  if (is_category) {
    order_levels(feature, histogram);
    cuts.high = static_cast<std::int32_t>(order_[feature].size()) - 1;
  } else {
    cuts.high = static_cast<std::int32_t>(bins.size()) - 2;
    while (cuts.low < cuts.high && count(cuts.low) == 0) ++cuts.low;
    while (cuts.high > cuts.low && count(cuts.high) == 0) --cuts.high;
  }
  cuts.varies = cuts.low < cuts.high;
  if (!is_category && !weighted_ && !law_.table().has_missing(feature))
    return list_plain_cuts(feature, bins, n_rows);
  const auto missing = static_cast<std::int32_t>(bins.size()) - 1;
  const int n_sides = law_.table().has_missing(feature) ? 2 : 1;
  CodeBin left;
  std::uint32_t n_left = 0;
  for (std::int32_t place = cuts.low, next; place < cuts.high; place = next) {
    const std::int32_t code = is_category ? order_[feature][place] : place;
    left.add(bins[code]);
    n_left += count(code);
    // Cuts at codes without rows divide alike.
    for (next = place + 1; !is_category && next < cuts.high && count(next) == 0;) ++next;
    for (int side = 0; side < n_sides; ++side) {
      const std::uint32_t n = n_left + (side == 1 ? count(missing) : 0);
      if (n < min_leaf_ || n_rows - n < min_leaf_) continue;
      CodeBin on_left = left;
      if (side == 1) on_left.add(bins[missing]);
      place_[cuts.end] = place;
      alike_[cuts.end] = next - place;
      missing_left_[cuts.end] = side == 1 ? 1 : 0;
      exponent_[cuts.end] = on_left.rest;
      factor_[cuts.end] = on_left.mass;
      ++cuts.end;
    }
  }
}

// The same without branches: whether a code has rows is anyone's guess.
void RootGrower::list_plain_cuts(std::uint32_t feature, std::span<const CodeBin> bins,
                                 std::uint32_t n_rows) {
  Cuts& cuts = cuts_[feature];
  std::size_t end = cuts.begin;
  std::int32_t first = cuts.low;
  CodeBin left;
  for (std::int32_t place = cuts.low; place < cuts.high; ++place) {
    const CodeBin& bin = bins[static_cast<std::size_t>(place)];
    const bool has_rows = bin.mass > 0;
    left.rest += has_rows ? bin.rest : 0.0;
    left.mass += bin.mass;
    first = has_rows ? place : first;
    end += has_rows ? 1 : 0;
    place_[end - 1] = first;
    exponent_[end - 1] = left.rest;
    factor_[end - 1] = left.mass;
  }
  for (std::size_t cut = cuts.begin; cut + 1 < end; ++cut)
    alike_[cut] = place_[cut + 1] - place_[cut];
  if (end > cuts.begin) alike_[end - 1] = cuts.high - place_[end - 1];
  while (cuts.begin < end && factor_[cuts.begin] < min_leaf_) ++cuts.begin;
  while (end > cuts.begin && n_rows - factor_[end - 1] < min_leaf_) --end;
  cuts.end = end;
}

template <class Leaves>
void RootGrower::weigh_cuts(const Leaves& leaves, std::uint32_t feature, const CodeBin& total) {
  Cuts& cuts = cuts_[feature];
  const std::size_t n = cuts.end - cuts.begin;
  double* exponent = exponent_.data() + cuts.begin;
  double* factor = factor_.data() + cuts.begin;
  worth_of(leaves, log_gamma_).pairs(total, n, exponent, factor);
  const std::int32_t* alike = alike_.data() + cuts.begin;
  for (std::size_t i = 0; i < n; ++i) factor[i] *= alike[i];
  cuts.most =
      n > 0 ? *std::max_element(exponent, exponent + n) : -std::numeric_limits<double>::infinity();
}

Varying RootGrower::varying_of(const Varying& within) const {
  Varying found;
  found.words.assign((cuts_.size() + 63) / 64, 0);
  for (std::uint32_t j = 0; j < cuts_.size(); ++j) {
    if (!law_.varies(within, j) || !cuts_[j].varies) continue;
    found.words[j / 64] |= std::uint64_t{1} << (j % 64);
    ++found.n;
  }
  if (found.n == law_.varying().n) found.words.clear();
  return found;
}

bool RootGrower::choose(const Varying& varying, double exponent, double factor, Stream& stream,
                        Chosen& chosen) {
  double most = exponent;
  for (std::uint32_t j = 0; j < cuts_.size(); ++j)
    if (law_.varies(varying, j)) most = std::max(most, cuts_[j].most);
  const double stay = factor * std::exp(std::max(exponent - most, -700.0));
  double total = stay;
  for (std::uint32_t j = 0; j < cuts_.size(); ++j) {
    if (!law_.varies(varying, j)) continue;
    Cuts& cuts = cuts_[j];
    const std::span<double> weights(exponent_.data() + cuts.begin, cuts.end - cuts.begin);
    for (double& weight : weights) weight = std::max(weight - most, -700.0);
    exp_in_place(weights);
    const double n_rules = (cuts.high - cuts.low) * (law_.table().has_missing(j) ? 2.0 : 1.0);
    const double share = std::exp(law_.log_feature(varying, j)) / n_rules;
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= share * factor_[cuts.begin + i];
    cuts.weight = sum_of(weights);
    total += cuts.weight;
  }
  double left = total * stream.next_uniform() - stay;
  if (left < 0) return false;
  bool any = false;
  for (std::uint32_t j = 0; j < cuts_.size(); ++j) {
    if (!law_.varies(varying, j) || cuts_[j].begin == cuts_[j].end) continue;
    any = true;
    chosen = {j, cuts_[j].end - 1};  // rounding may leave something of the last
    if (left >= cuts_[j].weight) {
      left -= cuts_[j].weight;
      continue;
    }
    for (std::size_t cut = cuts_[j].begin; cut < cuts_[j].end; ++cut) {
      left -= exponent_[cut];
      if (left < 0) {
        chosen.cut = cut;
        return true;
      }
    }
    return true;
  }
  return any;
}

Rule RootGrower::to_rule(const Chosen& chosen, Stream& stream) const {
  const CodeTable& table = law_.table();
  Rule rule;
  rule.feature = chosen.feature;
  rule.missing_left = missing_left_[chosen.cut] != 0;
  const std::int32_t place = place_[chosen.cut];
  if (!table.is_category(chosen.feature)) {
    const auto n_alike = static_cast<std::uint32_t>(alike_[chosen.cut]);
    rule.cut = place + static_cast<std::int32_t>(stream.below(n_alike));
    rule.threshold = table.threshold(chosen.feature, rule.cut);
    return rule;
  }
  const std::vector<std::int32_t>& order = order_[chosen.feature];
  const auto n_levels = static_cast<std::size_t>(table.n_levels()[chosen.feature]);
  rule.left_levels.assign((n_levels + 63) / 64, 0);
  for (std::size_t level = 0; level < n_levels; ++level) {
    const auto at = std::find(order.begin(), order.end(), static_cast<std::int32_t>(level));
    // A coin for every level that is not there.
    const bool left = at == order.end() ? (stream.next() >> 63) != 0 : at - order.begin() <= place;
    if (left) rule.left_levels[level / 64] |= std::uint64_t{1} << (level % 64);
  }
  return rule;
}

std::size_t RootGrower::divide(std::size_t begin, std::size_t end, const Slot* slots, Slot right) {
  std::size_t n_left = begin, n_right = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const bool goes_right = slots[rows_[i]] == right;
    other_rows_[n_right] = rows_[i];
    other_rest_[n_right] = rest_[i];
    rows_[n_left] = rows_[i];
    rest_[n_left] = rest_[i];
    if (weighted_) {
      other_weight_[n_right] = weight_[i];
      weight_[n_left] = weight_[i];
    }
    n_right += goes_right ? 1 : 0;
    n_left += goes_right ? 0 : 1;
  }
  std::copy_n(other_rows_.begin(), n_right, rows_.begin() + static_cast<std::ptrdiff_t>(n_left));
  std::copy_n(other_rest_.begin(), n_right, rest_.begin() + static_cast<std::ptrdiff_t>(n_left));
  if (weighted_)
    std::copy_n(other_weight_.begin(), n_right,
                weight_.begin() + static_cast<std::ptrdiff_t>(n_left));
  return n_left - begin;
}

void RootGrower::divide_histogram(const Varying& varying, std::size_t histogram, Waiting& left,
                                  Waiting& right) {
  const auto n_of = [](const Waiting& at) { return at.end - at.begin; };
  Waiting& small = n_of(left) <= n_of(right) ? left : right;
  Waiting& large = &small == &left ? right : left;
  if (n_of(large) < 2 * std::size_t{min_leaf_}) {
    free_.push_back(histogram);
    return;
  }
  const std::size_t part = take_histogram();
  const RowRun rows = rows_of(small.begin, small.end);
  for_features(varying, n_of(small), [&](std::uint32_t j) {
    histograms_[part].fill(j, rows);
    histograms_[histogram].subtract(j, histograms_[part]);
  });
  large.histogram = histogram;
  if (n_of(small) < 2 * std::size_t{min_leaf_}) {
    free_.push_back(part);
  } else {
    small.histogram = part;
  }
}

template <class Leaves>
SumTree RootGrower::grow(const Leaves& leaves, const float* rest, const float* weight,
                         Stream& stream, std::vector<Slot>& slots) {
  const std::size_t n = law_.table().n_rows();
  SumTree tree;
  std::fill(slots.begin(), slots.end(), Slot{0});
  start_rows(rest, weight);
  Waiting root{0, 0, n, NONE};
  if (n >= 2 * std::size_t{min_leaf_} && law_.varying().n > 0) {
    root.histogram = take_histogram();
    for_features(law_.varying(), n,
                 [&](std::uint32_t j) { histograms_[root.histogram].fill(j, rows_of(0, n)); });
  }
  std::vector<Waiting> waiting{root};
  while (!waiting.empty()) {
    const Waiting now = waiting.back();
    waiting.pop_back();
    SumNode& at = tree[now.node];
    at.n = static_cast<std::uint32_t>(now.end - now.begin);
    at.knows_varying = true;
    const Varying& within = now.node == 0 ? law_.varying() : tree[at.parent].varying;
    const NodeRows held{slots.data(), at.slot};
    if (now.histogram == NONE) {
      at.varying = law_.find_varying(held, within);
      at.varies = at.varying.n > 0;
      continue;
    }
    Rule rule;
    const bool splits = decide(leaves, now.histogram, within, tree.is_full(), stream, at, rule);
    if (!splits) {
      free_.push_back(now.histogram);
      continue;
    }
    at.rule = rule;
    at.log_cut = law_.log_cut(held, at.rule);
    tree.split(now.node);
    const SumNode& parent = tree[now.node];
    const Slot right = tree[parent.right].slot;
    law_.split({slots.data(), parent.slot}, parent.rule, right, slots.data());
    const std::size_t middle = now.begin + divide(now.begin, now.end, slots.data(), right);
    Waiting on_right{parent.right, middle, now.end, NONE};
    Waiting on_left{parent.left, now.begin, middle, NONE};
    divide_histogram(parent.varying, now.histogram, on_left, on_right);
    waiting.push_back(on_right);
    waiting.push_back(on_left);
  }
  return tree;
}

void RootGrower::start_rows(const float* rest, const float* weight) {
  const std::size_t n = law_.table().n_rows();
  for (auto* rows : {&rows_, &other_rows_}) rows->resize(n);
  std::iota(rows_.begin(), rows_.end(), 0U);
  rest_.assign(rest, rest + n);
  other_rest_.resize(n);
  if (!weighted_) return;
  weight_.assign(weight, weight + n);
  other_weight_.resize(n);
}

template <class Leaves>
bool RootGrower::decide(const Leaves& leaves, std::size_t histogram, const Varying& within,
                        bool is_full, Stream& stream, SumNode& at, Rule& rule) {
  const CodeHistogram& sums = histograms_[histogram];
  std::uint32_t some = 0;
  while (!law_.varies(within, some)) ++some;
  const CodeBin total = sums.total(some);
  for_features(within, at.n, [&](std::uint32_t j) {
    list_cuts(j, sums, at.n);
    weigh_cuts(leaves, j, total);
  });
  at.varying = varying_of(within);
  at.varies = at.varying.n > 0;
  if (!at.varies || is_full) return false;
  double exponent, factor;
  worth_of(leaves, log_gamma_).leaf(total, exponent, factor);
  factor *= std::exp(law_.log_stop(at.depth) - law_.log_split(at.depth));
  Chosen chosen{};
  if (!choose(at.varying, exponent, factor, stream, chosen)) return false;
  rule = to_rule(chosen, stream);
  return true;
}

template void RootGrower::prepare(const MeanLeaves&, bool);
template void RootGrower::prepare(const VarianceLeaves&, bool);
template SumTree RootGrower::grow(const MeanLeaves&, const float*, const float*, Stream&,
                                  std::vector<Slot>&);
template SumTree RootGrower::grow(const VarianceLeaves&, const float*, const float*, Stream&,
                                  std::vector<Slot>&);

}  // namespace bayeswood
