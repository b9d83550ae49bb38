#include "bayeswood/sums/tree_sum.hpp"

#include <algorithm>
#include <cmath>

namespace bayeswood {

template <class Leaves>
TreeSum<Leaves>::TreeSum(const SumLaw& law, const SumMoveSettings& settings, std::size_t n_trees)
    : law_(law),
      moves_(law, settings),
      grower_(law, settings.min_leaf),
      particles_(law, settings.min_leaf),
      trees_(n_trees, law.single_leaf()),
      slots_(n_trees, std::vector<Slot>(law.table().n_rows(), 0)),
      values_(n_trees),
      rest_(law.table().n_rows()) {
  for (Values& values : values_) values.fill(neutral());
}

template <class Leaves>
void TreeSum<Leaves>::pass(std::size_t t, const Slot* proposed, std::size_t n_proposed,
                           const float* weight) {
  if (!has_before_) take_.fill(neutral());
  for (std::size_t s = 0; s < std::max<std::size_t>(trees_[t].n_slots(), 8); ++s)
    give_[s] = values_[t][s];
  const std::size_t before = has_before_ ? before_ : t;
  const RowPass pass{rest_.size(),          rest_.data(),     weight,
                     slots_[before].data(), slots_[t].data(), proposed,
                     take_.data(),          give_.data(),     trees_[before].n_slots(),
                     trees_[t].n_slots(),   n_proposed};
  const SlotSums sums{new_rest_.data(), new_mass_.data()};
  if (Leaves::MULTIPLY) {
    law_.loops().multiply_pass(pass, sums);
  } else {
    law_.loops().add_pass(pass, sums);
  }
}

// The values of the last tree are still to be taken from the rows.
template <class Leaves>
void TreeSum<Leaves>::finish(const float* weight) {
  if (!has_before_) return;
  give_.fill(neutral());
  const Slot* slots = slots_[before_].data();
  const std::size_t n_slots = trees_[before_].n_slots();
  const RowPass pass{rest_.size(), rest_.data(), weight,  slots,   slots,  slots,
                     take_.data(), give_.data(), n_slots, n_slots, n_slots};
  const SlotSums sums{new_rest_.data(), new_mass_.data()};
  if (Leaves::MULTIPLY) {
    law_.loops().multiply_pass(pass, sums);
  } else {
    law_.loops().add_pass(pass, sums);
  }
  has_before_ = false;
}

template <class Leaves>
double TreeSum<Leaves>::log_marginal(const Leaves& leaves, const std::vector<Slot>& of,
                                     const Sums& rest, const Sums& mass) const {
  double sum = 0;
  for (const Slot slot : of) sum += leaves.log_marginal(rest[slot], mass[slot]);
  return sum;
}

template <class Leaves>
void TreeSum<Leaves>::draw_values(std::size_t t, const Leaves& leaves, Stream& stream) {
  trees_[t].visit(0, [&](std::int32_t node) {
    if (!trees_[t][node].is_leaf()) return;
    const Slot slot = trees_[t][node].slot;
    values_[t][slot] = static_cast<float>(leaves.draw(old_rest_[slot], old_mass_[slot], stream));
    take_[slot] = inverse(values_[t][slot]);
  });
  before_ = t;
  has_before_ = true;
}

// Without weights the mass of a leaf is its number of rows.
template <class Leaves>
void TreeSum<Leaves>::count_rows(const SumTree& tree, double* mass) const {
  tree.visit(0, [&](std::int32_t node) {
    if (tree[node].is_leaf()) mass[tree[node].slot] = tree[node].n;
  });
}

template <class Leaves>
void TreeSum<Leaves>::sum_present(std::size_t t, const float* weight) {
  const SlotSums sums{old_rest_.data(), old_mass_.data()};
  law_.loops().sum_slots(rest_.data(), weight, slots_[t].data(), trees_[t].n_slots(), rest_.size(),
                         sums);
  if (weight == nullptr) count_rows(trees_[t], old_mass_.data());
}

// Sums of the proposal and of the tree as it is; births and deaths tell one from the other.
template <class Leaves>
void TreeSum<Leaves>::sum_both(std::size_t t, bool possible, const float* weight) {
  const SumTree& tree = trees_[t];
  const SumMove move = moves_.move();
  const bool moves_rows = possible && move != SumMove::DEATH;
  const std::size_t n_slots = moves_rows ? moves_.n_slots() : tree.n_slots();
  pass(t, moves_rows ? moves_.slots() : slots_[t].data(), n_slots, weight);
  if (weight == nullptr) {
    count_rows(tree, new_mass_.data());
    if (moves_rows) moves_.put_counts(tree, new_mass_.data());
  }
  if (moves_rows && move != SumMove::BIRTH) return sum_present(t, weight);
  std::copy_n(new_rest_.begin(), n_slots, old_rest_.begin());
  std::copy_n(new_mass_.begin(), n_slots, old_mass_.begin());
  if (!possible) return;
  const bool is_birth = move == SumMove::BIRTH;
  const std::vector<Slot>& pair = is_birth ? moves_.new_leaves() : moves_.old_leaves();
  auto& rest = is_birth ? old_rest_ : new_rest_;
  auto& mass = is_birth ? old_mass_ : new_mass_;
  rest[pair[0]] += new_rest_[pair[1]];
  mass[pair[0]] += new_mass_[pair[1]];
}

template <class Leaves>
void TreeSum<Leaves>::step(std::size_t t, const Leaves& leaves, const float* weight,
                           Stream& stream) {
  const bool possible = moves_.propose(trees_[t], slots_[t].data(), stream);
  const auto move = static_cast<std::size_t>(moves_.move());
  sum_both(t, possible, weight);
  ++counts_.tried[move];
  if (possible) {
    const double log_ratio = moves_.log_ratio() +
                             log_marginal(leaves, moves_.new_leaves(), new_rest_, new_mass_) -
                             log_marginal(leaves, moves_.old_leaves(), old_rest_, old_mass_);
    if (log_ratio >= 0 || std::log(stream.next_uniform()) < log_ratio) {
      moves_.accept(trees_[t], slots_[t]);
      ++counts_.accepted[move];
      std::swap(old_rest_, new_rest_);
      std::swap(old_mass_, new_mass_);
    }
  }
  draw_values(t, leaves, stream);
}

template <class Leaves>
void TreeSum<Leaves>::start_at(double value) {
  for (Values& values : values_) values.fill(static_cast<float>(value));
}

template <class Leaves>
void TreeSum<Leaves>::put_totals(std::vector<double>& totals) const {
  totals.assign(rest_.size(), Leaves::MULTIPLY ? 1.0 : 0.0);
  law_.loops().for_blocks(totals.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = 0; t < trees_.size(); ++t)
      for (std::size_t i = begin; i < end; ++i) {
        const auto value = static_cast<double>(values_[t][slots_[t][i]]);
        totals[i] = Leaves::MULTIPLY ? totals[i] * value : totals[i] + value;
      }
  });
}

