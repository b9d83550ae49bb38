// Sums of a node's rows by bin, and the best split that they show: what the grower of a stage needs
// to know of responses and weights. Scores are sums over sides of |sum w r|^2 / sum w, in units of
// the responses times `scale`.
//
// Rows that all weigh 1 and have one response are added up as whole numbers: a response is rounded
// to so many bits that the sum of all of them and their number fit one 64-bit word, one addition
// per row and bin. Such sums do not depend on the order of rows, and a sibling's are exactly those
// of its parent less the other's. All else is added up in doubles.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayeswood/grow/category.hpp"
#include "bayeswood/grow/split.hpp"
#include "bayeswood/grow/stage/byte_bins.hpp"
#include "bayeswood/grow/target.hpp"

namespace bayeswood {

// What a stage is to learn: of each row n_outputs responses and a weight (empty: 1 each). Gains are
// told of responses times 2^exponent.
struct StageTarget {
  std::span<const double> responses;
  std::span<const double> weights;
  std::uint32_t n_outputs = 1;
  int exponent = 0;
};

// A node's sums by bin, in one of the two forms.
struct NodeBins {
  std::vector<std::int64_t> packed;
  std::vector<double> wide;
};

class BinSums {
 public:
  BinSums(const ByteBins& bins, std::uint32_t n_outputs);
  virtual ~BinSums() = default;
  BinSums(const BinSums&) = delete;
  BinSums& operator=(const BinSums&) = delete;

  // Takes the responses of the rows that take part in a tree.
  virtual void load(const StageTarget& target, std::span<const std::uint32_t> rows) = 0;
  // The power of two that responses were multiplied by.
  int exponent() const { return exponent_; }
  // Sum of w |r|^2 over all rows.
  double squares() const { return squares_; }

  // Sums over the rows of a node. The impurity is found where a category's price depends on it.
  virtual NodeTotals totals(std::span<const std::uint32_t> rows) const = 0;
  // Those of the other child, whose rows these are.
  virtual NodeTotals rest(const NodeTotals& parent, const NodeTotals& child,
                          std::span<const std::uint32_t> rows) const = 0;
  // Sums by bin, of all numbers, or of one.
  virtual void fill(NodeBins& node, std::span<const std::uint32_t> rows) const = 0;
  virtual void fill(NodeBins& node, std::span<const std::uint32_t> rows,
                    std::uint32_t feature) const = 0;
  // Turns a parent's sums into those of the other child.
  virtual void subtract(NodeBins& parent, const NodeBins& child) const = 0;

  // The best cut of a number: cut_code is a bin, upper_code the next one that has rows.
  virtual Split best_cut(const NodeBins& node, std::uint32_t feature, const NodeTotals& totals,
                         const Limits& limits) const = 0;
  // The best set of levels of a category; `root_trust` as in level_trust.hpp.
  virtual Split best_levels(std::span<const std::uint32_t> rows, std::uint32_t feature,
                            double root_trust, const NodeTotals& totals, const Limits& limits) = 0;
  // How far the rows of a tree's root trust a category.
  virtual double level_trust(std::span<const std::uint32_t> rows, std::uint32_t feature,
                             const NodeTotals& totals) = 0;

 protected:
  const ByteBins& bins_;
  std::uint32_t n_outputs_;
  bool has_prices_;  // whether a category may have to pay
  int exponent_ = 0;
  double squares_ = 0;
};

// The power of two that brings the largest response of the rows just below 2^bits.
int scale_exponent(const StageTarget& target, std::span<const std::uint32_t> rows, int bits);

// The form that fits so many rows, weighted or not.
std::unique_ptr<BinSums> make_bin_sums(const ByteBins& bins, std::size_t n_rows,
                                       std::uint32_t n_outputs, bool weighted);
std::unique_ptr<BinSums> make_packed_sums(const ByteBins& bins);
std::unique_ptr<BinSums> make_wide_sums(const ByteBins& bins, std::uint32_t n_outputs);

}  // namespace bayeswood
