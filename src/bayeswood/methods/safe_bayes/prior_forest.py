"""Forests of prior trees, whatever their leaves hold: fitted at once or in chunks, and un-learned.

The trees do not depend on the responses and the statistics of their leaves are sums. So a forest
fitted in chunks is the forest fitted at once, two forests over the same trees add up to the forest
of all their rows, and rows can be taken away again.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest, Labels
from bayeswood.methods.base import saved_state
from bayeswood.methods.base.forest_estimator import ForestEstimator
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import (
    BOOLEAN,
    MAX_TREES,
    NONE,
    SHARED,
    Constraint,
    check_parameters,
    draw_seed,
    integer,
    one_of,
    parameter_error,
    real,
)
from bayeswood.methods.base.sklearn_callbacks import FitTasks
from bayeswood.methods.base.training_data import (
    Target,
    TrainingData,
    count_copies,
    read_training_data,
)
from bayeswood.methods.safe_bayes.prior_trees import MOST_DEPTH, PriorPlan, PriorTrees, auto_depth
from bayeswood.methods.safe_bayes.reservoir import Reservoir
from bayeswood.progress import progress_bar
from bayeswood.table import MOST_ROWS, Schema, transform_table
from bayeswood.table.pit import CutScale, fit_pit, jittered, unit_scale

F64 = NDArray[np.float64]

PRIOR_FOREST: Mapping[str, Constraint] = {
    **SHARED,
    "n_estimators": integer(1, MAX_TREES),
    "tree_prior": one_of("full", "galton-watson"),
    "depth": integer(1, MOST_DEPTH) | one_of("auto"),
    "split_probability": real(0, 1, "neither"),
    "max_leaves": integer(2, 1_000_000),
    "prune_average": BOOLEAN,
    "power": real(0, 1, "right", integers=True) | NONE,
    "effective_sample_size": real(0, closed="neither", integers=True),
    "transform": one_of("pit", "none"),
    "ties": one_of("midrank", "random"),
    "reservoir_size": integer(0, 1_000_000),
}

_TREE_ARRAYS = ("n_edges", "edges", "transform")
_RESERVOIR_ARRAYS = ("keys", "X", "y", "copies", "arrivals")


class ParameterNotMethod:
    """A parameter whose name scikit-learn knows as a method.

    scikit-learn takes an estimator with an attribute ``transform`` for a transformer. The parameter
    is set, cloned and shown like any other, and read by `get_params`; as an attribute it is absent.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        raise AttributeError(f"{self._name!r} is a parameter: see get_params()[{self._name!r}].")

    def __set__(self, estimator: Any, value: Any) -> None:
        vars(estimator)[self._name] = value


