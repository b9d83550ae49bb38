#include "bayeswood/sums/sum_chain.hpp"

#include <algorithm>
#include <cmath>

namespace bayeswood {
namespace {

class NumberChain final : public SumChain {
 public:
  NumberChain(SumLaw& law, const SumModel& model, const SumResponse& response, const Stream& stream)
      : SumChain(law, model, response.n_sums(), stream), response_(response) {
    for (std::size_t k = 0; k < n_sums(); ++k) {
      std::copy_n(responses(k), response.n_rows, sums_[k].rest().begin());
      noise_.push_back(prior(k).noise_start);
    }
    if (model.n_variance_trees == 0) return;
    products_.reserve(n_sums());
    for (std::size_t k = 0; k < n_sums(); ++k) {
      products_.emplace_back(law, model.moves, model.n_variance_trees);
      products_[k].start_at(std::pow(noise_[k], 1.0 / static_cast<double>(model.n_variance_trees)));
      const auto weight = static_cast<float>(1 / noise_[k]);
      weights_.emplace_back(response.n_rows, weight);
      for (std::size_t i = 0; i < response.n_rows; ++i) weights_[k][i] *= given_weight(i);
    }
  }

  void refresh() override {
    for (std::size_t k = 0; k < n_sums(); ++k) {
      sums_[k].put_totals(totals_);
      for (std::size_t i = 0; i < totals_.size(); ++i)
        sums_[k].rest()[i] = static_cast<float>(static_cast<double>(responses(k)[i]) - totals_[i]);
    }
  }
  double noise_variance(std::size_t k) const override { return noise_[k]; }

 protected:
  void sweep_sums(Sweep how, const StopFlag& stop) override {
    for (std::size_t k = 0; k < n_sums(); ++k) {
      if (!products_.empty()) {
        sweep_trees(sums_[k], how, MeanLeaves{1.0, prior(k).leaf_variance}, weights_[k].data(),
                    stop);
        sweep_product(k, how, stop);
        continue;
      }
      const float* weight = response_.weight.empty() ? nullptr : response_.weight.data();
      sweep_trees(sums_[k], how, MeanLeaves{noise_[k], prior(k).leaf_variance}, weight, stop);
      if (prior(k).noise_freedom > 0) draw_noise(k);
    }
  }

 private:
  const float* responses(std::size_t k) const { return response_.y.data() + k * response_.n_rows; }
  float given_weight(std::size_t i) const {
    return response_.weight.empty() ? 1.0F : response_.weight[i];
  }
  double square(std::size_t k, std::size_t i) const {
    const auto rest = static_cast<double>(sums_[k].rest()[i]);
    return rest * rest * static_cast<double>(given_weight(i));
  }
  void draw_noise(std::size_t k) {
    const double squares =
        law_.loops().add_up(response_.n_rows, prior(k).noise_freedom * prior(k).noise_variance,
                            [&](std::size_t begin, std::size_t end, double sum) {
                              for (std::size_t i = begin; i < end; ++i) sum += square(k, i);
                              return sum;
                            });
    const double shape = 0.5 * (prior(k).noise_freedom + static_cast<double>(response_.n_rows));
    noise_[k] = 0.5 * squares / draw_gamma(stream_, shape);
  }
  // Every leaf's prior is such that the product has about the mean and variance that one inverse
  // chi square would have (Pratola and others 2020, section 3.2).
  VarianceLeaves variance_leaves(std::size_t k) const {
    const double root = 1.0 / static_cast<double>(model().n_variance_trees);
    const double freedom = 2 / (1 - std::pow(1 - 2 / prior(k).noise_freedom, root));
    return {freedom / 2, freedom / 2 * std::pow(prior(k).noise_variance, root)};
  }
  void sweep_product(std::size_t k, Sweep how, const StopFlag& stop) {
    TreeSum<VarianceLeaves>& product = products_[k];
    for (std::size_t i = 0; i < response_.n_rows; ++i) {
      const auto precision = static_cast<double>(weights_[k][i] / given_weight(i));
      product.rest()[i] = static_cast<float>(square(k, i) * precision);
    }
    sweep_trees(product, how, variance_leaves(k), nullptr, stop);
    product.put_totals(totals_);
    double mean = 0;
    for (std::size_t i = 0; i < totals_.size(); ++i) {
      weights_[k][i] = given_weight(i) / static_cast<float>(totals_[i]);
      mean += totals_[i];
    }
    noise_[k] = mean / static_cast<double>(totals_.size());
  }

  const SumResponse& response_;
  std::vector<double> noise_;
  std::vector<std::vector<float>> weights_;  // with variance trees: weight over variance, by row
  std::vector<double> totals_;
};

class TwoClassChain final : public SumChain {
 public:
  TwoClassChain(SumLaw& law, const SumModel& model, const SumResponse& response,
                const Stream& stream)
      : SumChain(law, model, 1, stream),
        response_(response),
        latent_(response.y.size(), response.offset[0]) {}

  void refresh() override {
    sums_[0].put_totals(totals_);
    for (std::size_t i = 0; i < totals_.size(); ++i)
      latent_[i] = response_.offset[0] + totals_[i] + static_cast<double>(sums_[0].rest()[i]);
  }

