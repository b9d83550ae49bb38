#include "bayeswood/safe_bayes/cut_codes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace bayeswood {
namespace {

void check_feature(const CutCodes::Feature& f) {
  if (f.n_levels > 0) {
    if (f.n_levels > 65534) throw std::invalid_argument("a category has at most 65,534 levels");
    return;
  }
  if (f.edges.size() > MOST_EDGES) throw std::invalid_argument("at most 65,533 edges");
  if (f.transform.size() != f.edges.size() + 1)
    throw std::invalid_argument("transform: one value per interval between edges");
  for (std::size_t i = 0; i < f.edges.size(); ++i) {
    const bool ascends = i == 0 || f.edges[i - 1] < f.edges[i];
    if (!std::isfinite(f.edges[i]) || !ascends) throw std::invalid_argument("edges must ascend");
    if (!(f.transform[i] <= f.transform[i + 1]))
      throw std::invalid_argument("transform must not descend");
  }
}

bool any_missing(const MatrixView& table, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t j = 0; j < table.n_columns(); ++j) {
      if (std::isnan(table(i, j))) return true;
    }
  }
  return false;
}

}  // namespace

CutCodes::CutCodes(std::vector<Feature> features) : features_(std::move(features)) {
  if (features_.empty() || features_.size() > MOST_FEATURES)
    throw std::invalid_argument("from 1 to 32,767 features");
  for (const auto& f : features_) {
    check_feature(f);
    cells_.emplace_back(f.edges);
    has_categories_ = has_categories_ || f.n_levels > 0;
  }
}

void CutCodes::encode(std::size_t j, std::span<const double> values, std::uint16_t* out) const {
  const Feature& f = features_[j];
  if (f.n_levels == 0) {
    encode_numbers(j, values, out);
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool known = values[i] >= 0 && values[i] < f.n_levels;
    out[i] = known ? static_cast<std::uint16_t>(values[i] + 1) : CODE_MISSING;
  }
}

void CutCodes::encode_numbers(std::size_t j, std::span<const double> values,
                              std::uint16_t* out) const {
  constexpr std::size_t LANES = 16;
  const std::span<const double> edges = features_[j].edges;
  for (std::size_t begin = 0; begin < values.size(); begin += LANES) {
    const std::size_t lanes = std::min(LANES, values.size() - begin);
    double number[LANES] = {};
    std::uint16_t below[LANES];
    for (std::size_t l = 0; l < lanes; ++l)
      number[l] = std::isnan(values[begin + l]) ? 0.0 : values[begin + l];
    find_places<LANES>(edges, cells_[j], number, below);
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto code = static_cast<std::uint16_t>(1 + below[l]);
      out[begin + l] = std::isnan(values[begin + l]) ? CODE_MISSING : code;
    }
  }
}

std::uint16_t CutCodes::place_of(std::size_t j, double tau) const {
  const double* u = features_[j].transform.data();
  auto n = static_cast<std::uint32_t>(features_[j].transform.size());
  std::uint32_t place = 0;  // branch-free halving
  for (; n > 1; n -= n / 2)
    place += (n / 2) & -static_cast<std::uint32_t>(u[place + n / 2 - 1] <= tau);
  return static_cast<std::uint16_t>(place + (u[place] <= tau ? 1 : 0));
}

double CutCodes::threshold(std::size_t j, std::uint16_t place) const {
  const auto& edges = features_[j].edges;
  if (place == 0) return std::numeric_limits<double>::lowest();
  return place > edges.size() ? std::numeric_limits<double>::infinity() : edges[place - 1];
}

CodedRows::CodedRows(const CutCodes& codes, const MatrixView& table, std::size_t begin,
                     std::size_t end, unsigned n_threads)
    : n_rows_(end - begin), shift_(any_missing(table, begin, end) ? 0 : 1) {
  block_size_ = (2 * codes.n_features() >> shift_) * BLOCK_ROWS;
  cells_.resize(n_blocks() * block_size_ + 2);  // a gather of 4 bytes may look 2 past the end
  parallel_for(n_blocks(), n_threads,
               [&](std::size_t b, unsigned, const StopFlag&) { encode(codes, table, begin, b); });
}

std::size_t CodedRows::rows_in(std::size_t block) const {
  return std::min(BLOCK_ROWS, n_rows_ - block * BLOCK_ROWS);
}

void CodedRows::encode(const CutCodes& codes, const MatrixView& table, std::size_t begin,
                       std::size_t block) {
  const std::size_t first = begin + block * BLOCK_ROWS;
  const std::size_t n = rows_in(block);
  double column[BLOCK_ROWS];
  for (std::size_t j = 0; j < codes.n_features(); ++j) {
    std::uint16_t* even = cells_.data() + block * block_size_ + (2 * j >> shift_) * BLOCK_ROWS;
    for (std::size_t i = 0; i < n; ++i) column[i] = table(first + i, j);
    codes.encode(j, {column, n}, even);
    if (shift_ != 0) continue;
    std::uint16_t* odd = even + BLOCK_ROWS;
    const bool numeric = !codes.is_category(j);
    for (std::size_t i = 0; i < n; ++i)
      odd[i] = numeric && even[i] == CODE_MISSING ? CODE_MISSING_RIGHT : even[i];
  }
}

}  // namespace bayeswood
