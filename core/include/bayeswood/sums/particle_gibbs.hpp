// A tree of a sum drawn anew by particles, one of which is the tree as it is: particle Gibbs
// (Lakshminarayanan, Roy and Teh 2015).
//
// All particles start as one leaf and decide about their nodes in breadth-first order, one per
// stage: the first as the present tree did, the others by the prior. A split is worth the ratio of
// its two leaves' marginal likelihoods to that of one. After every stage the others are drawn anew
// among all by their weights; at the end one particle becomes the tree. The posterior of the tree,
// given all else, is left as it is for any number of particles from two on.
#pragma once

#include <cstdint>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/sums/sum_law.hpp"

namespace bayeswood {

class ParticleGibbs {
 public:
  ParticleGibbs(const SumLaw& law, std::uint32_t min_leaf) : law_(law), min_leaf_(min_leaf) {}

  // Replaces the tree and its rows' slots.
  template <class Leaves>
  void draw(const Leaves& leaves, const float* rest, const float* weight, std::size_t n_particles,
            Stream& stream, SumTree& tree, std::vector<Slot>& slots);

 private:
  struct Leaf {
    double rest = 0, mass = 0;
  };
  struct Particle {
    SumTree tree;
    std::vector<Slot> slots;
    std::vector<std::int32_t> waiting;  // nodes to decide about, from `next` on
    std::size_t next = 0;
    std::vector<Leaf> sums;  // of the leaves, by slot
    double log_weight = 0;

    bool is_open() const { return next < waiting.size(); }
  };

  void start(Particle& particle, const Leaf& all) const;
  // Decides about the oldest node; `like`: the node of the present tree that it is, or nullptr.
  template <class Leaves>
  void decide(const Leaves& leaves, const float* rest, const float* weight, Stream& stream,
              Particle& particle, const SumNode* like);
  template <class Leaves>
  void split(const Leaves& leaves, const float* rest, const float* weight, Particle& particle,
             std::int32_t node, const Rule& rule, double log_cut);
  std::size_t draw_particle(Stream& stream) const;

  const SumLaw& law_;
  std::uint32_t min_leaf_;
  std::vector<Particle> particles_, others_;
};

}  // namespace bayeswood
