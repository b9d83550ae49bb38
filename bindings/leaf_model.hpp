// The leaf models of the core, as Python makes them once and hands them to any sampler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arrays.hpp"
#include "bayeswood/forest/tree.hpp"
#include "bayeswood/leaf/class_leaves.hpp"
#include "bayeswood/leaf/number_leaves.hpp"

namespace bayeswood::bindings {

using OptionalCopies = std::optional<Vector<std::int32_t>>;

inline std::span<const std::int32_t> copies_span(const OptionalCopies& copies) {
  return copies ? span(*copies) : std::span<const std::int32_t>{};
}

// What is wrong with responses or with a prior is an error.
void check_labels(std::span<const std::int32_t> labels, std::size_t n_classes);
void check_units(std::span<const std::int32_t> units);
NumberPrior number_prior(double unit, double strength, double shape, double scale);

// A leaf model with the rows it looks at: Python's `LeafModel`.
class OwnedLeaves {
 public:
  OwnedLeaves(const Vector<std::int32_t>& y, const OptionalCopies& copies);
  OwnedLeaves(const OwnedLeaves&) = delete;
  OwnedLeaves& operator=(const OwnedLeaves&) = delete;

  void set_classes(const DirichletPrior& prior, double power);
  void set_numbers(const NumberPrior& prior, double center, double power);

  std::size_t n_rows() const { return y_.size(); }
  const std::vector<std::int32_t>& y() const { return y_; }
  // work(model), whichever it is.
  template <class Work>
  auto visit(Work&& work) const {
    return classes_ ? work(*classes_) : work(*numbers_);
  }
  ForestShape shape(const std::vector<std::int32_t>& n_levels) const;

 private:
  std::vector<std::int32_t> y_;
  std::vector<std::int32_t> copies_;
  std::optional<ClassLeaves> classes_;  // one of the two
  std::optional<NumberLeaves> numbers_;
};

}  // namespace bayeswood::bindings
