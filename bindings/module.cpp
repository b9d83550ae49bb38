#include "module.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The native core of bayeswood.";
  bayeswood::bindings::bind_forest(m);
  bayeswood::bindings::bind_grow(m);
  bayeswood::bindings::bind_boost_classes(m);
  bayeswood::bindings::bind_graft(m);
  bayeswood::bindings::bind_unbeaten(m);
  bayeswood::bindings::bind_safe_bayes(m);
  bayeswood::bindings::bind_leaf_model(m);
  bayeswood::bindings::bind_mcmc(m);
  bayeswood::bindings::bind_smc(m);
  bayeswood::bindings::bind_sums(m);
  bayeswood::bindings::bind_calibration(m);
  bayeswood::bindings::bind_support(m);
  bayeswood::bindings::bind_attribution(m);
  m.def(
      "tell_leaks", [](bool wanted) { nanobind::set_leak_warnings(wanted); },
      nanobind::arg("wanted"));
}
