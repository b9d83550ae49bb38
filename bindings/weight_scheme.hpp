// How a tree weights the rows, as Python says it.
#pragma once

#include <optional>
#include <span>
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
                              const OptionalGroups& parts = {}) {
  return in_parts(make_scheme(kind, seed, threshold, optional_span(groups), n_rows),
                  optional_span(parts), n_rows);
}

}  // namespace bayeswood::bindings
