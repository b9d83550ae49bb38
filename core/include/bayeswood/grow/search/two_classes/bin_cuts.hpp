// Cuts between bins of codes, and which bins are worth opening: for two classes, see
// count_search.hpp and weight_search.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bayeswood/grow/search/random_cuts/lane_cuts.hpp"
#include "bayeswood/grow/search/two_classes/packed_count.hpp"
#include "bayeswood/grow/target.hpp"

namespace bayeswood {

constexpr std::uint32_t MAX_BINS = 512;
constexpr std::uint32_t BIN_STEP = 8;  // bins are padded to a multiple of it, with empty ones

// A bit per bin.
struct BinMarks {
  alignas(64) std::uint8_t opened[MAX_BINS / 8];   // a better cut may hide inside
  alignas(64) std::uint8_t offered[MAX_BINS / 8];  // the cut after it is better, and it has rows
};

struct CountBins {
  std::uint32_t n_bins;
  const PackedCount* bins;
  PackedCount* before;  // sums left of each bin
  double* gain;         // of the cut after each bin, -1 where not allowed
  std::uint32_t total_n;
  double total_w;
  double total_wy;
  std::uint32_t min_rows;  // per child
  double min_weight;
};
using CountGains = double (*)(const CountBins& task);  // returns the largest gain
// Writes the marks of all bins; returns whether there are any.
using CountMarking = bool (*)(const CountBins& task, double to_beat, BinMarks& marks);

// Rows of a subtree, to be added to the histograms of four features. Codes are kept in the order of
// the rows, for bins that will be opened.
template <class Row>
struct BinFill {
  const std::uint16_t* ids;
  std::size_t n;
  const Row* rows;  // by id
  const std::uint16_t* columns[LANES];
  std::uint32_t shifts[LANES];
  Row* bins[LANES];
  std::uint16_t* codes[LANES];
};
template <class Row>
using BinFiller = void (*)(const BinFill<Row>& task);

// The same with sums of any weights.
struct WeightBins {
  std::uint32_t n_bins;
  std::uint32_t n_cuts;  // after the first so many bins
  const WeightedValue* bins;
  double* w;  // sums left of each bin; one entry more than bins
  double* wy;
  double* gain;
  double total_w;
  double total_wy;
  double min_weight;
};
using WeightGains = double (*)(const WeightBins& task);
using WeightMarking = bool (*)(const WeightBins& task, double to_beat, BinMarks& marks);

// Which rows lie in bins that are opened, bin = code >> shift.
struct BinOpening {
  const std::uint16_t* codes;
  std::size_t n;
  std::uint32_t shift;
  const std::uint8_t* opened;  // as in BinMarks
  std::uint32_t* places;       // room for n + 16
};
using BinOpener = std::size_t (*)(const BinOpening& task);  // how many

// Sorts a few entries; null where insertion is faster.
constexpr std::uint32_t FEW_ENTRIES = 128;
using FewSort = void (*)(std::uint32_t* entries, std::uint32_t n);

}  // namespace bayeswood
