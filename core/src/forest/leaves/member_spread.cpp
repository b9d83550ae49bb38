#include "bayeswood/forest/leaves/member_spread.hpp"

#include <algorithm>
#include <cmath>

#include "leaf_sums.hpp"

namespace bayeswood {
namespace {

// Cumulative sums of weights such as 0.01 miss a level such as 0.05 by rounding alone.
constexpr double LEVEL_TOLERANCE = 1e-12;
// Values of members held at a time by a thread: 4 MiB, most of a second-level cache.
constexpr std::size_t CHUNK_VALUES = std::size_t{1} << 19;

// Calls add(output, value) for what a leaf holds. Of many classes it holds few.
template <class Add>
void for_each_value(const Forest& forest, std::size_t t, std::uint32_t node, Add add) {
  const Tree& tree = forest.tree(t);
  const std::size_t leaf = tree.child[node];
  if (forest.shape().is_classifier) {
    const double* value = tree.leaf_value.data() + tree.leaf_offset[leaf];
    for (const std::int32_t label : tree.classes_of(leaf))
      add(static_cast<std::size_t>(label), *value++);
    return;
  }
  const std::size_t k = forest.n_outputs();
  const double* values = forest.leaf_values(t).data() + leaf * k;
  for (std::size_t j = 0; j < k; ++j) add(j, values[j]);
}

struct Weighted {
  double value;
  double weight;
};

// Quantiles of one column of members' values. Most class probabilities are 0, and need no sorting.
class ColumnQuantiles {
 public:
  ColumnQuantiles(std::span<const double> weights, std::span<const double> levels)
      : weights_(weights), levels_(levels) {
    double first = 0;
    for (const double weight : weights) {
      if (!(weight > 0)) continue;
      if (n_ == 0) first = weight;
      is_equal_ = is_equal_ && weight == first;
      ++n_;
    }
    for (const double level : levels) {
      const double place = std::ceil((level - LEVEL_TOLERANCE) * static_cast<double>(n_)) - 1;
      places_.push_back(static_cast<std::size_t>(std::clamp(place, 0.0, double(n_ - 1))));
    }
  }

  void find(const double* values, double* out) {
    double sum_zero = 0;
    bool has_negative = false;
    others_.clear();
    for (std::size_t m = 0; m < weights_.size(); ++m) {
      if (!(weights_[m] > 0)) continue;
      has_negative = has_negative || values[m] < 0;
      if (values[m] != 0) {
        others_.push_back({values[m], weights_[m]});
      } else {
        sum_zero += weights_[m];
      }
    }
    const std::size_t n_zero = has_negative ? 0 : n_ - others_.size();
    if (has_negative) refill(values);
    if (is_equal_) return pick(n_zero, out);
    pick_weighted(n_zero > 0 ? sum_zero : 0.0, out);
  }

 private:
  void refill(const double* values) {
    others_.clear();
    for (std::size_t m = 0; m < weights_.size(); ++m) {
      if (weights_[m] > 0) others_.push_back({values[m], weights_[m]});
    }
  }

