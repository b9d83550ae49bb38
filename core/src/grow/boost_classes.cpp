#include "bayeswood/grow/boost_classes.hpp"

#include <algorithm>
#include <cmath>

#include "bayeswood/base/random.hpp"
#include "bayeswood/base/vector_math.hpp"
#include "bayeswood/forest/monotone.hpp"

namespace bayeswood {
namespace {

// Rows whose probabilities are held at a time.
constexpr std::size_t BLOCK = 512;

// Of two classes, from the log odds. exp of minus the absolute value never overflows.
void second_probabilities(std::span<const double> scores, std::span<double> out) {
  for (std::size_t i = 0; i < scores.size(); ++i) out[i] = -std::abs(scores[i]);
  exp_in_place(out);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double less = out[i] / (1 + out[i]), more = 1 - less;
    out[i] = scores[i] > 0 ? more : less;
  }
}

}  // namespace

void class_probabilities(std::span<const double> scores, std::size_t n_classes,
                         std::vector<double>& out) {
  if (n_classes == 2) {
    out.resize(2 * scores.size());
    // exp of minus the absolute value never overflows.
    for (std::size_t i = 0; i < scores.size(); ++i) out[i] = -std::abs(scores[i]);
    exp_in_place(std::span(out).first(scores.size()));
    for (std::size_t i = scores.size(); i-- > 0;) {
      const double less = out[i] / (1 + out[i]);
      const bool second = scores[i] > 0;
      out[2 * i] = second ? less : 1 - less;
      out[2 * i + 1] = second ? 1 - less : less;
    }
    return;
  }
  out.assign(scores.begin(), scores.end());
  for (std::size_t i = 0; i < out.size(); i += n_classes) {
    const double most = *std::max_element(out.begin() + i, out.begin() + i + n_classes);
    for (std::size_t c = 0; c < n_classes; ++c) out[i + c] -= most;
  }
  exp_in_place(out);
  for (std::size_t i = 0; i < out.size(); i += n_classes) {
    double sum = 0;
    for (std::size_t c = 0; c < n_classes; ++c) sum += out[i + c];
    for (std::size_t c = 0; c < n_classes; ++c) out[i + c] /= sum;
  }
}

BoostedClasses::BoostedClasses(const EncodedMatrix& matrix, const ClassBoostData& data,
                               const WeightScheme& scheme, const ClassBoostOptions& options,
                               const Running& run)
    : bins_(matrix, run.n_threads, run.poll),
      options_(options),
      n_classes_(data.n_classes),
      labels_(data.labels.begin(), data.labels.end()),
      bags_(options.n_bags) {
  options_.stage.leaf_means = false;
  parallel_for(
      n_bags(), run.n_threads,
      [&](std::size_t b, unsigned, const StopFlag&) { start(b, data, scheme); }, run.poll);
}

void BoostedClasses::start(std::size_t b, const ClassBoostData& data, const WeightScheme& scheme) {
  Bag& bag = bags_[b];
  static_cast<BagRows&>(bag) =
      draw_bag(scheme, b * scheme.trees_per_draw, data.sample_weight, n_rows(), true);
  set_first(bag);
}

// Log shares, of classes that the bag lacks too: each has a row more, shared by all.
void BoostedClasses::set_first(Bag& bag) const {
  const double share = 1.0 / n_classes_;
  std::vector<double> counts(n_classes_, share);
  for (const auto row : bag.inside()) counts[labels_[row]] += bag.weight(row);
  log_in_place(counts);
  if (n_classes_ == 2)
    bag.first = {counts[1] - counts[0]};
  else
    bag.first = std::move(counts);
  const std::size_t k = n_outputs();
  bag.scores.resize(n_rows() * k);
  for (std::size_t i = 0; i < bag.scores.size(); ++i) bag.scores[i] = bag.first[i % k];
}

// One thread's grower, for bags with weights or without.
class BoostedClasses::Worker {
 public:
  explicit Worker(const BoostedClasses& bags)
      : bags_(bags),
        c_(bags.n_classes_),
        k_(bags.n_outputs()),
        shape_{static_cast<std::int32_t>(bags.matrix().n_features()), static_cast<std::int32_t>(k_),
               false, bags.matrix().n_levels()},
        proba_(bags.n_rows() * (c_ == 2 ? 1 : c_)),
        seen_(bags.n_rows()) {}

