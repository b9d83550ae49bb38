"""Shapley values of every estimator: its forest and its predictive, together."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bayeswood.attribution import (
    Question,
    ShapValues,
    explain_pairs,
    explain_rows,
    shap_result,
)
from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.parameters import parameter_error
from bayeswood.progress import Report, progress_bar

_OUTPUTS = ("prediction", "raw")
# Rows times trees from which on it is worth while to watch.
_LONG = 100_000


def _in_rows(report: Report, n_rows: int) -> Callable[[float, float], None]:
    """Work in other units, told in rows."""
    return lambda done, total: report(round(n_rows * done / total), n_rows)


class Attributions:
    """Gives estimators `shap_values`. Not to be used by itself."""

    def shap_values(
        self: Any,
        X: Any,
        draws: bool = False,
        *,
        background: Any = None,
        interactions: bool = False,
        output: str = "prediction",
    ) -> ShapValues:
        """What each feature adds to each prediction, and how sure that is.

        Parameters
        ----------
        X : array-like or data frame, (n_rows, n_features)
            Rows to explain.
        draws : bool, default=False
            Whether to give the values of every member: the posterior of each value, with credible
            bands by its `interval`. Takes 8 bytes per member, row, feature and output.
        background : array-like or data frame, default=None
            Rows from which features come that are not known (a hundred say most). By default
            a tree's expectation along its own paths takes their place.
        interactions : bool, default=False
            Whether to give the values of pairs of features; each pair is there twice, with a half
            each, and rows sum to the values.
        output : {"prediction", "raw"}, default="prediction"
            What the values sum to: what `predict` or `predict_proba` say, or what the trees add up
            to before a calibration or link makes the prediction of it.

        Returns
        -------
        ShapValues
            ``values``, (n_rows, n_features), of classes and several responses (n_rows, n_features,
            n_outputs), ``base_values``, and what they are: ``output``, ``is_exact``.

        Notes
        -----
        φ_i = Σ_S |S|! (d − |S| − 1)! / d! (v(S ∪ i) − v(S)) over the sets S of other features, v(S)
        the expectation where S is known. Of sums of trees they are exact (see
        core/include/bayeswood/attribution/tree_shap.hpp), at the cost of nodes times half of the
        features on a path. Where a prediction is no sum of trees (calibrated probabilities, pools
        by evidence, probits and softmaxes of sums), theirs are passed through what is made of them
        by the rule of Aumann and Shapley (`bayeswood.attribution.through_link`), and
        ``is_exact`` is False; they still sum to the prediction.

        Reference: S. Lundberg and others. From local explanations to global understanding with
        explainable AI for trees. Nature Machine Intelligence 2, 2020.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from bayeswood import BayesianForestRegressor
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> forest = BayesianForestRegressor(random_state=0).fit(X, y)
        >>> found = forest.shap_values(X[:5])
        >>> bool(abs(found.base_values + found.values.sum(axis=1) - forest.predict(X[:5])).max() < 1e-9)
        True
        >>> forest.shap_values(X[:5], draws=True).interval(0.9).shape
        (5, 10, 2)
        """  # noqa: E501
        caller = f"{self._name}.shap_values"
        if output not in _OUTPUTS:
            words = "one of 'prediction', 'raw'"
            raise parameter_error("output", caller, words, output)
        rows = self._encode(X)
        others = None if background is None else self._encode(background)
        is_long = len(rows) * self.forest_.n_trees > _LONG
        show = is_long and bool(getattr(self, "verbose", 0))
        with progress_bar(self._name, "rows", show=show) as report:
            progress = None if report is None else _in_rows(report, len(rows))
            question = Question(rows, others, self._workers(len(rows)), progress)
            if interactions:
                found = self._explain_pairs(question, draws, output, caller)
            elif draws:
                found = self._explain_draws(question, output)
            else:
                found = self._explain_rows(question, output)
        return shap_result(
            **found, rows=rows, schema=self.schema_, output_names=self._output_names()
        )

    def _explain_rows(self: Any, question: Question, output: str) -> dict[str, Any]:
        additive = self.predictive_.additive(self.forest_)
        raw = output == "raw"
        values, bases = explain_rows(additive, question, raw=raw)
        return {
            "values": values,
            "bases": bases,
            "output": additive.raw if raw else self._output_name(),
            "is_exact": additive.raw_is_linear if raw else additive.is_linear,
        }

    def _explain_draws(self: Any, question: Question, output: str) -> dict[str, Any]:
        values, bases, weights = self.predictive_.shap_draws(
            self.forest_, question, raw=output == "raw"
        )
        additive = self.predictive_.additive(self.forest_)
        raw = output == "raw"
        return {
            "values": values,
            "bases": bases,
            "output": additive.raw if raw else self._output_name(),
            "is_exact": additive.raw_is_linear if raw else additive.is_linear,
            "member_weights": np.asarray(weights),
        }

    def _explain_pairs(
        self: Any, question: Question, draws: bool, output: str, caller: str
    ) -> dict[str, Any]:
        additive = self.predictive_.additive(self.forest_)
        is_sum = additive.raw_is_linear if output == "raw" else additive.is_linear
        if draws or question.background is not None:
            raise BayeswoodError(
                f"{caller} gives interactions without draws and without a background only."
            )
        if not is_sum or len(additive.parts) > 1:
            raise BayeswoodError(
                f"{caller} gives interactions of sums of trees, and this prediction is none. "
                "Ask for output='raw', or of another estimator, such as a Bayesian forest."
            )
        values, bases = explain_pairs(additive.parts[0].forest, question)
        name = additive.raw if output == "raw" else self._output_name()
        return {"values": values, "bases": bases, "output": name, "is_exact": True}

    def _output_name(self: Any) -> str:
        return "probability" if hasattr(self, "classes_") else "prediction"

    def _output_names(self: Any) -> tuple[str, ...]:
        if hasattr(self, "classes_"):
            return tuple(str(name) for name in self.classes_)
        n_outputs = int(getattr(self, "n_outputs_", 1))
        return tuple(f"y{k}" for k in range(n_outputs)) if n_outputs > 1 else ()
