"""The ``bayeswood`` command: one file per verb."""

import sys
from collections.abc import Sequence

from bayeswood.methods.base.process import only_predict

__all__ = ["main"]

# Verbs that fit nothing: a process of their own does without scikit-learn.
_ONLY_PREDICT = ("evaluate", "info", "predict")


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code: 0 well, 1 failed, 2 misused, 130 interrupted.

    Parameters
    ----------
    args : sequence of str, optional
        Arguments; those of the process by default.
    """
    if args is None and sys.argv[1:2] and sys.argv[1] in _ONLY_PREDICT:
        only_predict()
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
    app.main(args=None if args is None else list(args), prog_name="bayeswood")
