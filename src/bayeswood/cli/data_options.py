"""The options that say what is in a data file, shared by the verbs that fit."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from bayeswood.cli.problem import DEFAULT_DATA

Verb = TypeVar("Verb", bound=Callable[..., Any])

_OPTIONS = (
    click.argument("data", default=DEFAULT_DATA),
    click.option("--target", "-t", help="Column to predict (of a bundled set: target)."),
    click.option(
        "--task",
        type=click.Choice(["classification", "regression"]),
        help="What to predict; otherwise inferred from the target.",
    ),
    click.option("--columns", multiple=True, help="Features, by name; otherwise all columns."),
    click.option("--drop", multiple=True, help="Columns to leave out."),
    click.option("--categorical", multiple=True, help="Columns to take as categories."),
    click.option("--weights", metavar="COLUMN", help="Column of sample weights."),
    click.option(
        "--seed",
        type=click.IntRange(0, 2**32 - 1),
        default=0,
        show_default=True,
        help="Seed of the split and the fit.",
    ),
    click.option(
        "--n-jobs", "--jobs", "-j", "n_jobs", type=int, help="Threads; -1 for all processors."
    ),
)


def data_options(verb: Verb) -> Verb:
    """Add DATA and the options that `read_problem` understands."""
    for option in reversed(_OPTIONS):
        verb = option(verb)
    return verb
