#include "bayeswood/sums/sum_law.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

namespace bayeswood {
namespace {

constexpr std::uint32_t KNOWN_DEPTHS = 64;
constexpr double NEVER = -std::numeric_limits<double>::infinity();

// A few of a node's rows: most features are seen to vary among them.
struct FewRows {
  static constexpr std::size_t MOST = 16;
  std::array<std::size_t, MOST> row;
  std::size_t n = 0;

  FewRows(const NodeRows& rows, std::size_t n_rows) {
    const Slot* at = rows.slots;
    const Slot* end = rows.slots + n_rows;
    while (n < MOST) {
      at = static_cast<const Slot*>(std::memchr(at, rows.slot, static_cast<std::size_t>(end - at)));
      if (at == nullptr) return;
      row[n++] = static_cast<std::size_t>(at - rows.slots);
      if (++at == end) return;
    }
  }
  template <class Code>
  bool vary(const Code* codes) const {
    CodeRange range{MISSING_OF<Code>, -1};
    for (std::size_t k = 0; k < n; ++k) {
      const std::int32_t code = codes[row[k]];
      if (code == MISSING_OF<Code>) continue;
      range.low = std::min(range.low, code);
      range.high = std::max(range.high, code);
    }
    return range.varies();
  }
};

}  // namespace

SumLaw::SumLaw(const CodeTable& table, const RowKernels& kernels, const ChipmanPrior& prior)
    : table_(table), loops_(kernels), prior_(prior) {
  for (std::uint32_t depth = 0; depth < KNOWN_DEPTHS; ++depth) {
    log_split_.push_back(std::log(prior.split_probability(depth)));
    log_stop_.push_back(std::log1p(-prior.split_probability(depth)));
  }
  const std::vector<Slot> slots(table.n_rows(), 0);
  Varying found;
  found.words.assign((table.n_features() + 63) / 64, 0);
  for (std::size_t j = 0; j < table.n_features(); ++j) {
    if (!range({slots.data(), 0}, static_cast<std::uint32_t>(j)).varies()) continue;
    found.words[j / 64] |= std::uint64_t{1} << (j % 64);
    ++found.n;
  }
  varying_ = std::move(found);
}

double SumLaw::log_split(std::uint32_t depth) const {
  return depth < KNOWN_DEPTHS ? log_split_[depth] : std::log(prior_.split_probability(depth));
}

double SumLaw::log_stop(std::uint32_t depth) const {
  return depth < KNOWN_DEPTHS ? log_stop_[depth] : std::log1p(-prior_.split_probability(depth));
}

void SumLaw::set_shares(std::span<const double> shares) {
  shares_.assign(shares.begin(), shares.end());
}

SumTree SumLaw::single_leaf() const {
  SumTree tree;
  SumNode& root = tree[0];
  root.n = static_cast<std::uint32_t>(table_.n_rows());
  root.varying.n = varying_.n;
  root.knows_varying = true;
  root.varies = varying_.n > 0;
  return tree;
}

CodeRange SumLaw::range(const NodeRows& rows, std::uint32_t feature) const {
  return table_.with_column(feature, [&](const auto* codes) {
    return loops_.range(rows.slots, rows.slot, codes, table_.n_rows());
  });
}

Varying SumLaw::find_varying(const NodeRows& rows, const Varying& parent) const {
  const std::vector<std::uint64_t>& within = parent.words.empty() ? varying_.words : parent.words;
  const FewRows few(rows, table_.n_rows());
  Varying found;
  std::vector<std::uint64_t> words = within;
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::uint64_t bits = within[w]; bits != 0; bits &= bits - 1) {
      const auto j =
          static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(bits));
      const bool seen = table_.with_column(j, [&](const auto* codes) { return few.vary(codes); });
      if (seen || (few.n == FewRows::MOST && range(rows, j).varies())) {
        ++found.n;
      } else {
        words[w] &= ~(bits & -bits);
      }
    }
  }
  if (found.n < varying_.n) found.words = std::move(words);
  return found;
}

bool SumLaw::any_varies(const NodeRows& rows, const Varying& parent) const {
  const std::vector<std::uint64_t>& within = parent.words.empty() ? varying_.words : parent.words;
  const FewRows few(rows, table_.n_rows());
  const auto any = [&](auto&& test) {
    for (std::size_t w = 0; w < within.size(); ++w) {
      for (std::uint64_t bits = within[w]; bits != 0; bits &= bits - 1) {
        if (test(static_cast<std::uint32_t>(64 * w) +
                 static_cast<std::uint32_t>(std::countr_zero(bits))))
          return true;
      }
    }
    return false;
  };
  if (any([&](std::uint32_t j) {
        return table_.with_column(j, [&](const auto* codes) { return few.vary(codes); });
      }))
    return true;
  return few.n == FewRows::MOST && any([&](std::uint32_t j) { return range(rows, j).varies(); });
}

