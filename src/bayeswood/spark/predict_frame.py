"""Predictions of a Spark data frame: each batch of rows by itself, where it is."""

import io
from collections.abc import Iterator
from functools import partial
from secrets import token_hex
from typing import Any

import numpy as np

from bayeswood.errors import BayeswoodError, DataTypeError
from bayeswood.methods.bayesian_forest.files_fitter import predicted_columns
from bayeswood.methods.bayesian_forest.fit_files import FileForest
from bayeswood.methods.registry import load
from bayeswood.spark.frame import need_frame, spark_types

_OWNER = "bayeswood.spark.transform"
_SPARK_TYPES = {"b": "boolean", "i": "bigint", "u": "bigint", "f": "double"}
# The model that this process predicted with last, by a name that is never used again.
_KNOWN: dict[str, Any] = {}


def transform(df: Any, model: FileForest) -> Any:
    """Predict the rows of a Spark data frame.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        Rows with the features of the model, and any other columns.
    model : EmpiricalBayesianForestClassifier or EmpiricalBayesianForestRegressor
        Fitted, anywhere.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of `df`, then ``predicted``, and for classifiers ``p_CLASS`` for the
        probability of each class; for several responses ``predicted_0``, ``predicted_1``, ...

    Notes
    -----
    Nothing is computed until the result is used, and rows stay where they are. The model goes to
    the executors as an ordinary model file.

    Examples
    --------
    >>> import bayeswood.spark
    >>> bayeswood.spark.transform(df, forest).show()  # doctest: +SKIP
    """
    need_frame(df, _OWNER)
    if not isinstance(model, FileForest):
        raise DataTypeError(
            f"The 'model' parameter of {_OWNER} must be an EmpiricalBayesianForestClassifier or "
            f"an EmpiricalBayesianForestRegressor. Got {model!r} instead."
        )
    model._check_fitted()
    types = spark_types(df, _OWNER)
    missing = [name for name in model.schema_.input_names if name not in types]
    if missing:
        raise BayeswoodError(f"{_OWNER} finds no column {missing[0]!r} in the data frame.")
    added = _added_types(model)
    clash = sorted(set(added) & set(types))
    if clash:
        raise BayeswoodError(f"The data frame has a column {clash[0]!r} already.")
    stage = partial(predict_rows, model=_as_bytes(model), name=token_hex(8))
    return df.mapInArrow(stage, _with_columns(df.schema, added))


def _with_columns(schema: Any, added: dict[str, str]) -> Any:
    from pyspark.sql.types import StructType

    both = StructType(list(schema.fields))
    for name, kind in added.items():
        both = both.add(name, kind)
    return both


def _added_types(model: FileForest) -> dict[str, str]:
    """Names and Spark types of the predictions."""
    classes = getattr(model, "classes_", None)
    if classes is not None:
        labels = _SPARK_TYPES.get(classes.dtype.kind, "string")
        return {"predicted": labels, **{f"p_{label}": "double" for label in classes}}
    several = [f"predicted_{j}" for j in range(model.forest_.n_outputs)]
    return dict.fromkeys(["predicted"] if model._single_output else several, "double")


def _as_bytes(model: FileForest) -> bytes:
    stream = io.BytesIO()
    model.save(stream)
    return stream.getvalue()


def predict_rows(batches: Iterator[Any], model: bytes, name: str) -> Iterator[Any]:
    """Predict the rows of a partition, inside an executor.

    Parameters
    ----------
    batches : iterator of pyarrow.RecordBatch
        The rows.
    model : bytes
        The model file.
    name : str
        Of the model, which is read once per process.
    """
    import pyarrow as pa

    known = _known(model, name)
    for batch in batches:
        found = {}
        if batch.num_rows:
            rows = pa.Table.from_batches([batch.select(list(known.schema_.input_names))])
            found = predicted_columns(known, rows)
        kinds = {"boolean": pa.bool_(), "bigint": pa.int64(), "double": pa.float64()}
        added = {
            column: pa.array(
                np.asarray(found.get(column, [])).tolist(), kinds.get(kind, pa.string())
            )
            for column, kind in _added_types(known).items()
        }
        yield pa.RecordBatch.from_arrays(
            [*batch.columns, *added.values()], names=[*batch.schema.names, *added]
        )


def _known(model: bytes, name: str) -> Any:
    if name not in _KNOWN:
        _KNOWN.clear()
        # Spark runs as many tasks at once as there are processors.
        _KNOWN[name] = load(io.BytesIO(model)).set_params(n_jobs=1)
    return _KNOWN[name]
