#include "bayeswood/grow/rules/ruled_search.hpp"

#include <algorithm>
#include <cmath>

#include "bayeswood/base/radix_sort.hpp"

namespace bayeswood {
namespace {

// Fewer rows are sorted faster by comparing them.
constexpr std::size_t RADIX_ROWS = 200;

std::uint32_t outputs_if(const Target& target, Criterion criterion) {
  return target.criterion == criterion ? target.n_outputs : 0;
}

double x_log_ratio(double x, double mean) {
  return x > 0 ? x * std::log(x / mean) : 0;
}

// The split of a cut in a list whose missing values, if any, are at one end.
Split split_at(const std::vector<LargeEntry>& list, const Cut& cut, bool missing_left) {
  Split split;
  split.score = cut.score;
  split.missing_left = missing_left;
  split.missing_seen = missing_left || code_of(list.back()) == MISSING_CODE;
  if (!cut.found()) return split;
  split.cut_code = code_of(list[cut.position]);
  split.upper_code = code_of(list[cut.position + 1]);
  return split;
}

}  // namespace

double weighted_median(std::vector<WeightedValue>& values) {
  std::sort(values.begin(), values.end(),
            [](const WeightedValue& a, const WeightedValue& b) { return a.wy < b.wy; });
  double total = 0;
  for (const auto& value : values) total += value.w;
  double below = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    below += values[i].w;
    if (below < total / 2) continue;
    const bool at_gap = below == total / 2 && i + 1 < values.size();
    return at_gap ? values[i].wy / 2 + values[i + 1].wy / 2 : values[i].wy;
  }
  return values.back().wy;
}

RuledSearch::RuledSearch(const EncodedMatrix& matrix, const Target& target,
                         const GrowthRules& rules)
    : matrix_(matrix),
      target_(target),
      rules_(rules),
      sides_(data_, target),
      poisson_(data_, outputs_if(target, Criterion::POISSON)),
      absolute_(data_, outputs_if(target, Criterion::ABSOLUTE_ERROR)),
      trust_(matrix.n_features(), 0.0) {}

NodeTotals RuledSearch::totals(std::span<const std::uint32_t> rows) {
  NodeTotals totals = node_totals(rows, data_, target_, sides_);
  if (target_.criterion == Criterion::ABSOLUTE_ERROR) {
    absolute_.set_node(rows);
    for (const auto row : rows) absolute_.add(row);
    totals.score = absolute_.score();
    totals.impurity = -totals.score;
  } else if (target_.criterion == Criterion::POISSON) {
    poisson_.reset();
    for (const auto row : rows) poisson_.add(row);
    totals.score = poisson_.score();
    totals.impurity = 0;
    for (const auto row : rows) {
      const double* y = data_.values + static_cast<std::size_t>(row) * target_.n_outputs;
      for (std::uint32_t k = 0; k < target_.n_outputs; ++k)
        totals.impurity += data_.w[row] * x_log_ratio(y[k], poisson_.mean(k));
    }
  }
  return totals;
}

void RuledSearch::set_trust(const RuledNode& root) {
  for (std::uint32_t j = 0; j < matrix_.n_features(); ++j) {
    const FeatureCodes& codes = matrix_.feature(j);
    if (!codes.is_category) continue;
    trust_[j] = 1;
    if (std::size_t{codes.n_codes} + (codes.has_missing ? 1 : 0) <= FREE_LEVELS) continue;
    sort_rows(root, j);
    trust_[j] = spread(root.totals.n).trust(root.totals);
  }
}

void RuledSearch::set_node(const RuledNode& node) {
  if (target_.criterion == Criterion::ABSOLUTE_ERROR) absolute_.set_node(node.rows);
}

void RuledSearch::sort_rows(const RuledNode& node, std::uint32_t feature) {
  const std::uint16_t* column = matrix_.column(feature);
  list_.clear();
  for (const auto row : node.rows) list_.push_back(make_entry<LargeEntry>(column[row], row));
  if (list_.size() < RADIX_ROWS) {
    std::sort(list_.begin(), list_.end());
  } else {
    scratch_.resize(list_.size());
    radix_sort(list_.data(), scratch_.data(), list_.size(), 32, 16);
  }
}

