#include "bayeswood/forest/graft.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "bayeswood/base/random.hpp"
#include "module.hpp"
#include "running.hpp"

namespace bayeswood::bindings {
namespace {

using BranchRows = std::vector<Vector<std::int32_t>>;

std::shared_ptr<Forest> graft_branches(const Forest& trunk,
                                       const std::vector<std::shared_ptr<Forest>>& branches,
                                       const std::optional<BranchRows>& rows, unsigned n_jobs) {
  if (rows && rows->size() != branches.size())
    throw std::invalid_argument("rows: one array per branch");
  std::vector<Branch> parts;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    parts.push_back({*branches[b], rows ? span((*rows)[b]) : std::span<const std::int32_t>{}});
  }
  std::vector<Tree> trees;
  run_released(n_jobs, nb::none(), [&](const Running& run) { trees = graft(trunk, parts, run); });
  return std::make_shared<Forest>(trunk.shape(), std::move(trees));
}

}  // namespace

void bind_graft(nb::module_& m) {
  m.def("graft", &graft_branches, nb::arg("trunk"), nb::arg("branches"),
        nb::arg("rows") = nb::none(), nb::arg("n_jobs") = 1);
  m.def("part_seed", &part_seed, nb::arg("seed"), nb::arg("part"));
}

}  // namespace bayeswood::bindings
