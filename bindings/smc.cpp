#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <map>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "bayeswood/smc/particle_filter.hpp"
#include "leaf_model.hpp"
#include "module.hpp"
#include "moves.hpp"
#include "running.hpp"

namespace bayeswood::bindings {
namespace {

template <class Value>
Value choose(const std::map<std::string, Value>& options, const std::string& name,
             const char* what) {
  const auto at = options.find(name);
  if (at == options.end()) throw std::invalid_argument(std::string("unknown ") + what + " " + name);
  return at->second;
}

Proposal proposal_of(const std::string& name) {
  return choose<Proposal>({{"prior", Proposal::PRIOR},
                           {"empirical", Proposal::EMPIRICAL},
                           {"tempered", Proposal::TEMPERED}},
                          name, "proposal");
}

Expansion expansion_of(const std::string& name) {
  return choose<Expansion>({{"oldest", Expansion::OLDEST},
                            {"least-likely", Expansion::LEAST_LIKELY},
                            {"layer", Expansion::LAYER}},
                           name, "expansion");
}

Resampling resampling_of(const std::string& name) {
  return choose<Resampling>({{"multinomial", Resampling::MULTINOMIAL},
                             {"systematic", Resampling::SYSTEMATIC},
                             {"stratified", Resampling::STRATIFIED},
                             {"residual", Resampling::RESIDUAL}},
                            name, "resampling scheme");
}

nb::dict to_dict(std::vector<Island>& islands, const RankedTable& table, const OwnedLeaves& model) {
  ParticleForest found = gather(islands, table.n_features());
  std::vector<double> log_evidence;
  std::vector<std::int32_t> n_open, n_filtered;
  nb::list ess;
  for (Island& island : islands) {
    log_evidence.push_back(island.log_evidence);
    n_open.push_back(static_cast<std::int32_t>(island.n_open));
    n_filtered.push_back(static_cast<std::int32_t>(island.n_filtered));
    ess.append(to_numpy(std::move(island.ess)));
  }
  const std::size_t n_trees = found.trees.size();
  nb::dict out;
  out["forest"] = std::make_shared<Forest>(model.shape(table.n_levels()), std::move(found.trees));
  out["importances"] = to_numpy(std::move(found.importances), {n_trees, table.n_features()});
  out["leaf_variance"] = to_numpy(std::move(found.leaf_variance));
  out["particle_island"] = to_numpy(std::move(found.island));
  out["particle_tree"] = to_numpy(std::move(found.tree));
  out["particle_weight"] = to_numpy(std::move(found.weight));
  out["island_log_evidence"] = to_numpy(std::move(log_evidence));
  out["island_ess"] = ess;
  out["island_n_open"] = to_numpy(std::move(n_open));
  out["island_size"] = to_numpy(std::move(n_filtered));
  return out;
}

RankedTable ranked(const AnyMatrix& X, const Vector<std::int32_t>& n_levels, std::size_t n_rows,
                   const Running& run) {
  const MatrixView table = view(X);
  if (table.n_rows() != n_rows) throw std::invalid_argument("X: one row per response");
  return {table, copy(n_levels), run};
}

MoveSettings move_settings(std::uint32_t n_moves, std::uint32_t n_moved, std::uint32_t n_islands,
                           const OptionalVector& probabilities,
                           const OptionalVector& log_ratio_error) {
  MoveSettings moves{n_moves, n_moved, {}};
  if (n_moves == 0) return moves;
  if (n_moved < n_islands) throw std::invalid_argument("n_moved: at least one per island");
  if (!probabilities) throw std::invalid_argument("move_probabilities: needed for moves");
  moves.chain.probability = numbers_of_moves(*probabilities, "move_probabilities");
  check_probabilities(moves.chain.probability);
  if (log_ratio_error)
    moves.chain.log_error = numbers_of_moves(*log_ratio_error, "log_ratio_error");
  return moves;
}

nb::dict sample_particles(const AnyMatrix& X, const Vector<std::int32_t>& n_levels,
                          const OwnedLeaves& model, std::uint64_t seed, std::uint32_t n_particles,
                          std::uint32_t n_islands, double alpha_split, double beta_split,
                          const std::string& proposal, double tau, const std::string& expansion,
                          const std::string& resampling, double ess_threshold,
                          std::uint32_t max_stages, std::int64_t min_samples_leaf,
                          std::uint32_t max_leaves, std::uint32_t n_moves, std::uint32_t n_moved,
                          const OptionalVector& move_probabilities,
                          const OptionalVector& log_ratio_error, unsigned n_jobs,
                          const nb::object& progress) {
  if (n_islands < 1 || n_particles < n_islands)
    throw std::invalid_argument("n_particles: at least one per island");
  FilterSettings settings;
  settings.proposal = {{alpha_split, beta_split}, proposal_of(proposal), tau, min_samples_leaf};
  settings.expansion = expansion_of(expansion);
  settings.resampling = resampling_of(resampling);
  settings.ess_threshold = ess_threshold;
  settings.n_particles = n_particles;
  settings.n_islands = n_islands;
  settings.max_stages = max_stages;
  settings.max_leaves = max_leaves;
  settings.seed = seed;
  settings.moves = move_settings(n_moves, n_moved, n_islands, move_probabilities, log_ratio_error);
  std::optional<RankedTable> table;
  run_released(n_jobs, nb::none(), [&](const Running& run) {
    table.emplace(ranked(X, n_levels, model.n_rows(), run));
  });
  std::vector<Island> islands;
  run_released(n_jobs, progress, [&](const Running& run) {
    islands =
        model.visit([&](const auto& leaves) { return run_islands(*table, leaves, settings, run); });
  });
  return to_dict(islands, *table, model);
}

// The splits of one node, for tests.
template <CutLeafModel Model>
nb::list list_table(const RankedTable& table, const Model& model, Rows rows,
                    const TableSettings& settings) {
  typename Model::Stats stats = model.nothing();
  for (const auto i : rows) model.add(i, stats);
  const NodeExtents extents = find_extents(table, rows);
  SplitTabler<Model> tabler(table, model, settings);
  const typename SplitTabler<Model>::Node node{rows, extents, stats,
                                               model.powered_log_marginal(stats)};
  const SplitTable made = tabler.make(node);
  nb::list out;
  for (std::size_t place = 0; place < extents.n_varying(); ++place) {
    FeatureSplits splits;
    tabler.list_splits(node, place, splits);
    const std::uint32_t j = extents.feature[place];
    nb::list entries;
    for (const auto& e : splits.entries) {
      nb::object low = table.is_category(j)
                           ? nb::cast(splits.sets[static_cast<std::size_t>(e.low)][0])
                           : nb::cast(table.value(j, e.low));
      nb::object high = table.is_category(j) ? nb::none() : nb::cast(table.value(j, e.high));
      entries.append(nb::make_tuple(low, high, e.missing_left, e.base, e.log_ratio));
    }
    const double mass = made.cumulative[place] - (place > 0 ? made.cumulative[place - 1] : 0.0);
    out.append(nb::make_tuple(j, entries, splits.rest, mass, made.log_scale));
  }
  return out;
}

nb::list list_splits(const AnyMatrix& X, const Vector<std::int32_t>& n_levels,
                     const OwnedLeaves& model, const Vector<std::int64_t>& rows, double tau,
                     bool empirical, std::int64_t min_samples_leaf) {
  const RankedTable table = ranked(X, n_levels, model.n_rows(), {});
  std::vector<std::uint32_t> chosen;
  for (const auto i : span(rows)) {
    if (i < 0 || static_cast<std::size_t>(i) >= table.n_rows())
      throw std::invalid_argument("rows: out of range");
    chosen.push_back(static_cast<std::uint32_t>(i));
  }
  const TableSettings settings{tau, empirical, min_samples_leaf};
  return model.visit(
      [&](const auto& leaves) { return list_table(table, leaves, chosen, settings); });
}

}  // namespace

void bind_smc(nb::module_& m) {
  m.def("sample_particles", &sample_particles, nb::arg("X"), nb::arg("n_levels"), nb::arg("model"),
        nb::kw_only(), nb::arg("seed"), nb::arg("n_particles"), nb::arg("n_islands"),
        nb::arg("alpha_split"), nb::arg("beta_split"), nb::arg("proposal"), nb::arg("tau") = 1.0,
        nb::arg("expansion") = "oldest", nb::arg("resampling") = "multinomial",
        nb::arg("ess_threshold") = 0.1, nb::arg("max_stages") = 5000,
        nb::arg("min_samples_leaf") = 1, nb::arg("max_leaves") = 0xffffffffU,
        nb::arg("n_moves") = 0, nb::arg("n_moved") = 0,
        nb::arg("move_probabilities").none() = nb::none(),
        nb::arg("log_ratio_error").none() = nb::none(), nb::arg("n_jobs") = 1,
        nb::arg("progress") = nb::none());
  m.def("list_splits", &list_splits, nb::arg("X"), nb::arg("n_levels"), nb::arg("model"),
        nb::arg("rows"), nb::kw_only(), nb::arg("tau"), nb::arg("empirical") = false,
        nb::arg("min_samples_leaf") = 1);
}

}  // namespace bayeswood::bindings