class PriorForestEstimator(ForestEstimator):
    """What classifiers and regressors over prior trees share. Not to be used by itself."""

    transform = ParameterNotMethod()

    # The array of a model file that holds the leaves' statistics.
    _statistics: ClassVar[str]
    _saved_numbers: ClassVar[tuple[str, ...]] = ()
    _members: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Makes no difference: no parameter is an estimator.

        Returns
        -------
        dict
        """
        return {name: vars(self)[name] for name in self._get_param_names()}

    @abstractmethod
    def _empty_members(
        self, trees: PriorTrees, target: Target, copies: NDArray[np.int32] | None
    ) -> Any:
        """Members over these trees that have seen no rows."""

    @abstractmethod
    def _n_outputs(self, target: Target) -> int:
        """How many numbers a leaf holds."""

    @abstractmethod
    def _later_target(self, y: Any) -> Target:
        """The response of a chunk after the first, or of rows to forget."""

    @abstractmethod
    def _restored_members(
        self, trees: PriorTrees, reservoir: Reservoir, meta: Any, arrays: dict[str, NDArray[Any]]
    ) -> Any:
        """The members that a saved state holds."""

    # --- growing ------------------------------------------------------------------------------

    def _grow(self, data: TrainingData, tasks: FitTasks) -> GrownForest:
        tasks.begin(1)
        grown: list[GrownForest] = []
        tasks.run(
            lambda: grown.append(self._grow_at_once(data)),
            0,
            lambda: self._fitted(data, grown[0]),
        )
        return grown[0]

    def _grow_at_once(self, data: TrainingData) -> GrownForest:
        copies = data.copies(self._name)
        seed = draw_seed(self.random_state)
        X = data.X
        if self.ties == "random":
            X = jittered(X, data.schema.n_levels, np.random.default_rng(seed))
        n_rows = count_copies(data.n_rows, copies)
        trees = self._draw_trees(seed, self._scale(X, data.schema, copies), n_rows, data.target)
        members = self._empty_members(trees, data.target, copies)
        with progress_bar(self._name, "trees", show=bool(self.verbose)) as report:
            members = members.add(X, data.target.y, copies, report)
        return GrownForest(
            members.forest, members.importances, seed, settings={"_members": members}
        )

    def _scale(self, X: NDArray[Any], schema: Schema, copies: NDArray[np.int32] | None) -> CutScale:
        if vars(self)["transform"] == "none":
            return unit_scale(schema.n_levels)
        if self.pit_reference is not None:
            X = transform_table(self.pit_reference, schema, estimator_name=self._name)
            copies = None
        return fit_pit(X, schema.n_levels, copies)

    def _draw_trees(self, seed: int, scale: CutScale, n_rows: int, target: Target) -> PriorTrees:
        n_trees = int(self.n_estimators)
        depth = 0
        if self.tree_prior == "full":
            wanted = auto_depth(n_rows, n_trees, self._n_outputs(target))
            depth = wanted if self.depth == "auto" else int(self.depth)
        plan = PriorPlan(seed, n_trees, depth, float(self.split_probability), int(self.max_leaves))
        return PriorTrees(plan, scale, self._threads())

    # --- what is fitted -------------------------------------------------------------------------

    def _described(
        self, schema: Schema, grown: GrownForest, class_names: Any = ()
    ) -> dict[str, Any]:
        described = super()._described(schema, grown, class_names)
        # These follow from the members, when asked for.
        del described["forest_"], described["_importances"]
        return described

    @property
    def forest_(self) -> Forest:  # type: ignore[override]
        """The hand-over forest: every tree, its leaves' predictions and its weight."""
        self._check_fitted()
        levels = tuple(column.levels for column in self.schema_.columns)
        names = tuple(map(str, getattr(self, "classes_", ())))
        labels = Labels(tuple(self.schema_.names), levels, names)
        forest: Forest = self._members.forest
        return forest.labelled(labels)

    @property
    def _importances(self) -> F64:  # type: ignore[override]
        importances: F64 = self._members.importances
        return importances

    @property
    def feature_importances_(self) -> F64:
        """Share of the evidence for splitting that each feature brings; sums to 1.

        In one tree: over its splits, the posterior probability that the pruned tree has the split
        times the log Bayes factor in its favour (0 where it is against). Averaged over the trees
        by their weights. All zeros if nothing speaks for any split.
        """
        return super().feature_importances_

    @property
    def log_evidence_(self) -> F64:
        """Log marginal likelihood of each tree (eq. 3), averaged over its prunings if so asked."""
        self._check_fitted()
        log_evidence: F64 = self._members.log_evidence
        return log_evidence

    @property
    def power_(self) -> float:
        """β: the power of the marginal likelihood in the trees' weights."""
        self._check_fitted()
        return float(self._members.power)

    @property
    def depth_(self) -> int:
        """Depth of full trees; 0 for Galton-Watson trees."""
        self._check_fitted()
        return int(self._members.trees.plan.depth)

    @property
    def n_rows_seen_(self) -> int:
        """Rows that the leaves hold, forgotten ones not counted."""
        self._check_fitted()
        return int(self._members.n_rows)

    @property
    def nbytes_(self) -> int:
        """Memory of what is kept between calls of `partial_fit`, in bytes."""
        self._check_fitted()
        return int(self._members.nbytes)

    def _check_fitted(self) -> None:
        if "_members" not in self.__dict__:
            super()._check_fitted()

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there are members."""
        return "_members" in self.__dict__

    def _forget(self) -> None:
        super()._forget()
        self.__dict__.pop("_members", None)

    # --- streaming ------------------------------------------------------------------------------

    def _first_chunk(self, X: Any, target: Target, sample_weight: Any) -> None:
        check_parameters(self.get_params(deep=False), self._constraints, self._name)
        if self.ties == "random":
            raise BayeswoodError(
                f"{self._name}.partial_fit needs ties='midrank': ties that are broken at random "
                "have no place in later chunks. Got ties='random' instead."
            )
        data = read_training_data(
            X,
            target,
            sample_weight,
            categorical_features=self.categorical_features,
            owner=self._name,
        )
        self._forget()
        self._adopt(self._fitted(data, self._grow_at_once(data)))

    def _later_chunk(self, X: Any, y: Any, sample_weight: Any, caller: str) -> TrainingData:
        rows = transform_table(X, self.schema_, estimator_name=self._name)
        target = self._later_target(y)
        if len(rows) != len(target.y):
            raise BayeswoodError(
                f"{self._name}.{caller} needs one response per row. Got {len(rows)} rows of X and "
                f"{len(target.y)} of y."
            )
        return read_training_data(
            rows, target, sample_weight, categorical_features=None, owner=self._name
        )

    def _add_chunk(self, X: Any, y: Any, sample_weight: Any) -> None:
        chunk = self._later_chunk(X, y, sample_weight, "partial_fit")
        copies = chunk.copies(self._name)
        members = replace(self._members, n_jobs=self._threads())
        n_more = count_copies(chunk.n_rows, copies)
        if members.n_rows + n_more > MOST_ROWS:
            raise BayeswoodError(f"A forest counts at most {MOST_ROWS:,} rows.")
        self._members = members.add(chunk.X, chunk.target.y, copies)

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Un-learn rows: the forest becomes, to the bit, one that never saw them.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows given to `fit` or `partial_fit` before.
        y : array-like, (n_rows,)
            Their responses.
        sample_weight : array-like, (n_rows,), default=None
            The weights they were given with.

        Returns
        -------
        self

        Raises
        ------
        BayeswoodError
            If a leaf would be left with fewer than no rows, or the reservoir knows that a row was
            never seen; the forest is then unchanged. Rows that were never seen, but look in every
            tree like rows that were, cannot be told from those.

        Notes
        -----
        Statistics of leaves, weights and predictions of the members are exactly those without the
        rows. The edges of the transform stay as they were frozen. The reservoir loses the rows
        and is not refilled.
        """
        self._check_fitted()
        self._refuse_random_ties("forget")
        chunk = self._later_chunk(X, y, sample_weight, "forget")
        copies = chunk.copies(self._name)
        members = replace(self._members, n_jobs=self._threads())
        self._members = members.remove(chunk.X, chunk.target.y, copies)
        return self

    def _refuse_random_ties(self, caller: str) -> None:
        if self.ties == "random":
            raise BayeswoodError(
                f"{self._name}.{caller} cannot find rows again whose ties were broken at random. "
                "Fit with ties='midrank'."
            )

    def merge(self, other: Self) -> Self:
        """Add the rows that another forest over the same trees has seen.

        Parameters
        ----------
        other : estimator of the same class
            Fitted with the same seed, columns, and edges of the transform (give both the same
            `pit_reference`, or ``transform="none"``). It is not changed.

        Returns
        -------
        self
            As if fitted on the rows of both.
        """
        self._check_fitted()
        if type(other) is not type(self):
            raise parameter_error("other", f"{self._name}.merge", f"a {self._name}", other)
        other._check_fitted()
        self._refuse_merge(other)
        if self._members.n_rows + other._members.n_rows > MOST_ROWS:
            raise BayeswoodError(f"A forest counts at most {MOST_ROWS:,} rows.")
        self._members = self._members.merge(other._members)
        return self

    def _refuse_merge(self, other: Self) -> None:
        """Say in what the forests differ, if they do."""
        mine, theirs = self._members.trees, other._members.trees
        reasons = (
            (self.schema_ != other.schema_, "different columns or category levels"),
            (mine.plan.seed != theirs.plan.seed, "different seeds: give both the same int"),
            (mine.plan != theirs.plan, "different tree priors"),
            (
                not mine.scale.same_as(theirs.scale),
                "different edges of the transform: give both the same pit_reference",
            ),
        )
        for differs, reason in reasons:
            if differs:
                raise BayeswoodError(
                    f"Only forests over the same trees can be merged. These have {reason}."
                )

    # --- files ----------------------------------------------------------------------------------

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]], Any]:
        meta, arrays, forest = super()._state()
        members = self._members
        meta["parameters"]["pit_reference"] = None  # its edges are kept
        meta["plan"] = asdict(members.trees.plan)
        kept = members.reservoir
        meta["reservoir"] = {
            "capacity": kept.capacity,
            "limit": int(kept.limit),
            "complete": kept.arrivals is not None,
        }
        stored = {f"reservoir_{name}": getattr(kept, name) for name in _RESERVOIR_ARRAYS}
        if kept.arrivals is None:
            del stored["reservoir_arrivals"]
        scale = {name: getattr(members.trees.scale, name) for name in _TREE_ARRAYS}
        return meta, {**arrays, **scale, **stored}, forest

    def _restored(
        self,
        meta: dict[str, Any],
        arrays: dict[str, NDArray[Any]],
        schema: Schema,
        grown: GrownForest,
    ) -> dict[str, Any]:
        trees = _restored_trees(meta, arrays, schema, grown, self._statistics)
        reservoir = _restored_reservoir(meta, arrays, schema.n_features)
        members = self._restored_members(trees, reservoir, meta, arrays)
        with_members = replace(grown, settings={"_members": members})
        return super()._restored(meta, arrays, schema, with_members)  # type: ignore[safe-super]


