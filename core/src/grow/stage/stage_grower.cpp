#include "bayeswood/grow/stage/stage_grower.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "bayeswood/forest/tree_writer.hpp"
#include "bayeswood/grow/stage/ordered_cut.hpp"

namespace bayeswood {
namespace {

constexpr std::uint32_t ROOT = 0;
// Histograms of all numbers, half of which come from a subtraction, are worth their while where at
// least this share of the features is looked at in a node.
constexpr std::size_t SUBTRACTING_SHARE = 3;

}  // namespace

StageGrower::StageGrower(const ByteBins& bins, const StageOptions& options, std::size_t most_rows,
                         std::uint32_t n_outputs, bool weighted)
    : bins_(bins),
      options_(options),
      sums_(make_bin_sums(bins, most_rows, n_outputs, weighted)),
      n_outputs_(n_outputs),
      subtracts_(options.max_features * SUBTRACTING_SHARE >= bins.matrix().n_features()),
      trust_(bins.matrix().n_features()) {}

Tree StageGrower::grow(std::uint64_t number, const StageTarget& target, const StageRows& rows,
                       double* gains, const StopFlag& stop) {
  target_ = target;
  rows_ = rows;
  scratch_.resize(std::max(rows.inside.size(), rows.outside.size()));
  nodes_.clear();
  sets_.clear();
  sums_->load(target, rows.inside);
  root_ = sums_->totals(rows.inside);
  Node& root = nodes_.emplace_back();
  root.totals = root_;
  root.n_out = rows.outside.size();
  set_trust(root);
  FeatureOrder features(bins_.matrix().n_features(),
                        Stream(options_.seed, number, Purpose::FEATURES), true);
  const int unscale = 2 * (target.exponent - sums_->exponent());
  stack_.assign(1, ROOT);
  while (!stack_.empty()) {
    check_stop(stop);
    const std::uint32_t at = stack_.back();
    stack_.pop_back();
    Split split;
    if (may_cut(nodes_[at])) split = find_split(nodes_[at], features);
    if (split.found()) {
      gains[split.feature] +=
          std::ldexp(split.score + split.price - nodes_[at].totals.score, unscale);
      cut(at, split);
    }
    if (nodes_[at].bins) spare_.push_back(std::move(nodes_[at].bins));
  }
  return finish(target);
}

void StageGrower::set_trust(const Node& root) {
  for (std::uint32_t j = 0; j < bins_.matrix().n_features(); ++j) {
    const FeatureCodes& codes = bins_.matrix().feature(j);
    if (!codes.is_category) continue;
    const std::size_t n_levels = std::size_t{codes.n_codes} + (codes.has_missing ? 1 : 0);
    trust_[j] = n_levels <= FREE_LEVELS ? 1 : sums_->level_trust(rows_of(root), j, root.totals);
  }
}

Limits StageGrower::limits(const NodeTotals& node) const {
  const double least = options_.min_weight_fraction_leaf * root_.w;
  const double share = static_cast<double>(node.n) / root_.n;
  return {options_.min_samples_leaf, std::max(least * (1 - 1e-12), WEIGHT_ROUNDING * node.w),
          TIE_TOLERANCE * sums_->squares() * share};
}

bool StageGrower::keeps_bins(const Node& node) const {
  return subtracts_ && may_cut(node) &&
         std::size_t{node.totals.n} * options_.max_features >= bins_.n_slots();
}

// Features are looked at until there are enough that could be cut.
Split StageGrower::find_split(Node& node, FeatureOrder& features) {
  const Limits limits = this->limits(node.totals);
  if (!node.bins && keeps_bins(node)) {
    node.bins = take_bins();
    sums_->fill(*node.bins, rows_of(node));
  }
  Split best;
  std::uint32_t wanted = options_.max_features;
  features.restart();
  while (features.left() > 0 && (wanted > 0 || !best.found())) {
    Split split = search(node, features.next(), limits);
    if (!split.refused && wanted > 0) --wanted;
    keep_better(best, std::move(split), limits.tolerance);
  }
  if (!(best.score > node.totals.score + limits.tolerance)) return {};
  return best;
}

Split StageGrower::search(Node& node, std::uint32_t feature, const Limits& limits) {
  if (bins_.matrix().feature(feature).is_category)
    return sums_->best_levels(rows_of(node), feature, trust_[feature], node.totals, limits);
  if (!options_.monotone.empty() && options_.monotone[feature] != 0)
    return best_ordered_cut(bins_, feature, rows_of(node), target_, sums_->exponent(),
                            options_.monotone[feature], limits);
  if (node.bins) return sums_->best_cut(*node.bins, feature, node.totals, limits);
  sums_->fill(single_, rows_of(node), feature);
  return sums_->best_cut(single_, feature, node.totals, limits);
}

void StageGrower::cut(std::uint32_t at, const Split& split) {
  nodes_[at].left = static_cast<std::uint32_t>(nodes_.size());
  nodes_.resize(nodes_.size() + 2);
  Node& node = nodes_[at];
  Node& left = nodes_[node.left];
  Node& right = nodes_[node.left + 1];
  settle(node, split);
  const std::size_t n_left = part(node.feature, rows_of(node));
  const std::size_t out_left =
      part(node.feature, rows_.outside.subspan(node.out_begin, node.n_out));
  left.depth = right.depth = node.depth + 1;
  left.in_begin = node.in_begin;
  right.in_begin = node.in_begin + n_left;
  left.out_begin = node.out_begin;
  right.out_begin = node.out_begin + out_left;
  left.n_out = out_left;
  right.n_out = node.n_out - out_left;
  left.totals.n = static_cast<std::uint32_t>(n_left);
  right.totals.n = node.totals.n - left.totals.n;
  hand_down(node, left, right);
  stack_.push_back(node.left + 1);
  stack_.push_back(node.left);
}

// Sums of the children: the smaller one's are counted.
void StageGrower::hand_down(Node& parent, Node& left, Node& right) {
  Node& small = left.totals.n <= right.totals.n ? left : right;
  Node& large = left.totals.n <= right.totals.n ? right : left;
  small.totals = sums_->totals(rows_of(small));
  large.totals = sums_->rest(parent.totals, small.totals, rows_of(large));
  if (!parent.bins || !keeps_bins(large)) return;
  auto counted = take_bins();
  sums_->fill(*counted, rows_of(small));
  sums_->subtract(*parent.bins, *counted);
  large.bins = std::move(parent.bins);
  (keeps_bins(small) ? small.bins : spare_.emplace_back()) = std::move(counted);
}

std::unique_ptr<NodeBins> StageGrower::take_bins() {
  if (spare_.empty()) return std::make_unique<NodeBins>();
  auto bins = std::move(spare_.back());
  spare_.pop_back();
  return bins;
}

// What the split does to a code, and where missing values go that the node has not seen: to the
// child with more rows.
void StageGrower::settle(Node& node, const Split& split) {
  node.feature = static_cast<std::int32_t>(split.feature);
  node.missing_left = split.missing_left;
  if (bins_.matrix().feature(split.feature).is_category) {
    settle_category(node, split);
  } else {
    settle_number(node, split);
  }
}

void StageGrower::settle_number(Node& node, const Split& split) {
  const FeatureCodes& codes = bins_.matrix().feature(split.feature);
  const FeatureBins& own = bins_.feature(split.feature);
  const std::uint32_t n_bins = own.n_bins();
  std::uint32_t last = split.cut_code;  // of the bins that go left
  if (split.upper_code >= n_bins) {
    node.threshold = std::numeric_limits<double>::infinity();
    last = n_bins - 1;
  } else {
    node.threshold = codes.threshold_between(own.last_code[last], own.first_code(split.upper_code));
    while (last + 1 < split.upper_code && codes.low[own.first_code(last + 1)] <= node.threshold)
      ++last;
    const std::uint32_t end = own.last_code[last];
    if ((codes.high.size() > 0 ? codes.high[end] : codes.low[end]) > node.threshold)
      node.threshold = codes.threshold_between(end, own.first_code(last + 1));
  }
  goes_left_.assign(n_bins + 1, 0);
  std::fill_n(goes_left_.begin(), last + 1, std::uint8_t{1});
  if (!split.missing_seen) {
    const std::uint8_t* bin = bins_.column(own.place);
    std::size_t n_left = 0;
    for (const auto row : rows_of(node)) n_left += goes_left_[bin[row]];
    node.missing_left = 2 * n_left >= node.totals.n;
  }
  goes_left_[n_bins] = node.missing_left ? 1 : 0;
}

void StageGrower::settle_category(Node& node, const Split& split) {
  const std::uint32_t n_levels = bins_.matrix().feature(split.feature).n_codes;
  const std::uint16_t* code = bins_.matrix().column(split.feature);
  goes_left_.assign(n_levels + 1, 0);
  for (const auto level : split.levels->left)
    if (level != MISSING_CODE) goes_left_[level] = 1;
  if (!split.missing_seen) {
    std::size_t n_left = 0;
    for (const auto row : rows_of(node)) n_left += goes_left_[code[row]];
    node.missing_left = 2 * n_left >= node.totals.n;
  }
  if (node.missing_left) {  // and levels that the node lacks with them
    std::fill(goes_left_.begin(), goes_left_.end(), std::uint8_t{1});
    for (const auto level : split.levels->right)
      if (level != MISSING_CODE) goes_left_[level] = 0;
  }
  node.set_begin = sets_.size();
  sets_.resize(sets_.size() + set_words(static_cast<std::int32_t>(n_levels)));
  for (std::uint32_t level = 0; level < n_levels; ++level)
    sets_[node.set_begin + (level >> 6)] |= std::uint64_t{goes_left_[level]} << (level & 63);
}

// Stable; returns how many go left.
std::size_t StageGrower::part(std::int32_t feature, std::span<std::uint32_t> rows) {
  std::size_t left = 0;
  std::size_t right = 0;
  const auto sort_out = [&](auto code_of) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t row = rows[i];
      const std::size_t goes_left = goes_left_[code_of(row)];
      rows[left] = row;
      scratch_[right] = row;
      left += goes_left;
      right += 1 - goes_left;
    }
  };
  const FeatureCodes& codes = bins_.matrix().feature(feature);
  if (codes.is_category) {
    const std::uint16_t* code = bins_.matrix().column(feature);
    sort_out([&](std::uint32_t row) { return std::min<std::uint32_t>(code[row], codes.n_codes); });
  } else {
    const std::uint8_t* bin = bins_.column(bins_.feature(feature).place);
    sort_out([bin](std::uint32_t row) { return bin[row]; });
  }
  std::copy_n(scratch_.data(), right, rows.data() + left);
  return left;
}

