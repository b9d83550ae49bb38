"""One page about a model: its cases, what it looks at, and whether it can be trusted."""

from typing import Any

import numpy as np

from bayeswood.plots.class_probability import ClassProbabilityDisplay
from bayeswood.plots.importance import ImportanceDisplay
from bayeswood.plots.interval import SIDE_COLOURS, IntervalDisplay
from bayeswood.plots.interval_coverage import IntervalCoverageDisplay
from bayeswood.plots.reliability import ReliabilityDisplay
from bayeswood.report import (
    ClassPredictions,
    Importances,
    NumberPredictions,
    Outcome,
    score_predictions,
)
from bayeswood.report.names import percent
from bayeswood.report.palette import INK, OUTCOME_COLOURS, OUTCOME_NAMES
from bayeswood.uncertainty import class_event, summarize_reliability

_LOOK: dict[Any, Any] = {
    "font.size": 10.5,
    "axes.titlesize": 11.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 9.0,
    "axes.labelcolor": INK,
    "text.color": INK,
}


def plot_overview(
    predictions: ClassPredictions | NumberPredictions,
    y: Any,
    importances: Importances,
    *,
    title: str = "",
    rows_are: str = "test rows",
    target: str = "",
) -> Any:
    """Draw predictions with intervals, importances and reliability on one page.

    Parameters
    ----------
    predictions : ClassPredictions or NumberPredictions
        Of rows whose truth is known.
    y : array-like
        The truth.
    importances : Importances
    title : str
        First line.
    rows_are : str
        What the rows are, for the second line.
    target : str
        Name of the target.

    Returns
    -------
    matplotlib.figure.Figure
        Made without pyplot: it needs no display and no closing.

    Examples
    --------
    >>> from bayeswood import BayesianForestClassifier
    >>> from bayeswood.datasets import load_wine
    >>> from bayeswood.plots import plot_overview
    >>> from bayeswood.report import predict_rows, summarize_importances
    >>> wine = load_wine()
    >>> forest = BayesianForestClassifier(random_state=0).fit(wine.data[::2], wine.target[::2])
    >>> predictions = predict_rows(forest, wine.data[1::2])
    >>> figure = plot_overview(predictions, wine.target[1::2], summarize_importances(forest))
    >>> len(figure.axes)
    4
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    truth = np.asarray(y)
    with mpl.rc_context(_LOOK):
        layout = ConstrainedLayoutEngine(w_pad=0.14, h_pad=0.1, wspace=0.03, hspace=0.05)
        figure = Figure(figsize=(12, 7.4), dpi=150, layout=layout, facecolor="white")
        top, page = figure.subfigures(2, 1, height_ratios=[0.27, 1], squeeze=False)[:, 0]
        headline = _headline(predictions, truth, rows_are)
        top.suptitle(f"{title}\n{headline}", x=0.012, ha="left", fontsize=14, linespacing=1.4)
        strip = top.add_subplot()
        grid = page.add_gridspec(2, 2, width_ratios=[1.75, 1])
        cases, trust = page.add_subplot(grid[:, 0]), page.add_subplot(grid[1, 1])
        ranking = ImportanceDisplay(importances).plot(page.add_subplot(grid[0, 1]), n_features=10)
        ranking.ax_.set_title("What the trees split on")
        if isinstance(predictions, ClassPredictions):
            _draw_classes(predictions, truth, strip, cases, trust)
        else:
            _draw_numbers(predictions, truth, strip, cases, trust, target)
    return figure


def _headline(predictions: ClassPredictions | NumberPredictions, y: Any, rows_are: str) -> str:
    scores: Any = score_predictions(predictions, y)
    if isinstance(predictions, ClassPredictions):
        return (
            f"{scores.accuracy:.1%} of {scores.n_rows:,} {rows_are} right, "
            f"log predictive probability "
            f"{scores.log_predictive_probability:.3f}".replace("-", "−")
        )
    return (
        f"root mean squared error {scores.rmse:.4g} on {scores.n_rows:,} {rows_are}, "
        f"R² {scores.r2:.3f}"
    )


def _draw_classes(
    predictions: ClassPredictions, y: Any, strip: Any, cases: Any, trust: Any
) -> None:
    display = ClassProbabilityDisplay(predictions, y).plot(cases, legend=False)
    counts = np.bincount(display.outcome, minlength=len(Outcome))
    names = [OUTCOME_NAMES[outcome] for outcome in Outcome]
    note = f"confident: at least {percent(predictions.gamma0)} of the trees agree"
    _draw_strip(strip, counts, names, [OUTCOME_COLOURS[outcome] for outcome in Outcome], note)
    interval = f"{percent(predictions.coverage)} interval"
    cases.set_title(f"Each case with its {interval}; ✕ = predicted wrongly")
    event, given, name = class_event(y, predictions.proba, predictions.classes)
    ReliabilityDisplay(summarize_reliability(event, given, name=name)).plot(trust, note=False)
    trust.set_title("Are the probabilities right?")


def _draw_numbers(
    predictions: NumberPredictions, y: Any, strip: Any, cases: Any, trust: Any, target: str
) -> None:
    display = IntervalDisplay(predictions, y).plot(cases, legend=False, target=target)
    counts = np.bincount(display.side + 1, minlength=3)
    names = ["below its interval", "inside its interval", "above its interval"]
    note = f"mean width {np.mean(predictions.upper - predictions.lower):.4g}"
    _draw_strip(strip, counts, names, [SIDE_COLOURS[side] for side in (-1, 0, 1)], note)
    cases.set_title(
        f"Truth against prediction, with the {percent(predictions.coverage)} interval; ✕ = outside"
    )
    IntervalCoverageDisplay.from_predictions(y, predictions, ax=trust)
    trust.set_title("Do the intervals hold the truth?")


def _draw_strip(ax: Any, counts: Any, names: list[str], colours: list[str], note: str) -> None:
    """One bar, split by what became of the cases; it is the legend as well."""
    left = 0
    for count, colour in zip(counts, colours, strict=True):
        ax.barh(0, count, left=left, height=1, color=colour, edgecolor="white", linewidth=1.5)
        left += count
    ax.set(xlim=(0, left), ylim=(-0.5, 0.5))
    ax.axis("off")
    labelled = zip(counts, names, strict=True)
    shares = [f"{name} {count:,} ({count / left:.1%})" for count, name in labelled]
    ax.legend(
        handles=ax.patches, labels=shares, loc="upper left", bbox_to_anchor=(0, 0), ncols=3,
        frameon=False, borderaxespad=0.3, handlelength=1, handleheight=1, columnspacing=2.5,
        borderpad=0.2,
    )  # fmt: skip
    ax.annotate(
        note, (1, 0), (0, -6), xycoords="axes fraction", textcoords="offset points",
        ha="right", va="top", fontsize="small", style="italic",
    )  # fmt: skip
