#include "bayeswood/mcmc/tree_law.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "bayeswood/base/log_gamma.hpp"

namespace bayeswood {
namespace {

constexpr double LOG_TWO = 0.69314718055994530942;
constexpr std::uint32_t DEPTHS_IN_TABLE = 256;
constexpr std::uint32_t LEAVES_IN_TABLE = 256;

// Of the shapes of k leaves, Catalan(k - 1) = (2k - 2)! / (k! (k - 1)!).
double minus_log_shapes(double k) {
  return log_gamma(k + 1) + log_gamma(k) - log_gamma(2 * k - 1);
}

std::vector<std::uint32_t> all_rows(const RankedTable& table) {
  std::vector<std::uint32_t> rows(table.n_rows());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

std::uint64_t last_word_mask(std::int32_t n_levels) {
  return (n_levels & 63) == 0 ? ~0ULL : (1ULL << (n_levels & 63)) - 1;
}

// Left rows to the front, the others behind them, both in their old order.
template <class GoesLeft>
std::uint32_t part_rows(std::span<std::uint32_t> rows, RuleScratch& scratch, GoesLeft goes_left) {
  scratch.right.resize(std::max(scratch.right.size(), rows.size()));
  std::uint32_t* left = rows.data();
  std::uint32_t* right = scratch.right.data();
  for (const std::uint32_t row : rows) {
    const bool is_left = goes_left(row);
    *left = row;
    *right = row;
    left += is_left ? 1 : 0;
    right += is_left ? 0 : 1;
  }
  std::copy(scratch.right.data(), right, left);
  return static_cast<std::uint32_t>(left - rows.data());
}

// Extent of a node's ranks, and their neighbours on both sides of a cut.
struct CutRange {
  std::int32_t low = std::numeric_limits<std::int32_t>::max();
  std::int32_t high = MISSING_RANK;
  std::int32_t below = MISSING_RANK;
  std::int32_t above = std::numeric_limits<std::int32_t>::max();

  void add(std::int32_t rank, bool is_left) {
    low = std::min(low, rank);
    high = std::max(high, rank);
    below = std::max(below, is_left ? rank : MISSING_RANK);
    above = std::min(above, is_left ? std::numeric_limits<std::int32_t>::max() : rank);
  }
};

// Removes from scratch.open the features in which a row differs from those before it.
void close_varying(const std::int32_t* ranks, bool has_missing, RuleScratch& scratch) {
  std::size_t kept = 0;
  std::int32_t* first = scratch.first.data();
  for (const auto j : scratch.open) {
    bool same = ranks[j] == first[j];
    if (has_missing && !same) {
      same = ranks[j] == MISSING_RANK || first[j] == MISSING_RANK;
      if (first[j] == MISSING_RANK) first[j] = ranks[j];
    }
    scratch.open[kept] = j;
    kept += same ? 1 : 0;
    scratch.marked[j] = same ? 0 : 1;
  }
  scratch.open.resize(kept);
}

void open_all(const RankedTable& table, std::uint32_t row, RuleScratch& scratch) {
  const std::size_t d = table.n_features();
  scratch.open.resize(d);
  std::iota(scratch.open.begin(), scratch.open.end(), 0);
  scratch.first.assign(table.row(row), table.row(row) + d);
  scratch.marked.assign(d, 0);
}

}  // namespace

TreeLaw::TreeLaw(const RankedTable& table, TreePriorKind kind, const ChipmanPrior& prior,
                 const RowCopies& copies, std::int64_t min_leaf)
    : table_(table), kind_(kind), prior_(prior), copies_(copies), min_leaf_(min_leaf) {
  for (std::uint32_t depth = 0; depth < DEPTHS_IN_TABLE; ++depth) {
    const double p = prior.split_probability(depth);
    log_split_.push_back(std::log(p));
    log_stop_.push_back(std::log1p(-p));
  }
  if (!is_chipman())
    for (std::uint32_t k = 1; k <= LEAVES_IN_TABLE; ++k) log_shape_.push_back(minus_log_shapes(k));
  for (std::size_t n = 0; n <= table.n_features(); ++n)
    log_count_.push_back(std::log(static_cast<double>(n)));
  const auto rows = all_rows(table);
  for (std::uint32_t j = 0; j < table.n_features(); ++j) {
    levels_.push_back(table.is_category(j) ? present_levels(table, rows, j)
                                           : std::vector<std::int32_t>{});
    const double log_rules =
        table.is_category(j) ? log_subsets(levels_[j].size()) : std::log(table.n_ranks(j) - 1.0);
    log_denison_.push_back(-log_count_.back() - log_rules - (table.has_missing(j) ? LOG_TWO : 0));
  }
}

double TreeLaw::log_split(std::uint32_t depth) const {
  if (!is_chipman()) return 0;
  return depth < DEPTHS_IN_TABLE ? log_split_[depth] : std::log(prior_.split_probability(depth));
}

double TreeLaw::log_stop(std::uint32_t depth) const {
  if (!is_chipman()) return 0;
  return depth < DEPTHS_IN_TABLE ? log_stop_[depth] : std::log1p(-prior_.split_probability(depth));
}

double TreeLaw::log_shape(std::uint32_t n_leaves) const {
  if (is_chipman()) return 0;
  return n_leaves <= LEAVES_IN_TABLE ? log_shape_[n_leaves - 1] : minus_log_shapes(n_leaves);
}

bool TreeLaw::can_vary(Rows rows, RuleScratch& scratch) const {
  if (!is_local()) return true;
  if (!is_chipman() && min_leaf_ > 1)
    return copies_.total(rows) >= 2 * min_leaf_ && find_varying(rows, scratch) > 0;
  const std::size_t d = table_.n_features();
  if (!table_.has_missing()) {
    const std::int32_t* first = table_.row(rows[0]);
    return std::any_of(rows.begin() + 1, rows.end(), [&](std::uint32_t row) {
      return !std::equal(first, first + d, table_.row(row));
    });
  }
  open_all(table_, rows[0], scratch);
  for (const auto row : rows.subspan(1)) {
    close_varying(table_.row(row), true, scratch);
    if (scratch.open.size() < d) return true;
  }
  return false;
}

std::uint32_t TreeLaw::find_varying(Rows rows, RuleScratch& scratch) const {
  scratch.varying.clear();
  if (!is_local()) return 0;
  open_all(table_, rows[0], scratch);
  for (const auto row : rows.subspan(1)) {
    close_varying(table_.row(row), table_.has_missing(), scratch);
    if (scratch.open.empty()) break;
  }
  for (std::uint32_t j = 0; j < table_.n_features(); ++j) {
    if (scratch.marked[j] != 0) scratch.varying.push_back(j);
  }
  if (!is_chipman() && min_leaf_ > 1) {
    std::erase_if(scratch.varying, [&](std::uint32_t j) {
      return !table_.is_category(j) && !has_cut(j, rows, scratch);
    });
  }
  return static_cast<std::uint32_t>(scratch.varying.size());
}

bool TreeLaw::draw(Rows rows, RuleScratch& scratch, Stream& stream, Rule& rule) const {
  const auto d = static_cast<std::uint32_t>(table_.n_features());
  const std::uint32_t feature =
      is_local() ? scratch.varying[stream.below(static_cast<std::uint32_t>(scratch.varying.size()))]
                 : stream.below(d);
  return draw_of(feature, rows, scratch, stream, rule);
}

bool TreeLaw::draw_of(std::uint32_t feature, Rows rows, RuleScratch& scratch, Stream& stream,
                      Rule& rule) const {
  rule = Rule{};
  rule.feature = feature;
  if (kind_ == TreePriorKind::DENISON_NODE && !table_.is_category(feature))
    return draw_node_cut(feature, rows, scratch, stream, rule);
  if (table_.has_missing(feature)) rule.missing_left = (stream.next() >> 63) != 0;
  return is_local() ? draw_chipman(feature, rows, scratch, stream, rule)
                    : draw_denison(feature, stream, rule);
}

bool TreeLaw::draw_denison(std::uint32_t feature, Stream& stream, Rule& rule) const {
  if (table_.is_category(feature)) {
    if (levels_[feature].size() < 2) return false;
    draw_levels(levels_[feature], table_.n_levels()[feature], rule, stream);
    return true;
  }
  const std::int32_t n_ranks = table_.n_ranks(feature);
  if (n_ranks < 2) return false;
  rule.cut = static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(n_ranks - 1)));
  rule.threshold = table_.value(feature, rule.cut);
  return true;
}

