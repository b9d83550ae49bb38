// How a tree weights the rows, as Python says it.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "bayeswood/base/row_weights.hpp"

namespace bayeswood::bindings {

using OptionalGroups = std::optional<Vector<std::int32_t>>;

inline std::span<const std::int32_t> optional_span(const OptionalGroups& groups) {
  return groups ? span(*groups) : std::span<const std::int32_t>{};
}

inline WeightScheme scheme_of(const std::string& kind, std::uint64_t seed, double threshold,
                              const OptionalGroups& groups, std::size_t n_rows,
                              const OptionalGroups& parts, std::uint64_t trees_per_draw,
                              std::uint32_t n_draws) {
  auto scheme = in_parts(make_scheme(kind, seed, threshold, optional_span(groups), n_rows),
                         optional_span(parts), n_rows);
  if (trees_per_draw < 1) throw std::invalid_argument("trees_per_draw: at least 1");
  scheme.trees_per_draw = trees_per_draw;
  if (n_draws > 0 && (scheme.kind != WeightKind::BOOTSTRAP || n_draws > n_rows))
    throw std::invalid_argument("n_draws: for bootstrap samples only, at most the number of rows");
  scheme.n_draws = n_draws;
  return scheme;
}

}  // namespace bayeswood::bindings
