"""What classifiers and regressors share: fit, the hand-over forest, importances, files."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest, Labels
from bayeswood.methods.base import saved_state
from bayeswood.methods.base.attributions import Attributions
from bayeswood.methods.base.decision_path import decision_path
from bayeswood.methods.base.file_state import FileState
from bayeswood.methods.base.grown_forest import GrownForest
from bayeswood.methods.base.parameters import Constraint, check_parameters
from bayeswood.methods.base.parts import (
    ClassBlocks,
    ClassLabels,
    Part,
    ResponseShape,
    SavedModel,
)
from bayeswood.methods.base.predictive import Predictive
from bayeswood.methods.base.row_predictor import RowPredictor
from bayeswood.methods.base.scikit_learn import BaseEstimator, NotFittedError
from bayeswood.methods.base.single_tree import SingleTrees
from bayeswood.methods.base.sklearn_callbacks import CallbackSupportMixin, FitTasks, with_callbacks
from bayeswood.methods.base.training_data import Target, TrainingData, read_training_data
from bayeswood.methods.base.training_sample import UNSEEN, TrainingSample
from bayeswood.modelfile import File, read_model, write_model
from bayeswood.table import Schema, transform_table
from bayeswood.threads import n_threads
from bayeswood.uncertainty import member_variance

F64 = NDArray[np.float64]

# Below so many steps from rows to leaves, starting threads costs more than it saves.
_SMALL_PREDICTION = 10_000
_MAX_SEED = 2**64 - 1


class ForestEstimator(FileState, Attributions, CallbackSupportMixin, BaseEstimator):  # type: ignore[misc]
    """What classifiers and regressors share. Not to be used by itself."""

    _constraints: ClassVar[Mapping[str, Constraint]]
    # Fitted attributes that a model file holds besides the forest, where they are present.
    _saved_numbers: ClassVar[tuple[str, ...]] = ("max_features_", "min_samples_leaf_")
    _saved_arrays: ClassVar[tuple[str, ...]] = ()
    _later_parameters: ClassVar[frozenset[str]] = saved_state.LATER_PARAMETERS

    forest_: Forest
    predictive_: Any
    schema_: Schema
    seed_: int
    n_features_in_: int
    _importances: F64
    _parts: tuple[Part, ...]

    # What is kept of the response, and further parts that an estimator may have.
    _target_kind: ClassVar[type[ClassLabels] | type[ClassBlocks] | type[ResponseShape]]
    _part_kinds: ClassVar[tuple[type[Part], ...]] = ()
    # What errors and files call the estimator.
    _name: ClassVar[str]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._name = cls.__name__

    @abstractmethod
    def _grow(self, data: TrainingData, tasks: FitTasks) -> GrownForest:
        """Grow the members; the one thing in which methods must differ."""

    @abstractmethod
    def _choose(self, data: TrainingData, grown: GrownForest) -> tuple[GrownForest, Predictive]:
        """How leaves become an answer, and the members as they are then."""

    @abstractmethod
    def _predictive_kind(self) -> type[Predictive]:
        """The kind of predictive that the parameters ask for."""

    @abstractmethod
    def _read_target(self, y: Any) -> Target:
        """The response as the core takes it."""

    @abstractmethod
    def _target_part(self, target: Target) -> ClassLabels | ClassBlocks | ResponseShape:
        """What is kept of the response."""

    def _weighed(self, target: Target, sample_weight: Any) -> Any:
        """The weights of the rows, with what the parameters add to them."""
        return sample_weight

    def _begin(self, data: TrainingData) -> None:
        """What is to be done, or refused, before an earlier fit is forgotten."""

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the forest.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            NumPy array, pandas or polars frame, or pyarrow table. Strings, categoricals and
            bools are categories; NaN and None are missing values and need no imputation.
        y : array-like, (n_rows,) or (n_rows, n_outputs)
            Response. Several columns are for regressors, and for random and Bayesian forests of
            classes (labels, or columns of classes).
        sample_weight : array-like, (n_rows,), default=None
            Non-negative weights that multiply the random weights of each tree. Only their
            ratios matter; a weight of 0 is the same as leaving the row out, but for the names of
            its class and its category levels, which the estimator still knows.

        Returns
        -------
        self
            The fitted estimator. If fitting is interrupted (Ctrl-C), it is left unfitted.
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, oob_groups: Any = None) -> Self:
        check_own_parameters(self)
        target = self._read_target(y)
        data = read_training_data(
            X,
            target,
            self._weighed(target, sample_weight),
            oob_groups,
            categorical_features=self.categorical_features,
            owner=self._name,
        )
        data = replace(data, schema=data.schema.with_target_of(y))
        self._begin(data)
        self._forget()
        tasks = FitTasks(self, X, y, sample_weight=sample_weight, oob_groups=oob_groups)
        grown = self._grow(data, tasks)
        self._set_attributes(self._fitted(data, grown))
        tasks.end()
        return self

    def _fitted(self, data: TrainingData, grown: GrownForest) -> dict[str, Any]:
        """The fitted attributes that these data and members give."""
        grown, predictive = self._choose(data, grown)
        grown = grown.extended({}, TrainingSample.draw(data.X, grown.seed))
        return fitted_attributes(data.schema, grown, predictive, self._target_part(data.target))

    def _set_attributes(self, fitted: Mapping[str, Any]) -> None:
        """Take fitted attributes over, but for those that the class derives itself."""
        own = {
            n: v
            for n, v in fitted.items()
            if not isinstance(getattr(type(self), n, None), property)
        }
        self.__dict__.update(own)
        self._fitted_names = (*getattr(self, "_fitted_names", ()), *own)

    def _forget(self) -> None:
        """Drop what an earlier fit left behind."""
        public = [n for n in vars(self) if n.endswith("_") and not n.startswith("_")]
        for name in (*self.__dict__.pop("_fitted_names", ()), *public):
            self.__dict__.pop(name, None)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a forest."""
        return "forest_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect of the estimator."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = True
        return tags

    def _encode(self, X: Any, unseen: float = np.nan) -> NDArray[Any]:
        """Rows in the encoding of the fitted table."""
        self._check_fitted()
        return transform_table(X, self.schema_, estimator_name=self._name, unseen=unseen)

    def _check_fitted(self) -> None:
        if "forest_" not in self.__dict__:
            raise NotFittedError(
                f"This {self._name} instance is not fitted yet. Call 'fit' with appropriate "
                "arguments before using this estimator."
            )

    def _workers(self, n_rows: int) -> int:
        """Threads for a prediction; their number never changes a result."""
        if n_rows * self.forest_.n_trees <= _SMALL_PREDICTION:
            return 1
        return self._threads()

    def _threads(self) -> int:
        return n_threads(self.n_jobs)

    @property
    def member_weights_(self) -> F64:
        """Weight of each member (tree, or sum of trees) in every average; they sum to 1."""
        self._check_fitted()
        return self.forest_.weights

    @property
    def feature_importances_(self) -> F64:
        """Share of the impurity decrease due to each feature, averaged over members; sums to 1.

        All zeros if no tree has a split.
        """
        mean: F64 = self.member_weights_ @ self._member_importances()
        total = float(mean.sum())
        return mean / total if total > 0 else mean

    @property
    def feature_importances_std_(self) -> F64:
        """Standard deviation over the members of their own importances."""
        return np.sqrt(member_variance(self._member_importances(), self.member_weights_))

    def _member_importances(self) -> F64:
        self._check_fitted()
        totals = self._importances.sum(axis=1, keepdims=True)
        shares: F64 = np.zeros_like(self._importances)
        np.divide(self._importances, totals, out=shares, where=totals > 0)
        return shares

    def compile_row(self) -> RowPredictor:
        """A predictor of single rows, for servers: dicts and lists in, some 20 microseconds each.

        Returns
        -------
        RowPredictor
            With ``predict``, ``predict_proba``, ``predict_interval`` and more, of one row. They say
            what the estimator says, to the bit; threads may share it.

        Examples
        --------
        >>> from bayeswood import RandomForestRegressor
        >>> X, y = [["a", 1.0], ["b", 2.0], ["a", 3.0]], [1.0, 2.0, 4.0]
        >>> forest = RandomForestRegressor(n_estimators=50, random_state=0).fit(X, y)
        >>> forest.compile_row().predict(["a", 2.5]) == float(forest.predict([["a", 2.5]])[0])
        True
        """
        return RowPredictor(self)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Leaf of each row in each tree.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray of int32, (n_rows, n_trees)
            Index of the leaf among the tree's nodes.
        """
        rows = self._encode(X)
        return self.forest_.apply(rows, self._workers(len(rows)))

    @property
    def estimators_(self) -> SingleTrees:
        """The trees as estimators that predict by themselves, each made when it is asked for.

        They predict what their leaves hold, before any calibration; their average is `predict` in
        forests that average. Methods whose members are sums of trees have none.
        """
        # An AttributeError, so that `hasattr` can ask.
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"{self._name} has no 'estimators_' before it is fitted.")
        if self.forest_.trees_per_member > 1:
            raise AttributeError(
                f"{self._name} has sums of {self.forest_.trees_per_member} trees, which do not "
                "predict one by one: see forest_.trees for the trees, predict_draws for the sums."
            )
        return SingleTrees(self)

    def decision_path(self, X: Any) -> tuple[Any, NDArray[np.int64]]:
        """Nodes that each row goes through in each tree.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        indicator : scipy.sparse.csr_matrix, (n_rows, n_nodes of all trees)
            1 where a row goes through a node. Takes 16 bytes per row, tree and step of the way.
        n_nodes_ptr : ndarray of int64, (n_trees + 1,)
            The nodes of tree t are the columns from ``n_nodes_ptr[t]`` to before
            ``n_nodes_ptr[t + 1]``, in the order of `Tree`.
        """
        rows = self._encode(X)
        return decision_path(self.forest_, rows, self._workers(len(rows)))

    def support(self, X: Any) -> F64:
        """How well each row is surrounded by training rows: near 0, there are no data near.

        Where there are no data, members may agree with each other and be wrong together: neither
        intervals nor `uncertainty` tell. This does.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray, (n_rows,)
            In [0, 1]: the share of training rows that are no better surrounded, each judged by the
            others. A new row like the training rows is below .05 in about 5 % of cases, a row in a
            gap nearly always.

        Notes
        -----
        Every column counts, whether the forest splits on it or not; rows are compared, not answers.
        A row is as far away as the k-th nearest (k <= 3) of at most 1,000 training rows: in each
        column, in pairs of columns, in all columns alike, in all as the forest uses them and in the
        three it uses most. How rare its distances are is told by the training rows, left out in
        turn; the view in which it is rarest counts. The formula is in
        `bayeswood.uncertainty.support.row_support`, what is seen and what is not in
        docs/uncertainty.md. `fit` draws the training rows and keeps them, 8 bytes per value; of
        more than 50 columns as many as make 50,000 values, at least 200. The
        first call compares them with each other and keeps some 40 bytes per value of it; files and
        pickles hold the rows alone.

        Examples
        --------
        Trained on [0, 1] and [3, 4], asked in between and beyond:

        >>> import numpy as np
        >>> from bayeswood import BayesianForestRegressor
        >>> x = np.concatenate([np.linspace(0, 1, 100), np.linspace(3, 4, 100)])
        >>> forest = BayesianForestRegressor(n_estimators=20, random_state=0)
        >>> forest.fit(x[:, None], np.sin(x)).support([[0.5], [2.0], [3.2], [6.0]]) < 0.05
        array([False,  True, False,  True])
        """
        rows = self._encode(X, unseen=UNSEEN)
        threads = self._threads()
        sample = self._sample_of("support")
        support = sample.support(self.schema_, lambda: self.feature_importances_, threads)
        return support(rows, threads)

    def _sample_of(self, caller: str) -> TrainingSample:
        """The training rows that were kept."""
        sample: TrainingSample | None = vars(self).get("_training_sample")
        if sample is None:
            raise BayeswoodError(
                f"{self._name}.{caller} needs a sample of the training rows, which a model saved "
                "by an earlier version does not have. Fit it again."
            )
        if len(sample.rows) < 2:
            raise BayeswoodError(f"{self._name}.{caller} needs at least two training rows.")
        return sample

    def save(self, path: File) -> None:
        """Write the fitted estimator to a file that `bayeswood.load` reads.

        The file is versioned, holds no pickle and is safe to load from anyone.

        Parameters
        ----------
        path : str, path-like or binary stream
            Where to write; a file is replaced in one step if it exists.
        """
        write_model(path, self._name, *self._state())

    @classmethod
    def _read_file(cls, file: File) -> "ForestEstimator":
        """The estimator of this class that a model file holds."""
        return read_estimator(file, {cls._name: cls})

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]], Forest]:
        """Everything fitted, as plain data, arrays and the forest."""
        self._check_fitted()
        numbers = {n: getattr(self, n) for n in self._saved_numbers if n in vars(self)}
        meta: dict[str, Any] = {
            "parameters": saved_state.own_parameters(self),
            "schema": self.schema_.to_json(),
            "seed": self.seed_,
            "numbers": numbers,
        }
        arrays = {n: getattr(self, n) for n in self._saved_arrays if n in vars(self)}
        arrays = {"importances": self._importances, **arrays}
        if "predictive_" in vars(self):
            saved_state.put_apart(self.predictive_.arrays(), meta, arrays)
        for part in self._parts:
            part.write(meta, arrays)
        return meta, arrays, self.forest_

    @classmethod
    def _from_state(
        cls, meta: dict[str, Any], arrays: dict[str, NDArray[Any]], forest: Forest
    ) -> Self:
        """A fitted estimator from what `_state` gave; BayeswoodError if anything is amiss."""
        estimator = cls._from_parameters(saved_state.read_value(meta, "parameters", dict))
        schema = Schema.from_json(saved_state.read_value(meta, "schema", dict))
        if not np.array_equal(schema.n_levels, forest.core.n_levels):
            raise BayeswoodError("The model file's columns do not match its trees.")
        seed = saved_state.read_value(meta, "seed", int)
        if not 0 <= seed <= _MAX_SEED:
            raise BayeswoodError("The model file holds a seed out of range.")
        shape = (forest.n_members, forest.n_features)
        importances = saved_state.read_array(arrays, "importances", shape)
        saved = SavedModel(meta, arrays, forest, schema, seed, estimator)
        estimator._restore(saved, GrownForest(forest, importances, seed))
        return estimator

    def _restore(self, saved: SavedModel, grown: GrownForest) -> None:
        meta, arrays = saved.meta, saved.arrays
        of_target = self._target_kind.read(saved)
        labels = labels_of(saved.schema, of_target.names())
        saved = replace(saved, forest=saved.forest.labelled(labels))
        together = saved_state.put_together(meta, arrays)
        predictive = self._predictive_kind().from_arrays(together, saved.forest)
        kinds: tuple[type[Part], ...] = (*self._part_kinds, TrainingSample)
        read = [kind.read(saved) for kind in kinds]
        parts = [part for part in read if part is not None]
        known = (*self._saved_numbers, *predictive.arrays())
        settings = {
            **saved_state.read_numbers(meta, known),
            **saved_state.read_arrays(arrays, self._saved_arrays),
        }
        grown = grown.extended(settings, *parts)
        self._set_attributes(fitted_attributes(saved.schema, grown, predictive, of_target))

    @classmethod
    def _from_parameters(cls, parameters: dict[str, Any]) -> Self:
        parameters = saved_state.read_parameters(parameters)
        unknown = sorted(set(parameters) - set(cls._get_param_names()))
        if unknown:
            raise BayeswoodError(f"{cls.__name__} has no parameter {unknown[0]!r}.")
        check_parameters(parameters, cls._constraints, cls.__name__)
        return cls(**parameters)


def check_own_parameters(estimator: ForestEstimator) -> None:
    """Raise for the first parameter of an estimator that breaks its constraint."""
    parameters = estimator.get_params(deep=False)
    check_parameters(parameters, estimator._constraints, estimator._name)


def hand_over(estimator: ForestEstimator, attributes: Mapping[str, Any]) -> None:
    """Make an estimator one with these fitted attributes, whatever it was before."""
    estimator._forget()
    estimator._set_attributes(attributes)


def fitted_attributes(
    schema: Schema,
    grown: GrownForest,
    predictive: Predictive,
    target: ClassLabels | ClassBlocks | ResponseShape,
) -> dict[str, Any]:
    """The fitted attributes of an estimator with these parts."""
    parts = (target, *grown.parts)
    told = {n: a if a.ndim else a.item() for n, a in predictive.arrays().items() if n[-1] == "_"}
    forest = grown.forest.labelled(labels_of(schema, target.names()))
    found = {
        "schema_": schema,
        "n_features_in_": len(schema.inputs),
        "seed_": grown.seed,
        "forest_": forest,
        "predictive_": predictive,
        "_importances": grown.importances,
        "_parts": parts,
        **grown.settings,
        **told,
    }
    for part in parts:
        found |= part.attributes()
    if schema.named:
        found["feature_names_in_"] = np.array(schema.input_names, dtype=object)
    return found


def labels_of(schema: Schema, class_names: tuple[str, ...] = ()) -> Labels:
    """Names of columns, levels and classes, for texts of trees."""
    levels = tuple(column.levels for column in schema.columns)
    return Labels(tuple(schema.names), levels, class_names)


def read_estimator(file: File, known: Mapping[str, type[ForestEstimator]]) -> ForestEstimator:
    """The fitted estimator in a model file, of one of the known classes, by name."""
    return restore_estimator(*read_model(file), known)


def restore_estimator(
    class_name: str,
    meta: dict[str, Any],
    arrays: dict[str, NDArray[Any]],
    forest: Forest,
    known: Mapping[str, type[ForestEstimator]],
) -> ForestEstimator:
    """The fitted estimator that a model file held, of one of the known classes, by name."""
    if class_name not in known:
        raise BayeswoodError(f"The model file holds a {class_name!r}, which this version lacks.")
    return known[class_name]._from_state(meta, arrays, forest)
