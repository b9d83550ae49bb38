#pragma once

#include <nanobind/nanobind.h>

#include "bayeswood/forest/forest.hpp"

namespace bayeswood::bindings {

void bind_forest(nanobind::module_& m);
void bind_predict(nanobind::module_& m, nanobind::class_<Forest>& forest);
void bind_grow(nanobind::module_& m);
void bind_boost_classes(nanobind::module_& m);
void bind_graft(nanobind::module_& m);
void bind_unbeaten(nanobind::module_& m);
void bind_safe_bayes(nanobind::module_& m);
void bind_leaf_model(nanobind::module_& m);
void bind_mcmc(nanobind::module_& m);
void bind_smc(nanobind::module_& m);
void bind_sums(nanobind::module_& m);
void bind_calibration(nanobind::module_& m);
void bind_support(nanobind::module_& m);
void bind_attribution(nanobind::module_& m);

}  // namespace bayeswood::bindings