template <class Leaves>
void TreeSum<Leaves>::sweep(const Leaves& leaves, const float* weight, Stream& stream,
                            const StopFlag& stop) {
  for (std::size_t t = 0; t < trees_.size() && !stop.load(std::memory_order_relaxed); ++t)
    step(t, leaves, weight, stream);
  finish(weight);
}

template <class Leaves>
template <class Draw>
void TreeSum<Leaves>::replace_trees(const Leaves& leaves, const float* weight, Stream& stream,
                                    const StopFlag& stop, Draw draw) {
  for (std::size_t t = 0; t < trees_.size() && !stop.load(std::memory_order_relaxed); ++t) {
    pass(t, slots_[t].data(), trees_[t].n_slots(), weight);
    draw(t);
    trees_[t].is_recorded = false;
    sum_present(t, weight);
    draw_values(t, leaves, stream);
  }
  finish(weight);
}

template <class Leaves>
void TreeSum<Leaves>::regrow(const Leaves& leaves, const float* weight, Stream& stream,
                             const StopFlag& stop) {
  grower_.prepare(leaves, weight != nullptr);
  replace_trees(leaves, weight, stream, stop, [&](std::size_t t) {
    trees_[t] = grower_.grow(leaves, rest_.data(), weight, stream, slots_[t]);
  });
  grower_.release();
}

template <class Leaves>
void TreeSum<Leaves>::resample(const Leaves& leaves, const float* weight, std::size_t n_particles,
                               Stream& stream, const StopFlag& stop) {
  replace_trees(leaves, weight, stream, stop, [&](std::size_t t) {
    particles_.draw(leaves, rest_.data(), weight, n_particles, stream, trees_[t], slots_[t]);
  });
}

template class TreeSum<MeanLeaves>;
template class TreeSum<VarianceLeaves>;

}  // namespace bayeswood
