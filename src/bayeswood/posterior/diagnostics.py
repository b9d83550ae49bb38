"""Do the chains of an MCMC estimator agree? Numbers, and the way to ArviZ.

`diagnose` speaks of the islands of a particle filter too; what it says is made in `islands`.

Trees have no coordinates that could be compared draw by draw. What can be is free of labels: the
log likelihood, the log posterior, the number of leaves, the depth, and what is predicted for rows
of reference. Chains that agree about all of these may still differ in what none of them shows.
"""

import inspect
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import html_table
from bayeswood.errors import BayeswoodError
from bayeswood.posterior.convergence import bulk_ess, split_rhat, tail_ess
from bayeswood.posterior.islands import IslandDiagnostics, diagnose_islands, has_islands
from bayeswood.posterior.kept_draws import by_draw, check_sampled, kept_quantities
from bayeswood.posterior.members import Members

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class QuantityDiagnostics:
    """How well the chains know one quantity.

    Attributes
    ----------
    name : str
    mean, std : float
        Over all draws of all chains, all chains alike.
    rhat : float
        Rank-normalised split R-hat; NaN where nothing varies.
    ess_bulk, ess_tail : float
        Effective number of draws, for the centre and for the 5 % and 95 % quantiles.
    """

    name: str
    mean: float
    std: float
    rhat: float
    ess_bulk: float
    ess_tail: float


@dataclass(frozen=True, repr=False)
class ChainDiagnostics:
    """How well the chains agree, quantity by quantity; printed, it is a table.

    Attributes
    ----------
    quantities : tuple of QuantityDiagnostics
    n_chains, n_draws : int
    """

    quantities: tuple[QuantityDiagnostics, ...]
    n_chains: int
    n_draws: int

    @property
    def worst_rhat(self) -> float:
        """The largest R-hat; NaN if nothing varies."""
        found = [q.rhat for q in self.quantities if not np.isnan(q.rhat)]
        return max(found, default=float("nan"))

    def __getitem__(self, name: str) -> QuantityDiagnostics:
        for found in self.quantities:
            if found.name == name:
                return found
        raise KeyError(name)

    def __str__(self) -> str:
        return "\n".join(_table(self))

    def _repr_html_(self) -> str:
        head = ("quantity", "mean", "sd", "R-hat", "bulk ESS", "tail ESS")
        rows = (
            (q.name, f"{q.mean:.4g}", f"{q.std:.3g}", f"{q.rhat:.3f}", f"{q.ess_bulk:.0f}",
             f"{q.ess_tail:.0f}")
            for q in self.quantities
        )  # fmt: skip
        title = f"{self.n_chains} chains of {self.n_draws} draws"
        return html_table.block(title, html_table.table(head, rows))

    def __repr__(self) -> str:
        size = f"{self.n_chains} chains of {self.n_draws} draws"
        return f"<ChainDiagnostics of {size}, worst R-hat {self.worst_rhat:.3g}>"


