#include "bayeswood/weights.hpp"

#include <algorithm>
#include <stdexcept>

#include "bayeswood/random.hpp"

namespace bayeswood {

WeightKind weight_kind(const std::string& name) {
  if (name == "exponential") return WeightKind::EXPONENTIAL;
  if (name == "bootstrap") return WeightKind::BOOTSTRAP;
  if (name == "unit") return WeightKind::UNIT;
  if (name == "given") return WeightKind::GIVEN;
  throw std::invalid_argument("scheme must be exponential, bootstrap, unit or given, got " + name);
}

namespace {

void draw_bootstrap(Stream stream, std::span<const double> sample_weight, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  if (sample_weight.empty()) {
    const auto n = static_cast<std::uint32_t>(out.size());
    for (std::uint32_t i = 0; i < n; ++i) out[stream.below(n)] += 1;
    return;
  }
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    if (sample_weight[i] > 0) rows.push_back(i);
  }
  const auto n = static_cast<std::uint32_t>(rows.size());
  for (std::uint32_t i = 0; i < n; ++i) out[rows[stream.below(n)]] += 1;
}

}  // namespace

void draw_weights(const WeightScheme& scheme, std::uint64_t tree,
                  std::span<const double> sample_weight, std::span<double> out) {
  const Stream stream(scheme.seed, tree, Purpose::WEIGHTS);
  switch (scheme.kind) {
    case WeightKind::EXPONENTIAL:
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = stream.exponential_at(i);
      return;
    case WeightKind::BOOTSTRAP:
      return draw_bootstrap(stream, sample_weight, out);
    case WeightKind::UNIT:
      std::fill(out.begin(), out.end(), 1.0);
      return;
    case WeightKind::GIVEN:
      throw std::invalid_argument("given weights are not drawn");
  }
}

}  // namespace bayeswood
