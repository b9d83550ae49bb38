"""From the plain data of summarize to text for a terminal, at most 80 columns wide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bayeswood.report.names import MemberWords, listing, member_words, percent, shorten
from bayeswood.report.palette import BLUE, OUTCOME_COLOURS, OUTCOME_NAMES
from bayeswood.report.scores import ClassifierScores, RegressorScores
from bayeswood.uncertainty import Outcome

if TYPE_CHECKING:
    from bayeswood.report.summarize import Importances, ModelSummary

_BAR_CELLS = 28
_N_FEATURES = 10


def render_scores(
    scores: ClassifierScores | RegressorScores, members: str = "trees"
) -> RenderableType:
    """A table of scores; for classifiers also the three outcomes as bars.

    Parameters
    ----------
    scores : ClassifierScores or RegressorScores
    members : str, default="trees"
        Who votes.

    Returns
    -------
    rich renderable
    """
    if isinstance(scores, RegressorScores):
        return render_pairs(_regressor_rows(scores))
    table = _grid("left", "right", "right", "left")
    for outcome, share in _outcome_shares(scores).items():
        colour = OUTCOME_COLOURS[outcome]
        count = str(round(share * scores.n_rows))
        bar = Text(bar_text(share), style=colour)
        table.add_row(OUTCOME_NAMES[outcome], count, f"{share:.1%}", bar)
    least = f"at least {percent(scores.gamma0)} of the {members}"
    note = Text(f"  Confident: {least} vote for the predicted class.", style="dim")
    return Group(render_pairs(_classifier_rows(scores)), Text(""), table, note)


def _classifier_rows(scores: ClassifierScores) -> list[tuple[str, str]]:
    log_probability = f"{scores.log_predictive_probability:.4f}"
    if scores.n_zero_probability:
        log_probability += f"  ({scores.n_zero_probability} true classes had probability 0)"
    return [
        ("accuracy", f"{scores.accuracy:.4f}"),
        ("log predictive probability", log_probability),
        ("Brier score", f"{scores.brier:.4f}"),
    ]


def _regressor_rows(scores: RegressorScores) -> list[tuple[str, str]]:
    return [
        ("root mean squared error", f"{scores.rmse:.5g}"),
        ("mean absolute error", f"{scores.mae:.5g}"),
        ("R²", f"{scores.r2:.4f}"),
        (f"in the {percent(scores.coverage)} interval", f"{scores.covered:.1%}"),
        ("mean width of the interval", f"{scores.mean_width:.5g}"),
    ]


def _outcome_shares(scores: ClassifierScores) -> dict[Outcome, float]:
    return {
        Outcome.CONFIDENT_CORRECT: scores.confident_correct,
        Outcome.UNCERTAIN: scores.uncertain,
        Outcome.CONFIDENT_INCORRECT: scores.confident_incorrect,
    }


def render_importances(importances: Importances, n_features: int = _N_FEATURES) -> RenderableType:
    """The most important features, each with its spread over the members and a bar.

    Parameters
    ----------
    importances : Importances
    n_features : int, default 10
        How many to show.

    Returns
    -------
    rich renderable
    """
    table = _grid("left", "right", "left", "left")
    largest = max(float(importances.mean[0]), 1e-300)
    rows = list(zip(importances.names, importances.mean, importances.spread, strict=True))
    for name, mean, spread in rows[:n_features]:
        bar = Text(bar_text(mean / largest), style=BLUE)
        table.add_row(Text(shorten(name)), f"{mean:.3f}", f"± {spread:.3f}", bar)
    if len(rows) <= n_features:
        return table
    return Group(table, Text(f"  and {len(rows) - n_features} more", style="dim"))


def render_model(model: ModelSummary, facts: Iterable[tuple[str, str]] = ()) -> RenderableType:
    """What a model is: method, size, features, categories, parameters, importances.

    Parameters
    ----------
    model : ModelSummary
    facts : iterable of (str, str)
        More lines for the first table, such as the file's name.

    Returns
    -------
    rich renderable
    """
    rows = [*facts, ("method", f"{model.estimator} ({model.task})"), *_size_rows(model)]
    parameters = [(name, repr(value)) for name, value in model.parameters.items()]
    return Group(
        render_pairs(rows),
        heading("Parameters"),
        render_pairs(parameters),
        heading(f"Importance ± spread over the {_members(model).plural}"),
        render_importances(model.importances),
    )


def _members(model: ModelSummary) -> MemberWords:
    return member_words(model.n_trees // model.trees_per_member, model.trees_per_member)


def _size_rows(model: ModelSummary) -> list[tuple[str, str]]:
    size = f"{model.mean_leaves:.1f} leaves and depth {model.mean_depth:.1f} on average"
    trees = ("trees", f"{model.n_trees}, {size}")
    if model.trees_per_member > 1:
        trees = ("sums of trees", f"{_members(model).counted}; a tree has {size}")
    rows = [
        trees,
        ("features", f"{len(model.feature_names)}: " + listing(model.feature_names)),
    ]
    if model.target is not None:
        rows.append(("target", model.target))
    if model.classes:
        rows.append(("classes", f"{len(model.classes)}: " + listing(model.classes)))
    for name, levels in list(model.categories.items())[:_N_FEATURES]:
        rows.append((f"levels of {shorten(name, 20)}", f"{len(levels)}: " + listing(levels)))
    return rows


def heading(text: str) -> Text:
    """A heading with a blank line before it."""
    return Text(f"\n{text}", style="bold")


def render_pairs(rows: Iterable[tuple[str, str]]) -> Table:
    """Name and value, one pair a line.

    Parameters
    ----------
    rows : iterable of (str, str)

    Returns
    -------
    rich.table.Table
    """
    table = _grid("left", "left")
    for name, value in rows:
        table.add_row(Text(name), Text(value))
    return table


def render_columns(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Rows under headings; the first column to the left, the others to the right.

    Parameters
    ----------
    header : sequence of str
    rows : iterable of sequences of str

    Returns
    -------
    rich.table.Table
    """
    table = Table(box=None, padding=(0, 0, 0, 2), header_style="dim")
    for at, name in enumerate(header):
        table.add_column(name, justify="right" if at else "left", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def bar_text(share: float, n_cells: int = _BAR_CELLS) -> str:
    """A bar of eighths of a cell; a share above 0 is never drawn as nothing.

    Examples
    --------
    >>> bar_text(0.5, 4), bar_text(0.001, 4), bar_text(0.0, 4)
    ('██', '▏', '')
    """
    eighths = round(share * n_cells * 8)
    if share > 0:
        eighths = max(eighths, 1)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def _grid(*justify: Any) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 0, 0, 2))
    for side in justify:
        table.add_column(justify=side, overflow="fold")
    return table