  void grow(Bag& bag, std::uint64_t number, const StopFlag& stop) {
    check_stop(stop);
    auto& grower = bag.weights.empty() ? plain_ : weighted_;
    if (!grower)
      grower = std::make_unique<StageGrower>(bags_.bins_, bags_.options_.stage, bags_.n_rows(), 1,
                                             !bag.weights.empty());
    if (c_ == 2) {
      find_gradients(bag);
    } else {
      find_probabilities(bag);
      combine(bag, number);
    }
    rows_ = bag.rows;
    gains_.assign(bags_.matrix().n_features(), 0.0);
    const StageRows rows{std::span(rows_).first(bag.n_inside),
                         std::span(rows_).subspan(bag.n_inside)};
    Tree tree = grower->grow(number, {seen_, bag.weights, 1, 0}, rows, gains_.data(), stop);
    tree.leaf_value.assign(tree.n_leaves() * k_, 0.0);
    for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf)
      set_step(bag, grower->inside(leaf), {tree.leaf_value.data() + leaf * k_, k_});
    bound_leaves(tree, shape_, bags_.options_.stage.monotone);
    for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
      const double* value = tree.leaf_value.data() + leaf * k_;
      for (const auto part : {grower->inside(leaf), grower->outside(leaf)})
        for (const auto row : part)
          for (std::size_t j = 0; j < k_; ++j) bag.scores[std::size_t{row} * k_ + j] += value[j];
    }
    finish(bag, std::move(tree));
  }

 private:
  // Of two classes, of which a probability says all: that of the second, and its gradient, which
  // the tree is grown on.
  void find_gradients(const Bag& bag) {
    double score[BLOCK], found[BLOCK];
    for (std::size_t begin = 0; begin < bag.n_inside; begin += BLOCK) {
      const std::size_t n = std::min(BLOCK, bag.n_inside - begin);
      const std::uint32_t* row = bag.rows.data() + begin;
      for (std::size_t i = 0; i < n; ++i) score[i] = bag.scores[row[i]];
      second_probabilities({score, n}, {found, n});
      for (std::size_t i = 0; i < n; ++i) {
        proba_[row[i]] = found[i];
        seen_[row[i]] = static_cast<double>(bags_.labels_[row[i]]) - found[i];
      }
    }
  }

  // Of the rows in the bag.
  void find_probabilities(const Bag& bag) {
    for (std::size_t begin = 0; begin < bag.n_inside; begin += BLOCK) {
      const std::size_t end = std::min(bag.n_inside, begin + BLOCK);
      scores_.resize((end - begin) * k_);
      double* to = scores_.data();
      for (std::size_t i = begin; i < end; ++i) {
        const double* own = bag.scores.data() + std::size_t{bag.rows[i]} * k_;
        for (std::size_t j = 0; j < k_; ++j) *to++ = own[j];
      }
      class_probabilities(scores_, c_, found_);
      for (std::size_t i = begin; i < end; ++i)
        std::copy_n(found_.data() + (i - begin) * c_, c_,
                    proba_.data() + std::size_t{bag.rows[i]} * c_);
    }
  }

  double gradient(std::size_t row, std::size_t c) const {
    return (bags_.labels_[row] == static_cast<std::int32_t>(c) ? 1.0 : 0.0) - proba_[row * c_ + c];
  }

  // What the tree is grown on: a random combination of the gradients.
  void combine(const Bag& bag, std::uint64_t number) {
    draw_factors(number);
    for (const auto row : bag.inside()) {
      double sum = factors_[bags_.labels_[row]];
      for (std::size_t c = 0; c < c_; ++c) sum -= factors_[c] * proba_[std::size_t{row} * c_ + c];
      seen_[row] = sum;
    }
  }

  // Uniform around 0: what one combination cannot tell apart another can.
  void draw_factors(std::uint64_t number) {
    Stream random(bags_.options_.stage.seed, number, Purpose::CHOICES);
    factors_.resize(c_);
    for (double& factor : factors_) factor = random.next_uniform() - 0.5;
  }

  // One step of Newton for every output, times the learning rate.
  void set_step(const Bag& bag, std::span<const std::uint32_t> rows, std::span<double> value) {
    if (k_ == 1) return set_one_step(bag, rows, value[0]);
    curvature_.assign(k_, bags_.options_.damping);
    for (const auto row : rows) {
      const double w = bag.weight(row);
      for (std::size_t j = 0; j < k_; ++j) {
        const double p = proba_[std::size_t{row} * c_ + c_ - k_ + j];
        value[j] += w * gradient(row, c_ - k_ + j);
        curvature_[j] += w * p * (1 - p);
      }
    }
    const double rate = bags_.options_.learning_rate * (1.0 - 1.0 / static_cast<double>(c_));
    for (std::size_t j = 0; j < k_; ++j) value[j] *= rate / curvature_[j];
  }

  // Of two classes, of which the tree was grown on the gradient itself.
  void set_one_step(const Bag& bag, std::span<const std::uint32_t> rows, double& value) const {
    double sum = 0, curvature = bags_.options_.damping;
    for (const auto row : rows) {
      const double w = bag.weight(row), p = proba_[row];
      sum += w * seen_[row];
      curvature += w * p * (1 - p);
    }
    value = sum * (bags_.options_.learning_rate / curvature);
  }

  void finish(Bag& bag, Tree&& tree) {
    if (bag.trees.empty())
      for (std::size_t i = 0; i < tree.leaf_value.size(); ++i)
        tree.leaf_value[i] += bag.first[i % k_];
    bag.trees.push_back(std::make_shared<const Tree>(std::move(tree)));
  }

  const BoostedClasses& bags_;
  std::size_t c_, k_;
  ForestShape shape_;
  std::unique_ptr<StageGrower> plain_, weighted_;
  std::vector<double> proba_, seen_;  // by row
  std::vector<double> scores_, found_, factors_, curvature_;
  std::vector<double> gains_;  // by feature; nobody asks for them
  std::vector<std::uint32_t> rows_;
};

