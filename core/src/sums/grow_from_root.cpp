#include "bayeswood/sums/grow_from_root.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "bayeswood/base/vector_math.hpp"
#include "bayeswood/sums/sum_leaves.hpp"

namespace bayeswood {
namespace {

// Logarithms of small whole numbers.
double log_of(std::int32_t n) {
  static const auto LOGS = [] {
    std::array<double, 256> logs{};
    for (std::size_t i = 1; i < logs.size(); ++i) logs[i] = std::log(static_cast<double>(i));
    return logs;
  }();
  return n < 256 ? LOGS[static_cast<std::size_t>(n)] : std::log(static_cast<double>(n));
}

}  // namespace

template <class Code>
RootGrower::Bin RootGrower::fill(const Code* codes, std::span<const std::uint32_t> rows,
                                 const float* rest, const float* weight) {
  Bin missing;
  for (const std::uint32_t row : rows) {
    const Code code = codes[row];
    Bin& bin = code == MISSING_OF<Code> ? missing : bins_[code];
    const double mass = weight == nullptr ? 1.0 : static_cast<double>(weight[row]);
    bin.rest += mass * static_cast<double>(rest[row]);
    bin.mass += mass;
    ++bin.n;
  }
  return missing;
}

void RootGrower::order_levels() {
  order_.clear();
  for (std::size_t level = 0; level < bins_.size(); ++level)
    if (bins_[level].n > 0) order_.push_back(static_cast<std::int32_t>(level));
  std::stable_sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
    return bins_[a].rest / bins_[a].mass < bins_[b].rest / bins_[b].mass;
  });
}

template <class Leaves>
void RootGrower::weigh_feature(const Leaves& leaves, std::uint32_t feature, double log_feature,
                               std::span<const std::uint32_t> rows, const float* rest,
                               const float* weight, const Bin& total) {
  const CodeTable& table = law_.table();
  bins_.assign(table.n_codes(feature), Bin{});
  const Bin missing = table.with_column(
      feature, [&](const auto* codes) { return fill(codes, rows, rest, weight); });
  const bool is_category = table.is_category(feature);
  std::int32_t low = 0, high = 0;  // cuts from low on, below high
  if (is_category) {
    order_levels();
    high = static_cast<std::int32_t>(order_.size()) - 1;
  } else {
    const auto has_rows = [](const Bin& bin) { return bin.n > 0; };
    low = static_cast<std::int32_t>(std::find_if(bins_.begin(), bins_.end(), has_rows) -
                                    bins_.begin());
    high = static_cast<std::int32_t>(bins_.rend() -
                                     std::find_if(bins_.rbegin(), bins_.rend(), has_rows)) -
           1;
  }
  const bool has_coin = table.has_missing(feature);
  const double log_cut =
      log_feature - std::log(static_cast<double>(high - low)) - (has_coin ? std::numbers::ln2 : 0);
  Bin left;
  for (std::int32_t place = low; place < high;) {
    left.add(bins_[is_category ? order_[place] : place]);
    // Cuts at codes without rows divide alike.
    std::int32_t next = place + 1;
    while (!is_category && next < high && bins_[next].n == 0) ++next;
    const double log_alike = log_of(next - place);
    for (int side = 0; side < (has_coin ? 2 : 1); ++side) {
      Bin on_left = left;
      if (side == 1) on_left.add(missing);
      const Bin on_right = total.less(on_left);
      if (on_left.n < min_leaf_ || on_right.n < min_leaf_) continue;
      const double log_gain = log_marginal(leaves, on_left) + log_marginal(leaves, on_right);
      candidates_.push_back({feature, place, next, side == 1});
      weights_.push_back(log_cut + log_alike + log_gain);
    }
    place = next;
  }
}

template <class Leaves>
void RootGrower::prepare(const Leaves& leaves, bool weighted) {
  by_rows_.clear();
  if constexpr (!Leaves::MULTIPLY) {
    if (weighted) return;
    for (std::size_t n = 0; n <= law_.table().n_rows(); ++n)
      by_rows_.push_back(leaves.by_rows(static_cast<double>(n)));
  }
}

template <class Leaves>
double RootGrower::log_marginal(const Leaves& leaves, const Bin& bin) const {
  if constexpr (!Leaves::MULTIPLY) {
    if (!by_rows_.empty()) return by_rows_[bin.n].log_marginal(bin.rest);
  }
  return leaves.log_marginal(bin.rest, bin.mass);
}

const RootGrower::Candidate* RootGrower::choose(double log_stay, Stream& stream) {
  weights_.push_back(log_stay);
  const double most = *std::max_element(weights_.begin(), weights_.end());
  for (double& weight : weights_) weight = std::max(weight - most, -700.0);
  exp_in_place(weights_);
  const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  double left = total * stream.next_uniform() - weights_.back();
  if (left < 0 || candidates_.empty()) return nullptr;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    left -= weights_[i];
    if (left < 0) return &candidates_[i];
  }
  return &candidates_.back();
}

