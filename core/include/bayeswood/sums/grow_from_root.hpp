// A tree drawn from its root, node by node, each rule by its posterior as if its children were
// leaves (He and Hahn 2023).
//
// At a node, stopping and every rule compete by prior times marginal likelihood: a rule has that of
// its two children. No later split is foreseen, so that this is no sample of the posterior, but a
// fast search that ends near its mass. Levels of a category are ordered by their mean rest, and cut
// along that order.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/sums/code_histogram.hpp"
#include "bayeswood/sums/sum_law.hpp"
#include "bayeswood/sums/sum_leaves.hpp"

namespace bayeswood {

class RootGrower {
 public:
  RootGrower(const SumLaw& law, std::uint32_t min_leaf);

  // Once before trees are grown for leaves of the same prior and noise.
  template <class Leaves>
  void prepare(const Leaves& leaves, bool weighted);
  // A tree for what the others leave over, and the rows' slots in it.
  template <class Leaves>
  SumTree grow(const Leaves& leaves, const float* rest, const float* weight, Stream& stream,
               std::vector<Slot>& slots);
  // Lets go of the memory that growing takes: some histograms of 16 bytes for every code.
  void release();

 private:
  static constexpr std::size_t NONE = static_cast<std::size_t>(-1);
  struct Waiting {
    std::int32_t node;
    std::size_t begin, end;  // its rows
    std::size_t histogram;   // NONE: it has too few rows to be split
  };
  // The cuts of a feature in a node, [begin, end) in the lists of cuts.
  struct Cuts {
    bool varies = false;
    std::int32_t low = 0, high = 0;  // cuts from low on, below high
    std::size_t begin = 0, end = 0;
    double most = 0;    // exponent
    double weight = 0;  // of all
  };
  struct Chosen {
    std::uint32_t feature;
    std::size_t cut;
  };

  std::size_t take_histogram();
  // Runs task(feature) for all that vary in `within`, side by side where there are many rows.
  template <class Task>
  void for_features(const Varying& within, std::size_t n_rows, Task task) const;
  RowRun rows_of(std::size_t begin, std::size_t end) const;
  // Levels of the node by their mean rest, ascending.
  void order_levels(std::uint32_t feature, const CodeHistogram& histogram);
  // Lists the cuts, each with the sums of its left side; several that divide alike are one.
  void list_cuts(std::uint32_t feature, const CodeHistogram& histogram, std::uint32_t n_rows);
  void list_plain_cuts(std::uint32_t feature, std::span<const CodeBin> bins, std::uint32_t n_rows);
  template <class Leaves>
  void weigh_cuts(const Leaves& leaves, std::uint32_t feature, const CodeBin& total);
  Varying varying_of(const Varying& within) const;
  // False: the node stays a leaf, which is worth factor * exp(exponent).
  bool choose(const Varying& varying, double exponent, double factor, Stream& stream,
              Chosen& chosen);
  Rule to_rule(const Chosen& chosen, Stream& stream) const;
  void start_rows(const float* rest, const float* weight);
  // Whether the node is split, and how.
  template <class Leaves>
  bool decide(const Leaves& leaves, std::size_t histogram, const Varying& within, bool is_full,
              Stream& stream, SumNode& at, Rule& rule);
  // Puts rows that go left first; their number.
  std::size_t divide(std::size_t begin, std::size_t end, const Slot* slots, Slot right);
  // Histograms for both children of a node, whose own is used up.
  void divide_histogram(const Varying& varying, std::size_t histogram, Waiting& left,
                        Waiting& right);

  const SumLaw& law_;
  std::uint32_t min_leaf_;
  bool weighted_ = false;
  std::vector<double> log_gamma_;  // of variance leaves, by rows
  std::vector<CodeHistogram> histograms_;
  std::vector<std::size_t> free_;  // histograms
  // By feature, and by cut: two sides of missing values for every code.
  std::vector<std::size_t> first_cut_;
  std::vector<Cuts> cuts_;
  std::vector<std::vector<std::int32_t>> order_;
  std::vector<std::int32_t> place_, alike_;  // code or level; how many cuts from it on are one
  std::vector<std::uint8_t> missing_left_;
  std::vector<double> exponent_, factor_;  // first rest and mass of the left side
  // Rows in the order of the leaves, and what belongs to them.
  std::vector<std::uint32_t> rows_, other_rows_;
  std::vector<float> rest_, other_rest_, weight_, other_weight_;
};

}  // namespace bayeswood
