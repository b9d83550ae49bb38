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

// One for each move; moves at the end may be left out.
std::array<double, N_SUM_MOVES> by_move(const Vector<double>& values, const char* name) {
  constexpr auto FEWEST = static_cast<std::size_t>(SumMove::SWAP) + 1;
  if (values.shape(0) < FEWEST || values.shape(0) > N_SUM_MOVES)
    throw std::invalid_argument(std::string(name) + ": four or five");
  std::array<double, N_SUM_MOVES> out{};
  std::copy_n(values.data(), values.shape(0), out.begin());
  return out;
}

const RowKernels& kernels_of(const std::string& name) {
  const bool portable = instruction_set(name) == InstructionSet::PORTABLE;
  return portable ? portable_row_kernels() : *avx2_row_kernels();
}

// What a sum starts from, its unit and its priors, all of the same length.
struct SumVectors {
  Vector<double> offset, unit, leaf_sd, noise_sd, noise_start;

  void check() const {
    if (offset.shape(0) < 1) throw std::invalid_argument("offset: one per sum");
    for (const auto* values : {&unit, &leaf_sd, &noise_sd, &noise_start}) {
      if (values->shape(0) != offset.shape(0))
        throw std::invalid_argument("unit, leaf_sd, noise_sd: one per sum");
      for (const double value : span(*values))
        if (!(value > 0)) throw std::invalid_argument("unit, leaf_sd, noise_sd: positive");
    }
  }
};

// y: responses one after another, each as long as the table, or class numbers; numbers less what
// their sum starts from, in its unit.
std::vector<float> read_y(ResponseKind kind, const Vector<double>& y, std::size_t n_rows,
                          std::span<const double> offset, std::span<const double> unit) {
  const bool is_number = kind == ResponseKind::NUMBER;
  if (y.shape(0) != n_rows * (is_number ? offset.size() : 1))
    throw std::invalid_argument("y: one per row");
  std::vector<float> out;
  for (std::size_t i = 0; i < y.shape(0); ++i) {
    const std::size_t k = i / n_rows;
    out.push_back(static_cast<float>(is_number ? (y(i) - offset[k]) / unit[k] : y(i)));
  }
  return out;
}

SumResponse read_response(const std::string& kind, const Vector<double>& y,
                          const OptionalVector& weight, const SumVectors& sums,
                          std::size_t n_rows) {
  SumResponse response{response_kind(kind), n_rows, {}, {}, copy(sums.offset)};
  response.y = read_y(response.kind, y, n_rows, span(sums.offset), span(sums.unit));
  if (!weight) return response;
  if (weight->shape(0) != n_rows) throw std::invalid_argument("weight: one per row");
  response.weight = {weight->data(), weight->data() + n_rows};
  return response;
}

std::shared_ptr<SumSampler> make_sampler(
    const AnyMatrix& X, const Vector<std::int32_t>& n_levels, const Vector<double>& y,
    const std::string& response, const OptionalVector& weight, const Vector<double>& offset,
    const Vector<double>& unit, const Vector<double>& leaf_sd, const Vector<double>& noise_sd,
    const Vector<double>& noise_start, double noise_freedom, std::uint64_t seed,
    std::size_t n_chains, std::size_t n_trees, double alpha_split, double beta_split,
    const Vector<double>& move_probabilities, std::size_t n_variance_trees, bool has_shares,
    std::size_t n_particles, std::uint32_t min_samples_leaf, std::uint32_t max_codes,
    const OptionalVector& log_ratio_error, const std::string& kernels, unsigned n_jobs) {
  const MatrixView view_of_X = view(X);
  const SumVectors sums{offset, unit, leaf_sd, noise_sd, noise_start};
  sums.check();
  SumResponse responses = read_response(response, y, weight, sums, view_of_X.n_rows());
  if (!(alpha_split > 0 && alpha_split < 1 && beta_split >= 0 && noise_freedom >= 0))
    throw std::invalid_argument("alpha_split: in (0, 1); beta_split, noise_freedom: >= 0");
  if (n_chains < 1 || n_trees < 1 || min_samples_leaf < 1 || max_codes < 2)
    throw std::invalid_argument("n_chains, n_trees, min_samples_leaf: at least 1; max_codes: 2");
  if (n_particles < 2) throw std::invalid_argument("n_particles: at least 2");
  if (n_variance_trees > 0 && (responses.kind != ResponseKind::NUMBER || !(noise_freedom > 2)))
    throw std::invalid_argument("n_variance_trees: for numbers, with noise_freedom above 2");
  SumSettings settings;
  settings.seed = seed;
  settings.n_chains = n_chains;
  settings.model.n_trees = n_trees;
  settings.model.n_variance_trees = n_variance_trees;
  settings.model.has_shares = has_shares;
  settings.model.n_particles = n_particles;
  settings.unit = copy(unit);
  settings.offset = copy(offset);
  settings.tree_prior = {alpha_split, beta_split};
  for (std::size_t k = 0; k < offset.shape(0); ++k) {
    const double leaf = leaf_sd(k) / unit(k), noise = noise_sd(k) / unit(k);
    const double start = noise_start(k) / unit(k);
    settings.model.prior.push_back({leaf * leaf, noise * noise, noise_freedom, start * start});
  }
  settings.model.moves.probability = by_move(move_probabilities, "move_probabilities");
  if (log_ratio_error)
    settings.model.moves.log_error = by_move(*log_ratio_error, "log_ratio_error");
  settings.model.moves.min_leaf = min_samples_leaf;
  const RowKernels& loops = kernels_of(kernels);
  nb::gil_scoped_release release;
  const EncodedMatrix matrix(view_of_X, copy(n_levels), n_jobs, max_codes);
  return std::make_shared<SumSampler>(matrix, std::move(responses), std::move(settings), loops);
}

