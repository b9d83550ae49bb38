#pragma once

#include <nanobind/nanobind.h>

namespace bayeswood::bindings {

void bind_forest(nanobind::module_& m);
void bind_grow(nanobind::module_& m);
void bind_safe_bayes(nanobind::module_& m);

}  // namespace bayeswood::bindings
