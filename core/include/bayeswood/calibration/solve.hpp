// Where a smooth map of a few parameters is 0: Broyden's method from rough derivatives (Broyden
// 1965), with steps that are halved until they come nearer.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "bayeswood/calibration/minimise.hpp"

namespace bayeswood {

// Writes the map's values at `at`, as many as there are parameters.
using SmoothMap = std::function<void(std::span<const double> at, std::span<double> out)>;

// Ends with a step in which no parameter moves by more than `enough`; its end is not looked at.
std::vector<double> solve(const SmoothMap& map, std::vector<double> start,
                          const Curvature& curvature, double enough);

}  // namespace bayeswood
