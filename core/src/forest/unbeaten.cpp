#include "bayeswood/forest/unbeaten.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "leaf_walk.hpp"

namespace bayeswood {
namespace {

inline std::int32_t count_bits(std::uint64_t word) {
  return std::popcount(word);
}

#include "unbeaten_row.inl"

constexpr std::size_t ROWS_PER_TASK = 16;

// The trees that vote for each class that has votes, and memory to work with.
class VotedClasses {
 public:
  VotedClasses(const LeftOutRows& old_rows, const NewVotes& votes)
      : old_rows_(old_rows), votes_(votes), place_(votes.n_classes, -1) {}

  UnbeatenTask task(std::size_t row, double* out) {
    gather(votes_.classes.subspan(row * votes_.n_trees, votes_.n_trees));
    counts_.assign(voted_.size(), 0);
    sums_.assign(voted_.size(), 0.0);
    std::fill(out, out + votes_.n_classes, 0.0);
    return {old_rows_.label.size(), old_rows_.n_words,
            voted_.size(),          votes_.n_classes,
            old_rows_.trees.data(), old_rows_.margin.data(),
            old_rows_.label.data(), old_rows_.weight.data(),
            voters_.data(),         voted_.data(),
            place_.data(),          counts_.data(),
            sums_.data(),           out};
  }

 private:
  void gather(std::span<const std::int32_t> classes) {
    for (const std::int32_t c : voted_) place_[c] = -1;
    voted_.clear();
    voters_.clear();
    for (std::size_t t = 0; t < classes.size(); ++t) {
      std::int32_t& place = place_[classes[t]];
      if (place < 0) {
        place = static_cast<std::int32_t>(voted_.size());
        voted_.push_back(classes[t]);
        voters_.resize(voters_.size() + old_rows_.n_words, 0);
      }
      voters_[place * old_rows_.n_words + t / 64] |= std::uint64_t{1} << (t % 64);
    }
  }

  const LeftOutRows& old_rows_;
  const NewVotes& votes_;
  std::vector<std::int32_t> place_, voted_, counts_;
  std::vector<std::uint64_t> voters_;
  std::vector<double> sums_;
};

void run_row(const UnbeatenTask& task, bool by_class, InstructionSet instructions) {
  const bool fast = instructions != InstructionSet::PORTABLE;
  if (by_class) return fast ? unbeaten_by_class_avx2(task) : run_by_class(task);
  return fast ? unbeaten_avx2(task) : run_all(task);
}

}  // namespace

std::vector<std::int32_t> node_classes(const Forest& forest) {
  std::vector<std::int32_t> found;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const Tree& tree = forest.tree(t);
    for (std::size_t i = 0; i < tree.n_nodes(); ++i)
      found.push_back(tree.feature[i] == LEAF ? preferred_class(tree, tree.child[i]) : 0);
  }
  return found;
}

void count_unbeaten(const LeftOutRows& old_rows, const NewVotes& votes, bool by_class,
                    InstructionSet instructions, double* out, const Running& run) {
  const std::size_t n_rows = votes.n_trees == 0 ? 0 : votes.classes.size() / votes.n_trees;
  const std::size_t n_tasks = (n_rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
  parallel_for(
      n_tasks, run.n_threads,
      [&](std::size_t task, unsigned, const StopFlag& stop) {
        VotedClasses voted(old_rows, votes);
        const std::size_t last = std::min(n_rows, (task + 1) * ROWS_PER_TASK);
        for (std::size_t row = task * ROWS_PER_TASK; row < last; ++row) {
          check_stop(stop);
          run_row(voted.task(row, out + row * votes.n_classes), by_class, instructions);
        }
      },
      run.poll);
}

}  // namespace bayeswood