bool TreeLaw::draw_chipman(std::uint32_t feature, Rows rows, RuleScratch& scratch, Stream& stream,
                           Rule& rule) const {
  const std::int32_t* column = table_.column(feature);
  if (!table_.is_category(feature)) {
    CutRange range;
    for (const auto row : rows) {
      if (column[row] != MISSING_RANK) range.add(column[row], true);
    }
    rule.threshold = draw_between(table_.value(feature, range.low),
                                  table_.value(feature, range.high), stream.next_uniform());
    rule.cut = table_.rank_below(feature, range.low, range.high, rule.threshold);
    return true;
  }
  draw_node_levels(feature, rows, scratch, stream, rule);
  return true;
}

void TreeLaw::draw_node_levels(std::uint32_t feature, Rows rows, RuleScratch& scratch,
                               Stream& stream, Rule& rule) const {
  const std::int32_t n_levels = table_.n_levels()[feature];
  const std::size_t n_words = set_words(n_levels);
  find_seen(table_.column(feature), rows, scratch, n_words);
  bool proper = false;
  while (!proper) {
    rule.left_levels.resize(n_words);
    bool some_left = false;
    bool some_right = false;
    for (std::size_t w = 0; w < n_words; ++w) {
      rule.left_levels[w] = stream.next();
      some_left |= (rule.left_levels[w] & scratch.seen[w]) != 0;
      some_right |= (~rule.left_levels[w] & scratch.seen[w]) != 0;
    }
    proper = some_left && some_right;
  }
  rule.left_levels.back() &= last_word_mask(n_levels);
}

