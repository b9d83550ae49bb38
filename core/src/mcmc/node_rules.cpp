// Rules that are drawn, counted and shifted among the values of a node's own rows.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "bayeswood/mcmc/tree_law.hpp"

namespace bayeswood {
namespace {

// How far a cut is shifted, in values of the node.
constexpr int MOST_STEPS = 4;

// The nearest distinct ranks on one side of a cut, nearest first; END where there are fewer.
template <bool Above>
class Neighbours {
 public:
  static constexpr std::int32_t END = Above ? std::numeric_limits<std::int32_t>::max() : -1;
  Neighbours() { nearest_.fill(END); }
  std::int32_t operator[](int i) const { return nearest_[i]; }
  bool has(int i) const { return nearest_[i] != END; }

  void add(std::int32_t rank) {
    if (!is_nearer(rank, nearest_.back())) return;
    std::size_t at = nearest_.size() - 1;
    while (at > 0 && !is_nearer(nearest_[at - 1], rank)) {
      if (nearest_[at - 1] == rank) return;
      --at;
    }
    std::copy_backward(nearest_.begin() + at, nearest_.end() - 1, nearest_.end());
    nearest_[at] = rank;
  }

 private:
  static bool is_nearer(std::int32_t a, std::int32_t b) { return Above ? a < b : a > b; }
  std::array<std::int32_t, MOST_STEPS + 1> nearest_;
};

}  // namespace

NodeCuts TreeLaw::find_cuts(std::uint32_t feature, Rows rows, RuleScratch& scratch) const {
  const std::int32_t* column = table_.column(feature);
  auto& ranked = scratch.ranked;
  ranked.clear();
  std::int64_t n_missing = 0;
  for (const auto row : rows) {
    if (column[row] == MISSING_RANK) {
      n_missing += copies_[row];
    } else {
      ranked.push_back((static_cast<std::uint64_t>(column[row]) << 32) |
                       static_cast<std::uint32_t>(copies_[row]));
    }
  }
  std::sort(ranked.begin(), ranked.end());
  const std::int64_t n = copies_.total(rows) - n_missing;
  const int n_sides = table_.has_missing(feature) ? 2 : 1;
  NodeCuts cuts;
  scratch.distinct.clear();
  std::int64_t n_below = 0;  // rows up to this rank
  for (std::size_t i = 0; i < ranked.size();) {
    const auto rank = static_cast<std::int32_t>(ranked[i] >> 32);
    for (; i < ranked.size() && static_cast<std::int32_t>(ranked[i] >> 32) == rank; ++i)
      n_below += static_cast<std::int64_t>(ranked[i] & 0xFFFFFFFFULL);
    const auto place = static_cast<std::uint32_t>(scratch.distinct.size());
    scratch.distinct.push_back(rank);
    for (int side = 0; side < n_sides; ++side) {
      const std::int64_t left = n_below + (side == 1 ? n_missing : 0);
      const std::int64_t right = n - n_below + (side == 1 ? 0 : n_missing);
      if (left < min_leaf_ || right < min_leaf_ || n_below == n) continue;
      if (cuts.size(side) == 0) cuts.begin[side] = place;
      cuts.end[side] = place + 1;
    }
  }
  return cuts;
}

bool TreeLaw::has_cut(std::uint32_t feature, Rows rows, RuleScratch& scratch) const {
  if (!table_.has_missing(feature)) {
    // Most often a row in the middle has enough rows on both sides.
    const std::int32_t* column = table_.column(feature);
    const std::int32_t pivot = column[rows[rows.size() / 2]];
    std::int64_t below = 0;
    std::int64_t equal = 0;
    for (const auto row : rows) {
      below += column[row] < pivot ? copies_[row] : 0;
      equal += column[row] == pivot ? copies_[row] : 0;
    }
    const std::int64_t n = copies_.total(rows);
    if (below >= min_leaf_ && n - below >= min_leaf_) return true;
    if (below + equal >= min_leaf_ && n - below - equal >= min_leaf_) return true;
  }
  return find_cuts(feature, rows, scratch).size() > 0;
}

bool TreeLaw::draw_node_cut(std::uint32_t feature, Rows rows, RuleScratch& scratch, Stream& stream,
                            Rule& rule) const {
  const NodeCuts cuts = find_cuts(feature, rows, scratch);
  if (cuts.size() == 0) return false;
  std::uint32_t drawn = stream.below(cuts.size());
  const int side = drawn < cuts.size(0) ? 0 : 1;
  if (side == 1) drawn -= cuts.size(0);
  rule.missing_left = side == 1;
  rule.cut = scratch.distinct[cuts.begin[side] + drawn];
  rule.threshold = table_.value(feature, rule.cut);
  return true;
}

bool TreeLaw::shift(const Rule& from, Rows rows, RuleScratch& scratch, Stream& stream, Rule& rule,
                    double& log_back) const {
  rule = from;
  log_back = 0;
  if (table_.has_missing(from.feature) && stream.below(4) == 0) {
    rule.missing_left = !from.missing_left;
    return true;
  }
  if (from.left_levels.empty()) return shift_cut(from, rows, stream, rule, log_back);
  shift_level(rows, scratch, stream, rule);
  return true;
}

// The gaps between the node's values are numbered from the cut's own, 0; another is drawn uniformly
// from -MOST_STEPS to MOST_STEPS, and a cut uniformly within it.
bool TreeLaw::shift_cut(const Rule& from, Rows rows, Stream& stream, Rule& rule,
                        double& log_back) const {
  const std::int32_t* column = table_.column(from.feature);
  Neighbours<false> below;
  Neighbours<true> above;
  for (const auto row : rows) {
    const std::int32_t rank = column[row];
    if (rank == MISSING_RANK) continue;
    if (rank <= from.cut) {
      below.add(rank);
    } else {
      above.add(rank);
    }
  }
  const int step = static_cast<int>(stream.below(2 * MOST_STEPS)) - MOST_STEPS;
  const int there = step >= 0 ? step + 1 : step;  // not 0
  const bool exists = there > 0 ? above.has(there) : below.has(-there);
  if (!exists || !below.has(0) || !above.has(0)) return false;
  const Extent to =
      there > 0 ? Extent{above[there - 1], above[there]} : Extent{below[-there], below[-there - 1]};
  const Extent own{below[0], above[0]};
  if (is_chipman()) {
    rule.threshold = draw_between(table_.value(from.feature, to.low),
                                  table_.value(from.feature, to.high), stream.next_uniform());
    rule.cut = table_.rank_below(from.feature, to.low, to.high, rule.threshold);
    log_back = log_length(table_, from.feature, to) - log_length(table_, from.feature, own);
    return true;
  }
  rule.cut = to.low;
  if (!is_local()) {
    rule.cut +=
        static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(to.high - to.low)));
    log_back = std::log(to.high - to.low) - std::log(own.high - own.low);
  }
  rule.threshold = table_.value(from.feature, rule.cut);
  return true;
}

void TreeLaw::shift_level(Rows rows, RuleScratch& scratch, Stream& stream, Rule& rule) const {
  find_seen(table_.column(rule.feature), rows, scratch, rule.left_levels.size());
  std::uint32_t n_seen = 0;
  for (const auto word : scratch.seen) n_seen += static_cast<std::uint32_t>(std::popcount(word));
  if (n_seen == 0) return;
  std::uint32_t skipped = stream.below(n_seen);
  for (std::size_t w = 0; w < scratch.seen.size(); ++w) {
    std::uint64_t word = scratch.seen[w];
    for (; word != 0; word &= word - 1) {
      if (skipped-- == 0) {
        rule.left_levels[w] ^= word & (~word + 1);
        return;
      }
    }
  }
}

}  // namespace bayeswood
