#include "leaf_model.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <stdexcept>

#include "module.hpp"

namespace bayeswood::bindings {
namespace {

std::unique_ptr<OwnedLeaves> class_leaves(const Vector<std::int32_t>& y,
                                          const OptionalCopies& copies, const Vector<double>& alpha,
                                          double power) {
  auto model = std::make_unique<OwnedLeaves>(y, copies);
  model->set_classes(DirichletPrior(span(alpha)), power);
  return model;
}

std::unique_ptr<OwnedLeaves> number_leaves(const Vector<std::int32_t>& y,
                                           const OptionalCopies& copies, double unit,
                                           double strength, double shape, double scale,
                                           double center, double power) {
  auto model = std::make_unique<OwnedLeaves>(y, copies);
  model->set_numbers(number_prior(unit, strength, shape, scale), center, power);
  return model;
}

void check_power(double power) {
  if (!(power >= 0)) throw std::invalid_argument("power: not negative");
}

}  // namespace

void check_labels(std::span<const std::int32_t> labels, std::size_t n_classes) {
  for (const auto label : labels) {
    if (label < 0 || static_cast<std::size_t>(label) >= n_classes)
      throw std::invalid_argument("y: label out of range");
  }
}

void check_units(std::span<const std::int32_t> units) {
  for (const auto value : units) {
    if (value > (1 << 30) || value < -(1 << 30)) throw std::invalid_argument("y: too large");
  }
}

NumberPrior number_prior(double unit, double strength, double shape, double scale) {
  if (!(unit > 0 && strength > 0 && shape > 1 && scale > 0))
    throw std::invalid_argument("unit, strength and scale: positive; shape: above 1");
  return {strength, shape, scale, unit};
}

OwnedLeaves::OwnedLeaves(const Vector<std::int32_t>& y, const OptionalCopies& copies)
    : y_(copy(y)), copies_(copies ? copy(*copies) : std::vector<std::int32_t>{}) {
  if (y_.empty()) throw std::invalid_argument("y: at least one row");
  if (copies && copies_.size() != y_.size()) throw std::invalid_argument("copies: one per row");
  for (const auto times : copies_) {
    if (times < 1) throw std::invalid_argument("copies: at least 1");
  }
}

void OwnedLeaves::set_classes(const DirichletPrior& prior, double power) {
  check_labels(y_, prior.n_classes());
  check_power(power);
  classes_.emplace(y_, RowCopies(copies_, y_.size()), prior, power);
}

void OwnedLeaves::set_numbers(const NumberPrior& prior, double center, double power) {
  check_units(y_);
  check_power(power);
  numbers_.emplace(y_, RowCopies(copies_, y_.size()), prior, center, power);
}

ForestShape OwnedLeaves::shape(const std::vector<std::int32_t>& n_levels) const {
  const std::size_t n_outputs = visit([](const auto& model) { return model.n_outputs(); });
  return {static_cast<std::int32_t>(n_levels.size()), static_cast<std::int32_t>(n_outputs),
          classes_.has_value(), n_levels};
}

void bind_leaf_model(nb::module_& m) {
  nb::class_<OwnedLeaves>(m, "LeafModel").def_prop_ro("y", [](nb::object self) {
    return look(nb::cast<const OwnedLeaves&>(self).y(), self);
  });
  m.def("class_leaves", &class_leaves, nb::arg("y"), nb::arg("copies").none(), nb::kw_only(),
        nb::arg("alpha"), nb::arg("power") = 1.0);
  m.def("number_leaves", &number_leaves, nb::arg("y"), nb::arg("copies").none(), nb::kw_only(),
        nb::arg("unit"), nb::arg("strength"), nb::arg("shape"), nb::arg("scale"),
        nb::arg("center") = 0.0, nb::arg("power") = 1.0);
}

}  // namespace bayeswood::bindings