bool SumLaw::varies(const Varying& varying, std::uint32_t feature) const {
  const auto& words = varying.words.empty() ? varying_.words : varying.words;
  return ((words[feature / 64] >> (feature % 64)) & 1) != 0;
}

double SumLaw::sum_varying(const Varying& varying, std::span<const double> shares) const {
  double sum = 0;
  for (std::uint32_t j = 0; j < table_.n_features(); ++j)
    if (varies(varying, j)) sum += shares[j];
  return sum;
}

double SumLaw::log_feature(const Varying& varying, std::uint32_t feature) const {
  if (!has_shares()) return -std::log(static_cast<double>(varying.n));
  return std::log(shares_[feature]) - std::log(sum_varying(varying, shares_));
}

std::uint32_t SumLaw::draw_feature(const Varying& varying, Stream& stream) const {
  if (has_shares()) {
    double left = sum_varying(varying, shares_) * stream.next_uniform();
    std::uint32_t last = 0;
    for (std::uint32_t j = 0; j < table_.n_features(); ++j) {
      if (!varies(varying, j) || shares_[j] <= 0) continue;
      last = j;
      left -= shares_[j];
      if (left < 0) break;
    }
    return last;
  }
  std::uint32_t left = stream.below(varying.n);
  const auto& words = varying.words.empty() ? varying_.words : varying.words;
  for (std::size_t w = 0;; ++w) {
    std::uint64_t bits = words[w];
    const auto here = static_cast<std::uint32_t>(std::popcount(bits));
    if (left >= here) {
      left -= here;
      continue;
    }
    for (; left > 0; --left) bits &= bits - 1;
    return static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
}

template <class IsIn>
std::vector<std::int32_t> SumLaw::levels_where(const Slot* slots, std::uint32_t feature,
                                               IsIn is_in) const {
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(table_.n_levels()[feature]), 0);
  table_.with_column(feature, [&](const auto* codes) {
    using Code = std::remove_cvref_t<decltype(*codes)>;
    for (std::size_t i = 0; i < table_.n_rows(); ++i)
      if (is_in(slots[i]) && codes[i] != MISSING_OF<Code>) seen[codes[i]] = 1;
  });
  std::vector<std::int32_t> levels;
  for (std::size_t level = 0; level < seen.size(); ++level)
    if (seen[level] != 0) levels.push_back(static_cast<std::int32_t>(level));
  return levels;
}

std::vector<std::int32_t> SumLaw::present_levels(const NodeRows& rows,
                                                 std::uint32_t feature) const {
  return levels_where(rows.slots, feature, [&](Slot slot) { return slot == rows.slot; });
}

double SumLaw::log_subset(std::uint32_t feature, std::size_t n_present) const {
  const auto absent =
      static_cast<double>(table_.n_levels()[feature]) - static_cast<double>(n_present);
  return -log_subsets(n_present) - absent * std::numbers::ln2;
}

double SumLaw::draw(const NodeRows& rows, const Varying& varying, Stream& stream,
                    Rule& rule) const {
  rule.feature = draw_feature(varying, stream);
  const double log_coin = table_.has_missing(rule.feature) ? -std::numbers::ln2 : 0.0;
  rule.missing_left = log_coin < 0 && (stream.next() >> 63) != 0;
  if (!table_.is_category(rule.feature)) {
    const CodeRange at = range(rows, rule.feature);
    const auto n_cuts = static_cast<std::uint32_t>(at.high - at.low);
    rule.cut = at.low + static_cast<std::int32_t>(stream.below(n_cuts));
    rule.threshold = table_.threshold(rule.feature, rule.cut);
    rule.left_levels.clear();
    return log_coin - std::log(static_cast<double>(n_cuts));
  }
  const auto levels = present_levels(rows, rule.feature);
  const std::int32_t n_levels = table_.n_levels()[rule.feature];
  draw_levels(levels, n_levels, rule, stream);
  // A coin for every level that is not there.
  std::size_t next = 0;
  for (std::int32_t level = 0; level < n_levels; ++level) {
    if (next < levels.size() && levels[next] == level) {
      ++next;
    } else if ((stream.next() >> 63) != 0) {
      rule.left_levels[static_cast<std::size_t>(level) / 64] |= std::uint64_t{1} << (level % 64);
    }
  }
  return log_coin + log_subset(rule.feature, levels.size());
}

