"""A model as an ONNX file."""

import json
from os import PathLike
from typing import Any

from bayeswood.attribution import AdditiveSpread, ResponseInterval
from bayeswood.errors import BayeswoodError
from bayeswood.export.description import Description, describe
from bayeswood.export.onnx_graph import OnnxGraph
from bayeswood.export.onnx_inputs import column_inputs, matrix_input
from bayeswood.export.onnx_interval import response_interval
from bayeswood.export.optional_package import need
from bayeswood.uncertainty import check_coverage, interval_levels
from bayeswood.version import __version__

# What the newest onnxruntime runs: TreeEnsemble is new in opset 5 of ai.onnx.ml.
_OPSET, _TREE_OPSET, _IR = 21, 5, 10


def to_onnx(
    model: Any,
    path: str | PathLike[str] | None = None,
    *,
    coverage: float | None = None,
    by_column: bool = False,
) -> Any:
    """A fitted model as an ONNX model, written to a file.

    Parameters
    ----------
    model : estimator
        Fitted.
    path : str or path-like, default=None
        Where to write it; None: nowhere.
    coverage : float, default=None
        If given, what `predict_interval` says at this coverage is a further output; trees are
        then in the file twice, for regressors with the training responses in their leaves.
    by_column : bool, default=False
        Whether the model takes the columns of the table by their names, categories as they are,
        instead of one matrix.

    Returns
    -------
    onnx.ModelProto
        Input ``X``: float64, (n_rows, n_features), as `encode` gives it. With `by_column` one input
        for each column, (n_rows, 1): float64 for numbers, the type of the levels for categories
        (string, int64, bool or float64), of which those that are no level count as missing.
        Outputs of a classifier: ``label``, int64 or string, (n_rows,), and ``probabilities``,
        float64, (n_rows, n_classes); of a regressor: ``prediction``, float64, (n_rows, n_outputs).
        With `coverage` also ``interval``, float64, (n_rows, n_classes or n_outputs, 2).

    Notes
    -----
    Needs the package onnx (``pip install bayeswood[export]``), and onnxruntime 1.24 or newer to
    run; 1.21 to 1.23 take the file too, and get several outputs wrong. Trees are one
    ``TreeEnsemble`` of opset 5, in float64. Calibrations and links are standard operators. A leaf
    has one target there, so that trees are repeated for each class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import CalibratedForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CalibratedForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> exported = to_onnx(model)  # doctest: +SKIP
    >>> [output.name for output in exported.graph.output]  # doctest: +SKIP
    ['label', 'probabilities']
    """
    onnx = need("onnx", "to_onnx")
    found = describe(model)
    graph = OnnxGraph(onnx)
    if by_column:
        inputs, rows = column_inputs(onnx, graph, found.schema)
    else:
        inputs, rows = matrix_input(onnx, found.schema)
    answer = graph.answer(found, rows)
    outputs = [_named(graph, onnx, answer, *_answer_kind(found))]
    if found.classes is not None:
        outputs = [_label(graph, onnx, found, answer), *outputs]
    if coverage is not None:
        interval = _interval(graph, model, coverage, rows, answer)
        outputs.append(_named(graph, onnx, interval, "interval", found.n_outputs, 2))
    made = _model(onnx, graph, inputs, outputs, found)
    onnx.checker.check_model(made)
    if path is not None:
        onnx.save(made, path)
    return made


def _interval(graph: OnnxGraph, model: Any, coverage: float, rows: str, answer: str) -> str:
    share = check_coverage(coverage, "to_onnx")
    predictive, forest = model.predictive_, model.forest_
    if hasattr(model, "classes_"):
        spread: AdditiveSpread | None = predictive.additive_spread(forest, share)
        if spread is not None:
            return graph.interval(spread, rows)
    else:
        levels = interval_levels(share)
        predictive.check("to_onnx with 'coverage'", levels)
        interval: ResponseInterval | None = predictive.response_interval(forest, levels)
        if interval is not None:
            return response_interval(graph, interval, rows, answer)
    raise BayeswoodError(
        f"to_onnx has no interval of this {type(model).__name__}: standard operators do not give "
        "the distribution that its ends are quantiles of. Leave 'coverage' out."
    )


def _answer_kind(found: Description) -> tuple[str, int]:
    return ("prediction" if found.classes is None else "probabilities"), found.n_outputs


def _named(graph: OnnxGraph, onnx: Any, value: str, name: str, *widths: int) -> Any:
    graph.nodes.append(onnx.helper.make_node("Identity", [value], [name]))
    return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.DOUBLE, ["n_rows", *widths])


def _label(graph: OnnxGraph, onnx: Any, found: Description, answer: str) -> Any:
    """The first of the most probable classes."""
    assert found.classes is not None
    best = graph.node("ArgMax", answer, axis=-1, keepdims=0)
    if found.classes.dtype.kind in "iub":
        labels, kind = graph.constant(found.classes, int), onnx.TensorProto.INT64
    else:
        words = [str(label) for label in found.classes.tolist()]
        labels, kind = graph.strings(words), onnx.TensorProto.STRING
    chosen = graph.node("Gather", labels, best, axis=0)
    graph.nodes.append(onnx.helper.make_node("Identity", [chosen], ["label"]))
    return onnx.helper.make_tensor_value_info("label", kind, ["n_rows"])


def _model(
    onnx: Any, graph: OnnxGraph, inputs: list[Any], outputs: list[Any], found: Description
) -> Any:
    body = onnx.helper.make_graph(graph.nodes, found.name, inputs, outputs, graph.constants)
    opsets = [
        onnx.helper.make_opsetid("", _OPSET),
        onnx.helper.make_opsetid("ai.onnx.ml", _TREE_OPSET),
    ]
    made = onnx.helper.make_model(
        body,
        opset_imports=opsets,
        ir_version=_IR,
        producer_name="bayeswood",
        producer_version=__version__,
    )
    columns = json.dumps(found.schema.to_json()["columns"])
    onnx.helper.set_model_props(made, {"columns": columns})
    return made
