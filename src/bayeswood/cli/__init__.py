"""The ``bayeswood`` command: one file per verb."""

import gc
import sys
from collections.abc import Sequence

from bayeswood.methods.base.process import only_predict

__all__ = ["main"]

# Verbs that fit nothing: a process of their own does without scikit-learn.
_ONLY_PREDICT = ("evaluate", "info", "predict")
# Objects made between two searches for cycles. Imports make many that stay: Python's own 700 have
# them looked through again and again.
_GC_THRESHOLD = 100_000


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code: 0 well, 1 failed, 2 misused, 130 interrupted.

    Parameters
    ----------
    args : sequence of str, optional
        Arguments; those of the process by default.
    """
    if args is not None:
        _run(list(args))
        return
    gc.set_threshold(_GC_THRESHOLD)
    if sys.argv[1:2] and sys.argv[1] in _ONLY_PREDICT:
        only_predict()
    try:
        _run(None)
    finally:
        _end_quickly()


def _end_quickly() -> None:
    """Spare the interpreter its last search for cycles; what is in one goes with the process."""
    gc.freeze()
    core = sys.modules.get("bayeswood._core")
    if core is not None:
        core.tell_leaks(False)


def _run(args: list[str] | None) -> None:
    try:
        from bayeswood.cli.app import app
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in {"click", "rich"}:
            raise
        print(
            f"bayeswood: the command line needs {package}: pip install 'bayeswood[cli]'",
            file=sys.stderr,
        )
        sys.exit(1)
    app.main(args=args, prog_name="bayeswood")
