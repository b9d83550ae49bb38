#include "bayeswood/forest/leaves/unbeaten.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <vector>

#include "bayeswood/forest/inner_nodes.hpp"
#include "bayeswood/forest/walk/leaf_walk.hpp"

namespace bayeswood {
namespace {

inline std::int32_t count_bits(std::uint64_t word) {
  return std::popcount(word);
}

#include "unbeaten_row.inl"

constexpr std::size_t ROWS_PER_TASK = 16;

// Old rows in the order of their margins.
class RowsByMargin {
 public:
  RowsByMargin(const LeftOutRows& rows, std::size_t n_trees) : n_words_(rows.n_words) {
    std::vector<std::size_t> order(rows.label.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rows.margin[a] < rows.margin[b]; });
    for (const std::size_t i : order) {
      const auto words = rows.trees.subspan(i * n_words_, n_words_);
      trees_.insert(trees_.end(), words.begin(), words.end());
      margin_.push_back(rows.margin[i]);
      label_.push_back(rows.label[i]);
      weight_.push_back(rows.weight[i]);
      least_trees_ = std::min(least_trees_, count_trees(words, n_trees));
    }
  }

  LeftOutRows view() const { return {n_words_, trees_, margin_, label_, weight_}; }

  // The old rows that a class with so many votes of all trees may not beat come before this one.
  // Of the trees of an old row those that vote for others are shared out among `n_others` classes,
  // one of which has the mean at least.
  std::size_t end(std::int32_t votes, std::int32_t n_others) const {
    const std::int32_t against = std::max(0, least_trees_ - votes);
    const std::int32_t rival = n_others > 0 ? (against + n_others - 1) / n_others : 0;
    const auto found = std::upper_bound(margin_.begin(), margin_.end(), votes - rival);
    return static_cast<std::size_t>(found - margin_.begin());
  }

 private:
  static std::int32_t count_trees(std::span<const std::uint64_t> words, std::size_t n_trees) {
    std::int32_t found = 0;
    for (std::size_t t = 0; t < n_trees; ++t) found += words[t / 64] >> (t % 64) & 1;
    return found;
  }

  std::size_t n_words_;
  std::vector<std::uint64_t> trees_;
  std::vector<std::int32_t> margin_, label_;
  std::vector<double> weight_;
  std::int32_t least_trees_ = std::numeric_limits<std::int32_t>::max();
};

// The trees that vote for each class that has votes, and memory to work with.
class VotedClasses {
 public:
  VotedClasses(const RowsByMargin& old_rows, const NewVotes& votes, std::span<const double> enough)
      : sorted_(old_rows),
        old_rows_(old_rows.view()),
        votes_(votes),
        enough_(enough),
        place_(votes.n_classes, -1) {}

  UnbeatenTask task(std::size_t row, double* out) {
    gather(votes_.classes.subspan(row * votes_.n_trees, votes_.n_trees));
    find_ends();
    counts_.assign(voted_.size(), 0);
    sums_.assign(voted_.size() + 1, 0.0);
    std::fill(out, out + votes_.n_classes, 0.0);
    return {old_rows_.label.size(),
            old_rows_.n_words,
            voted_.size(),
            votes_.n_classes,
            old_rows_.trees.data(),
            old_rows_.margin.data(),
            old_rows_.label.data(),
            old_rows_.weight.data(),
            voters_.data(),
            voted_.data(),
            place_.data(),
            ends_.data(),
            enough_.data(),
            enough_of_.data(),
            counts_.data(),
            sums_.data(),
            out};
  }

 private:
  void gather(std::span<const std::int32_t> classes) {
    for (const std::int32_t c : voted_) place_[c] = -1;
    voted_.clear();
    voters_.clear();
    n_votes_.clear();
    for (std::size_t t = 0; t < classes.size(); ++t) {
      std::int32_t& place = place_[classes[t]];
      if (place < 0) {
        place = static_cast<std::int32_t>(voted_.size());
        voted_.push_back(classes[t]);
        n_votes_.push_back(0);
        voters_.resize(voters_.size() + old_rows_.n_words, 0);
      }
      ++n_votes_[place];
      voters_[place * old_rows_.n_words + t / 64] |= std::uint64_t{1} << (t % 64);
    }
  }

  void find_ends() {
    const auto n_voted = static_cast<std::int32_t>(voted_.size());
    ends_.clear();
    enough_of_.clear();
    for (std::size_t d = 0; d < voted_.size(); ++d) {
      ends_.push_back(sorted_.end(n_votes_[d], n_voted - 1));
      enough_of_.push_back(enough_[voted_[d]]);
    }
    ends_.push_back(voted_.size() < votes_.n_classes ? sorted_.end(0, n_voted) : 0);
    enough_of_.push_back(*std::max_element(enough_.begin(), enough_.end()));
  }

  const RowsByMargin& sorted_;
  const LeftOutRows old_rows_;
  const NewVotes& votes_;
  std::span<const double> enough_;
  std::vector<std::int32_t> place_, voted_, n_votes_, counts_;
  std::vector<std::uint64_t> voters_;
  std::vector<std::size_t> ends_;
  std::vector<double> enough_of_, sums_;
};

void run_row(const UnbeatenTask& task, bool by_class, InstructionSet instructions) {
  const bool fast = instructions != InstructionSet::PORTABLE;
  if (by_class) return fast ? unbeaten_by_class_avx2(task) : run_by_class(task);
  return fast ? unbeaten_avx2(task) : run_all(task);
}

}  // namespace

template <class Label>
std::vector<Label> node_classes(const Forest& forest) {
  std::size_t n_nodes = 0, first = 0;
  for (const auto& tree : forest.trees()) n_nodes += tree->n_nodes();
  std::vector<Label> found(n_nodes, 0);
  std::vector<std::uint32_t> leaves;
  for (const auto& tree : forest.trees()) {
    list_leaves(*tree, leaves);
    for (std::uint32_t leaf = 0; leaf < leaves.size(); ++leaf)
      found[first + leaves[leaf]] = static_cast<Label>(preferred_class(*tree, leaf));
    first += tree->n_nodes();
  }
  return found;
}
template std::vector<std::uint8_t> node_classes(const Forest&);
template std::vector<std::uint16_t> node_classes(const Forest&);
template std::vector<std::uint32_t> node_classes(const Forest&);

void count_unbeaten(const LeftOutRows& old_rows, const NewVotes& votes,
                    std::span<const double> enough, bool by_class, InstructionSet instructions,
                    double* out, const Running& run) {
  const RowsByMargin sorted(old_rows, votes.n_trees);
  const std::size_t n_rows = votes.n_trees == 0 ? 0 : votes.classes.size() / votes.n_trees;
  const std::size_t n_tasks = (n_rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
  parallel_for(
      n_tasks, run.n_threads,
      [&](std::size_t task, unsigned, const StopFlag& stop) {
        VotedClasses voted(sorted, votes, enough);
        const std::size_t last = std::min(n_rows, (task + 1) * ROWS_PER_TASK);
        for (std::size_t row = task * ROWS_PER_TASK; row < last; ++row) {
          check_stop(stop);
          run_row(voted.task(row, out + row * votes.n_classes), by_class, instructions);
        }
      },
      run.poll);
}

}  // namespace bayeswood
