#include "bayeswood/sums/particle_gibbs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "bayeswood/sums/sum_leaves.hpp"

namespace bayeswood {

void ParticleGibbs::start(Particle& particle, const Leaf& all) const {
  particle.tree = law_.single_leaf();
  particle.slots.assign(law_.table().n_rows(), 0);
  particle.waiting.assign(1, 0);
  particle.next = 0;
  particle.sums.assign(1, all);
  particle.log_weight = 0;
}

template <class Leaves>
void ParticleGibbs::split(const Leaves& leaves, const float* rest, const float* weight,
                          Particle& particle, std::int32_t node, const Rule& rule, double log_cut) {
  SumTree& tree = particle.tree;
  const Slot left = tree[node].slot;
  tree.split(node);
  SumNode& at = tree[node];
  const Slot right = tree[at.right].slot;
  at.rule = rule;
  at.log_cut = log_cut;
  const NodeRows rows{particle.slots.data(), left};
  const auto n_right =
      static_cast<std::uint32_t>(law_.split(rows, rule, right, particle.slots.data()));
  tree[at.right].n = n_right;
  tree[at.left].n = at.n - n_right;
  Leaf moved;
  for (std::size_t i = 0; i < particle.slots.size(); ++i) {
    if (particle.slots[i] != right) continue;
    const double mass = weight == nullptr ? 1.0 : static_cast<double>(weight[i]);
    moved.rest += mass * static_cast<double>(rest[i]);
    moved.mass += mass;
  }
  if (particle.sums.size() < tree.n_slots()) particle.sums.resize(tree.n_slots());
  Leaf& first = particle.sums[left];
  const double before = leaves.log_marginal(first.rest, first.mass);
  first.rest -= moved.rest;
  first.mass -= moved.mass;
  particle.sums[right] = moved;
  particle.log_weight += leaves.log_marginal(first.rest, first.mass) +
                         leaves.log_marginal(moved.rest, moved.mass) - before;
  if (n_right < min_leaf_ || tree[at.left].n < min_leaf_)
    particle.log_weight = -std::numeric_limits<double>::infinity();
  for (const std::int32_t child : {at.left, at.right}) {
    tree[child].varies = law_.any_varies({particle.slots.data(), tree[child].slot}, at.varying);
    particle.waiting.push_back(child);
  }
}

template <class Leaves>
void ParticleGibbs::decide(const Leaves& leaves, const float* rest, const float* weight,
                           Stream& stream, Particle& particle, const SumNode* like) {
  SumTree& tree = particle.tree;
  const std::int32_t node = particle.waiting[particle.next++];
  SumNode& at = tree[node];
  if (!at.varies) return;
  const bool can_split = at.n >= 2 * min_leaf_ && !tree.is_full();
  // Where the prior would split, but no lawful split can be, staying has the prior's probability.
  if (!can_split) {
    particle.log_weight += law_.log_stop(at.depth);
    return;
  }
  const bool splits =
      like != nullptr ? !like->is_leaf() : stream.next_uniform() < law_.split_probability(at.depth);
  if (!splits) return;
  const NodeRows rows{particle.slots.data(), at.slot};
  if (!at.knows_varying) {
    at.varying = law_.find_varying(rows, tree[at.parent].varying);
    at.knows_varying = true;
  }
  if (like != nullptr) {
    split(leaves, rest, weight, particle, node, like->rule, like->log_cut);
    return;
  }
  Rule rule;
  const double log_cut = law_.draw(rows, at.varying, stream, rule);
  split(leaves, rest, weight, particle, node, rule, log_cut);
}

std::size_t ParticleGibbs::draw_particle(Stream& stream) const {
  double most = -std::numeric_limits<double>::infinity();
  for (const Particle& particle : particles_) most = std::max(most, particle.log_weight);
  double total = 0;
  for (const Particle& particle : particles_) total += std::exp(particle.log_weight - most);
  double left = total * stream.next_uniform();
  for (std::size_t p = 0; p + 1 < particles_.size(); ++p) {
    left -= std::exp(particles_[p].log_weight - most);
    if (left < 0) return p;
  }
  return particles_.size() - 1;
}

template <class Leaves>
void ParticleGibbs::draw(const Leaves& leaves, const float* rest, const float* weight,
                         std::size_t n_particles, Stream& stream, SumTree& tree,
                         std::vector<Slot>& slots) {
  particles_.resize(n_particles);
  others_.resize(n_particles);
  Leaf all;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const double mass = weight == nullptr ? 1.0 : static_cast<double>(weight[i]);
    all.rest += mass * static_cast<double>(rest[i]);
    all.mass += mass;
  }
  for (Particle& particle : particles_) start(particle, all);
  std::vector<std::int32_t> as_present{0};  // nodes of the present tree, as the first decides
  while (std::any_of(particles_.begin(), particles_.end(),
                     [](const Particle& particle) { return particle.is_open(); })) {
    for (std::size_t p = 0; p < n_particles; ++p) {
      Particle& particle = particles_[p];
      if (!particle.is_open()) continue;
      if (p > 0) {
        decide(leaves, rest, weight, stream, particle, nullptr);
        continue;
      }
      const SumNode& like = tree[as_present[particle.next]];
      decide(leaves, rest, weight, stream, particle, &like);
      if (!like.is_leaf()) as_present.insert(as_present.end(), {like.left, like.right});
    }
    // The first stays; the others are drawn anew among all.
    for (std::size_t p = 1; p < n_particles; ++p) others_[p] = particles_[draw_particle(stream)];
    for (std::size_t p = 1; p < n_particles; ++p) std::swap(particles_[p], others_[p]);
    for (Particle& particle : particles_) particle.log_weight = 0;
  }
  // After the last stage all weigh the same: the others were drawn already.
  Particle& chosen = particles_[stream.below(static_cast<std::uint32_t>(n_particles))];
  tree = std::move(chosen.tree);
  slots.swap(chosen.slots);
}

template void ParticleGibbs::draw(const MeanLeaves&, const float*, const float*, std::size_t,
                                  Stream&, SumTree&, std::vector<Slot>&);
template void ParticleGibbs::draw(const VarianceLeaves&, const float*, const float*, std::size_t,
                                  Stream&, SumTree&, std::vector<Slot>&);

}  // namespace bayeswood