def diagnose(estimator: Any, X_reference: Any = None) -> ChainDiagnostics | IslandDiagnostics:
    """How far to trust a sampler of trees: do its chains, or its islands of particles, agree?

    Parameters
    ----------
    estimator : fitted MCMC tree, SMC tree or BART estimator
    X_reference : table, default None
        For chains, rows whose predictions are to be compared too. For a classifier of K classes a
        row has K - 1 probabilities that count; the last class is left out.

    Returns
    -------
    ChainDiagnostics
        Of chains: R-hat and effective sample sizes. Burn-in is left out; chains count alike,
        whatever ``member_weights_`` make of them.
    IslandDiagnostics
        Of particles: the log evidence with its standard error and its spread over the islands;
        how many distinct trees, and how many distinct cuts of the root, the particles ended in.

    Notes
    -----
    Formulas: `split_rhat`, `bulk_ess` and `tail_ess`. R-hat asks for 1.01 or less where the
    second digit of an estimate is to be trusted; above 1.1 the chains have not found each other.
    For islands: `log_evidence_se` and `root_cut_shares`.

    Examples
    --------
    >>> from bayeswood import MCMCTreeClassifier
    >>> from bayeswood.posterior import diagnose
    >>> X, y = [[float(i)] for i in range(20)], [0] * 10 + [1] * 10
    >>> tree = MCMCTreeClassifier(4, n_draws=500, thin=10, random_state=0).fit(X, y)
    >>> found = diagnose(tree, X[:1])
    >>> [quantity.name for quantity in found.quantities]
    ['log_likelihood', 'log_posterior', 'n_leaves', 'depth', 'P(0) of row 0']
    >>> found.worst_rhat < 1.1
    True
    >>> from bayeswood import SMCTreeClassifier
    >>> tree = SMCTreeClassifier(200, proposal="optimal", random_state=0).fit(X, y)
    >>> print(diagnose(tree))
    log evidence  -10.4845 ± 0.11
    islands       5: -10.6763 to -10.2345, standard deviation 0.173
    trees         200 distinct, as diverse as 75.3 equally likely ones
    root cuts     12 distinct, as diverse as 5.3 equally likely ones
    """
    if has_islands(estimator):
        if X_reference is not None:
            raise BayeswoodError(
                "The 'X_reference' parameter of diagnose must be None for particles, which are "
                f"not kept island by island. Got {type(X_reference).__name__} instead."
            )
        return diagnose_islands(estimator)
    check_sampled(estimator, "diagnose")
    named = list(kept_quantities(estimator).items())
    if X_reference is not None:
        named += _named_predictions(estimator, X_reference)
    n_chains, n_draws = named[0][1].shape
    return ChainDiagnostics(tuple(_diagnosed(*pair) for pair in named), n_chains, n_draws)


def to_arviz(
    estimator: Any, X_reference: Any = None, log_likelihood: NDArray[Any] | None = None
) -> Any:
    """The draws of Markov chains, or of particles, as ArviZ takes them.

    Parameters
    ----------
    estimator : fitted MCMC tree, SMC tree or BART estimator
    X_reference : table, default None
        Rows whose predictions are to be kept too.
    log_likelihood : ndarray, (n_members, n_rows), default None
        Log density of the rows' responses by every member, for `arviz.loo`.

    Returns
    -------
    arviz.InferenceData (ArviZ 0.2x) or xarray.DataTree (ArviZ 1.x)
        Group ``posterior`` with variables ``log_likelihood``, ``log_posterior``, ``n_leaves`` and
        ``depth`` (of sums of trees ``noise_sd`` and ``n_leaves``, of particles ``n_leaves`` and
        ``depth``), (chain, draw), and with
        `X_reference` ``prediction``, (chain, draw, row) or (chain, draw, row, class). Group
        ``sample_stats`` with ``lp``, the log posterior once more, where ArviZ looks for it. Group
        ``log_likelihood`` with ``y``, (chain, draw, row), where log densities are given.

    Raises
    ------
    BayeswoodError
        If ArviZ is not installed.

    Notes
    -----
    Burn-in is left out: it is in ``trace_``. ArviZ knows no weights of chains: where chains are
    weighted by their evidence or by stacking, its means are not the estimator's. Nor does it know
    weights of particles: these are resampled (systematically, by the fit's seed) to draws of equal
    weight, one chain of as many as there are distinct trees, 1,000 at least. Copies of a tree count
    as draws for it: how many trees there are in effect is told by `diagnose`. Copies also tie in
    the density of a row: ArviZ's k̂ is of little use where few trees are distinct.
    """
    if not has_islands(estimator):
        check_sampled(estimator, "to_arviz")
    arviz = _import_arviz()
    drawn: dict[str, NDArray[Any]] = dict(kept_quantities(estimator))
    groups = {}
    if "log_posterior" in drawn:
        groups["sample_stats"] = {"lp": drawn["log_posterior"]}
    dims, coords = {}, {}
    if log_likelihood is not None:
        groups["log_likelihood"] = {"y": _untied(by_draw(estimator, log_likelihood))}
        dims["y"] = ["row"]
        coords["row"] = np.arange(log_likelihood.shape[1])
    if X_reference is not None:
        members, predictions = _predictions(estimator, X_reference)
        drawn["prediction"] = predictions
        dims["prediction"] = ["row", "class"][: predictions.ndim - 2]
        coords["row"] = np.arange(predictions.shape[2])
        if members.is_classifier:
            coords["class"] = np.array([str(c) for c in members.classes])
        elif predictions.ndim == 4:
            dims["prediction"] = ["row", "response"]
    return _from_dict(arviz, {"posterior": drawn, **groups}, dims, coords)


