// What a tree predicts, in the three forms the grower scans.
//
//   SCALAR   one number per row: regression (centred on the mean), and two classes under Gini,
//   where
//            W 2p(1 - p) = 2 * squared error of the 0/1 label, so the same scan serves both
//   CLASSES  a label per row: three classes or more, or entropy
//   MULTI    several numbers per row; also one, where the criterion is not the squared error
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/search/two_classes/packed_count.hpp"

namespace bayeswood {

enum class Criterion { SQUARED_ERROR, GINI, ENTROPY, POISSON, ABSOLUTE_ERROR };
enum class TargetKind { SCALAR, CLASSES, MULTI };

struct Target {
  TargetKind kind = TargetKind::SCALAR;
  Criterion criterion = Criterion::SQUARED_ERROR;
  std::uint32_t n_outputs = 1;  // classes, or numbers per row
  bool is_classifier = false;
  std::vector<double> scanned;     // SCALAR, MULTI: centred and scaled responses, or the 0/1 label
  std::span<const double> values;  // regression: n_rows x n_outputs, as given
  std::vector<std::int32_t> labels;  // classifier
  double unit = 1;                   // regression: of a scanned number; y = (scanned + offset) unit
  double offset = 0;                 // of the first output

  static Target regression(std::span<const double> values, std::uint32_t n_outputs,
                           std::span<const double> sample_weight);
  // Splits by Poisson deviance or absolute error.
  static Target regression(std::span<const double> values, std::uint32_t n_outputs,
                           std::span<const double> sample_weight, Criterion criterion);
  static Target classification(std::span<const std::int32_t> labels, std::uint32_t n_classes,
                               Criterion criterion);

  // A number of the first output, as given: never decreasing in `scanned`, whatever the rounding.
  double natural(double scanned_value) const { return (scanned_value + offset) * unit; }
  // Impurity per weight as scikit-learn counts it, of what scores are in here.
  double impurity_unit() const;
};

struct WeightedValue {
  double w;   // weight of the row
  double wy;  // weight times response
};

// The rows of one tree (indexed by row) or of one subtree (indexed by local number).
struct RowData {
  const WeightedValue* pair = nullptr;  // SCALAR
  const double* y = nullptr;            // SCALAR
  const double* w = nullptr;            // CLASSES, MULTI
  const std::int32_t* label = nullptr;  // CLASSES
  const double* values = nullptr;       // MULTI: centred, n_outputs per row
  CountedRows counted;                  // two classes with whole-number weights, see CountSearch
  const double* natural = nullptr;      // a number as given; null: look it up in the target
};

// Sums over the rows of a node.
struct NodeTotals {
  std::uint32_t n = 0;
  double w = 0;
  double score = 0;     // the criterion's score of the node unsplit
  double impurity = 0;  // weighted; the scale of tolerances
  bool pure = true;     // every row has the same response
  double wy = 0;        // SCALAR, with the range of y
  double y_min = 0;
  double y_max = 0;
};

}  // namespace bayeswood
