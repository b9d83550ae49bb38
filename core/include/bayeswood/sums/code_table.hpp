// A table as codes of one byte each, column after column, for sums of trees.
//
// Made from an EncodedMatrix, whose codes it keeps. A category of more levels than a byte can
// number has columns of two bytes. The largest code of its width marks a missing cell. A cut c of
// a number sends codes <= c left; cuts are the same in all nodes.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "bayeswood/grow/encoded_matrix.hpp"

namespace bayeswood {

template <class Code>
constexpr Code MISSING_OF = std::numeric_limits<Code>::max();

// So many codes of a number fit into a byte.
constexpr std::uint32_t MOST_NARROW_CODES = 255;

class CodeTable {
 public:
  explicit CodeTable(const EncodedMatrix& matrix);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_features() const { return columns_.size(); }
  const std::vector<std::int32_t>& n_levels() const { return n_levels_; }
  bool is_category(std::size_t j) const { return n_levels_[j] > 0; }
  bool has_missing(std::size_t j) const { return columns_[j].has_missing; }
  std::uint32_t n_codes(std::size_t j) const { return columns_[j].n_codes; }
  bool is_wide(std::size_t j) const { return columns_[j].is_wide; }
  const std::uint8_t* narrow(std::size_t j) const { return narrow_.data() + columns_[j].offset; }
  const std::uint16_t* wide(std::size_t j) const { return wide_.data() + columns_[j].offset; }
  // Calls visit(column of the feature), whatever its width.
  template <class Visit>
  auto with_column(std::size_t j, Visit&& visit) const {
    return is_wide(j) ? visit(wide(j)) : visit(narrow(j));
  }
  // On the user's scale, of the cut between codes `cut` and `cut + 1`.
  double threshold(std::size_t j, std::int32_t cut) const { return columns_[j].threshold[cut]; }

 private:
  struct Column {
    bool is_wide, has_missing;
    std::uint32_t n_codes;
    std::size_t offset;
    std::vector<double> threshold;
  };

  std::size_t n_rows_;
  std::vector<std::int32_t> n_levels_;
  std::vector<Column> columns_;
  std::vector<std::uint8_t> narrow_;
  std::vector<std::uint16_t> wide_;
};

}  // namespace bayeswood
