#include "bayeswood/base/row_weights.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bayeswood/base/left_out.hpp"
#include "bayeswood/base/random.hpp"

namespace bayeswood {

WeightKind weight_kind(const std::string& name) {
  if (name == "exponential") return WeightKind::EXPONENTIAL;
  if (name == "subsample") return WeightKind::SUBSAMPLE;
  if (name == "bootstrap") return WeightKind::BOOTSTRAP;
  if (name == "unit") return WeightKind::UNIT;
  if (name == "given") return WeightKind::GIVEN;
  throw std::invalid_argument(
      "scheme must be exponential, subsample, bootstrap, unit or given, got " + name);
}

WeightScheme make_scheme(const std::string& kind, std::uint64_t seed, double threshold,
                         std::span<const std::int32_t> row_groups, std::size_t n_rows) {
  WeightScheme scheme{weight_kind(kind), seed, threshold, row_groups};
  if (!(threshold >= 0) || !std::isfinite(threshold))
    throw std::invalid_argument("weight_threshold: finite and not negative");
  if (threshold > 0 && scheme.kind != WeightKind::EXPONENTIAL &&
      scheme.kind != WeightKind::SUBSAMPLE)
    throw std::invalid_argument("weight_threshold: for exponential weights and subsamples only");
  if (row_groups.empty()) return scheme;
  if (!(threshold > 0)) throw std::invalid_argument("row_groups need a weight_threshold above 0");
  if (row_groups.size() != n_rows) throw std::invalid_argument("row_groups: one per row");
  for (const auto group : row_groups) {
    if (group < 0) throw std::invalid_argument("row_groups: no group is negative");
    scheme.n_groups = std::max(scheme.n_groups, static_cast<std::uint32_t>(group) + 1);
  }
  return scheme;
}

WeightScheme in_parts(WeightScheme scheme, std::span<const std::int32_t> row_parts,
                      std::size_t n_rows) {
  if (row_parts.empty()) return scheme;
  if (scheme.kind != WeightKind::EXPONENTIAL || !scheme.row_groups.empty())
    throw std::invalid_argument("row_parts: for exponential weights without groups only");
  if (row_parts.size() != n_rows) throw std::invalid_argument("row_parts: one per row");
  for (const auto part : row_parts) {
    if (part < 0 || static_cast<std::size_t>(part) >= n_rows)
      throw std::invalid_argument("row_parts: from 0 to below the number of rows");
    scheme.n_parts = std::max(scheme.n_parts, static_cast<std::uint32_t>(part) + 1);
  }
  scheme.row_parts = row_parts;
  return scheme;
}

namespace {

bool takes_part(std::span<const double> sample_weight, std::size_t row) {
  return sample_weight.empty() || sample_weight[row] > 0;
}

std::size_t part_of(const WeightScheme& scheme, std::size_t row) {
  return scheme.row_parts.empty() ? 0 : static_cast<std::size_t>(scheme.row_parts[row]);
}

void draw_exponential(const WeightScheme& scheme, std::uint64_t tree, std::span<double> out) {
  std::vector<Stream> streams;
  for (std::uint64_t part = 0; part < scheme.n_parts; ++part) {
    streams.emplace_back(part_seed(scheme.seed, part), tree, Purpose::WEIGHTS);
  }
  std::vector<std::size_t> place(scheme.n_parts, 0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t part = part_of(scheme, i);
    out[i] = streams[part].exponential_at(place[part]++);
  }
}

void drop_rows(const WeightScheme& scheme, std::span<const double> sample_weight,
               std::span<double> out) {
  std::vector<std::size_t> largest(scheme.n_parts, out.size());  // row of the part's largest draw
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!takes_part(sample_weight, i)) continue;
    std::size_t& row = largest[part_of(scheme, i)];
    if (row == out.size() || out[i] > out[row]) row = i;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] < scheme.threshold && i != largest[part_of(scheme, i)]) out[i] = 0;
  }
}

void drop_groups(const WeightScheme& scheme, const Stream& stream,
                 std::span<const double> sample_weight, std::span<double> out) {
  std::vector<double> draw(scheme.n_groups);
  for (std::size_t g = 0; g < draw.size(); ++g) draw[g] = stream.exponential_at(g);
  double stays = 0;  // the largest draw of a group that takes part
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (takes_part(sample_weight, i)) stays = std::max(stays, draw[scheme.row_groups[i]]);
  }
  stays = std::min(stays, scheme.threshold);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = draw[scheme.row_groups[i]] < stays ? 0 : scheme.threshold + out[i];
  }
}

void draw_bootstrap(Stream stream, std::uint32_t n_draws, std::span<const double> sample_weight,
                    std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  if (sample_weight.empty()) {
    const auto n = static_cast<std::uint32_t>(out.size());
    for (std::uint32_t i = 0; i < (n_draws ? n_draws : n); ++i) out[stream.below(n)] += 1;
    return;
  }
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    if (sample_weight[i] > 0) rows.push_back(i);
  }
  const auto n = static_cast<std::uint32_t>(rows.size());
  for (std::uint32_t i = 0; i < (n_draws ? n_draws : n); ++i) out[rows[stream.below(n)]] += 1;
}

void draw_thresholded(const WeightScheme& scheme, std::uint64_t draw,
                      std::span<const double> sample_weight, std::span<double> out) {
  draw_exponential(scheme, draw, out);
  if (!scheme.row_groups.empty()) {
    drop_groups(scheme, Stream(scheme.seed, draw, Purpose::GROUPS), sample_weight, out);
  } else if (scheme.threshold > 0) {
    drop_rows(scheme, sample_weight, out);
  }
}

}  // namespace