Split RuledSearch::search(const RuledNode& node, std::uint32_t feature, const Limits& limits) {
  sort_rows(node, feature);
  if (code_of(list_.front()) == code_of(list_.back())) return {};
  Split split = matrix_.feature(feature).is_category ? search_category(node, feature, limits)
                                                     : search_number(node, feature, limits);
  split.feature = feature;
  return split;
}

// Missing values to the right, then to the left.
Split RuledSearch::search_number(const RuledNode& node, std::uint32_t feature,
                                 const Limits& limits) {
  std::uint32_t n_present = node.totals.n;
  while (n_present > 0 && code_of(list_[n_present - 1]) == MISSING_CODE) --n_present;
  Direction direction{rules_.monotone.empty() ? 0 : rules_.monotone[feature], n_present};
  Split best = visit([&](auto& side) {
    return split_at(list_, scan(list_, 0, side, node, limits, direction), false);
  });
  const std::uint32_t n_missing = node.totals.n - n_present;
  if (n_missing == 0 || n_present < 2) return best;
  ordered_.assign(list_.begin() + n_present, list_.end());
  ordered_.insert(ordered_.end(), list_.begin(), list_.begin() + n_present);
  direction.first_missing = node.totals.n;
  Split other = visit([&](auto& side) {
    return split_at(ordered_, scan(ordered_, n_missing, side, node, limits, direction), true);
  });
  keep_better(best, std::move(other), limits.tolerance);
  return best;
}

Split RuledSearch::search_category(const RuledNode& node, std::uint32_t feature,
                                   const Limits& limits) {
  Split best = search_orders(node, limits);
  if (best.found() && LevelSpread::pays(best.levels->size(), node.totals, trust_[feature]))
    spread(node.totals.n).charge(best, node.totals, trust_[feature], limits.tolerance);
  return best;
}

Split RuledSearch::search_orders(const RuledNode& node, const Limits& limits) {
  const auto share = [&](const Run& run, std::size_t k) { return order_key(run, k); };
  const auto scan_all = [&](const std::vector<LargeEntry>& ordered) {
    return visit(
        [&](auto& side) { return scan(ordered, 0, side, node, limits, {0, node.totals.n}); });
  };
  return best_run_prefix(list_.data(), node.totals.n, n_orders(node), limits, ordered_, share,
                         scan_all);
}

// How the levels of the sorted list differ.
LevelSpread RuledSearch::spread(std::uint32_t n) {
  const auto weight = [this](std::uint32_t id) { return data_.w[id]; };
  LevelSpread found = visit([&](auto& side) { return run_spread(list_.data(), n, weight, side); });
  if (target_.kind == TargetKind::CLASSES) set_shares(n, found);
  return found;
}

void RuledSearch::set_shares(std::uint32_t n, LevelSpread& spread) {
  class_w_.resize(target_.n_outputs, 0.0);
  double w = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    class_w_[data_.label[id_of(list_[i])]] += data_.w[id_of(list_[i])];
    w += data_.w[id_of(list_[i])];
  }
  double sum_p2 = 0;
  double sum_p3 = 0;
  for (double& mine : class_w_) {
    const double p = mine / w;
    sum_p2 += p * p;
    sum_p3 += p * p * p;
    mine = 0;
  }
  spread.set_classes(sum_p2, sum_p3);
}

// By how many keys levels are ordered in turn; finds the classes whose shares are such.
std::size_t RuledSearch::n_orders(const RuledNode& node) {
  if (target_.kind == TargetKind::SCALAR) return 1;
  if (target_.kind == TargetKind::MULTI)
    return std::min<std::size_t>(target_.n_outputs, MAX_ORDERS);
  class_w_.resize(target_.n_outputs, 0.0);
  for (const auto row : node.rows) class_w_[data_.label[row]] += data_.w[row];
  classes_.clear();
  for (std::int32_t c = target_.n_outputs == 2 ? 1 : 0;
       c < static_cast<std::int32_t>(class_w_.size()); ++c) {
    if (class_w_[c] > 0) classes_.push_back(c);
  }
  std::stable_sort(classes_.begin(), classes_.end(),
                   [&](std::int32_t a, std::int32_t b) { return class_w_[a] > class_w_[b]; });
  if (classes_.size() > MAX_ORDERS) classes_.resize(MAX_ORDERS);
  std::sort(classes_.begin(), classes_.end());
  std::fill(class_w_.begin(), class_w_.end(), 0.0);
  return classes_.size();
}

