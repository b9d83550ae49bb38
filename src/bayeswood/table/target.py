"""The target ``y``: class labels for classifiers, numbers for regressors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError, DataTypeError
from bayeswood.table.cells import Cells
from bayeswood.table.vector import one_column, open_columns, warn_of_column

# Squares of responses beyond these sizes, summed over rows, leave the range of a float.
_LARGEST_RESPONSE = 1e120
_SMALLEST_RESPONSE = 1e-120
_LABEL_KINDS = {"b": bool, "i": int, "u": int, "f": float, "U": str, "O": object}


def fit_class_target(y: Any, estimator_name: str) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Number the classes.

    Parameters
    ----------
    y : array-like or series of shape (n_rows,)
        Labels: strings, booleans, integers, or whole floats. All present.
    estimator_name : str
        Who reads it, for the errors.

    Returns
    -------
    codes : ndarray of int32 of shape (n_rows,)
        The position of each row's class in `classes`.
    classes : ndarray of shape (n_classes,)
        The labels that occur, ascending, in the user's type.

    Examples
    --------
    >>> codes, classes = fit_class_target(["no", "yes", "no"], "Forest")
    >>> codes, classes
    (array([0, 1, 0], dtype=int32), array(['no', 'yes'], dtype=object))
    """
    _refuse_none(y, estimator_name)
    columns, n_dimensions = open_columns(y, "y", estimator_name)
    if len(columns) > 1:
        shape = (len(columns[0].values), len(columns))
        raise BayeswoodError(
            f"y should be a 1d array, got an array of shape {shape} instead. {estimator_name} "
            "predicts one class; sklearn.multioutput.MultiOutputClassifier fits one of it for each "
            "column."
        )
    cells = one_column(columns, n_dimensions, "y")
    return _number_classes(cells, estimator_name, getattr(y, "dtype", None))


def fit_class_targets(
    y: Any, estimator_name: str
) -> list[tuple[NDArray[np.int32], NDArray[Any]]] | None:
    """Number the classes of each column of `y`; None if it has but one.

    Examples
    --------
    >>> [classes.tolist() for _, classes in fit_class_targets([[0, 5], [1, 5]], "Forest")]
    [[0, 1], [5]]
    """
    _refuse_none(y, estimator_name)
    if getattr(y, "ndim", 2) == 1:
        return None
    columns, _ = open_columns(y, "y", estimator_name)
    if len(columns) < 2:
        return None
    fixed_width = getattr(y, "dtype", None)
    return [_number_classes(cells, estimator_name, fixed_width) for cells in columns]