 protected:
  void sweep_sums(Sweep how, const StopFlag& stop) override {
    std::vector<float>& rest = sums_[0].rest();
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const double fit = latent_[i] - static_cast<double>(rest[i]);
      const double noise =
          response_.y[i] > 0 ? draw_normal_above(stream_, -fit) : -draw_normal_above(stream_, fit);
      rest[i] = static_cast<float>(noise);
      latent_[i] = fit + static_cast<double>(rest[i]);
    }
    sweep_trees(sums_[0], how, MeanLeaves{1.0, prior(0).leaf_variance}, nullptr, stop);
  }

 private:
  const SumResponse& response_;
  std::vector<double> latent_;
  std::vector<double> totals_;
};

class ClassesChain final : public SumChain {
 public:
  ClassesChain(SumLaw& law, const SumModel& model, const SumResponse& response,
               const Stream& stream)
      : SumChain(law, model, response.offset.size(), stream),
        response_(response),
        weight_(response.y.size()),
        latent_(response.y.size()),
        odds_(response.y.size() * n_sums()) {
    for (std::size_t i = 0; i < weight_.size(); ++i)
      for (std::size_t k = 0; k < n_sums(); ++k) odds(i, k) = std::exp(response.offset[k]);
  }

  void refresh() override {
    for (std::size_t k = 0; k < n_sums(); ++k) {
      sums_[k].put_totals(totals_);
      for (std::size_t i = 0; i < totals_.size(); ++i)
        odds(i, k) = std::exp(response_.offset[k] + totals_[i]);
    }
  }

 protected:
  void sweep_sums(Sweep how, const StopFlag& stop) override {
    if (n_sums() == 1) return;  // one class is sure
    for (std::size_t k = 0; k < n_sums(); ++k) sweep_class(k, how, stop);
  }

 private:
  double& odds(std::size_t row, std::size_t k) { return odds_[row * n_sums() + k]; }
  void sweep_class(std::size_t k, Sweep how, const StopFlag& stop) {
    std::vector<float>& rest = sums_[k].rest();
    for (std::size_t i = 0; i < rest.size(); ++i) {
      double others = 0;
      for (std::size_t j = 0; j < n_sums(); ++j) others += j == k ? 0.0 : odds(i, j);
      const double against = std::log(others);
      const double fit = std::log(odds(i, k));
      const double weight = draw_polya_gamma(stream_, fit - against);
      const bool is_class = response_.y[i] == static_cast<float>(k);
      weight_[i] = static_cast<float>(weight);
      rest[i] = static_cast<float>((is_class ? 0.5 : -0.5) / weight + against - fit);
      latent_[i] = fit + static_cast<double>(rest[i]);
    }
    sweep_trees(sums_[k], how, MeanLeaves{1.0, prior(k).leaf_variance}, weight_.data(), stop);
    for (std::size_t i = 0; i < rest.size(); ++i)
      odds(i, k) = std::exp(latent_[i] - static_cast<double>(rest[i]));
  }

  const SumResponse& response_;
  std::vector<float> weight_;
  std::vector<double> latent_;
  std::vector<double> odds_;  // exp f_k of the rows
  std::vector<double> totals_;
};

}  // namespace

SumChain::SumChain(SumLaw& law, const SumModel& model, std::size_t n_sums, const Stream& stream)
    : law_(law), stream_(stream), model_(model), shares_(law.table().n_features()) {
  sums_.reserve(n_sums);
  for (std::size_t k = 0; k < n_sums; ++k) sums_.emplace_back(law, model.moves, model.n_trees);
}

template <class Leaves>
void SumChain::sweep_trees(TreeSum<Leaves>& trees, Sweep how, const Leaves& leaves,
                           const float* weight, const StopFlag& stop) {
  switch (how) {
    case Sweep::METROPOLIS:
      return trees.sweep(leaves, weight, stream_, stop);
    case Sweep::FROM_ROOT:
      return trees.regrow(leaves, weight, stream_, stop);
    case Sweep::PARTICLES:
      return trees.resample(leaves, weight, model_.n_particles, stream_, stop);
  }
}

void SumChain::sweep(Sweep how, const StopFlag& stop) {
  sweep_sums(how, stop);
  // Trees from the root know too little yet to leave features out.
  if (!model_.has_shares || how == Sweep::FROM_ROOT) return;
  for (const auto& sum : sums_)
    for (std::size_t t = 0; t < sum.n_trees(); ++t) shares_.add(law_, sum.tree(t), stream_);
  for (const auto& product : products_)
    for (std::size_t t = 0; t < product.n_trees(); ++t) shares_.add(law_, product.tree(t), stream_);
  shares_.draw(law_, stream_);
  law_.set_shares(shares_.shares());
}

std::uint64_t SumChain::n_leaves() const {
  std::uint64_t n = 0;
  for (const auto& sum : sums_)
    for (std::size_t t = 0; t < sum.n_trees(); ++t) n += sum.tree(t).n_leaves();
  return n;
}

std::unique_ptr<SumChain> make_chain(SumLaw& law, const SumModel& model,
                                     const SumResponse& response, const Stream& stream) {
  switch (response.kind) {
    case ResponseKind::NUMBER:
      return std::make_unique<NumberChain>(law, model, response, stream);
    case ResponseKind::TWO_CLASSES:
      return std::make_unique<TwoClassChain>(law, model, response, stream);
    case ResponseKind::CLASSES:
      break;
  }
  return std::make_unique<ClassesChain>(law, model, response, stream);
}

}  // namespace bayeswood
