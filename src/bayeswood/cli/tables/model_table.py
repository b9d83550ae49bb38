"""Bring the columns of a data file into the shape that a fitted model was trained on."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.cli.tables.columns import category_column, number_array, suggest, target_array
from bayeswood.cli.tables.table_file import ReadOptions, read_table
from bayeswood.errors import BayeswoodError
from bayeswood.methods import load
from bayeswood.table.arrow_functions import cast
from bayeswood.table.moments import Moments
from bayeswood.table.reading import note_lines


def load_model(path: Path) -> Any:
    """The fitted estimator in a file, if the command line can use it."""
    model = load(path)
    if type(model).__name__ == "EnvelopeClassifier":
        raise BayeswoodError(
            f"The file {str(path)!r} holds an EnvelopeClassifier, which is for Python. Save its "
            f"estimator_ by itself and give --gamma0 {model.gamma0_:g}."
        )
    return model


def read_for_model(
    source: str, estimator: Any, options: ReadOptions | None = None
) -> tuple[Any, list[str]]:
    """Read a data file as the training data of a model were read.

    Columns that the model knows as text are not guessed to be numbers, and numbers are read by the
    marks that they had in training where these fit.

    Parameters
    ----------
    source : str
        A path, ``-`` or ``builtin:NAME``.
    estimator : fitted bayeswood estimator
    options : ReadOptions, optional
        How it is written.

    Returns
    -------
    table : pyarrow.Table
        All columns of the file.
    notes : list of str
        About columns of the model that are written in another way than in training.
    """
    read = read_table(source, options, like=estimator)
    used = {None, *estimator.schema_.input_names}
    return read.table, note_lines(note for note in read.notes if note.column in used)


def model_features(table: Any, estimator: Any) -> tuple[Any, list[str]]:
    """The model's features, in its order and types; other columns are left out.

    Parameters
    ----------
    table : pyarrow.Table
    estimator : fitted bayeswood estimator

    Returns
    -------
    features : pyarrow.Table or ndarray
        An array where the model was fitted without column names.
    notes : list of str
        About levels that the model never saw.
    """
    schema = estimator.schema_
    if not schema.named:
        remembered = schema.reading.target
        if remembered in table.column_names and table.num_columns > len(schema.inputs):
            table = table.drop_columns([remembered])
        return _unnamed_features(table, schema), []
    missing = [name for name in schema.input_names if name not in table.column_names]
    if missing:
        names = ", ".join(f"'{name}'" for name in missing[:5]) + (" …" if missing[5:] else "")
        hint = suggest(missing[0], table.column_names) if len(missing) == 1 else ""
        raise BayeswoodError(f"The data lack {len(missing)} of the model's columns: {names}.{hint}")
    selected = table.select(list(schema.input_names))
    notes: list[str] = []
    for position, column in enumerate(schema.inputs):
        if isinstance(column, Moments):
            continue  # the estimator takes it apart, and says what is wrong with it
        cells = selected[column.name]
        cells = (
            _as_levels(cells, column, notes)
            if column.kind == "category"
            else _as_numbers(cells, column)
        )
        selected = selected.set_column(position, column.name, cells)
    return selected, notes


def _unnamed_features(table: Any, schema: Any) -> NDArray[np.float64]:
    if table.num_columns != schema.n_features:
        raise BayeswoodError(
            f"The model was fitted on {schema.n_features} columns without names. "
            f"The data have {table.num_columns}; leave out the others."
        )
    if not schema.all_numeric:
        raise BayeswoodError("A model with categories but no column names cannot read a file.")
    pairs = zip(table.columns, schema.columns, strict=True)
    return np.column_stack([_as_numbers(cells, column).to_numpy() for cells, column in pairs])


def _as_numbers(cells: Any, column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(cells.type):
        cells = cast(cells, cells.type.value_type)
    try:
        return cast(cells, pa.float64(), safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise BayeswoodError(
            f"Column '{column.name}' must hold numbers, as in training. It holds {cells.type}."
        ) from None


def _as_levels(cells: Any, column: Any, notes: list[str]) -> Any:
    """Cells as values of the levels' type; what that cannot hold is missing.

    Levels that the model never saw stay. It predicts such cells as missing ones, and they count as
    far away in its `support`.
    """
    import pyarrow as pa

    kinds = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
    kind = kinds[column.level_type or str]
    if pa.types.is_dictionary(cells.type):
        cells = cast(cells, cells.type.value_type)
    n_present = len(cells) - cells.null_count
    if kind == pa.string() or cells.type != kind:
        by_text = {_level_text(level): level for level in column.levels}
        texts = cast(category_column(cells), pa.string()).to_pylist()
        n_known = sum(text in by_text for text in texts)
        held = texts if kind == pa.string() else [by_text.get(text) for text in texts]
        cells = pa.chunked_array([pa.array(held, type=kind)])
    else:
        import pyarrow.compute as pc

        n_known = pc.sum(pc.is_in(cells, value_set=pa.array(column.levels, type=kind))).as_py() or 0
    n_unseen = n_present - n_known
    if n_unseen:
        notes.append(
            f"column '{column.name}': levels that the model never saw, taken as missing, "
            f"in {n_unseen:,} of {len(cells):,} rows."
        )
    return cells


def _level_text(level: Any) -> str:
    """As pyarrow writes the value."""
    return str(level).lower() if isinstance(level, bool) else str(level)


def find_target(table: Any, estimator: Any, target: str | None) -> str:
    """The target's name: as given, as in training, or the one column that the model does not use.

    Parameters
    ----------
    table : pyarrow.Table
    estimator : fitted bayeswood estimator
    target : str or None

    Returns
    -------
    str
    """
    others = [n for n in table.column_names if n not in estimator.schema_.input_names]
    if target is not None:
        if target not in table.column_names:
            raise BayeswoodError(f"No target column '{target}'.{suggest(target, others)}")
        if target not in others and estimator.schema_.named:
            raise BayeswoodError(
                f"Column '{target}' is a feature of the model and cannot be its target. "
                f"Name the column of true values with --target.{suggest(target, others)}"
            )
        return target
    remembered = estimator.schema_.reading.target
    if remembered in others:
        return str(remembered)
    if len(others) == 1 and estimator.schema_.named:
        return str(others[0])
    found = "no column" if not others else "more than one: " + ", ".join(others[:6])
    raise BayeswoodError(f"Name the target with --target. Not used by the model is {found}.")


def true_values(column: Any, name: str, estimator: Any) -> NDArray[Any]:
    """The target's cells in the type of the model's classes, or as numbers.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
    name : str
    estimator : fitted bayeswood estimator

    Returns
    -------
    (n_rows,) ndarray
    """
    import pyarrow as pa

    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return number_array(column, f"target column '{name}'")
    if np.asarray(classes).dtype.kind in "OU" and not pa.types.is_dictionary(column.type):
        column = cast(column, pa.string())
    labels = target_array(column, name, "classification")
    if (labels.dtype.kind in "OU") != (np.asarray(classes).dtype.kind in "OU"):
        raise BayeswoodError(
            f"The target column '{name}' does not hold the model's classes, such as {classes[0]!r}."
        )
    return labels
