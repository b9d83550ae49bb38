"""Envelopes of several models over the same folds, as plain data: the paper's Tables 3 and 4."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import html_table
from bayeswood.errors import BayeswoodError
from bayeswood.uncertainty.envelope.curve import FoldCurves, fold_curves
from bayeswood.uncertainty.envelope.envelope import EnvelopeAssessment

F64 = NDArray[np.float64]

COLUMNS = ("tree_size", "accuracy", "confident_correct", "uncertain", "confident_incorrect")
_TITLES = ("model", "tree size", "accuracy", "correct", "uncertain", "incorrect")


@dataclass(frozen=True, eq=False)
class ModelFolds:
    """One model over the folds.

    Attributes
    ----------
    name : str
    assessments : tuple of EnvelopeAssessment
        One per fold, each on rows that the fold's model did not see.
    tree_sizes : (n_folds,) ndarray
        Mean number of splits of the members' trees; NaN where members are no trees.
    """

    name: str
    assessments: tuple[EnvelopeAssessment, ...]
    tree_sizes: F64

    def per_fold(self, column: str) -> F64:
        """One of `COLUMNS` in each fold."""
        if column == "tree_size":
            return self.tree_sizes
        return np.array([getattr(fold, column) for fold in self.assessments])

    def curves(self, gamma0: Any = None) -> FoldCurves:
        """The three rates over γ₀ in each fold, for their mean and spread."""
        return fold_curves(self.assessments, gamma0=gamma0)


@dataclass(frozen=True, eq=False)
class EnvelopeComparison:
    """Envelopes of several models over the same folds.

    Attributes
    ----------
    gamma0 : float
    models : tuple of ModelFolds
        In the order given.

    Notes
    -----
    ``± 2σ`` is twice the standard deviation over the folds, as in the paper's Tables 3 and 4. It
    says how much one fold differs from another; folds share training rows, so that it is no
    standard error.
    """

    gamma0: float
    models: tuple[ModelFolds, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(model.name for model in self.models)

    def __getitem__(self, name: str) -> ModelFolds:
        for model in self.models:
            if model.name == name:
                return model
        raise BayeswoodError(f"There is no model {name!r}. The models are {', '.join(self.names)}.")

    def mean(self, column: str) -> F64:
        """Mean over the folds of one of `COLUMNS`, per model."""
        return np.array([np.mean(model.per_fold(column)) for model in self.models])

    def two_sigma(self, column: str) -> F64:
        """Twice the standard deviation over the folds of one of `COLUMNS`, per model."""
        return np.array([2 * np.std(model.per_fold(column), ddof=1) for model in self.models])

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per model: its name, and each column with its ``_two_sigma``."""
        rows: list[dict[str, Any]] = [{"model": name} for name in self.names]
        for column in COLUMNS:
            values = zip(rows, self.mean(column), self.two_sigma(column), strict=True)
            for row, mean, spread in values:
                row[column], row[f"{column}_two_sigma"] = float(mean), float(spread)
        return rows

    def to_frame(self) -> Any:
        """The same as a pandas DataFrame, indexed by model."""
        try:
            import pandas as pd
        except ModuleNotFoundError:
            raise BayeswoodError(
                "A data frame needs pandas: pip install pandas. Without it, use records()."
            ) from None
        return pd.DataFrame(self.records()).set_index("model")

    def to_markdown(self) -> str:
        """The table of the paper: sizes, and rates in percent, each ± 2σ."""
        lines = [f"| {' | '.join(_TITLES)} |", "|---" * len(_TITLES) + "|"]
        return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in self._rows())])

    def _rows(self) -> list[list[str]]:
        return [
            [row["model"], *(_cell(row, column) for column in COLUMNS)] for row in self.records()
        ]

    def _conditions(self) -> str:
        n_folds = len(self.models[0].assessments)
        return f"at gamma0 = {self.gamma0:g}, {n_folds} folds, in %, ± 2σ"

    def __repr__(self) -> str:
        return f"EnvelopeComparison {self._conditions()}\n{self.to_markdown()}"

    def _repr_html_(self) -> str:
        title = f"Uncertainty Envelopes {self._conditions()}"
        return html_table.block(title, html_table.table(_TITLES, self._rows()))


def _cell(row: dict[str, Any], column: str) -> str:
    mean, spread = row[column], row[f"{column}_two_sigma"]
    if np.isnan(mean):
        return ""
    scale = 1.0 if column == "tree_size" else 100.0
    return f"{scale * mean:.1f} ± {scale * spread:.1f}"


def mean_tree_size(ensemble: Any) -> float:
    """Mean number of splits of the members' trees, by weight; NaN where members are no trees.

    The paper's "DT size". A tree of k splits has k + 1 leaves.

    Parameters
    ----------
    ensemble : fitted estimator

    Returns
    -------
    float

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> mean_tree_size(RandomForestClassifier(3, max_depth=1).fit(X, y))
    1.0
    """
    if hasattr(ensemble, "forest_"):
        return float(ensemble.member_weights_ @ (ensemble.forest_.n_leaves - 1))
    for inside in ("estimator_", "best_estimator_"):
        if hasattr(ensemble, inside) and not hasattr(ensemble, "estimators_"):
            return mean_tree_size(getattr(ensemble, inside))
    if hasattr(ensemble, "steps"):
        return mean_tree_size(ensemble[-1])
    members = getattr(ensemble, "estimators_", ())
    sizes = [member.tree_.n_leaves - 1 for member in members if hasattr(member, "tree_")]
    return float(np.mean(sizes)) if len(sizes) and len(sizes) == len(members) else float("nan")
