#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "bayeswood/forest/leaves/unbeaten.hpp"
#include "check.hpp"

using namespace bayeswood;

namespace {

struct Tournament {
  std::size_t n_trees, n_classes, n_old = 30, n_new = 41;
  std::vector<std::uint64_t> trees;
  std::vector<std::int32_t> margin, label, votes;
  std::vector<double> weight;

  Tournament(std::size_t trees_, std::size_t classes_) : n_trees(trees_), n_classes(classes_) {
    std::mt19937_64 random(n_trees + 1000 * n_classes);
    const auto below = [&](std::size_t n) { return static_cast<std::int32_t>(random() % n); };
    trees.assign(n_old * n_words(), 0);
    for (std::size_t i = 0; i < n_old; ++i) {
      for (std::size_t t = 0; t < n_trees; ++t)
        trees[i * n_words() + t / 64] |= std::uint64_t(below(2)) << (t % 64);
      label.push_back(below(n_classes));
      margin.push_back(below(2 * n_trees + 1) - static_cast<std::int32_t>(n_trees));
      weight.push_back(0.25 * (1 + below(4)));
    }
    for (std::size_t k = 0; k < n_new * n_trees; ++k) votes.push_back(below(n_classes));
  }

  std::size_t n_words() const { return (n_trees + 63) / 64; }

  std::vector<double> run(bool by_class, InstructionSet set, unsigned n_threads,
                          double enough = HUGE_VAL) const {
    std::vector<double> out(n_new * n_classes, -1);
    count_unbeaten({n_words(), trees, margin, label, weight}, {n_trees, n_classes, votes},
                   std::vector<double>(n_classes, enough), by_class, set, out.data(),
                   {n_threads, {}});
    return out;
  }

  double slow(std::size_t row, std::size_t c, bool by_class) const {
    double sum = 0;
    for (std::size_t i = 0; i < n_old; ++i) {
      std::vector<std::int32_t> counts(n_classes);
      for (std::size_t t = 0; t < n_trees; ++t)
        counts[votes[row * n_trees + t]] += trees[i * n_words() + t / 64] >> (t % 64) & 1;
      std::int32_t rival = 0;
      for (std::size_t k = 0; k < n_classes; ++k)
        if (k != c) rival = std::max(rival, counts[k]);
      const bool counted = !by_class || label[i] == static_cast<std::int32_t>(c);
      if (counted && counts[c] - rival >= margin[i]) sum += weight[i];
    }
    return sum;
  }
};

}  // namespace

TEST(unbeaten_rows_are_counted) {
  for (const std::size_t n_trees : {1, 64, 65, 150}) {
    for (const std::size_t n_classes : {1, 2, 7}) {
      const Tournament game(n_trees, n_classes);
      for (const bool by_class : {false, true}) {
        const auto found = game.run(by_class, InstructionSet::PORTABLE, 1);
        for (std::size_t k = 0; k < found.size(); ++k)
          CHECK(found[k] == game.slow(k / n_classes, k % n_classes, by_class));
        CHECK(found == game.run(by_class, InstructionSet::PORTABLE, 3));
        for (const double enough : {-1.0, 0.0, 2.0, 5.5}) {
          const auto some = game.run(by_class, InstructionSet::PORTABLE, 1, enough);
          for (std::size_t k = 0; k < found.size(); ++k)
            CHECK((some[k] > enough) == (found[k] > enough) && some[k] <= found[k]);
        }
        if (runs_avx2()) CHECK(found == game.run(by_class, InstructionSet::AVX2, 2));
      }
    }
  }
}
