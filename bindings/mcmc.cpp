#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <stdexcept>

#include "arrays.hpp"
#include "bayeswood/mcmc/tree_chains.hpp"
#include "leaf_model.hpp"
#include "module.hpp"
#include "moves.hpp"
#include "running.hpp"

namespace bayeswood::bindings {
namespace {

TreePriorKind prior_kind(const std::string& name) {
  if (name == "chipman") return TreePriorKind::CHIPMAN;
  if (name == "denison") return TreePriorKind::DENISON;
  if (name != "denison-node") throw std::invalid_argument("unknown prior " + name);
  return TreePriorKind::DENISON_NODE;
}

void check_plan(const ChainPlan& plan) {
  const auto& settings = plan.settings;
  if (plan.n_chains < 1 || plan.n_draws < 1 || plan.thin < 1)
    throw std::invalid_argument("n_chains, n_draws and thin: at least 1");
  if (settings.min_leaf < 1 || settings.max_leaves < 1 || plan.growth_leaves < 1)
    throw std::invalid_argument("min_samples_leaf and numbers of leaves: at least 1");
  check_probabilities(settings.probability);
}

ChainPoll make_chain_poll(const nb::object& progress) {
  return [progress](const ChainProgress& at) {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) return false;
    if (progress.is_none()) return true;
    try {
      progress(at.chains_done, at.n_chains, at.iterations_done, at.n_iterations, at.n_accepted);
    } catch (nb::python_error& error) {
      error.restore();
      return false;
    }
    return true;
  };
}

nb::dict chain_to_dict(ChainRecord& chain) {
  nb::dict out;
  out["log_likelihood"] = to_numpy(std::move(chain.log_likelihood));
  out["log_posterior"] = to_numpy(std::move(chain.log_posterior));
  out["n_leaves"] = to_numpy(std::move(chain.n_leaves));
  out["depth"] = to_numpy(std::move(chain.depth));
  out["move"] = to_numpy(std::move(chain.move));
  out["accepted"] = to_numpy(std::move(chain.accepted));
  out["draw"] = to_numpy(std::move(chain.draw));
  return out;
}

// What Python gets; the trees move into a Forest.
nb::dict to_dict(ChainsResult& result, const ForestShape& shape) {
  std::vector<Tree> trees;
  std::vector<double> importances, variance, likelihood, posterior, mass;
  std::vector<std::uint64_t> key;
  for (DrawnTree& drawn : result.trees) {
    importances.insert(importances.end(), drawn.importance.begin(), drawn.importance.end());
    variance.insert(variance.end(), drawn.leaf_variance.begin(), drawn.leaf_variance.end());
    likelihood.push_back(drawn.log_likelihood);
    posterior.push_back(drawn.log_posterior);
    mass.push_back(drawn.log_mass);
    key.push_back(drawn.mass_key);
    trees.push_back(std::move(drawn.tree));
  }
  nb::list chains;
  for (ChainRecord& chain : result.chains) chains.append(chain_to_dict(chain));
  const std::size_t n = trees.size();
  const auto d = static_cast<std::size_t>(shape.n_features);
  nb::dict out;
  out["chains"] = chains;
  out["forest"] = nb::cast(std::make_shared<Forest>(shape, std::move(trees)));
  out["importances"] = to_numpy(std::move(importances), {n, d});
  out["leaf_variance"] = to_numpy(std::move(variance));
  out["log_likelihood"] = to_numpy(std::move(likelihood));
  out["log_posterior"] = to_numpy(std::move(posterior));
  out["log_mass"] = to_numpy(std::move(mass));
  out["mass_key"] = to_numpy(std::move(key));
  out["interrupted"] = result.interrupted;
  return out;
}

nb::dict sample(const AnyMatrix& X, const Vector<std::int32_t>& n_levels, const OwnedLeaves& model,
                const std::string& prior, double alpha_split, double beta_split,
                const Vector<double>& move_probabilities, std::uint64_t seed, std::size_t n_chains,
                std::size_t n_burn_in, std::size_t n_draws, std::size_t thin,
                std::int64_t min_samples_leaf, std::uint32_t max_leaves,
                std::uint32_t growth_leaves, std::size_t growth_iterations,
                const OptionalVector& log_ratio_error, unsigned n_jobs, const nb::object& progress,
                bool keep_interrupted) {
  const MatrixView view_of_X = view(X);
  if (model.n_rows() != view_of_X.n_rows()) throw std::invalid_argument("X: one row per response");
  ChainPlan plan{seed, n_chains, n_burn_in, n_draws, thin, {}, growth_leaves, growth_iterations};
  plan.settings.probability = numbers_of_moves(move_probabilities, "move_probabilities");
  if (log_ratio_error)
    plan.settings.log_error = numbers_of_moves(*log_ratio_error, "log_ratio_error");
  plan.settings.min_leaf = min_samples_leaf;
  plan.settings.max_leaves = max_leaves;
  check_plan(plan);
  if (!(alpha_split > 0 && alpha_split < 1 && beta_split >= 0))
    throw std::invalid_argument("alpha_split: in (0, 1); beta_split: not negative");
  const TreePriorKind kind = prior_kind(prior);
  const ChainPoll poll = make_chain_poll(progress);
  ChainsResult result;
  {
    nb::gil_scoped_release release;
    const RankedTable table(view_of_X, copy(n_levels), {n_jobs, {}});
    result = model.visit([&](const auto& leaves) {
      const TreeLaw law(table, kind, {alpha_split, beta_split}, leaves.copies(), min_samples_leaf);
      return run_chains(law, leaves, plan, n_jobs, poll);
    });
  }
  settle_interrupt(result.interrupted, keep_interrupted);
  return to_dict(result, model.shape(copy(n_levels)));
}

}  // namespace

void bind_mcmc(nb::module_& m) {
  m.def("sample_tree_chains", &sample, nb::arg("X"), nb::arg("n_levels"), nb::arg("model"),
        nb::kw_only(), nb::arg("prior"), nb::arg("alpha_split"), nb::arg("beta_split"),
        nb::arg("move_probabilities"), nb::arg("seed"), nb::arg("n_chains"), nb::arg("n_burn_in"),
        nb::arg("n_draws"), nb::arg("thin") = 1, nb::arg("min_samples_leaf") = 1,
        nb::arg("max_leaves") = std::numeric_limits<std::uint32_t>::max(),
        nb::arg("growth_leaves") = std::numeric_limits<std::uint32_t>::max(),
        nb::arg("growth_iterations") = 0, nb::arg("log_ratio_error").none() = nb::none(),
        nb::arg("n_jobs") = 1, nb::arg("progress") = nb::none(),
        nb::arg("keep_interrupted") = false);
}

}  // namespace bayeswood::bindings
