// The search of a few rows, as plain memory that code for any instruction set may look at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "bayeswood/support/nearest_rows.hpp"

namespace bayeswood {

constexpr std::size_t ROW_LANES = 4;     // rows that are searched for together, side by side
constexpr std::size_t SAMPLE_TILE = 32;  // rows of the sample whose differences are kept
constexpr std::size_t TILE_SIZE = SAMPLE_TILE * ROW_LANES;
constexpr double FAR_AWAY = std::numeric_limits<double>::infinity();

struct ViewTerm {
  std::size_t column;
  double weight;
};

// A row of the table is a lane; sample rows follow one another.
struct NearestBlock {
  const SampleColumns* sample;
  const char* is_used;  // n_columns, whether some view has the column
  const double* rows;   // n_columns x ROW_LANES
  std::size_t own_row;  // of the first lane in the sample, whose rows are no neighbours of
                        // themselves; n_rows of the sample if all are
  std::size_t n_views;
  std::size_t n_numbered;  // views that say which rows are nearest: they come first
  const ViewTerm* terms;
  const std::size_t* ends;  // n_views, where the terms of a view end
  std::size_t k;
  double* squares;  // n_columns x TILE_SIZE, to work with
  double* sums;     // TILE_SIZE, to work with
  double* nearest;  // n_views x k x ROW_LANES, squared distances found so far, ascending
  double* numbers;  // n_numbered x k x ROW_LANES, of the rows of the sample
};

void search_block(const NearestBlock& block);
void search_block_avx2(const NearestBlock& block);

}  // namespace bayeswood