void BoostedClasses::grow(std::size_t n_stages, const Running& run) {
  std::vector<std::unique_ptr<Worker>> workers(worker_count(n_bags(), run.n_threads));
  parallel_for(
      n_bags(), run.n_threads,
      [&](std::size_t b, unsigned w, const StopFlag& stop) {
        if (!workers[w]) workers[w] = std::make_unique<Worker>(*this);
        const std::uint64_t first = FIRST_OF_CLASSES + b * MOST_STAGES;
        for (std::size_t s = 0; s < n_stages; ++s)
          workers[w]->grow(bags_[b], first + bags_[b].trees.size(), stop);
      },
      run.poll);
}

void BoostedClasses::out_of_bag(double* sums, std::int32_t* counts) const {
  const std::size_t k = n_outputs(), n = n_rows();
  std::fill_n(sums, 2 * n * n_classes_, 0.0);
  std::fill_n(counts, 2 * n, 0);
  std::vector<double> scores, proba;
  for (std::size_t b = 0; b < n_bags(); ++b) {
    const Bag& bag = bags_[b];
    const std::size_t half = b % 2;
    const auto outside = bag.outside();
    for (std::size_t begin = 0; begin < outside.size(); begin += BLOCK) {
      const auto block = outside.subspan(begin, std::min(BLOCK, outside.size() - begin));
      scores.clear();
      for (const auto row : block)
        scores.insert(scores.end(), bag.scores.begin() + static_cast<std::ptrdiff_t>(row * k),
                      bag.scores.begin() + static_cast<std::ptrdiff_t>((row + 1) * k));
      class_probabilities(scores, n_classes_, proba);
      for (std::size_t i = 0; i < block.size(); ++i) {
        ++counts[half * n + block[i]];
        double* sum = sums + (half * n + block[i]) * n_classes_;
        for (std::size_t c = 0; c < n_classes_; ++c) sum[c] += proba[i * n_classes_ + c];
      }
    }
  }
}

}  // namespace bayeswood