double SumLaw::log_cut(const NodeRows& rows, const Rule& rule) const {
  const double log_coin = table_.has_missing(rule.feature) ? -std::numbers::ln2 : 0.0;
  if (!table_.is_category(rule.feature)) {
    const CodeRange at = range(rows, rule.feature);
    if (rule.cut < at.low || rule.cut >= at.high) return NEVER;
    return log_coin - std::log(static_cast<double>(at.high - at.low));
  }
  const auto levels = present_levels(rows, rule.feature);
  const auto is_left = [&](std::int32_t level) {
    return in_set(rule.left_levels.data(), static_cast<std::uint32_t>(level));
  };
  const auto n_left = std::count_if(levels.begin(), levels.end(), is_left);
  if (n_left == 0 || n_left == static_cast<std::ptrdiff_t>(levels.size())) return NEVER;
  return log_coin + log_subset(rule.feature, levels.size());
}

bool SumLaw::shift(const NodeRows& rows, Stream& stream, Rule& rule, double& log_back) const {
  const CodeRange at = range(rows, rule.feature);
  const std::int32_t reach = (at.high - at.low + 9) / 10;
  const auto first_near = [&](std::int32_t cut) { return std::max(at.low, cut - reach); };
  // Other cuts within reach.
  const auto n_near = [&](std::int32_t cut) {
    return std::min(at.high - 1, cut + reach) - first_near(cut);
  };
  const std::int32_t n_there = n_near(rule.cut);
  if (n_there < 1) return false;
  const std::int32_t to =
      first_near(rule.cut) +
      static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(n_there)));
  rule.cut = to < rule.cut ? to : to + 1;
  rule.threshold = table_.threshold(rule.feature, rule.cut);
  log_back = std::log(static_cast<double>(n_there) / n_near(rule.cut));
  return true;
}

std::size_t SumLaw::split(const NodeRows& rows, const Rule& rule, Slot right, Slot* out) const {
  return table_.with_column(rule.feature, [&](const auto* codes) -> std::size_t {
    using Code = std::remove_cvref_t<decltype(*codes)>;
    const std::size_t n = table_.n_rows();
    if (!table_.is_category(rule.feature))
      return loops_.split(rows.slots, {rows.slot, right, rule.cut, rule.missing_left}, codes, n,
                          out);
    return loops_.add_up(n, std::size_t{0},
                         [&](std::size_t begin, std::size_t end, std::size_t n_right) {
                           for (std::size_t i = begin; i < end; ++i) {
                             const Slot slot = rows.slots[i];
                             out[i] = slot;
                             if (slot != rows.slot) continue;
                             const bool left = codes[i] == MISSING_OF<Code>
                                                   ? rule.missing_left
                                                   : in_set(rule.left_levels.data(), codes[i]);
                             if (left) continue;
                             out[i] = right;
                             ++n_right;
                           }
                           return n_right;
                         });
  });
}

bool SumLaw::same(const Rule& a, const Rule& b) const {
  return a.feature == b.feature && a.missing_left == b.missing_left &&
         (table_.is_category(a.feature) ? a.left_levels == b.left_levels : a.cut == b.cut);
}

Rule SumLaw::settled(const Rule& rule, const Slot* slots, const std::bitset<MOST_SLOTS>& in_node,
                     std::uint32_t n_left, std::uint32_t n_right) const {
  Rule out = rule;
  if (!table_.has_missing(rule.feature)) out.missing_left = n_left >= n_right;
  if (!table_.is_category(rule.feature)) return out;
  const auto levels = levels_where(slots, rule.feature, [&](Slot slot) { return in_node[slot]; });
  std::size_t next = 0;
  for (std::int32_t level = 0; level < table_.n_levels()[rule.feature]; ++level) {
    if (next < levels.size() && levels[next] == level) {
      ++next;
      continue;
    }
    const std::uint64_t bit = std::uint64_t{1} << (level % 64);
    std::uint64_t& word = out.left_levels[static_cast<std::size_t>(level) / 64];
    word = out.missing_left ? word | bit : word & ~bit;
  }
  return out;
}

}  // namespace bayeswood
