// How new rows compare with the training rows that trees left out, class by class, each pair by the
// trees that left out the old row: the tournament of the jackknife+ after bootstrap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/forest/forest.hpp"

namespace bayeswood {

// The class that each leaf prefers, of equals the first, and 0 for other nodes, tree after tree.
// Label: std::uint8_t, std::uint16_t or std::uint32_t.
template <class Label>
std::vector<Label> node_classes(const Forest& forest);

struct LeftOutRows {
  std::size_t n_words;                   // of 64 trees each
  std::span<const std::uint64_t> trees;  // n x n_words, bit set: this tree left the row out
  std::span<const std::int32_t> margin;  // votes of these for the row's class less most for another
  std::span<const std::int32_t> label;   // the row's class
  std::span<const double> weight;
};

struct NewVotes {
  std::size_t n_trees;
  std::size_t n_classes;
  std::span<const std::int32_t> classes;  // n_rows x n_trees, the class each tree votes for
};

// out: n_rows x n_classes, summed weight of the old rows whose margin is at most that of the new
// row with this class. by_class: old rows count for their own class alone. `enough`: per class, a
// sum above which some number above it will do.
//
// Old rows come in the order of their margins. A class with few votes has a margin below a bound,
// whoever voted; old rows with larger ones beat it, and are not looked at.
void count_unbeaten(const LeftOutRows& old_rows, const NewVotes& votes,
                    std::span<const double> enough, bool by_class, InstructionSet instructions,
                    double* out, const Running& run);

// One new row, as plain memory that code for any instruction set may look at.
struct UnbeatenTask {
  std::size_t n_old, n_words, n_voted, n_classes;
  const std::uint64_t* trees;
  const std::int32_t* margin;
  const std::int32_t* label;
  const double* weight;
  const std::uint64_t* voters;  // n_voted x n_words, bit set: this tree votes for the class
  const std::int32_t* voted;    // n_voted, the classes that have votes
  const std::int32_t* place;    // n_classes, where a class is among these; -1: nowhere
  const std::size_t* end;       // n_voted + 1, the old rows that may be unbeaten come before it: by
                                // these classes, and by one without votes
  const double* enough;         // n_classes, sums above which nothing more is asked
  const double* enough_of;      // n_voted + 1, the same of these classes and those without votes
  std::int32_t* counts;         // n_voted, to work with
  double* sums;                 // n_voted + 1, to work with
  double* out;                  // n_classes
};

void unbeaten_by_class_avx2(const UnbeatenTask& task);
void unbeaten_avx2(const UnbeatenTask& task);

}  // namespace bayeswood
