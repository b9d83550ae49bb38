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
#include "bayeswood/sums/sum_law.hpp"
#include "bayeswood/sums/sum_leaves.hpp"

namespace bayeswood {

class RootGrower {
 public:
  RootGrower(const SumLaw& law, std::uint32_t min_leaf) : law_(law), min_leaf_(min_leaf) {}

  // Once before trees are grown for leaves of the same prior and noise.
  template <class Leaves>
  void prepare(const Leaves& leaves, bool weighted);
  // A tree for what the others leave over, and the rows' slots in it.
  template <class Leaves>
  SumTree grow(const Leaves& leaves, const float* rest, const float* weight, Stream& stream,
               std::vector<Slot>& slots);

 private:
  struct Bin {
    double rest = 0, mass = 0;
    std::uint32_t n = 0;
    void add(const Bin& other) {
      rest += other.rest;
      mass += other.mass;
      n += other.n;
    }
    Bin less(const Bin& other) const { return {rest - other.rest, mass - other.mass, n - other.n}; }
  };
  // A rule that competes, or several that divide the rows alike.
  struct Candidate {
    std::uint32_t feature;
    std::int32_t place, next;  // cuts from place on, below next; levels of the order that go left
    bool missing_left;
  };

  template <class Leaves>
  double log_marginal(const Leaves& leaves, const Bin& bin) const;
  template <class Leaves>
  void weigh_feature(const Leaves& leaves, std::uint32_t feature, double log_feature,
                     std::span<const std::uint32_t> rows, const float* rest, const float* weight,
                     const Bin& total);
  template <class Code>
  Bin fill(const Code* codes, std::span<const std::uint32_t> rows, const float* rest,
           const float* weight);
  // Levels of the node by their mean rest, ascending.
  void order_levels();
  Rule to_rule(const Candidate& chosen, std::span<const std::uint32_t> rows, const float* rest,
               const float* weight, Stream& stream);
  const Candidate* choose(double log_stay, Stream& stream);

  const SumLaw& law_;
  std::uint32_t min_leaf_;
  std::vector<MeanLeaves::ByRows> by_rows_;  // by number of rows; empty if rows have weights
  std::vector<Bin> bins_;
  std::vector<std::int32_t> order_;
  std::vector<Candidate> candidates_;
  std::vector<double> weights_;  // of the candidates, first their logarithms
  std::vector<std::uint32_t> rows_, scratch_;
};

}  // namespace bayeswood
