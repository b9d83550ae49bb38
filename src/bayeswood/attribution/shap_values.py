"""Shapley values of rows, as a result to look at, draw and hand on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.table import Schema
from bayeswood.uncertainty import check_coverage, member_quantiles

F64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ShapValues:
    """What each feature adds to each prediction. NumPy takes it as its `values`.

    Attributes
    ----------
    values : ndarray, (n_rows, n_features) or (n_rows, n_features, n_outputs)
        With draws, one of them for each member before that; of interactions, n_features twice.
    base_values : ndarray, (n_rows,) or (n_rows, n_outputs)
        What is said where no feature is known; values and base sum to what is explained. With
        draws, one of them for each member before that.
    data : ndarray of object, (n_rows, n_features)
        The rows: numbers, and names of levels.
    feature_names, output_names : tuple of str
        The second is empty where there is one output.
    output : str
        What the values sum to.
    is_exact : bool
        Whether they are Shapley values of that itself. Otherwise those of the trees' sums, which
        are exact, were passed through what is made of the sums.
    member_weights : ndarray, (n_members,), or None
        Of the draws; None without draws.
    """

    values: F64
    base_values: F64
    data: NDArray[Any]
    feature_names: tuple[str, ...]
    output_names: tuple[str, ...]
    output: str
    is_exact: bool
    member_weights: F64 | None = None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is None:  # which NumPy 1 does not take
            return np.asarray(self.values, dtype=dtype)
        return np.array(self.values, dtype=dtype, copy=copy)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the values."""
        return self.values.shape

    def __len__(self) -> int:
        return len(self.values)

    @property
    def has_draws(self) -> bool:
        """Whether there are values of every member."""
        return self.member_weights is not None

    def mean(self) -> "ShapValues":
        """The weighted mean over the draws."""
        weights = self._weights("mean")
        return replace(
            self,
            values=np.tensordot(weights, self.values, 1),
            base_values=np.tensordot(weights, self.base_values, 1),
            member_weights=None,
        )

    def interval(self, coverage: float = 0.9) -> F64:
        """Ends of credible bands: quantiles of each value over the draws.

        Parameters
        ----------
        coverage : float, default=0.9
            Share of the draws, by weight, between the ends.

        Returns
        -------
        ndarray, (n_rows, n_features, 2) or (n_rows, n_features, n_outputs, 2)
        """
        weights = self._weights("interval")
        share = check_coverage(coverage, "ShapValues.interval")
        levels = np.array([(1 - share) / 2, (1 + share) / 2])
        shape = self.values.shape
        flat = self.values.reshape(shape[0], -1, 1)
        return member_quantiles(flat, weights, levels).reshape(*shape[1:], 2)

    def _weights(self, caller: str) -> F64:
        if self.member_weights is None:
            raise BayeswoodError(
                f"ShapValues.{caller} needs the values of every member. Ask with "
                "shap_values(X, draws=True)."
            )
        return self.member_weights

    def of_output(self, name: Any) -> "ShapValues":
        """The values of one output, by its name or number."""
        if not self.output_names:
            raise BayeswoodError("There is one output only: the values are its values.")
        names = list(self.output_names)
        place = names.index(str(name)) if str(name) in names else name
        if not isinstance(place, (int, np.integer)) or not -len(names) <= place < len(names):
            raise BayeswoodError(f"There is no output {name!r}. There are {', '.join(names)}.")
        return replace(
            self,
            values=self.values[..., place],
            base_values=self.base_values[..., place],
            output=f"{self.output} of {names[place]}",
            output_names=(),
        )

    def to_shap(self) -> Any:
        """As a `shap.Explanation`, for the plots of that package.

        Of draws, their mean.
        """
        try:
            from shap import Explanation
        except ImportError as error:
            raise BayeswoodError("to_shap needs the package shap: pip install shap") from error
        if self.has_draws:
            return self.mean().to_shap()
        return Explanation(
            self.values,
            base_values=np.array(self.base_values),
            data=self.data,
            feature_names=list(self.feature_names),
            output_names=list(self.output_names) or None,
        )

    def __repr__(self) -> str:
        kind = "" if self.is_exact else ", passed on from the sums of trees"
        return f"<ShapValues {self.shape} of the {self.output}{kind}>"


def shap_result(
    values: F64,
    bases: F64,
    *,
    rows: NDArray[Any],
    schema: Schema,
    output_names: Sequence[str],
    output: str,
    is_exact: bool,
    member_weights: F64 | None = None,
) -> ShapValues:
    """A result with names; a single output has no axis of its own."""
    names = tuple(output_names)
    if len(names) < 2 and values.shape[-1] == 1:
        values, bases, names = values[..., 0], bases[..., 0], ()
    return ShapValues(
        values,
        bases,
        shown_cells(rows, schema),
        tuple(schema.names),
        names,
        output,
        is_exact,
        member_weights,
    )


def shown_cells(rows: NDArray[Any], schema: Schema) -> NDArray[Any]:
    """Encoded rows as people read them: names in place of numbers of levels."""
    shown = np.asarray(rows).astype(object)
    for place, column in enumerate(schema.columns):
        if not len(column.levels):
            continue
        numbers = np.asarray(rows[:, place], dtype=np.float64)
        known = np.flatnonzero(numbers >= 0)
        shown[known, place] = [str(column.levels[int(numbers[row])]) for row in known]
    return shown
