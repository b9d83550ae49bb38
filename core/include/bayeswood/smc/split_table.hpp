// The one-step table of a block: how much mass each split has under base x likelihood^tau.
//
// With R(s) = ML(left) ML(right) / ML(block) for a split s, pi(s) its probability under the prior
// given that the block is split, and b(s) that of the base (pi, or the empirical proposal's), a
// split is drawn with probability proportional to b(s) R(s)^tau; tau = 0 gives back the base,
// tau = 1 with b = pi the one-step optimal proposal (Lakshminarayanan, Roy and Teh 2013, eq. 6).
// Splits that leave fewer than min_samples_leaf rows on a side have mass 0.
//
// A numeric feature has one entry per gap between neighbouring values in the block (and side of the
// missing values, where the block has some): the likelihood does not change within a gap. A
// category of up to MOST_LEVELS levels has one entry per subset. One with more has entries for the
// subsets that cut its levels in the order of a class's share, and all other subsets together have
// the rest of the base at one common ratio, so that the support stays whole and weights exact.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/leaf/class_leaves.hpp"
#include "bayeswood/leaf/leaf_model.hpp"
#include "bayeswood/leaf/number_leaves.hpp"
#include "bayeswood/sample/tree_prior.hpp"

namespace bayeswood {

constexpr std::size_t MOST_LEVELS = 8;

struct TableSettings {
  double tau = 1;
  bool is_empirical = false;
  std::int64_t min_samples_leaf = 1;
};

// A split of one feature with what its mass is made of.
struct SplitEntry {
  double base = 0;       // b, given the feature
  double log_ratio = 0;  // log R
  std::int32_t low = 0;  // numeric: the gap's neighbours; category: low is the set's number
  std::int32_t high = 0;
  bool missing_left = false;
};

// All splits of one feature.
struct FeatureSplits {
  std::vector<SplitEntry> entries;
  bool has_directions = false;                   // whether the block misses some of its values
  std::vector<std::vector<std::uint64_t>> sets;  // category: what goes left
  std::vector<std::int32_t> levels;              // category: those present
  double rest = 0;                               // base of the subsets without an entry
  double log_rest_ratio = 0;                     // the ratio they count with
  std::vector<double> cumulative;                // mass up to and with each entry, then the rest
};

struct SplitTable {
  double log_scale = 0;                        // masses are multiples of its exponential
  std::vector<double> cumulative;              // of the varying features
  std::map<std::size_t, FeatureSplits> drawn;  // by place among the varying features

  double total() const { return cumulative.empty() ? 0 : cumulative.back(); }
};

struct TableDraw {
  Rule rule;
  double log_base_ratio = 0;  // log pi(s) / b(s)
  double log_tilt = 0;        // tau log R(s), as the table has it
};

// Builds and draws from the tables of blocks; keeps memory to work in, so one per thread.
template <CutLeafModel Model>
class SplitTabler {
 public:
  SplitTabler(const RankedTable& table, const Model& model, const TableSettings& settings)
      : table_(table), model_(model), settings_(settings), walk_(model) {}

  struct Node {
    Rows rows;
    const NodeExtents& extents;
    const typename Model::Stats& stats;
    double log_marginal;  // to the power
  };

  SplitTable make(const Node& node);
  // A feature by its mass, then one of its splits.
  TableDraw draw(const Node& node, SplitTable& table, Stream& stream);
  // One of the splits of the feature at `place` among those that vary.
  TableDraw draw_of(const Node& node, SplitTable& table, std::size_t place, Stream& stream);
  void list_splits(const Node& node, std::size_t place, FeatureSplits& out);

 private:
  using Stats = typename Model::Stats;
  using Set = std::vector<std::uint64_t>;

  struct Mass {
    double log_scale, size;
  };
  double largest_tilt(const FeatureSplits& splits) const;
  Mass weigh(const FeatureSplits& splits) const;
  void add_up(FeatureSplits& splits) const;
  double log_tilt(double log_ratio) const { return settings_.tau * log_ratio; }

  // Gaps of a feature: first with the missing values on the right, then, if there are some, left.
  struct Gap {
    double log_ratio;
    std::int32_t low, high;
  };
  void find_gaps(const Node& node, std::size_t place);
  void walk_histogram(const Node& node, const Extent& extent, bool missing_left);
  void walk_rows(const Node& node, const Extent& extent, bool missing_left);
  bool start_walk(const Node& node, bool missing_left);
  void add_gap(const Node& node, std::int32_t low, std::int32_t high) {
    ++n_groups_;
    if (settings_.min_samples_leaf > 1 &&
        std::min(walk_.n_left(), walk_.n_right()) < settings_.min_samples_leaf)
      return;
    gaps_[n_gaps_++] = {settings_.tau == 0 ? 0 : walk_.powered_log_marginals() - node.log_marginal,
                        low, high};
  }
  Mass weigh_gaps(const Node& node, std::size_t place) const;
  void list_gaps(const Node& node, std::size_t place, FeatureSplits& out);
  double gap_share(std::uint32_t feature, const Extent& gap, const Extent& extent) const;
  double gap_base(std::uint32_t feature, const Gap& gap, const Extent& extent) const {
    const double base = settings_.is_empirical ? 1.0 / static_cast<double>(n_groups_)
                                               : gap_share(feature, {gap.low, gap.high}, extent);
    return missing_.empty() ? base : base / 2;
  }
  bool fill_histogram(const Node& node, std::size_t place);
  void sort_rows(const Node& node, std::size_t place);

  void list_subsets(const Node& node, std::size_t place, FeatureSplits& out);
  void sum_levels(const Node& node, std::uint32_t feature, FeatureSplits& out);
  std::vector<Set> all_subsets(std::int32_t n_levels, const FeatureSplits& out) const;
  std::vector<Set> ordered_subsets(const Node& node, std::int32_t n_levels,
                                   const FeatureSplits& out) const;
  std::vector<std::size_t> orders(const Node& node) const;
  void add_subset(const Node& node, double base, FeatureSplits& out);
  void draw_rest(std::uint32_t feature, const FeatureSplits& splits, Rule& rule,
                 Stream& stream) const;

  const RankedTable& table_;
  const Model& model_;
  TableSettings settings_;
  typename Model::Walk walk_;
  FeatureSplits work_;
  std::vector<Gap> gaps_;
  std::size_t n_gaps_ = 0;
  std::size_t n_missing_right_ = 0;  // of the gaps
  std::size_t n_groups_ = 0;         // gaps, lawful or not, of one direction
  // Rows of the node in order of a feature's rank (rank << 32 | row), and those that miss it.
  std::vector<std::uint64_t> order_, scratch_;
  std::vector<std::uint32_t> missing_, starts_;
  std::vector<std::int32_t> histogram_;
  std::vector<Stats> level_stats_;
  Stats missing_stats_;
};

extern template class SplitTabler<ClassLeaves>;
extern template class SplitTabler<NumberLeaves>;

}  // namespace bayeswood