def _restored_trees(
    meta: dict[str, Any],
    arrays: dict[str, NDArray[Any]],
    schema: Schema,
    grown: GrownForest,
    statistics: str,
) -> PriorTrees:
    plain = saved_state.take(meta, "plan", dict)
    kinds = PriorPlan.__annotations__
    if set(plain) != set(kinds) or any(type(plain[name]) is not kinds[name] for name in kinds):
        raise BayeswoodError("The model file holds an unusable plan of its trees.")
    plan = PriorPlan(**plain)
    full_leaves = plan.n_trees * 2**plan.depth if 0 <= plan.depth <= MOST_DEPTH else -1
    lawful = (
        plan.n_trees == grown.forest.n_trees
        and plan.seed == grown.seed
        and full_leaves > 0
        and 0 < plan.split_probability < 1
        and 2 <= plan.max_leaves <= 1_000_000
    )
    if not lawful or any(name not in arrays for name in (*_TREE_ARRAYS, statistics)):
        raise BayeswoodError("The model file holds an unusable plan of its trees.")
    if plan.depth and full_leaves != len(arrays[statistics]):
        raise BayeswoodError(f"The model file's {statistics} do not match its trees.")
    scale = CutScale(
        schema.n_levels,
        arrays["n_edges"].astype(np.int64),
        arrays["edges"].astype(np.float64),
        arrays["transform"].astype(np.float64),
    )
    try:
        trees = PriorTrees(plan, scale)
    except (TypeError, ValueError) as error:
        raise BayeswoodError(f"The model file holds unusable cuts: {error}.") from error
    if trees.n_leaves_in_all != len(arrays[statistics]):
        raise BayeswoodError(f"The model file's {statistics} do not match its trees.")
    return trees