void draw_weights(const WeightScheme& scheme, std::uint64_t tree,
                  std::span<const double> sample_weight, std::span<double> out) {
  const std::uint64_t draw = scheme.draw_of(tree);
  const Stream stream(scheme.seed, draw, Purpose::WEIGHTS);
  switch (scheme.kind) {
    case WeightKind::EXPONENTIAL:
      return draw_thresholded(scheme, draw, sample_weight, out);
    case WeightKind::SUBSAMPLE:
      draw_thresholded(scheme, draw, sample_weight, out);
      for (double& weight : out) weight = weight > 0 ? 1.0 : 0.0;
      return;
    case WeightKind::BOOTSTRAP:
      return draw_bootstrap(stream, scheme.n_draws, sample_weight, out);
    case WeightKind::UNIT:
      std::fill(out.begin(), out.end(), 1.0);
      return;
    case WeightKind::GIVEN:
      throw std::invalid_argument("given weights are not drawn");
  }
}

namespace {

// Whether -log u < c, that is u > e^-c; only so close to it that rounding may tell otherwise is log
// asked. Which side a draw lies on cannot be foreseen, but that it is close is rare.
class BelowThreshold {
 public:
  explicit BelowThreshold(double threshold)
      : threshold_(threshold),
        low_(std::exp(-threshold) * (1.0 - 1e-9)),
        high_(std::exp(-threshold) * (1.0 + 1e-9)) {}
  bool operator()(double u) const {
    const bool is_below = u > high_;
    if (u > low_ && u <= high_) return -std::log(u) < threshold_;
    return is_below;
  }

 private:
  double threshold_, low_, high_;
};

// Marks the rows whose draw is below the threshold; false if no row would be kept.
bool mark_all_below(const WeightScheme& scheme, std::uint64_t tree, std::vector<bool>& out) {
  const BelowThreshold is_below(scheme.threshold);
  const Stream stream(scheme.seed, scheme.draw_of(tree), Purpose::WEIGHTS);
  std::size_t n_below = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool below = is_below(stream.uniform_at(i));
    out[i] = below;
    n_below += below ? 1 : 0;
  }
  return n_below < out.size() || out.empty();
}

// The same of rows that may be in parts, or not take part; false if some part would keep no row.
bool mark_below(const WeightScheme& scheme, std::uint64_t tree,
                std::span<const double> sample_weight, std::vector<bool>& out) {
  if (scheme.n_parts == 1 && sample_weight.empty()) return mark_all_below(scheme, tree, out);
  const BelowThreshold is_below(scheme.threshold);
  std::vector<Stream> streams;
  for (std::uint64_t part = 0; part < scheme.n_parts; ++part)
    streams.emplace_back(part_seed(scheme.seed, part), scheme.draw_of(tree), Purpose::WEIGHTS);
  std::vector<std::size_t> place(scheme.n_parts, 0), kept(scheme.n_parts, 0);
  std::vector<bool> is_needed(scheme.n_parts, false);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t part = part_of(scheme, i);
    const bool below = is_below(streams[part].uniform_at(place[part]++));
    const bool counts = takes_part(sample_weight, i);
    out[i] = below || !counts;
    kept[part] += !below && counts;
    if (counts) is_needed[part] = true;
  }
  for (std::size_t part = 0; part < scheme.n_parts; ++part) {
    if (is_needed[part] && kept[part] == 0) return false;
  }
  return true;
}

// Marks those of some rows; false if none of them would be kept.
bool mark_some_below(const WeightScheme& scheme, std::uint64_t tree,
                     std::span<const std::int32_t> rows, std::vector<bool>& out) {
  const BelowThreshold is_below(scheme.threshold);
  const Stream stream(scheme.seed, scheme.draw_of(tree), Purpose::WEIGHTS);
  std::size_t n_below = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool below = is_below(stream.uniform_at(static_cast<std::uint64_t>(rows[i])));
    out[i] = below;
    n_below += below ? 1 : 0;
  }
  return n_below < rows.size();
}

// Whether a draw below the threshold leaves out its own row, and no other.
bool drops_single_rows(const WeightScheme& scheme) {
  return (scheme.kind == WeightKind::EXPONENTIAL || scheme.kind == WeightKind::SUBSAMPLE) &&
         scheme.threshold > 0 && scheme.row_groups.empty();
}

}  // namespace

void draw_left_out(const WeightScheme& scheme, std::uint64_t tree,
                   std::span<const double> sample_weight, std::vector<bool>& out) {
  if (drops_single_rows(scheme) && mark_below(scheme, tree, sample_weight, out)) return;
  std::vector<double> weights(out.size());
  draw_weights(scheme, tree, sample_weight, weights);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = weights[i] == 0 || !takes_part(sample_weight, i);
}

void draw_left_out_of(const WeightScheme& scheme, std::uint64_t tree,
                      std::span<const double> sample_weight, std::size_t n_rows,
                      std::span<const std::int32_t> rows, std::vector<bool>& out) {
  out.resize(rows.size());
  const bool is_plain = drops_single_rows(scheme) && scheme.n_parts == 1 && sample_weight.empty();
  if (is_plain && mark_some_below(scheme, tree, rows, out)) return;
  std::vector<bool> all(n_rows);
  draw_left_out(scheme, tree, sample_weight, all);
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = all[static_cast<std::size_t>(rows[i])];
}

}  // namespace bayeswood
