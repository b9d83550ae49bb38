#include "bayeswood/sums/sum_chain.hpp"

#include <algorithm>
#include <cmath>

namespace bayeswood {
namespace {

class NumberChain final : public SumChain {
 public:
  NumberChain(const SumLaw& law, const SumMoveSettings& settings, std::size_t n_trees,
              const SumResponse& response, const std::vector<SumPrior>& prior, const Stream& stream)
      : SumChain(law, settings, n_trees, response.n_sums(), stream),
        response_(response),
        prior_(prior) {
    for (std::size_t k = 0; k < n_sums(); ++k) {
      std::copy_n(responses(k), response.n_rows, sums_[k].rest().begin());
      noise_.push_back(prior[k].noise_start);
    }
  }

  void sweep(bool regrow, const StopFlag& stop) override {
    for (std::size_t k = 0; k < n_sums(); ++k) {
      sweep_sum(k, regrow, {noise_[k], prior_[k].leaf_variance}, weight(), stop);
      if (prior_[k].noise_freedom > 0) draw_noise(k);
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

 private:
  const float* responses(std::size_t k) const { return response_.y.data() + k * response_.n_rows; }
  const float* weight() const {
    return response_.weight.empty() ? nullptr : response_.weight.data();
  }
  void draw_noise(std::size_t k) {
    const std::vector<float>& rest = sums_[k].rest();
    double squares = prior_[k].noise_freedom * prior_[k].noise_variance;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const auto square = static_cast<double>(rest[i]) * static_cast<double>(rest[i]);
      squares += weight() == nullptr ? square : square * static_cast<double>(weight()[i]);
    }
    const double shape = 0.5 * (prior_[k].noise_freedom + static_cast<double>(rest.size()));
    noise_[k] = 0.5 * squares / draw_gamma(stream_, shape);
  }

  const SumResponse& response_;
  const std::vector<SumPrior>& prior_;
  std::vector<double> noise_;
  std::vector<double> totals_;
};

class TwoClassChain final : public SumChain {
 public:
  TwoClassChain(const SumLaw& law, const SumMoveSettings& settings, std::size_t n_trees,
                const SumResponse& response, const std::vector<SumPrior>& prior,
                const Stream& stream)
      : SumChain(law, settings, n_trees, 1, stream),
        response_(response),
        prior_(prior[0]),
        latent_(response.y.size(), response.offset[0]) {}

  void sweep(bool regrow, const StopFlag& stop) override {
    std::vector<float>& rest = sums_[0].rest();
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const double fit = latent_[i] - static_cast<double>(rest[i]);
      const double noise =
          response_.y[i] > 0 ? draw_normal_above(stream_, -fit) : -draw_normal_above(stream_, fit);
      rest[i] = static_cast<float>(noise);
      latent_[i] = fit + static_cast<double>(rest[i]);
    }
    sweep_sum(0, regrow, {1.0, prior_.leaf_variance}, nullptr, stop);
  }
  void refresh() override {
    sums_[0].put_totals(totals_);
    for (std::size_t i = 0; i < totals_.size(); ++i)
      latent_[i] = response_.offset[0] + totals_[i] + static_cast<double>(sums_[0].rest()[i]);
  }

 private:
  const SumResponse& response_;
  SumPrior prior_;
  std::vector<double> latent_;
  std::vector<double> totals_;
};

class ClassesChain final : public SumChain {
 public:
  ClassesChain(const SumLaw& law, const SumMoveSettings& settings, std::size_t n_trees,
               const SumResponse& response, const std::vector<SumPrior>& prior,
               const Stream& stream)
      : SumChain(law, settings, n_trees, response.offset.size(), stream),
        response_(response),
        prior_(prior[0]),
        weight_(response.y.size()),
        latent_(response.y.size()),
        odds_(response.y.size() * n_sums()) {
    for (std::size_t i = 0; i < weight_.size(); ++i)
      for (std::size_t k = 0; k < n_sums(); ++k) odds(i, k) = std::exp(response.offset[k]);
  }

  void sweep(bool regrow, const StopFlag& stop) override {
    if (n_sums() == 1) return;  // one class is sure
    for (std::size_t k = 0; k < n_sums(); ++k) sweep_class(k, regrow, stop);
  }
  void refresh() override {
    for (std::size_t k = 0; k < n_sums(); ++k) {
      sums_[k].put_totals(totals_);
      for (std::size_t i = 0; i < totals_.size(); ++i)
        odds(i, k) = std::exp(response_.offset[k] + totals_[i]);
    }
  }

 private:
  double& odds(std::size_t row, std::size_t k) { return odds_[row * n_sums() + k]; }
  void sweep_class(std::size_t k, bool regrow, const StopFlag& stop) {
    std::vector<float>& rest = sums_[k].rest();
    for (std::size_t i = 0; i < rest.size(); ++i) {
      double others = 0;
      for (std::size_t j = 0; j < n_sums(); ++j) others += j == k ? 0.0 : odds(i, j);
      const double against = std::log(others);
      const double fit = std::log(odds(i, k));
      const double weight = draw_polya_gamma(stream_, fit - against);
      const bool is_class = response_.y[i] == static_cast<float>(k);
      latent_[i] = (is_class ? 0.5 : -0.5) / weight + against;
      weight_[i] = static_cast<float>(weight);
      rest[i] = static_cast<float>(latent_[i] - fit);
      latent_[i] = fit + static_cast<double>(rest[i]);
    }
    sweep_sum(k, regrow, {1.0, prior_.leaf_variance}, weight_.data(), stop);
    for (std::size_t i = 0; i < rest.size(); ++i)
      odds(i, k) = std::exp(latent_[i] - static_cast<double>(rest[i]));
  }

  const SumResponse& response_;
  SumPrior prior_;
  std::vector<float> weight_;
  std::vector<double> latent_;
  std::vector<double> odds_;  // exp f_k of the rows
  std::vector<double> totals_;
};

}  // namespace

SumChain::SumChain(const SumLaw& law, const SumMoveSettings& settings, std::size_t n_trees,
                   std::size_t n_sums, const Stream& stream)
    : stream_(stream) {
  sums_.reserve(n_sums);
  for (std::size_t k = 0; k < n_sums; ++k) sums_.emplace_back(law, settings, n_trees);
}

std::uint64_t SumChain::n_leaves() const {
  std::uint64_t n = 0;
  for (const auto& sum : sums_)
    for (std::size_t t = 0; t < sum.n_trees(); ++t) n += sum.tree(t).n_leaves();
  return n;
}

std::unique_ptr<SumChain> make_chain(const SumLaw& law, const SumMoveSettings& settings,
                                     std::size_t n_trees, const SumResponse& response,
                                     const std::vector<SumPrior>& prior, const Stream& stream) {
  switch (response.kind) {
    case ResponseKind::NUMBER:
      return std::make_unique<NumberChain>(law, settings, n_trees, response, prior, stream);
    case ResponseKind::TWO_CLASSES:
      return std::make_unique<TwoClassChain>(law, settings, n_trees, response, prior, stream);
    case ResponseKind::CLASSES:
      break;
  }
  return std::make_unique<ClassesChain>(law, settings, n_trees, response, prior, stream);
}

}  // namespace bayeswood
