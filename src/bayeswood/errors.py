"""What bayeswood raises when it cannot use what it was given, and how it warns."""

import sys
import warnings

# A warning is about what the user wrote, not about these packages' own lines.
_PASSED_OVER = ("bayeswood", "sklearn", "joblib")


class BayeswoodError(ValueError):
    """Bad input: data, a parameter or a file that cannot be used, and why."""


class DataTypeError(BayeswoodError, TypeError):
    """Data of a type that cannot be used; a `TypeError` too, as scikit-learn's users expect."""


class MissingFileError(BayeswoodError, FileNotFoundError):
    """A file that is not there; a `FileNotFoundError` too, as everybody expects."""


class DataSetError(BayeswoodError):
    """A data set that cannot be had: unknown, damaged, or not what its name promises."""


class MissingDataSetError(DataSetError):
    """A data set that is nowhere on this machine and could not be fetched."""


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, and point at the line of the user's that led here."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in _PASSED_OVER:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
