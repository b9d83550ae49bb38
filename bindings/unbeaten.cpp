#include "bayeswood/forest/leaves/unbeaten.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "module.hpp"
#include "running.hpp"

namespace bayeswood::bindings {
namespace {

void check_classes(std::span<const std::int32_t> classes, std::size_t n_classes, const char* what) {
  const auto lawful = [&](std::int32_t c) {
    return c >= 0 && static_cast<std::size_t>(c) < n_classes;
  };
  if (!std::all_of(classes.begin(), classes.end(), lawful)) throw std::invalid_argument(what);
}

nb::object unbeaten(const Matrix<std::uint64_t>& left_out, const Vector<std::int32_t>& margin,
                    const Vector<std::int32_t>& label, const Vector<double>& weight,
                    const Matrix<std::int32_t>& votes, std::size_t n_classes, bool by_class,
                    const std::optional<Vector<double>>& enough, const std::string& instructions,
                    unsigned n_jobs) {
  const std::size_t n = left_out.shape(0);
  if (margin.shape(0) != n || label.shape(0) != n || weight.shape(0) != n)
    throw std::invalid_argument("margin, label, weight: one per left-out row");
  if (votes.shape(1) == 0 || left_out.shape(1) * 64 < votes.shape(1))
    throw std::invalid_argument("votes: of some trees, each with its bit in left_out");
  check_classes(span(label), n_classes, "label: 0, ..., n_classes - 1");
  check_classes(span(votes), n_classes, "votes: 0, ..., n_classes - 1");
  const LeftOutRows old_rows{left_out.shape(1), span(left_out), span(margin), span(label),
                             span(weight)};
  const NewVotes own{votes.shape(1), n_classes, span(votes)};
  if (enough && enough->shape(0) != n_classes) throw std::invalid_argument("enough: one per class");
  const std::vector<double> sums =
      enough ? copy(*enough) : std::vector<double>(n_classes, HUGE_VAL);
  const InstructionSet set = instruction_set(instructions);
  std::vector<double> out(votes.shape(0) * n_classes);
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    count_unbeaten(old_rows, own, sums, by_class, set, out.data(), run);
  });
  return to_numpy(std::move(out), {votes.shape(0), n_classes});
}

nb::object classes_of_nodes(const Forest& forest) {
  if (!forest.shape().is_classifier) throw std::invalid_argument("only classifiers vote");
  const std::size_t n = forest.n_outputs();
  if (n <= std::numeric_limits<std::uint8_t>::max())
    return to_numpy(node_classes<std::uint8_t>(forest));
  if (n <= std::numeric_limits<std::uint16_t>::max())
    return to_numpy(node_classes<std::uint16_t>(forest));
  return to_numpy(node_classes<std::uint32_t>(forest));
}

}  // namespace

void bind_unbeaten(nb::module_& m) {
  m.def("node_classes", &classes_of_nodes, nb::arg("forest"));
  m.def("count_unbeaten", &unbeaten, nb::arg("left_out"), nb::arg("margin"), nb::arg("label"),
        nb::arg("weight"), nb::arg("votes"), nb::arg("n_classes"), nb::arg("by_class") = false,
        nb::arg("enough") = nb::none(), nb::arg("instruction_set") = "auto", nb::arg("n_jobs") = 1);
}

}  // namespace bayeswood::bindings
