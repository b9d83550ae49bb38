#include "bayeswood/calibration/cross_calibration.hpp"

#include <algorithm>

namespace bayeswood {
namespace {

using Vector = std::vector<double>;

// The weights of the rows where `wanted` holds of the fold, else 0.
template <class Wanted>
Vector masked(std::span<const double> weights, std::span<const std::int32_t> fold, Wanted wanted) {
  Vector found(weights.size(), 0.0);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (fold[i] >= 0 && wanted(fold[i])) found[i] = weights[i];
  }
  return found;
}

class FoldJudge {
 public:
  FoldJudge(const LabelledVotes& rows, const Vector& held_out, const ClassCalibration& fitted)
      : rows_(rows), held_out_(held_out), offset_(fitted.offset), slope_(fitted.slopes) {
    for (double& s : slope_) s *= fitted.power;
  }

  // Writes the rows' scores; returns the weighted sums of q over the rows, by class.
  Vector judge(double* scores) const {
    const VotesView& votes = rows_.votes;
    const LogVotes all(votes, votes.mean, held_out_, rows_.n_trees);
    const Vector ones(votes.n_classes, 1.0), zeros(votes.n_classes, 0.0);
    const ClassMap map{slope_, offset_};
    Vector q(votes.n_classes), weights;
    for (std::size_t i = 0; i < held_out_.size(); ++i) {
      if (!(held_out_[i] > 0)) continue;
      all.probabilities({ones, zeros}, weights.size(), q);
      write(q, i, 0, scores);
      all.probabilities(map, weights.size(), q);
      write(q, i, 1, scores);
      weights.push_back(held_out_[i]);
    }
    Vector mass = all.sums(map, weights).mass;
    if (!votes.first_half.empty()) move_beyond(map, weights, mass);
    return mass;
  }

 private:
  void write(std::span<const double> q, std::size_t row, std::size_t column, double* scores) const {
    const std::size_t n = held_out_.size();
    const auto truth = static_cast<std::size_t>(rows_.label[row]);
    const auto top = static_cast<std::size_t>(std::max_element(q.begin(), q.end()) - q.begin());
    double squares = 0;
    for (const double p : q) squares += p * p;
    const double found[N_ROW_SCORES] = {q[truth], q[top], top == truth ? 1.0 : 0.0, squares,
                                        q[std::min<std::size_t>(1, q.size() - 1)]};
    for (std::size_t k = 0; k < N_ROW_SCORES; ++k) scores[(k * n + row) * 2 + column] = found[k];
  }

  // From averages over the trees that left a row out to those of a prediction.
  void move_beyond(const ClassMap& map, std::span<const double> weights, Vector& mass) const {
    const VotesView& votes = rows_.votes;
    Vector halves(mass.size(), 0.0);
    for (const auto mean : {votes.first_half, votes.second_half}) {
      const Vector found = LogVotes(votes, mean, held_out_, rows_.n_trees).sums(map, weights).mass;
      for (std::size_t c = 0; c < mass.size(); ++c) halves[c] += found[c] / 2;
    }
    for (std::size_t c = 0; c < mass.size(); ++c) mass[c] -= rows_.beyond * (halves[c] - mass[c]);
  }

  const LabelledVotes& rows_;
  const Vector& held_out_;
  Vector offset_, slope_;
};

}  // namespace

JudgedVotes judge_votes(const LabelledVotes& rows, std::span<const std::int32_t> fold,
                        std::size_t n_folds, const ClassCalibration& start, unsigned n_threads) {
  const std::size_t n = rows.votes.n_rows(), n_classes = rows.votes.n_classes;
  JudgedVotes out{Vector(N_ROW_SCORES * n * 2, 0.0), Vector(n_classes, 0.0)};
  std::vector<Vector> mass(n_folds);
  const Vector judged = masked(rows.weights, fold, [](auto) { return true; });
  LabelledVotes all = rows;
  all.weights = judged;
  const CalibrationPath path = calibration_path(all, start);
  parallel_for(n_folds, n_threads, [&](std::size_t k, unsigned, const StopFlag&) {
    const auto own = static_cast<std::int32_t>(k);
    const Vector held_out = masked(rows.weights, fold, [own](auto f) { return f == own; });
    Vector used = masked(rows.weights, fold, [own](auto f) { return f != own; });
    const auto positive = [](double weight) { return weight > 0; };
    if (std::none_of(held_out.begin(), held_out.end(), positive)) return;
    if (std::none_of(used.begin(), used.end(), positive)) used = held_out;
    LabelledVotes others = rows;
    others.weights = used;
    mass[k] = FoldJudge(rows, held_out, fit_nearby(others, path)).judge(out.scores.data());
  });
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += fold[i] >= 0 ? rows.weights[i] : 0.0;
  for (const Vector& part : mass) {
    for (std::size_t c = 0; c < part.size(); ++c) out.mean_proba[c] += part[c] / total;
  }
  return out;
}

}  // namespace bayeswood
