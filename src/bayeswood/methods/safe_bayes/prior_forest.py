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
from bayeswood.forest import Forest
from bayeswood.methods.base.forest_estimator import ForestEstimator, labels_of
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
from bayeswood.methods.base.predictive import Predictive
from bayeswood.methods.base.sklearn_callbacks import FitTasks
from bayeswood.methods.base.training_data import (
    Target,
    TrainingData,
    count_copies,
    read_training_data,
)
from bayeswood.methods.base.training_sample import TrainingSample
from bayeswood.methods.safe_bayes.prior_posterior import PriorPosterior
from bayeswood.methods.safe_bayes.prior_trees import (
    MOST_DEPTH,
    PriorPlan,
    PriorTrees,
    affordable_leaves,
    auto_depth,
)
from bayeswood.progress import progress_bar
from bayeswood.table import MOST_ROWS, Schema, transform_table
from bayeswood.table.pit import CutScale, fit_pit, jittered, unit_scale

F64 = NDArray[np.float64]

PRIOR_FOREST: Mapping[str, Constraint] = {
    **SHARED,
    "n_estimators": integer(1, MAX_TREES),
    "tree_prior": one_of("full", "galton-watson", "rows"),
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

    _saved_numbers: ClassVar[tuple[str, ...]] = ()
    _posterior: Any
    # None where a model file of an earlier version had none.
    _training_sample: TrainingSample | None = None

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
    def _without_rows(
        self, trees: PriorTrees, target: Target, copies: NDArray[np.int32] | None
    ) -> PriorPosterior:
        """The posterior over these trees before any row is seen."""

    @abstractmethod
    def _n_outputs(self, target: Target) -> int:
        """How many numbers a leaf holds."""

    @abstractmethod
    def _later_target(self, y: Any) -> Target:
        """The response of a chunk after the first, or of rows to forget."""

    # --- growing ------------------------------------------------------------------------------

    def _grow(self, data: TrainingData, tasks: FitTasks) -> GrownForest:
        copies = data.copies(self._name)
        seed = draw_seed(self.random_state)
        X = data.X
        if self.ties == "random":
            X = jittered(X, data.schema.n_levels, np.random.default_rng(seed))
        n_rows = count_copies(data.n_rows, copies)
        scale = self._scale(X, data.schema, copies)
        trees = self._draw_trees(seed, scale, n_rows, data.target, X, data.schema)
        prior = self._without_rows(trees, data.target, copies)
        tasks.begin()
        with progress_bar(self._name, "trees", show=bool(self.verbose)) as report:
            posterior = prior.add(X, data.target.y, copies, report)
        grown = GrownForest(posterior.forest, posterior.importances, seed, parts=(posterior,))
        tasks.finished(lambda: self._fitted(data, grown))
        return grown

    def _predictive_kind(self) -> type[Predictive]:
        return Predictive  # the posterior gives it, when it is asked for

    def _choose(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        return grown, Predictive()

    def _scale(self, X: NDArray[Any], schema: Schema, copies: NDArray[np.int32] | None) -> CutScale:
        if vars(self)["transform"] == "none":
            return unit_scale(schema.n_levels)
        if self.pit_reference is not None:
            X, copies = self._reference(schema), None
        return fit_pit(X, schema.n_levels, copies)

    def _reference(self, schema: Schema) -> NDArray[Any]:
        return transform_table(self.pit_reference, schema, estimator_name=self._name)

    def _draw_trees(
        self,
        seed: int,
        scale: CutScale,
        n_rows: int,
        target: Target,
        X: NDArray[Any],
        schema: Schema,
    ) -> PriorTrees:
        n_trees = int(self.n_estimators)
        depth, max_leaves = 0, int(self.max_leaves)
        if self.tree_prior == "rows":
            max_leaves = affordable_leaves(max_leaves, n_trees, self._n_outputs(target))
            plan = PriorPlan(seed, n_trees, depth, float(self.split_probability), max_leaves)
            rows = X if self.pit_reference is None else self._reference(schema)
            return PriorTrees(plan, scale, self._threads(), rows=rows)
        if self.tree_prior == "full":
            wanted = auto_depth(n_rows, n_trees, self._n_outputs(target))
            depth = wanted if self.depth == "auto" else int(self.depth)
        plan = PriorPlan(seed, n_trees, depth, float(self.split_probability), max_leaves)
        return PriorTrees(plan, scale, self._threads())

    # --- what is fitted -------------------------------------------------------------------------

    @property
    def forest_(self) -> Forest:  # type: ignore[override]
        """The hand-over forest: every tree, its leaves' predictions and its weight."""
        self._check_fitted()
        names = tuple(map(str, getattr(self, "classes_", ())))
        forest: Forest = self._posterior.forest
        return forest.labelled(labels_of(self.schema_, names))

    @property
    def predictive_(self) -> Any:
        """How the members' leaves become an answer."""
        self._check_fitted()
        return self._posterior.predictive

    @property
    def _importances(self) -> F64:  # type: ignore[override]
        importances: F64 = self._posterior.importances
        return importances

    def _learn(self, posterior: PriorPosterior, sample: TrainingSample | None) -> None:
        """Go on with another posterior, and other rows to tell support by."""
        self._posterior = posterior
        self._training_sample = sample
        kept = () if sample is None else (sample,)
        self._parts = (self._parts[0], posterior, *kept)

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
        log_evidence: F64 = self._posterior.log_evidence
        return log_evidence

    @property
    def power_(self) -> float:
        """β: the power of the marginal likelihood in the trees' weights."""
        self._check_fitted()
        return float(self._posterior.power)

    @property
    def depth_(self) -> int:
        """Depth of full trees; 0 for Galton-Watson trees."""
        self._check_fitted()
        return int(self._posterior.trees.plan.depth)

    @property
    def n_rows_seen_(self) -> int:
        """Rows that the leaves hold, forgotten ones not counted."""
        self._check_fitted()
        return int(self._posterior.n_rows)

    @property
    def nbytes_(self) -> int:
        """Memory of what is kept between calls of `partial_fit`, in bytes."""
        self._check_fitted()
        return int(self._posterior.nbytes)

    def _check_fitted(self) -> None:
        if "_posterior" not in self.__dict__:
            super()._check_fitted()

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a posterior."""
        return "_posterior" in self.__dict__

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
            self._weighed(target, sample_weight),
            categorical_features=self.categorical_features,
            owner=self._name,
        )
        self._forget()
        self._set_attributes(self._fitted(data, self._grow(data, FitTasks(self, X, None))))

    def _later_chunk(self, X: Any, y: Any, sample_weight: Any, caller: str) -> TrainingData:
        rows = transform_table(X, self.schema_, estimator_name=self._name)
        target = self._later_target(y)
        if len(rows) != len(target.y):
            raise BayeswoodError(
                f"{self._name}.{caller} needs one response per row. Got {len(rows)} rows of X and "
                f"{len(target.y)} of y."
            )
        weights = self._weighed(target, sample_weight)
        return read_training_data(
            rows, target, weights, categorical_features=None, owner=self._name
        )

    def _add_chunk(self, X: Any, y: Any, sample_weight: Any) -> None:
        chunk = self._later_chunk(X, y, sample_weight, "partial_fit")
        copies = chunk.copies(self._name)
        posterior = replace(self._posterior, n_jobs=self._threads())
        n_more = count_copies(chunk.n_rows, copies)
        if posterior.n_rows + n_more > MOST_ROWS:
            raise BayeswoodError(f"A forest counts at most {MOST_ROWS:,} rows.")
        more = TrainingSample.draw(chunk.X, self.seed_ + posterior.n_rows)
        sample = self._training_sample
        sample = None if sample is None else sample.merged(more, self.seed_)
        self._learn(posterior.add(chunk.X, chunk.target.y, copies), sample)

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
        posterior = replace(self._posterior, n_jobs=self._threads())
        sample = self._training_sample
        sample = None if sample is None else sample.without(chunk.X)
        self._learn(posterior.remove(chunk.X, chunk.target.y, copies), sample)
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
            Fitted with the same seed, columns, trees (the same `depth`: "auto" takes it from the
            number of rows) and edges of the transform (give both the same `pit_reference`, or
            ``transform="none"``). It is not changed.

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
        if self._posterior.n_rows + other._posterior.n_rows > MOST_ROWS:
            raise BayeswoodError(f"A forest counts at most {MOST_ROWS:,} rows.")
        mine, theirs = self._training_sample, other._training_sample
        sample = None if mine is None or theirs is None else mine.merged(theirs, self.seed_)
        self._learn(self._posterior.merge(other._posterior), sample)
        return self

    def _refuse_merge(self, other: Self) -> None:
        """Say in what the forests differ, if they do."""
        mine, theirs = self._posterior.trees, other._posterior.trees
        reasons = (
            (self.schema_ != other.schema_, "different columns or category levels"),
            (mine.plan.seed != theirs.plan.seed, "different seeds: give both the same int"),
            (mine.plan != theirs.plan, _plan_difference(mine.plan, theirs.plan)),
            (
                not mine.scale.same_as(theirs.scale),
                "different edges of the transform: give both the same pit_reference",
            ),
            (
                not mine.same_as(theirs),
                "trees drawn over different rows: give both the same pit_reference",
            ),
        )
        for differs, reason in reasons:
            if differs:
                raise BayeswoodError(
                    f"Only forests over the same trees can be merged. These have {reason}."
                )


def _plan_difference(mine: PriorPlan, theirs: PriorPlan) -> str:
    """In what the priors of two forests differ, and which parameter makes them the same."""
    own, other = asdict(mine), asdict(theirs)
    field = next((name for name in own if own[name] != other[name]), "depth")
    name = {"n_trees": "n_estimators"}.get(field, field)
    how = "" if name != "depth" else " ('auto' follows the number of rows)"
    return (
        f"different tree priors: {name} is {own[field]} in one and {other[field]} in the other"
        f"{how}. Give both the same {name}"
    )
