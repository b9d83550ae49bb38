"""What an ONNX model takes: one matrix, or the columns of the user's table."""

from typing import Any

import numpy as np

from bayeswood.errors import BayeswoodError
from bayeswood.export.onnx_graph import OnnxGraph
from bayeswood.table import Column, Schema

OUTPUTS = ("label", "probabilities", "prediction", "interval")


def matrix_input(onnx: Any, schema: Schema) -> tuple[list[Any], str]:
    """Rows as `encode` gives them: the inputs, and the name of the matrix."""
    shape = ["n_rows", schema.n_features]
    return [onnx.helper.make_tensor_value_info("X", onnx.TensorProto.DOUBLE, shape)], "X"


def column_inputs(onnx: Any, graph: OnnxGraph, schema: Schema) -> tuple[list[Any], str]:
    """Each column by its name, (n_rows, 1): the inputs, and the name of the matrix made of them."""
    taken = sorted({*OUTPUTS, ""} & set(schema.names))
    if taken:
        raise BayeswoodError(
            f"to_onnx with by_column=True names inputs by their columns, and {taken[0]!r} is no "
            "name for an input. Rename the column, or leave 'by_column' out."
        )
    inputs, encoded = [], []
    for column in schema.columns:
        kind = _kind(onnx, column)
        inputs.append(onnx.helper.make_tensor_value_info(column.name, kind, ["n_rows", 1]))
        encoded.append(_encoded(onnx, graph, column))
    return inputs, graph.node("Concat", *encoded, axis=1)


def _kind(onnx: Any, column: Column) -> int:
    """Type of an input: that of the levels; words where there are none."""
    tensor = onnx.TensorProto
    if column.kind == "numeric":
        return int(tensor.DOUBLE)
    kinds = {str: tensor.STRING, bool: tensor.BOOL, int: tensor.INT64, float: tensor.DOUBLE}
    return int(kinds[column.level_type or str])


def _encoded(onnx: Any, graph: OnnxGraph, column: Column) -> str:
    """Numbers of levels, NaN for all else; numbers as they are."""
    if column.kind == "numeric":
        return column.name
    given = column.name
    if column.level_type is bool:
        given = graph.node("Cast", given, to=onnx.TensorProto.INT64)
    make = onnx.numpy_helper.from_array
    # A column of which training saw nothing has no level; an encoder must have one.
    numbers = np.arange(float(len(column.levels))) if column.levels else np.array([np.nan])
    return graph.node(
        "LabelEncoder",
        given,
        domain="ai.onnx.ml",
        keys_tensor=_levels(onnx, column),
        values_tensor=make(numbers),
        default_tensor=make(np.array([np.nan])),
    )


def _levels(onnx: Any, column: Column) -> Any:
    if column.level_type in (str, None):
        words = [str(level).encode("utf-8") for level in column.levels] or [b""]
        return onnx.helper.make_tensor("levels", onnx.TensorProto.STRING, [len(words)], words)
    kind = np.float64 if column.level_type is float else np.int64
    return onnx.numpy_helper.from_array(np.array(column.levels, dtype=kind), "levels")
