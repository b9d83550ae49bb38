"""Write several files so that all appear whole or none does."""

import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from bayeswood.errors import BayeswoodError


class OutputFiles:
    """Files written beside their place and renamed when the ``with`` block ends well.

    Parameters
    ----------
    inputs : Path
        Files that must not be overwritten.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     place = Path(folder) / "hello.txt"
    ...     with OutputFiles() as files:
    ...         files.check(place)
    ...         files.write(place, lambda path: path.write_text("hello"))
    ...         existed_early = place.exists()
    ...     existed_early, place.read_text()
    (False, 'hello')
    """

    def __init__(self, *inputs: Path) -> None:
        self._inputs = [path.resolve() for path in inputs]
        self._staged: dict[Path, Path] = {}

    def check(self, *paths: Path | None) -> None:
        """Refuse places that cannot be written, before any work is done.

        Parameters
        ----------
        *paths : Path or None
            None stands for an output that was not asked for.
        """
        wanted = [path for path in paths if path is not None]
        if len({path.resolve() for path in wanted}) < len(wanted):
            raise BayeswoodError("Two outputs have the same file name.")
        for path in wanted:
            self._check_one(path)

    def _check_one(self, path: Path) -> None:
        folder = path.parent
        if path.is_dir():
            raise BayeswoodError(f"Cannot write '{path}': it is a folder.")
        if not folder.is_dir():
            raise BayeswoodError(f"Cannot write '{path}': there is no folder '{folder}'.")
        if not os.access(folder, os.W_OK):
            raise BayeswoodError(f"Cannot write '{path}': no permission in '{folder}'.")
        if path.resolve() in self._inputs:
            raise BayeswoodError(f"Cannot write '{path}': it is an input of this command.")

    def write(self, path: Path, writer: Callable[[Path], object]) -> None:
        """Let ``writer`` write a file that will be renamed to ``path``.

        Parameters
        ----------
        path : Path
        writer : callable
            Gets the path to write to.
        """
        staged = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._staged[path] = staged
        writer(staged)

    def __enter__(self) -> "OutputFiles":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                for path, staged in self._staged.items():
                    os.replace(staged, path)
        finally:
            for staged in self._staged.values():
                staged.unlink(missing_ok=True)
