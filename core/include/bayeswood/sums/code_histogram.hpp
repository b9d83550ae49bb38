// Sums over the rows of a node by their codes, feature after feature.
//
// A node's histogram is that of its two children together: once that of the smaller child is
// filled, subtracting it leaves that of the larger.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/sums/code_table.hpp"

namespace bayeswood {

struct CodeBin {
  double rest = 0, mass = 0;

  void add(const CodeBin& other) {
    rest += other.rest;
    mass += other.mass;
  }
};

// Rows next to each other: their numbers, rests and weights (nullptr: all 1).
struct RowRun {
  std::span<const std::uint32_t> row;
  const float* rest;
  const float* weight;
};

class CodeHistogram {
 public:
  CodeHistogram(const CodeTable& table, bool weighted);

  // Forgets what was there of the feature.
  void fill(std::size_t feature, const RowRun& rows);
  void subtract(std::size_t feature, const CodeHistogram& part);

  // By code; the last one holds missing values.
  std::span<const CodeBin> bins(std::size_t feature) const {
    return std::span(bins_).subspan(first_[feature], first_[feature + 1] - first_[feature]);
  }
  std::uint32_t count(std::size_t feature, std::size_t code) const {
    const std::size_t at = first_[feature] + code;
    return counts_.empty() ? static_cast<std::uint32_t>(bins_[at].mass) : counts_[at];
  }
  CodeBin total(std::size_t feature) const;

 private:
  const CodeTable* table_;
  std::vector<std::size_t> first_;  // bin of each feature, and the end
  std::vector<CodeBin> bins_;
  std::vector<std::uint32_t> counts_;  // where rows have weights; else masses are counts
};

}  // namespace bayeswood
