"""A report on a fitted model as one HTML file."""

import os
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bayeswood.errors import BayeswoodError
from bayeswood.progress import progress_bar
from bayeswood.report.predictions import DEFAULT_GAMMA0

if TYPE_CHECKING:
    from bayeswood.report.page.summary.report import ReportSummary

_NAME = "report.html"
_HEIGHT = "48rem"


class HtmlReport:
    """A page, and the plain data that it was made of.

    Attributes
    ----------
    summary : ReportSummary
        What the page says, section by section.
    text : str
        The page: HTML that needs no other file and asks nothing of a network.
    """

    def __init__(self, summary: "ReportSummary", text: str) -> None:
        self.summary = summary
        self.text = text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file; one that is there is replaced in one step.

        Parameters
        ----------
        path : str or path-like
        """
        from bayeswood.modelfile.write import replace_file

        target = os.path.realpath(os.fspath(path))
        try:
            replace_file(target, [self.text.encode()])
        except OSError as error:
            reason = error.strerror or str(error)
            raise BayeswoodError(f"Cannot write the report {target!r}: {reason}.") from error

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """In a frame of its own, so that neither page changes the other."""
        style = f"width:100%;height:{_HEIGHT};border:0"
        inside = escape(self.text)
        return f'<iframe srcdoc="{inside}" sandbox="allow-scripts" style="{style}"></iframe>'

    def __repr__(self) -> str:
        size = len(self.text.encode()) / 1000
        return f"<HtmlReport of {self.summary.data.n_rows:,} rows, {size:,.0f} kB>"


def html(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    path: str | os.PathLike[str] | None = None,
    sample_weight: ArrayLike | None = None,
    title: str | None = None,
    coverage: float = 0.9,
    gamma0: float | None = None,
    max_cases: int = 200,
    max_rows: int = 20_000,
    notes: Sequence[str] = (),
    model_file: str | None = None,
    data_file: str | None = None,
    date: str | None = None,
    random_state: int = 0,
    verbose: int = 0,
) -> HtmlReport:
    """One page about a fitted model: how good, when to trust it, what drives it, case by case.

    Parameters
    ----------
    model : fitted bayeswood estimator
        Of one response: a classifier, a regressor, or what `from_sklearn` gave. Of an
        `EnvelopeClassifier`, its ensemble is reported at its γ₀.
    X : table
        Labelled rows, better such as the model was not fitted to.
    y : array-like, (n_rows,)
        Their true classes or numbers.
    path : str or path-like, optional
        Where to write the page.
    sample_weight : array-like, (n_rows,), optional
        Weights of the rows in the scores.
    title : str, optional
        Of the page.
    coverage : float, default 0.9
        Of intervals and bands.
    gamma0 : float, default 0.9
        Where the slider stands at first: least agreement of a confident prediction.
    max_cases : int, default 200
        Rows to explain one by one; fewer where each takes long.
    max_rows : int, default 20_000
        Of more rows so many are drawn at random, and the page says so.
    notes : sequence of str, optional
        What should be known about how the rows were read.
    model_file, data_file : str, optional
        Names to be shown.
    date : str, optional
        To be shown. Without it, the same model, rows and seed give the same bytes.
    random_state : int, default 0
        Seed of samples and of the bootstrap.
    verbose : int, default 0
        Whether to show how far it is.

    Returns
    -------
    HtmlReport
        With ``save``; in a notebook it shows itself.

    Examples
    --------
    >>> from bayeswood import BayesianForestClassifier, report
    >>> from bayeswood.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> forest = BayesianForestClassifier(n_estimators=20, min_samples_leaf=3, random_state=0)
    >>> forest = forest.fit(iris.data[::2], iris.target[::2])
    >>> page = report.html(forest, iris.data[1::2], iris.target[1::2], max_cases=10)
    >>> page.text.startswith("<!doctype html>"), page.summary.scores.n_rows
    (True, 75)
    """
    from bayeswood.report.page.render.document import render_document
    from bayeswood.report.page.summary.report import About, summarize_report
    from bayeswood.report.page.summary.rows import Asked, read_rows

    forest, own_gamma0 = _unwrapped(model)
    _check(forest, coverage, max_cases=max_cases, max_rows=max_rows, random_state=random_state)
    threshold = _threshold(own_gamma0 if gamma0 is None else gamma0)
    asked = Asked(coverage, threshold, max_rows, random_state)
    rows = read_rows(forest, X, y, sample_weight, asked)
    shown = title or f"{type(forest).__name__} for {rows.target}"
    about = About(shown, tuple(notes), model_file, data_file, date)
    with progress_bar("Report", "%", show=bool(verbose)) as bar:
        summary = summarize_report(rows, about, max_cases, bar)
    found = HtmlReport(summary, render_document(summary))
    if path is not None:
        found.save(path)
    return found


def _unwrapped(model: Any) -> tuple[Any, float]:
    """The forest inside an ensemble that may decline, and where that draws the line."""
    if hasattr(model, "estimator_") and hasattr(model, "gamma0_"):
        inner = model.estimator_
        inner = inner.estimator if type(inner).__name__ == "FrozenEstimator" else inner
        return inner, min(float(model.gamma0_), 1.0)
    return model, DEFAULT_GAMMA0


def _check(model: Any, coverage: float, **counts: int) -> None:
    from bayeswood.posterior import Members
    from bayeswood.uncertainty import check_coverage

    if not hasattr(model, "forest_") and hasattr(model, "predict"):
        raise BayeswoodError(
            f"The 'model' parameter of {_NAME} must be a fitted bayeswood estimator. Got "
            f"{type(model).__name__} instead; bayeswood.from_sklearn takes scikit-learn's forests."
        )
    Members(model, _NAME)  # says what else is wrong
    n_outputs = int(getattr(model, "n_outputs_", 1))
    if n_outputs != 1:
        raise BayeswoodError(
            f"The 'model' parameter of {_NAME} must predict one target. This one has {n_outputs}."
        )
    check_coverage(coverage, _NAME)
    for name, value in counts.items():
        least = 0 if name == "random_state" else 1
        is_int = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not is_int or value < least:
            raise BayeswoodError(
                f"The '{name}' parameter of {_NAME} must be an int >= {least}. "
                f"Got {value!r} instead."
            )


def _threshold(gamma0: float) -> float:
    if isinstance(gamma0, bool) or not 0 < float(gamma0) <= 1:
        raise BayeswoodError(
            f"The 'gamma0' parameter of {_NAME} must be a float above 0 and at most 1. "
            f"Got {gamma0!r} instead."
        )
    return float(gamma0)
