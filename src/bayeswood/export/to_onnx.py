"""A model as an ONNX file."""

import json
from os import PathLike
from typing import Any

from bayeswood.attribution import AdditiveSpread
from bayeswood.errors import BayeswoodError
from bayeswood.export.description import Description, describe
from bayeswood.export.onnx_graph import OnnxGraph
from bayeswood.export.optional_package import need
from bayeswood.uncertainty import check_coverage
from bayeswood.version import __version__

# What the newest onnxruntime runs: TreeEnsemble is new in opset 5 of ai.onnx.ml.
_OPSET, _TREE_OPSET, _IR = 21, 5, 10


def to_onnx(
    model: Any, path: str | PathLike[str] | None = None, *, coverage: float | None = None
) -> Any:
    """A fitted model as an ONNX model, written to a file.

    Parameters
    ----------
    model : estimator
        Fitted.
    path : str or path-like, default=None
        Where to write it; None: nowhere.
    coverage : float, default=None
        If given, what `predict_interval` of a classifier says at this coverage is a further
        output; trees are then in the file twice.

    Returns
    -------
    onnx.ModelProto
        Input ``X``: float64, (n_rows, n_features), as `encode` gives it. Outputs of a classifier:
        ``label``, int64 or string, (n_rows,), and ``probabilities``, float64, (n_rows, n_classes);
        of a regressor: ``prediction``, float64, (n_rows, n_outputs). With `coverage`
        also ``interval``, float64, (n_rows, n_classes, 2).

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
    answer = graph.answer(found, "X")
    outputs = [_named(graph, onnx, answer, *_answer_kind(found))]
    if found.classes is not None:
        outputs = [_label(graph, onnx, found, answer), *outputs]
    if coverage is not None:
        interval = graph.interval(_spread(model, coverage), "X")
        outputs.append(_named(graph, onnx, interval, "interval", found.n_outputs, 2))
    made = _model(onnx, graph, outputs, found)
    onnx.checker.check_model(made)
    if path is not None:
        onnx.save(made, path)
    return made


def _spread(model: Any, coverage: float) -> AdditiveSpread:
    share = check_coverage(coverage, "to_onnx")
    found: AdditiveSpread | None = model.predictive_.additive_spread(model.forest_, share)
    if found is None:
        raise BayeswoodError(
            f"to_onnx has no interval of this {type(model).__name__}: it draws on more than what "
            "trees say of a row. Leave 'coverage' out."
        )
    return found


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


def _model(onnx: Any, graph: OnnxGraph, outputs: list[Any], found: Description) -> Any:
    shape = ["n_rows", found.schema.n_features]
    rows = onnx.helper.make_tensor_value_info("X", onnx.TensorProto.DOUBLE, shape)
    body = onnx.helper.make_graph(graph.nodes, found.name, [rows], outputs, graph.constants)
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