def _restored_reservoir(
    meta: dict[str, Any], arrays: dict[str, NDArray[Any]], n_features: int
) -> Reservoir:
    plain = saved_state.take(meta, "reservoir", dict)
    complete = saved_state.take(plain, "complete", bool)
    names = _RESERVOIR_ARRAYS if complete else _RESERVOIR_ARRAYS[:-1]
    if any(f"reservoir_{name}" not in arrays for name in names):
        raise BayeswoodError("The model file lacks rows of its reservoir.")
    found = {name: arrays[f"reservoir_{name}"] for name in names}
    n_kept = len(found["keys"])
    lawful = (
        found["X"].shape == (n_kept, n_features)
        and found["y"].shape == found["copies"].shape == found["keys"].shape == (n_kept,)
        and found["keys"].dtype == np.uint64
        and bool((found["keys"][:-1] < found["keys"][1:]).all())
        and found["X"].dtype.kind == "f"
        and found["copies"].dtype.kind == "i"
    )
    if complete:
        lawful = lawful and bool(np.isin(found["arrivals"], found["keys"]).all())
    limit = saved_state.take(plain, "limit", int)
    if not lawful or not 0 <= limit < 2**64:
        raise BayeswoodError("The model file holds an unusable reservoir.")
    return Reservoir(
        saved_state.take(plain, "capacity", int),
        found["keys"],
        found["X"],
        found["y"],
        found["copies"].astype(np.int64),
        np.uint64(limit),
        found.get("arrivals"),
    )
