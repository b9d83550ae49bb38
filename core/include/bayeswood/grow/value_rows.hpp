// The values that the codes of a table of numbers stand for, row after row. Made once for all trees
// of random cuts: these compare a row with a threshold as it was drawn, and look up no code.
//
// A cell takes 4 bytes where every value of the table fits, else 8; twice that where a column's
// codes are bins, of which the least and the largest value are kept.
#pragma once

#include <cstdint>
#include <variant>

#include "bayeswood/base/line_vector.hpp"
#include "bayeswood/base/parallel.hpp"
#include "bayeswood/grow/encoded_matrix.hpp"

namespace bayeswood {

template <class Value>
struct ValueRows {
  std::size_t stride = 0;  // values per row, a multiple of LANES; the last may stand for nothing
  bool has_bins = false;
  LineVector<Value> cells;

  const Value* row(std::size_t i) const { return cells.data() + i * stride; }
  std::uint32_t place(std::uint32_t feature) const { return has_bins ? 2 * feature : feature; }
};

using ValueTable = std::variant<std::monostate, ValueRows<float>, ValueRows<double>>;

// Of a table without categories or missing values.
ValueTable make_value_table(const EncodedMatrix& matrix, unsigned n_threads);

}  // namespace bayeswood