Rule RootGrower::to_rule(const Candidate& chosen, std::span<const std::uint32_t> rows,
                         const float* rest, const float* weight, Stream& stream) {
  const CodeTable& table = law_.table();
  Rule rule;
  rule.feature = chosen.feature;
  rule.missing_left = chosen.missing_left;
  if (!table.is_category(chosen.feature)) {
    const auto n_alike = static_cast<std::uint32_t>(chosen.next - chosen.place);
    rule.cut = chosen.place + static_cast<std::int32_t>(stream.below(n_alike));
    rule.threshold = table.threshold(chosen.feature, rule.cut);
    return rule;
  }
  bins_.assign(table.n_codes(chosen.feature), Bin{});
  table.with_column(chosen.feature,
                    [&](const auto* codes) { return fill(codes, rows, rest, weight); });
  order_levels();
  const auto n_levels = static_cast<std::size_t>(table.n_levels()[chosen.feature]);
  rule.left_levels.assign((n_levels + 63) / 64, 0);
  for (std::size_t level = 0; level < n_levels; ++level) {
    const auto at = std::find(order_.begin(), order_.end(), static_cast<std::int32_t>(level));
    // A coin for every level that is not there.
    const bool left =
        at == order_.end() ? (stream.next() >> 63) != 0 : at - order_.begin() <= chosen.place;
    if (left) rule.left_levels[level / 64] |= std::uint64_t{1} << (level % 64);
  }
  return rule;
}

template <class Leaves>
SumTree RootGrower::grow(const Leaves& leaves, const float* rest, const float* weight,
                         Stream& stream, std::vector<Slot>& slots) {
  const std::size_t n = law_.table().n_rows();
  SumTree tree;
  std::fill(slots.begin(), slots.end(), Slot{0});
  rows_.resize(n);
  scratch_.resize(n);
  std::iota(rows_.begin(), rows_.end(), 0U);
  struct Waiting {
    std::int32_t node;
    std::size_t begin, end;
  };
  std::vector<Waiting> waiting{{0, 0, n}};
  while (!waiting.empty()) {
    const auto [node, begin, end] = waiting.back();
    waiting.pop_back();
    SumNode& at = tree[node];
    at.n = static_cast<std::uint32_t>(end - begin);
    const NodeRows held{slots.data(), at.slot};
    const Varying& within = node == 0 ? law_.varying() : tree[at.parent].varying;
    at.varying = law_.find_varying(held, within);
    at.knows_varying = true;
    at.varies = at.varying.n > 0;
    if (!at.varies || at.n < 2 * min_leaf_ || tree.is_full()) continue;
    const std::span<const std::uint32_t> rows(rows_.data() + begin, end - begin);
    Bin total;
    for (const std::uint32_t row : rows) {
      const double mass = weight == nullptr ? 1.0 : static_cast<double>(weight[row]);
      total.add({mass * static_cast<double>(rest[row]), mass, 1});
    }
    candidates_.clear();
    weights_.clear();
    for (std::uint32_t j = 0; j < law_.table().n_features(); ++j) {
      if (!law_.varies(at.varying, j)) continue;
      weigh_feature(leaves, j, law_.log_feature(at.varying, j), rows, rest, weight, total);
    }
    const double log_stay =
        log_marginal(leaves, total) + law_.log_stop(at.depth) - law_.log_split(at.depth);
    const Candidate* chosen = choose(log_stay, stream);
    if (chosen == nullptr) continue;
    at.rule = to_rule(*chosen, rows, rest, weight, stream);
    at.log_cut = law_.log_cut(held, at.rule);
    tree.split(node);
    SumNode& parent = tree[node];
    const Slot right = tree[parent.right].slot;
    law_.split({slots.data(), parent.slot}, parent.rule, right, slots.data());
    std::size_t n_left = 0, n_right = 0;
    for (const std::uint32_t row : rows) {
      const bool goes_right = slots[row] == right;
      scratch_[n_right] = row;
      rows_[begin + n_left] = row;
      n_right += goes_right ? 1 : 0;
      n_left += goes_right ? 0 : 1;
    }
    std::copy_n(scratch_.begin(), n_right,
                rows_.begin() + static_cast<std::ptrdiff_t>(begin + n_left));
    waiting.push_back({parent.right, begin + n_left, end});
    waiting.push_back({parent.left, begin, begin + n_left});
  }
  return tree;
}

template void RootGrower::prepare(const MeanLeaves&, bool);
template void RootGrower::prepare(const VarianceLeaves&, bool);
template SumTree RootGrower::grow(const MeanLeaves&, const float*, const float*, Stream&,
                                  std::vector<Slot>&);
template SumTree RootGrower::grow(const VarianceLeaves&, const float*, const float*, Stream&,
                                  std::vector<Slot>&);

}  // namespace bayeswood