Tree StageGrower::finish(const StageTarget& target) {
  const std::vector<std::int32_t>& n_levels = bins_.matrix().n_levels();
  TreeWriter writer(n_levels, n_outputs_, false);
  const std::size_t n_leaves = (nodes_.size() + 1) / 2;
  writer.reserve({n_leaves, n_leaves * n_outputs_, 0, sets_.size()});
  leaf_nodes_.clear();
  using Children = std::optional<std::array<std::uint32_t, 2>>;
  visit_breadth_first(ROOT, nodes_.size(), [&](std::uint32_t at) -> Children {
    const Node& node = nodes_[at];
    if (node.feature == LEAF) {
      const std::span<double> value = writer.add_leaf(node.totals.n, node.totals.w);
      if (options_.leaf_means) mean(target, node, value);
      leaf_nodes_.push_back(at);
      return {};
    }
    const auto levels = std::span(sets_).subspan(node.set_begin, set_words(n_levels[node.feature]));
    writer.add_split(node.feature, node.missing_left, node.threshold, levels);
    return {{node.left, node.left + 1}};
  });
  return writer.finish();
}

// Around the first response: a leaf of equal ones gets exactly these.
void StageGrower::mean(const StageTarget& target, const Node& node, std::span<double> out) const {
  const double* first = target.responses.data() + std::size_t{rows_of(node)[0]} * n_outputs_;
  double total = 0;
  std::fill(out.begin(), out.end(), 0.0);
  for (const auto row : rows_of(node)) {
    const double w = target.weights.empty() ? 1.0 : target.weights[row];
    const double* r = target.responses.data() + std::size_t{row} * n_outputs_;
    total += w;
    for (std::size_t k = 0; k < n_outputs_; ++k) out[k] += w * (r[k] - first[k]);
  }
  for (std::size_t k = 0; k < n_outputs_; ++k) out[k] = first[k] + out[k] / total;
}

}  // namespace bayeswood