  void pick(std::size_t n_zero, double* out) {
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      if (places_[l] < n_zero) {
        out[l] = 0;
        continue;
      }
      const auto place = others_.begin() + static_cast<std::ptrdiff_t>(places_[l] - n_zero);
      std::nth_element(others_.begin(), place, others_.end(),
                       [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
      out[l] = place->value;
    }
  }

  void pick_weighted(double below, double* out) {
    std::stable_sort(others_.begin(), others_.end(),
                     [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      const double level = levels_[l] - LEVEL_TOLERANCE;
      double sum = below;
      if (below > 0 && sum >= level) {
        out[l] = 0;
        continue;
      }
      std::size_t i = 0;
      for (; i < others_.size(); ++i) {
        sum += others_[i].weight;
        if (sum >= level) break;
      }
      // Rounding may leave the sum of all weights below a level of 1.
      out[l] = others_.empty() ? 0.0 : others_[std::min(i, others_.size() - 1)].value;
    }
  }

  std::span<const double> weights_, levels_;
  std::size_t n_ = 0;
  bool is_equal_ = true;
  std::vector<std::size_t> places_;
  std::vector<Weighted> others_;
};

// Puts what every member says of rows [begin, end) into values, n_rows x n_outputs x n_members.
void put_tree_values(const Forest& forest, const MatrixView& table, std::size_t begin,
                     std::size_t end, const StopFlag& stop, double* values) {
  const std::size_t n_members = forest.n_trees(), k = forest.n_outputs();
  std::vector<std::uint32_t> places(end - begin), leaf(end - begin);
  std::iota(places.begin(), places.end(), 0U);
  BlockWalk walk(forest, table);
  walk.load(begin, end);
  for (std::size_t t = 0; t < n_members; ++t) {
    check_stop(stop);
    walk.find(t, places, leaf.data());
    for (std::size_t i = 0; i < places.size(); ++i) {
      double* row = values + i * k * n_members + t;
      for_each_value(forest, t, leaf[i],
                     [&](std::size_t j, double value) { row[j * n_members] += value; });
    }
  }
}

// The same of sums of trees.
void put_member_values(const MemberBlocks& members, std::size_t begin, std::size_t end,
                       const StopFlag& stop, double* values) {
  const std::size_t n_members = members.n_members();
  const std::size_t n_values = (end - begin) * members.forest.n_outputs();
  members.visit_block(begin, end, stop, no_place, [&](std::size_t member, const double* sums) {
    for (std::size_t i = 0; i < n_values; ++i) values[i * n_members + member] = sums[i];
  });
}

// Mean and second moment of one value after another.
struct MomentSums {
  double* mean;
  double* square;
  void add(std::size_t at, double weight, double value) const {
    mean[at] += weight * value;
    square[at] += weight * value * value;
  }
};

}  // namespace

void predict_member_quantiles(const Forest& forest, const MatrixView& table,
                              std::size_t trees_per_member, std::span<const double> member_weights,
                              std::span<const double> levels, double* out, const Running& run) {
  const std::size_t n_members = member_weights.size(), k = forest.n_outputs();
  const std::size_t chunk = std::clamp<std::size_t>(CHUNK_VALUES / (n_members * k), 1, 512);
  const std::size_t n = table.n_rows();
  parallel_for(
      (n + chunk - 1) / chunk, run.n_threads,
      [&](std::size_t c, unsigned, const StopFlag& stop) {
        const std::size_t begin = c * chunk, end = std::min(begin + chunk, n);
        std::vector<double> values((end - begin) * k * n_members, 0.0);
        if (trees_per_member == 1) {
          put_tree_values(forest, table, begin, end, stop, values.data());
        } else {
          put_member_values({forest, table, trees_per_member}, begin, end, stop, values.data());
        }
        ColumnQuantiles column(member_weights, levels);
        for (std::size_t i = 0; i < (end - begin) * k; ++i)
          column.find(values.data() + i * n_members, out + (begin * k + i) * levels.size());
      },
      run.poll);
}

void predict_member_moments(const Forest& forest, const MatrixView& table,
                            std::size_t trees_per_member, std::span<const double> member_weights,
                            double* mean, double* variance, const Running& run) {
  const std::size_t n = table.n_rows(), k = forest.n_outputs();
  std::fill(mean, mean + n * k, 0.0);
  std::fill(variance, variance + n * k, 0.0);
  const MomentSums moments{mean, variance};
  if (trees_per_member == 1) {
    for_each_leaf(forest, table, run, [&](std::size_t t, std::size_t row, std::uint32_t node) {
      for_each_value(forest, t, node, [&](std::size_t j, double value) {
        moments.add(row * k + j, member_weights[t], value);
      });
    });
  } else {
    const MemberBlocks members{forest, table, trees_per_member};
    members.for_each(run, [&](std::size_t begin, std::size_t end, const StopFlag& stop) {
      members.visit_block(begin, end, stop, no_place, [&](std::size_t member, const double* sums) {
        for (std::size_t at = begin * k; at < end * k; ++at)
          moments.add(at, member_weights[member], *sums++);
      });
    });
  }
  for (std::size_t i = 0; i < n * k; ++i)
    variance[i] = std::max(variance[i] - mean[i] * mean[i], 0.0);
}

}  // namespace bayeswood