void TreeLaw::find_seen(const std::int32_t* column, Rows rows, RuleScratch& scratch,
                        std::size_t n_words) const {
  scratch.seen.assign(n_words, 0);
  for (const auto row : rows) {
    const std::int32_t level = column[row];
    if (level != MISSING_RANK) scratch.seen[level >> 6] |= 1ULL << (level & 63);
  }
}

Division TreeLaw::divide(const Rule& rule, std::span<std::uint32_t> rows, std::uint32_t n_varying,
                         RuleScratch& scratch) const {
  Division found = rule.left_levels.empty() ? divide_numbers(rule, rows, scratch)
                                            : divide_levels(rule, rows, scratch);
  if (!is_local()) {
    found.lawful = found.n_left > 0 && found.n_left < rows.size();
    found.log_rule = log_denison_[rule.feature];
    return found;
  }
  if (!found.lawful) return found;
  found.log_rule -= log_count_[n_varying];
  if (!is_chipman() && rule.left_levels.empty()) {
    // The side of missing values is among the cuts. Fewer than min_leaf rows: the chain's matter.
    const std::uint32_t n_cuts = find_cuts(rule.feature, rows, scratch).size();
    found.lawful = found.gap_low == rule.cut && n_cuts > 0;
    found.log_rule -= std::log(std::max(n_cuts, 1U));
  } else if (table_.has_missing(rule.feature)) {
    found.log_rule -= LOG_TWO;
  }
  return found;
}

Division TreeLaw::divide_numbers(const Rule& rule, std::span<std::uint32_t> rows,
                                 RuleScratch& scratch) const {
  const std::int32_t* column = table_.column(rule.feature);
  Division found;
  CutRange range;
  const std::int32_t cut = rule.cut;
  if (table_.has_missing(rule.feature)) {
    found.n_left = part_rows(rows, scratch, [&](std::uint32_t row) {
      const std::int32_t rank = column[row];
      if (rank == MISSING_RANK) return rule.missing_left;
      range.add(rank, rank <= cut);
      return rank <= cut;
    });
  } else {
    found.n_left = part_rows(rows, scratch, [&](std::uint32_t row) {
      const std::int32_t rank = column[row];
      range.add(rank, rank <= cut);
      return rank <= cut;
    });
  }
  found.gap_low = range.below;
  found.gap_high = range.above;
  found.lawful = range.low <= cut && cut < range.high;
  if (is_chipman() && found.lawful)
    found.log_rule = -log_length(table_, rule.feature, {range.low, range.high});
  return found;
}

Division TreeLaw::divide_levels(const Rule& rule, std::span<std::uint32_t> rows,
                                RuleScratch& scratch) const {
  const std::int32_t* column = table_.column(rule.feature);
  const std::size_t n_words = rule.left_levels.size();
  Division found;
  if (is_local()) {
    find_seen(column, rows, scratch, n_words);
    bool some_left = false;
    bool some_right = false;
    int n_seen = 0;
    for (std::size_t w = 0; w < n_words; ++w) {
      some_left |= (rule.left_levels[w] & scratch.seen[w]) != 0;
      some_right |= (~rule.left_levels[w] & scratch.seen[w]) != 0;
      n_seen += std::popcount(scratch.seen[w]);
    }
    found.lawful = some_left && some_right;
    if (!found.lawful) return found;
    found.log_absent = LOG_TWO * (table_.n_levels()[rule.feature] - n_seen);
    found.log_rule = -log_subsets(static_cast<std::size_t>(n_seen)) - found.log_absent;
  }
  found.n_left =
      part_rows(rows, scratch, [&](std::uint32_t row) { return rule.goes_left(column[row]); });
  return found;
}

bool TreeLaw::same(const Rule& a, const Rule& b) const {
  return a.feature == b.feature && a.threshold == b.threshold && a.cut == b.cut &&
         a.missing_left == b.missing_left && a.left_levels == b.left_levels;
}

Rule TreeLaw::settled(const Rule& rule, Rows rows, std::int64_t n_left,
                      std::int64_t n_right) const {
  Rule out = rule;
  if (!rule.left_levels.empty()) {
    const auto present = present_levels(table_, rows, rule.feature);
    std::fill(out.left_levels.begin(), out.left_levels.end(), 0);
    for (const auto level : present) {
      if (rule.goes_left(level)) out.left_levels[level >> 6] |= 1ULL << (level & 63);
    }
    settle_unseen(table_, present, n_left, n_right, out);
  } else {
    settle_unseen(table_, {}, n_left, n_right, out);
  }
  return out;
}

double TreeLaw::log_gap(const Rule& rule, std::int32_t gap_low, std::int32_t gap_high) const {
  if (!is_chipman() || !rule.left_levels.empty()) return 0;
  return log_length(table_, rule.feature, {gap_low, gap_high});
}

}  // namespace bayeswood