template <class T>
nb::object from_counts(const std::vector<SumRecord>& records, T get) {
  std::vector<std::int64_t> counts;
  for (const SumRecord& record : records)
    for (const std::uint64_t n : get(record)) counts.push_back(static_cast<std::int64_t>(n));
  return to_numpy(std::move(counts), {records.size(), N_SUM_MOVES});
}

nb::object to_forest(RecordedTrees& record, const ForestShape& shape) {
  return nb::cast(
      std::make_shared<Forest>(shape, std::move(record.trees), std::move(record.values)));
}

nb::dict to_dict(std::vector<SumRecord>& records, const SumSampler& sampler, bool interrupted) {
  nb::dict out;
  out["tried"] = from_counts(records, [](const SumRecord& r) { return r.counts.tried; });
  out["accepted"] = from_counts(records, [](const SumRecord& r) { return r.counts.accepted; });
  nb::list chains;
  for (SumRecord& record : records) {
    nb::dict chain;
    chain["noise_sd"] = to_numpy(std::move(record.noise_sd));
    chain["n_leaves"] = to_numpy(std::move(record.n_leaves));
    chain["shares"] = to_numpy(std::move(record.shares));
    chain["n_draws"] = record.n_draws;
    chain["forest"] = to_forest(record.sums, sampler.shape());
    if (sampler.has_products())
      chain["variance_forest"] = to_forest(record.products, sampler.shape());
    chains.append(chain);
  }
  out["chains"] = chains;
  out["interrupted"] = interrupted;
  return out;
}

Sweep sweep_kind(const std::string& name) {
  if (name == "mh") return Sweep::METROPOLIS;
  if (name == "grow-from-root") return Sweep::FROM_ROOT;
  if (name != "particle-gibbs") throw std::invalid_argument("unknown sampler " + name);
  return Sweep::PARTICLES;
}

// A few sweeps over a few rows take less time than to start a thread that does them.
bool is_short(const SumSampler& sampler, const SumRun& run) {
  constexpr std::size_t FEW = 5'000;  // rows, each tree anew
  const SumSettings& settings = sampler.settings();
  const std::size_t n_sweeps = run.n_sweeps() * settings.n_chains;
  const std::size_t n_trees = settings.model.n_trees * settings.offset.size();
  return n_sweeps * n_trees * sampler.responses().n_rows <= FEW;
}

nb::dict run_sampler(SumSampler& sampler, std::size_t n_regrown, std::size_t n_burn_in,
                     std::size_t n_draws, std::size_t thin, const std::string& how, unsigned n_jobs,
                     const nb::object& progress, bool keep_interrupted) {
  if (thin < 1) throw std::invalid_argument("thin: at least 1");
  const SumRun run{n_regrown, n_burn_in, n_draws, thin, sweep_kind(how)};
  const bool alone = progress.is_none() && is_short(sampler, run);
  const Poll poll = alone ? Poll{} : make_poll(progress);
  bool interrupted = false;
  std::vector<SumRecord> records;
  {
    nb::gil_scoped_release release;
    records = sampler.run(run, alone ? 1U : n_jobs, poll, interrupted);
  }
  settle_interrupt(interrupted, keep_interrupted);
  return to_dict(records, sampler, interrupted);
}

void replace_responses(SumSampler& sampler, const Vector<double>& y) {
  const SumResponse& now = sampler.responses();
  const SumSettings& settings = sampler.settings();
  sampler.replace_responses(read_y(now.kind, y, now.n_rows, settings.offset, settings.unit));
}

}  // namespace

void bind_sums(nb::module_& m) {
  nb::class_<SumSampler>(m, "SumSampler")
      .def("run", &run_sampler, nb::kw_only(), nb::arg("n_regrown"), nb::arg("n_burn_in"),
           nb::arg("n_draws"), nb::arg("thin") = 1, nb::arg("sampler") = "mh",
           nb::arg("n_jobs") = 1, nb::arg("progress") = nb::none(),
           nb::arg("keep_interrupted") = false)
      .def("replace_responses", &replace_responses, nb::arg("y"));
  m.def("sum_sampler", &make_sampler, nb::arg("X"), nb::arg("n_levels"), nb::arg("y"),
        nb::kw_only(), nb::arg("response"), nb::arg("weight").none() = nb::none(),
        nb::arg("offset"), nb::arg("unit"), nb::arg("leaf_sd"), nb::arg("noise_sd"),
        nb::arg("noise_start"), nb::arg("noise_freedom") = 0.0, nb::arg("seed"),
        nb::arg("n_chains"), nb::arg("n_trees"), nb::arg("alpha_split"), nb::arg("beta_split"),
        nb::arg("move_probabilities"), nb::arg("n_variance_trees") = 0,
        nb::arg("has_shares") = false, nb::arg("n_particles") = 10, nb::arg("min_samples_leaf") = 1,
        nb::arg("max_codes") = MOST_NARROW_CODES, nb::arg("log_ratio_error").none() = nb::none(),
        nb::arg("kernels") = "auto", nb::arg("n_jobs") = 1);
}

}  // namespace bayeswood::bindings
