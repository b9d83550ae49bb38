#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "bayeswood/base/instruction_set.hpp"
#include "bayeswood/sums/sum_sampler.hpp"
#include "module.hpp"
#include "running.hpp"

namespace bayeswood::bindings {
namespace {

ResponseKind response_kind(const std::string& name) {
  if (name == "number") return ResponseKind::NUMBER;
  if (name == "two-classes") return ResponseKind::TWO_CLASSES;
  if (name != "classes") throw std::invalid_argument("unknown response " + name);
  return ResponseKind::CLASSES;
}

std::vector<float> to_floats(const Vector<double>& values) {
  return {values.data(), values.data() + values.shape(0)};
}

std::array<double, N_SUM_MOVES> four_numbers(const Vector<double>& values, const char* name) {
  if (values.shape(0) != N_SUM_MOVES) throw std::invalid_argument(std::string(name) + ": four");
  std::array<double, N_SUM_MOVES> out;
  std::copy_n(values.data(), N_SUM_MOVES, out.begin());
  return out;
}

const RowKernels& kernels_of(const std::string& name) {
  return instruction_set(name) == InstructionSet::AVX2 ? *avx2_row_kernels()
                                                       : portable_row_kernels();
}

// Numbers: responses less the offset, in units; offsets and classes as they are.
std::shared_ptr<SumSampler> make_sampler(const AnyMatrix& X, const Vector<std::int32_t>& n_levels,
                                         const Vector<double>& y, const std::string& response,
                                         const OptionalVector& weight, const Vector<double>& offset,
                                         double unit, std::uint64_t seed, std::size_t n_chains,
                                         std::size_t n_trees, double alpha_split, double beta_split,
                                         double leaf_sd, double noise_sd, double noise_freedom,
                                         const Vector<double>& move_probabilities,
                                         std::uint32_t min_samples_leaf, std::uint32_t max_codes,
                                         const OptionalVector& log_ratio_error,
                                         const std::string& kernels, unsigned n_jobs) {
  const MatrixView view_of_X = view(X);
  SumResponse responses;
  responses.kind = response_kind(response);
  responses.offset = copy(offset);
  if (y.shape(0) != view_of_X.n_rows()) throw std::invalid_argument("y: one per row");
  if (offset.shape(0) < 1) throw std::invalid_argument("offset: one per sum");
  if (responses.kind == ResponseKind::NUMBER) {
    for (const double value : span(y))
      responses.y.push_back(static_cast<float>((value - offset(0)) / unit));
  } else {
    responses.y = to_floats(y);
  }
  if (weight) responses.weight = to_floats(*weight);
  if (weight && weight->shape(0) != y.shape(0)) throw std::invalid_argument("weight: one per row");
  if (!(unit > 0 && leaf_sd > 0 && noise_sd > 0 && noise_freedom >= 0))
    throw std::invalid_argument("unit, leaf_sd, noise_sd: positive");
  if (!(alpha_split > 0 && alpha_split < 1 && beta_split >= 0))
    throw std::invalid_argument("alpha_split: in (0, 1); beta_split: not negative");
  if (n_chains < 1 || n_trees < 1 || min_samples_leaf < 1 || max_codes < 2)
    throw std::invalid_argument("n_chains, n_trees, min_samples_leaf: at least 1; max_codes: 2");
  SumSettings settings;
  settings.seed = seed;
  settings.n_chains = n_chains;
  settings.n_trees = n_trees;
  settings.unit = unit;
  settings.offset = copy(offset);
  settings.tree_prior = {alpha_split, beta_split};
  settings.prior = {leaf_sd * leaf_sd / (unit * unit), noise_sd * noise_sd / (unit * unit),
                    noise_freedom};
  settings.moves.probability = four_numbers(move_probabilities, "move_probabilities");
  if (log_ratio_error) settings.moves.log_error = four_numbers(*log_ratio_error, "log_ratio_error");
  settings.moves.min_leaf = min_samples_leaf;
  const RowKernels& loops = kernels_of(kernels);
  nb::gil_scoped_release release;
  const EncodedMatrix matrix(view_of_X, copy(n_levels), n_jobs, max_codes);
  return std::make_shared<SumSampler>(matrix, std::move(responses), std::move(settings), loops);
}

SumPoll make_sum_poll(const nb::object& progress) {
  return [poll = make_poll(progress)](const SumProgress& at) {
    return poll(at.sweeps_done, at.n_sweeps);
  };
}

template <class T>
nb::object from_counts(const std::vector<SumRecord>& records, T get) {
  std::vector<std::int64_t> counts;
  for (const SumRecord& record : records)
    for (const std::uint64_t n : get(record)) counts.push_back(static_cast<std::int64_t>(n));
  return to_numpy(std::move(counts), {records.size(), N_SUM_MOVES});
}

nb::dict to_dict(std::vector<SumRecord>& records, const ForestShape& shape, bool interrupted) {
  nb::dict out;
  out["tried"] = from_counts(records, [](const SumRecord& r) { return r.counts.tried; });
  out["accepted"] = from_counts(records, [](const SumRecord& r) { return r.counts.accepted; });
  nb::list chains;
  for (SumRecord& record : records) {
    nb::dict chain;
    chain["noise_sd"] = to_numpy(std::move(record.noise_sd));
    chain["n_leaves"] = to_numpy(std::move(record.n_leaves));
    chain["n_draws"] = record.n_draws;
    chain["forest"] = nb::cast(
        std::make_shared<Forest>(shape, std::move(record.trees), std::move(record.values)));
    chains.append(chain);
  }
  out["chains"] = chains;
  out["interrupted"] = interrupted;
  return out;
}

nb::dict run_sampler(SumSampler& sampler, std::size_t n_regrown, std::size_t n_burn_in,
                     std::size_t n_draws, std::size_t thin, bool regrow_draws, unsigned n_jobs,
                     const nb::object& progress, bool keep_interrupted) {
  if (thin < 1) throw std::invalid_argument("thin: at least 1");
  const SumRun run{n_regrown, n_burn_in, n_draws, thin, regrow_draws};
  const SumPoll poll = make_sum_poll(progress);
  bool interrupted = false;
  std::vector<SumRecord> records;
  {
    nb::gil_scoped_release release;
    records = sampler.run(run, n_jobs, poll, interrupted);
  }
  settle_interrupt(interrupted, keep_interrupted);
  return to_dict(records, sampler.shape(), interrupted);
}

}  // namespace

void bind_sums(nb::module_& m) {
  nb::class_<SumSampler>(m, "SumSampler")
      .def("run", &run_sampler, nb::kw_only(), nb::arg("n_regrown"), nb::arg("n_burn_in"),
           nb::arg("n_draws"), nb::arg("thin") = 1, nb::arg("regrow_draws") = false,
           nb::arg("n_jobs") = 1, nb::arg("progress") = nb::none(),
           nb::arg("keep_interrupted") = false);
  m.def("sum_sampler", &make_sampler, nb::arg("X"), nb::arg("n_levels"), nb::arg("y"),
        nb::kw_only(), nb::arg("response"), nb::arg("weight").none() = nb::none(),
        nb::arg("offset"), nb::arg("unit") = 1.0, nb::arg("seed"), nb::arg("n_chains"),
        nb::arg("n_trees"), nb::arg("alpha_split"), nb::arg("beta_split"), nb::arg("leaf_sd"),
        nb::arg("noise_sd") = 1.0, nb::arg("noise_freedom") = 0.0, nb::arg("move_probabilities"),
        nb::arg("min_samples_leaf") = 1, nb::arg("max_codes") = MOST_NARROW_CODES,
        nb::arg("log_ratio_error").none() = nb::none(), nb::arg("kernels") = "auto",
        nb::arg("n_jobs") = 1);
}

}  // namespace bayeswood::bindings