// What a level is ordered by: a class's share, or an output's mean or median.
double RuledSearch::order_key(const Run& run, std::size_t order) {
  if (target_.criterion == Criterion::ABSOLUTE_ERROR) {
    absolute_.reset();
    for (std::uint32_t i = run.begin; i < run.end; ++i) absolute_.add(id_of(list_[i]));
    return absolute_.median(order);
  }
  const std::size_t stride = target_.kind == TargetKind::SCALAR ? 1 : target_.n_outputs;
  double w = 0;
  double sum = 0;
  for (std::uint32_t i = run.begin; i < run.end; ++i) {
    const std::uint32_t id = id_of(list_[i]);
    w += data_.w[id];
    if (target_.kind == TargetKind::CLASSES) {
      sum += data_.label[id] == classes_[order] ? data_.w[id] : 0;
    } else {
      sum += data_.w[id] * data_.values[id * stride + order];
    }
  }
  return sum / w;
}

bool RuledSearch::allows(double left, double right, int sign, const ValueBounds& bounds) const {
  return sign * (left - right) <= 0 && std::min(left, right) >= bounds.low &&
         std::max(left, right) <= bounds.high;
}

// Scores and values of what lies right of the cuts from `first` on.
template <class Side>
void RuledSearch::scan_right(const std::vector<LargeEntry>& list, std::uint32_t first, Side& side,
                             const Limits& limits, bool bounded) {
  const auto n = static_cast<std::uint32_t>(list.size());
  right_.resize(n);
  right_value_.resize(n);
  side.reset();
  for (std::uint32_t i = n - 1; i > first; --i) {
    side.add(id_of(list[i]));
    right_[i - 1] = NO_SCORE;
    if (n - i < limits.min_rows || code_of(list[i]) == code_of(list[i - 1])) continue;
    if (side.weight() < limits.min_weight) continue;
    right_[i - 1] = side.score();
    if (bounded) right_value_[i - 1] = target_.natural(side.value());
  }
}

// Best cut after one of the places first_cut .. n - 2; the lowest wins a tie.
template <class Side>
Cut RuledSearch::scan(const std::vector<LargeEntry>& list, std::uint32_t first_cut, Side& side,
                      const RuledNode& node, const Limits& limits, const Direction& direction) {
  Cut best;
  const auto n = static_cast<std::uint32_t>(list.size());
  const std::uint32_t first = std::max(first_cut, limits.min_rows - 1);
  if (n < 2 * limits.min_rows || first + limits.min_rows >= n) return best;
  const bool bounded = direction.sign != 0;
  scan_right(list, first, side, limits, bounded);
  side.reset();
  double to_beat = NO_SCORE;
  for (std::uint32_t i = 0; i + limits.min_rows < n; ++i) {
    side.add(id_of(list[i]));
    if (i < first || right_[i] == NO_SCORE || side.weight() < limits.min_weight) continue;
    const double score = side.score() + right_[i];
    if (!(score > to_beat)) continue;
    const bool is_along = i + 1 != direction.first_missing;
    if (bounded && is_along &&
        !allows(target_.natural(side.value()), right_value_[i], direction.sign, node.bounds))
      continue;
    best = {score, i};
    to_beat = score + limits.tolerance;
  }
  return best;
}

std::vector<double> RuledSearch::values(const RuledNode& node) {
  if (target_.is_classifier) {
    double share = 0;
    for (const auto row : node.rows) share += target_.labels[row] == 1 ? data_.w[row] : 0;
    return {share / node.totals.w};
  }
  std::vector<double> found;
  std::vector<WeightedValue> sorted;
  for (std::uint32_t k = 0; k < target_.n_outputs; ++k) {
    const auto y = [&](std::uint32_t row) {
      return target_.values[static_cast<std::size_t>(row) * target_.n_outputs + k];
    };
    if (target_.criterion == Criterion::ABSOLUTE_ERROR) {
      sorted.clear();
      for (const auto row : node.rows) sorted.push_back({data_.w[row], y(row)});
      found.push_back(weighted_median(sorted));
      continue;
    }
    const double first = y(node.rows[0]);
    double sum = 0;  // around the first value: a pure leaf gets exactly its response
    for (const auto row : node.rows) sum += data_.w[row] * (y(row) - first);
    found.push_back(first + sum / node.totals.w);
  }
  return found;
}

}  // namespace bayeswood
