#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "bayeswood/support/nearest_rows.hpp"
#include "module.hpp"
#include "running.hpp"

namespace bayeswood::bindings {
namespace {

void check(const SampleColumns& sample, const Matrix<double>& views, const MatrixView& table,
           std::size_t k, bool leave_out) {
  if (sample.values.size() != sample.n_columns() * sample.n_rows)
    throw std::invalid_argument("is_category: one per column");
  if (views.shape(1) != sample.n_columns()) throw std::invalid_argument("views: one per column");
  if (table.n_columns() != sample.n_columns())
    throw std::invalid_argument("rows: the wrong number of columns");
  if (leave_out && table.n_rows() > sample.n_rows)
    throw std::invalid_argument("rows: more than the sample has");
  if (k < 1 || k > MOST_NEIGHBOURS || k + (leave_out ? 1 : 0) > sample.n_rows)
    throw std::invalid_argument("k: from 1 to 3, and to the number of other rows");
}

nb::tuple nearest(const Matrix<double>& columns, const Vector<std::uint8_t>& is_category,
                  double mismatch, const Matrix<double>& views, const AnyMatrix& rows,
                  std::size_t k, bool each_column, bool leave_out, const std::string& instructions,
                  unsigned n_jobs) {
  const SampleColumns sample{span(columns), columns.shape(1), span(is_category), mismatch};
  const MatrixView table = view(rows);
  check(sample, views, table, k, leave_out);
  const ColumnViews looks{each_column, span(views)};
  const std::size_t n_views = looks.count(sample.n_columns());
  const std::size_t n_numbered = each_column ? sample.n_columns() : 0;
  const InstructionSet set = instruction_set(instructions);
  RawArray<double> squared(n_views * table.n_rows() * k);
  RawArray<std::int32_t> neighbour(n_numbered * table.n_rows() * k);
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    nearest_rows(sample, looks, table, leave_out, set, {k, squared.data(), neighbour.data()},
                 run.n_threads, run.poll);
  });
  return nb::make_tuple(std::move(squared).to_numpy({n_views, table.n_rows(), k}),
                        std::move(neighbour).to_numpy({n_numbered, table.n_rows(), k}));
}

}  // namespace

void bind_support(nb::module_& m) {
  m.def("nearest_rows", &nearest, nb::arg("columns"), nb::arg("is_category"), nb::arg("mismatch"),
        nb::arg("views"), nb::arg("rows"), nb::arg("k"), nb::arg("each_column") = false,
        nb::arg("leave_out") = false, nb::arg("instruction_set") = "auto", nb::arg("n_jobs") = 1);
}

}  // namespace bayeswood::bindings