def _untied(log_density: F64) -> F64:
    """With changes of the twelfth digit: draws that are the same tree tie.

    `arviz.loo` fits a generalised Pareto distribution to the largest weights, and what it finds for
    ties may be NaN.
    """
    noise = np.random.default_rng(0).uniform(-1e-12, 1e-12, size=log_density.shape)
    untied: F64 = log_density * (1 + noise)
    return untied


def _import_arviz() -> Any:
    try:
        with warnings.catch_warnings():
            # 0.2x announces 1.x when it is imported; both are fine here.
            warnings.simplefilter("ignore", FutureWarning)
            import arviz
    except ModuleNotFoundError:
        raise BayeswoodError("to_arviz needs ArviZ: pip install 'bayeswood[arviz]'") from None
    return arviz


def _from_dict(
    arviz: Any, groups: dict[str, dict[str, Any]], dims: dict[str, Any], coords: dict[str, Any]
) -> Any:
    """0.2x takes a keyword for each group, 1.x one mapping of groups."""
    if "posterior" not in inspect.signature(arviz.from_dict).parameters:
        return arviz.from_dict(groups, dims=dims, coords=coords)
    with warnings.catch_warnings():
        # It takes the name for the rows' log likelihoods; ours are the trees'.
        warnings.filterwarnings("ignore", "log_likelihood variable found", UserWarning)
        return arviz.from_dict(**groups, dims=dims, coords=coords)


def _predictions(estimator: Any, X: Any) -> tuple[Members, F64]:
    """Every draw's predictions, (n_chains, n_draws, n_rows, ...)."""
    members = Members(estimator, "to_arviz")
    blocks = [draws for _, draws in members.stream(members.encode(X))]
    return members, by_draw(estimator, np.concatenate(blocks))


def _named_predictions(estimator: Any, X: Any) -> Iterator[tuple[str, F64]]:
    members, predictions = _predictions(estimator, X)
    for row in range(predictions.shape[2]):
        here = predictions[:, :, row]
        if here.ndim == 2:
            yield f"row {row}", here
            continue
        n_told = here.shape[2] - members.is_classifier
        for k in range(n_told):
            what = f"P({members.classes[k]})" if members.is_classifier else f"response {k}"
            yield f"{what} of row {row}", here[:, :, k]


def _diagnosed(name: str, draws: F64) -> QuantityDiagnostics:
    return QuantityDiagnostics(
        name=name,
        mean=float(draws.mean()),
        std=float(draws.std()),
        rhat=float(split_rhat(draws)),
        ess_bulk=float(bulk_ess(draws)),
        ess_tail=float(tail_ess(draws)),
    )


def _table(found: ChainDiagnostics) -> Iterator[str]:
    width = max(len(q.name) for q in found.quantities)
    yield f"{found.n_chains} chains of {found.n_draws} draws"
    yield f"{'':{width}}  {'mean':>10}  {'sd':>9}  {'R-hat':>6}  {'bulk ESS':>8}  {'tail ESS':>8}"
    for q in found.quantities:
        numbers = f"{q.mean:10.4g}  {q.std:9.3g}  {q.rhat:6.3f}"
        yield f"{q.name:{width}}  {numbers}  {q.ess_bulk:8.0f}  {q.ess_tail:8.0f}"
