"""A model as one of treelite's."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.export.description import Description, describe
from bayeswood.export.flat_trees import FlatTrees
from bayeswood.export.optional_package import need

F64 = NDArray[np.float64]


def to_treelite(model: Any) -> Any:
    """A fitted model as a `treelite.Model`.

    Parameters
    ----------
    model : estimator
        Fitted. Its answer must be a mean of trees, or the softmax of one: what else is made of
        sums of trees (calibrations, probits, averaged softmaxes) treelite has no words for.

    Returns
    -------
    treelite.Model
        In float64; it takes rows as `encode` gives them. ``treelite.gtil.predict`` gives
        (n_rows, 1, n_classes) for a classifier and (n_rows, n_outputs, 1) for a regressor.

    Notes
    -----
    Needs the package treelite (``pip install bayeswood[export]``).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import BayesianForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = BayesianForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> to_treelite(forest).num_tree  # doctest: +SKIP
    20
    """
    builder = need("treelite.model_builder", "to_treelite")
    found = describe(model)
    factor, offset, function = _ending(found)
    made = builder.ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=_metadata(builder, found),
        tree_annotation=_annotation(builder, found),
        postprocessor=builder.PostProcessorFunc(function),
        base_scores=np.broadcast_to(offset, (found.n_outputs,)).tolist(),
    )
    for part in found.parts:
        for tree in range(part.weighted_trees.n_trees):
            _add(made, part.weighted_trees, tree, factor * part.share)
    return made.commit()


def _ending(found: Description) -> tuple[F64, F64, str]:
    """Factor and offset of sums, and the function of these."""
    ops = [step["op"] for step in found.steps]
    width = found.n_outputs
    factor, offset = np.ones(width), np.zeros(width)
    is_plain = not any(part.steps for part in found.parts)
    if is_plain and ops[:1] == ["affine"]:
        factor, offset = factor * found.steps[0]["factor"], offset + found.steps[0]["offset"]
        ops = ops[1:]
    if is_plain and ops in ([], ["softmax"]):
        plain = "identity" if found.classes is None else "identity_multiclass"
        return factor, offset, ops[0] if ops else plain
    raise BayeswoodError(
        f"to_treelite cannot take this {found.name}: treelite has means of trees and softmaxes of "
        "them, no other calibration or link. Take to_onnx or to_c."
    )


def _metadata(builder: Any, found: Description) -> Any:
    is_classes = found.classes is not None
    n_targets, n_classes = (1, found.n_outputs) if is_classes else (found.n_outputs, 1)
    return builder.Metadata(
        num_feature=found.schema.n_features,
        task_type="kMultiClf" if is_classes else "kRegressor",
        average_tree_output=False,
        num_target=n_targets,
        num_class=[n_classes] * n_targets,
        leaf_vector_shape=(n_targets, n_classes),
    )


def _annotation(builder: Any, found: Description) -> Any:
    """All trees speak of all outputs, or of the only one."""
    n_trees = sum(part.weighted_trees.n_trees for part in found.parts)
    target = 0 if found.classes is not None or found.n_outputs == 1 else -1
    label = 0 if found.n_outputs == 1 or found.classes is None else -1
    return builder.TreeAnnotation(n_trees, [target] * n_trees, [label] * n_trees)


def _add(made: Any, trees: FlatTrees, tree: int, factor: F64) -> None:
    nodes = trees.nodes(tree)
    made.start_tree()
    for node in range(nodes.start, nodes.stop):
        made.start_node(node - nodes.start)
        if trees.feature[node] < 0:
            value = (factor * trees.value[trees.child[node]]).tolist()
            made.leaf(value if len(value) > 1 else value[0])
        else:
            _split(made, trees, node, nodes.start)
        made.end_node()
    made.end_tree()


def _split(made: Any, trees: FlatTrees, node: int, root: int) -> None:
    left = int(trees.child[node]) - root
    where = {
        "feature_id": int(trees.feature[node]),
        "default_left": bool(trees.missing_left[node]),
        "left_child_key": left,
        "right_child_key": left + 1,
    }
    if trees.is_set[node]:
        levels = trees.left_levels(node).tolist()
        made.categorical_test(category_list=levels, category_list_right_child=False, **where)
    else:
        made.numerical_test(threshold=float(trees.threshold[node]), opname="<=", **where)
