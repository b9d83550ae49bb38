"""The options that say what is in a data file and how it is written."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

import click

from bayeswood.cli.tables.table_file import DEFAULT_DATA, ReadOptions

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

_READING = (
    click.option("--na", multiple=True, metavar="WORD", help="A word for a missing cell."),
    click.option("--decimal", type=click.Choice([".", ","]), help="The decimal mark of numbers."),
    click.option(
        "--thousands",
        type=click.Choice([",", ".", " ", "'"]),
        help="The mark between groups of three digits.",
    ),
    click.option(
        "--no-header", "header", flag_value=False, default=True, help="The first line is a row."
    ),
    click.option("--encoding", help="Of a CSV file, such as latin-1; otherwise UTF-8 or UTF-16."),
    click.option(
        "--day-first/--month-first", default=None, help="The order in dates like 01/02/2024."
    ),
)
_DROP_MISSING = click.option(
    "--drop-missing-target", is_flag=True, help="Leave out rows without a target."
)


def data_options(verb: Verb) -> Verb:
    """Add DATA and the options that `read_problem` understands."""
    for option in reversed(_OPTIONS):
        verb = option(verb)
    return reading_options(_DROP_MISSING(verb))


def reading_options(verb: Verb) -> Verb:
    """Add the options of `ReadOptions`."""
    for option in reversed(_READING):
        verb = option(verb)
    return verb


def drop_missing_option(verb: Verb) -> Verb:
    """Add ``--drop-missing-target``."""
    return _DROP_MISSING(verb)


def take_reading(options: dict[str, Any]) -> ReadOptions:
    """Take the options of `ReadOptions` out of those of a verb."""
    return ReadOptions(**{field.name: options.pop(field.name) for field in fields(ReadOptions)})
