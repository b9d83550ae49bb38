"""What the verbs print: text for people or one JSON object for machines, and the shared options."""

from __future__ import annotations

import json
import os
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import RenderableType

Verb = TypeVar("Verb", bound=Callable[..., Any])

_MAX_WIDTH = 100


class Screen:
    """Where a verb's results go.

    Parameters
    ----------
    quiet : bool
        Print nothing but errors.
    as_json : bool
        Print one JSON object instead of text.
    to_stderr : bool
        Keep standard output free, for a table is written there.
    """

    def __init__(self, *, quiet: bool, as_json: bool, to_stderr: bool = False) -> None:
        self.as_json = as_json
        self.is_text = not quiet and not as_json
        self._to_stderr = to_stderr
        if self.is_text:
            from rich.console import Console

            console = Console(stderr=to_stderr, highlight=False)
            self._console = Console(
                stderr=to_stderr, highlight=False, width=min(console.width, _MAX_WIDTH)
            )

    @property
    def shows_progress(self) -> bool:
        """Whether someone watches the work: text is wanted and stderr is a terminal."""
        return self.is_text and sys.stderr.isatty()

    def show(self, *renderables: RenderableType) -> None:
        """Print text, unless quiet or JSON."""
        if not self.is_text:
            return
        with self._console.capture() as capture:
            self._console.print(*renderables, sep="\n")
        # Tables are padded to their width; blanks at a line's end are of no use to anyone.
        lines = [line.rstrip() for line in capture.get().splitlines()]
        click.echo("\n".join(lines), err=self._to_stderr)

    def show_notes(self, notes: Iterable[str]) -> None:
        """Print what a user should know, each on its own line."""
        if not self.is_text:
            return
        from rich.padding import Padding
        from rich.text import Text

        for note in notes:
            self.show(Padding(Text(f"Note: {note}", style="yellow"), (0, 0, 0, 2)))

    def tell(self, notes: Iterable[str]) -> None:
        """Print what was made of the data to the standard error: each is a line of a log."""
        if self.is_text:
            for note in notes:
                text = f"Note: {note}"
                if sys.stderr.isatty():
                    text = textwrap.fill(
                        text, self._console.width, subsequent_indent="  ", break_on_hyphens=False
                    )
                click.secho(text, fg="yellow", err=True)

    def finish(self, result: dict[str, Any]) -> None:
        """Print the result as JSON, if that is wanted."""
        if self.as_json:
            from bayeswood.report.summarize import to_plain

            text = json.dumps(to_plain(result), ensure_ascii=False, allow_nan=False)
            click.echo(text, err=self._to_stderr)


@contextmanager
def warnings_as_notes(notes: list[str]) -> Iterator[None]:
    """Add what is warned of within to the notes, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        yield
    notes.extend(dict.fromkeys(str(warning.message) for warning in caught))


def screen_options(verb: Verb) -> Verb:
    """Add ``--quiet``, ``--json`` and ``--debug``."""
    for option in (
        click.option("--debug", is_flag=True, help="Show the traceback of a failure."),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
        click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors."),
    ):
        verb = option(verb)
    return verb


def share_option(name: str, default: float, text: str) -> Callable[[Verb], Verb]:
    """An option between 0 and 1, both excluded but for a γ₀ of 1."""
    bounds = click.FloatRange(0, 1, min_open=True, max_open=name != "--gamma0")
    return click.option(name, type=bounds, default=default, show_default=True, help=text)


def file_size(path: str | os.PathLike[str]) -> str:
    """A file's size for people.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"x" * 2500)
    ...     file.flush()
    ...     file_size(file.name)
    '2.5 kB'
    """
    size = float(os.path.getsize(path))
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