def _number_classes(
    cells: Cells, estimator_name: str, fixed_width: Any
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    if cells.family == "string":
        _refuse_missing(cells, estimator_name)
        return _number_words(cells, fixed_width)
    _finite(cells, estimator_name)
    _refuse_continuous(cells)
    classes, codes = np.unique(cells.values, return_inverse=True)
    if cells.family == "bool":
        classes = classes.astype(np.bool_)
    return codes.astype(np.int32), classes


def fit_numeric_target(y: Any, estimator_name: str) -> tuple[NDArray[np.float64], bool]:
    """Read one or several numeric targets.

    Parameters
    ----------
    y : array-like, series or data frame of shape (n_rows,) or (n_rows, n_outputs)
        Finite numbers.
    estimator_name : str
        Who reads it, for the errors.

    Returns
    -------
    target : ndarray of float64 of shape (n_rows, n_outputs)
        A contiguous copy or view.
    is_single : bool
        True if there is one target, so that predictions have one dimension; where `y` is a matrix
        of one column, with scikit-learn's warning.

    Examples
    --------
    >>> fit_numeric_target([1, 2], "Forest")
    (array([[1.],
           [2.]]), True)
    """
    _refuse_none(y, estimator_name)
    columns, n_dimensions = open_columns(y, "y", estimator_name)
    if not columns:
        raise BayeswoodError(f"y has no column. {estimator_name} needs at least one target.")
    numbers = [_finite(cells, estimator_name) for cells in columns]
    is_single = len(columns) == 1
    if is_single and n_dimensions == 2:
        warn_of_column("y")
    return np.ascontiguousarray(np.column_stack(numbers)), is_single


def check_response_size(largest: NDArray[np.float64], what: str, estimator_name: str) -> None:
    """Refuse responses whose squares leave the range of a float.

    Parameters
    ----------
    largest : ndarray of shape (n_outputs,)
        The largest size of each response.
    what : str
        What the responses are called, for the error.
    estimator_name : str
        Who squares them, for the error.
    """
    within = (largest >= _SMALLEST_RESPONSE) & (largest <= _LARGEST_RESPONSE)
    if not (within | (largest == 0)).all():
        raise BayeswoodError(
            f"The largest value of {what} is {largest[~within][0]:g} in size, too far from 1 to "
            f"be squared by {estimator_name}. Rescale {what} to lie between 1e-120 and 1e120 in "
            "size."
        )


def classes_to_plain(classes: NDArray[Any]) -> dict[str, Any]:
    """Class labels with the type they had, as plain data."""
    return {"dtype": classes.dtype.str, "labels": classes.tolist()}


def classes_from_plain(plain: Any, where: str) -> NDArray[Any]:
    """Class labels from `classes_to_plain`, of the same type.

    Nothing is trusted: a file may come from anyone.

    Parameters
    ----------
    plain : dict
        The plain data.
    where : str
        What holds them, for the errors, such as ``"The model file"``.

    Examples
    --------
    >>> import numpy as np
    >>> classes_from_plain(classes_to_plain(np.array([False, True])), "The model file")
    array([False,  True])
    """
    labels = _plain_value(plain, "labels", list, where)
    dtype = _plain_value(plain, "dtype", str, where)
    kind = dtype.lstrip("<>=|")[:1]
    _check_labels(labels, kind, dtype, where)
    try:
        # The width of strings follows from the labels: a file cannot ask for more memory.
        wanted = np.dtype({"U": "U", "O": "O"}.get(kind, dtype))
        classes: NDArray[Any] = np.array(labels, dtype=wanted)
        if kind in "iu" and classes.tolist() != labels:  # NumPy 1 takes them modulo the type
            raise OverflowError(f"integer out of bounds for {wanted}")
    except (TypeError, ValueError, OverflowError) as error:
        raise BayeswoodError(f"{where} holds unreadable class labels: {error}") from error
    if len(set(labels)) != len(labels):
        raise BayeswoodError(f"{where} holds a class label twice.")
    return classes


def _plain_value(plain: Any, name: str, kind: type, where: str) -> Any:
    if not isinstance(plain, dict) or name not in plain:
        raise BayeswoodError(f"{where} lacks '{name}'.")
    if not isinstance(plain[name], kind):
        raise BayeswoodError(f"{where} holds a '{name}' of the wrong type.")
    return plain[name]


def _check_labels(labels: list[Any], kind: str, dtype: str, where: str) -> None:
    expected = _LABEL_KINDS.get(kind)
    if expected is None or not labels:
        raise BayeswoodError(f"{where} holds class labels of an unknown type, {dtype!r}.")
    allowed = (str, bool, int, float) if expected is object else (expected,)
    if not all(type(label) in allowed for label in labels):
        raise BayeswoodError(f"{where} holds class labels that are not of type {dtype!r}.")


def _refuse_none(y: Any, estimator_name: str) -> None:
    if y is None:
        raise BayeswoodError(
            f"This {estimator_name} estimator requires y to be passed, but the target y is None."
        )


def _refuse_words(cells: Cells, estimator_name: str) -> None:
    if cells.family == "string":
        row = int(np.argmax(cells.values >= 0))
        word = cells.words[cells.values[row]] if cells.words else ""
        raise DataTypeError(
            f"y holds strings ({word!r} in row {row}). {estimator_name} predicts numbers; for "
            "classes use a classifier."
        )


def _finite(cells: Cells, estimator_name: str) -> NDArray[np.float64]:
    """Numbers, all present and finite; refuses others, naming the first row."""
    _refuse_words(cells, estimator_name)
    _refuse_missing(cells, estimator_name)
    numbers = cells.floats()
    infinite = np.isinf(numbers)
    if infinite.any():
        raise BayeswoodError(
            f"Input y contains infinity: row {int(np.argmax(infinite))}. {estimator_name} needs "
            "finite targets."
        )
    return numbers


def _refuse_missing(cells: Cells, estimator_name: str) -> None:
    missing = cells.is_missing()
    if missing.any():
        raise BayeswoodError(
            f"Input y contains NaN or None: row {int(np.argmax(missing))}. {estimator_name} needs "
            "the target of every training row."
        )


def _refuse_continuous(cells: Cells) -> None:
    if cells.values.dtype.kind != "f" or cells.declared:
        return
    fractional = cells.values != np.floor(cells.values)
    if fractional.any():
        row = int(np.argmax(fractional))
        raise BayeswoodError(
            f"Unknown label type: continuous (y is {cells.values[row].item()!r} in row {row}). "
            "Maybe you are trying to fit a classifier, which expects discrete classes on a "
            "regression target with continuous values."
        )


def _number_words(cells: Cells, fixed_width: Any) -> tuple[NDArray[np.int32], NDArray[Any]]:
    occurs = np.bincount(cells.values, minlength=len(cells.words)) > 0
    used = [word for word, here in zip(cells.words, occurs, strict=True) if here]
    labels = sorted(used)
    number = dict(zip(labels, range(len(labels)), strict=True))
    numbers = np.array([number.get(word, -1) for word in cells.words], dtype=np.int32)
    is_fixed = getattr(fixed_width, "kind", "") == "U"
    return numbers[cells.values], np.array(labels, dtype=np.str_ if is_fixed else object)
