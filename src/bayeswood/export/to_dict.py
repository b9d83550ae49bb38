"""A model as dicts, lists, strings and numbers."""

import json
from os import PathLike
from typing import Any

import numpy as np

from bayeswood.export.description import Description, ExportedPart, describe
from bayeswood.export.flat_trees import FlatTrees
from bayeswood.export.steps import Step
from bayeswood.version import __version__

FORMAT = "bayeswood-model"
VERSION = 1


def to_dict(model: Any) -> dict[str, Any]:
    """A fitted model as plain data.

    Parameters
    ----------
    model : estimator
        Fitted.

    Returns
    -------
    dict
        Of dicts, lists, strings, numbers, booleans and None; every member is described in
        docs/export.md. Numbers are exact, so that `json.dumps` and back changes nothing.

    Examples
    --------
    >>> from bayeswood import BayesianForestRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [0.0, 0.0, 5.0, 5.0]
    >>> forest = BayesianForestRegressor(1, min_samples_leaf=1, random_state=0).fit(X, y)
    >>> to_dict(forest)["parts"][0]["trees"][0]["threshold"]
    [2.5, None, None]
    """
    found = describe(model)
    return {
        "format": FORMAT,
        "version": VERSION,
        "made_by": f"bayeswood {__version__}",
        "model": found.name,
        "columns": found.schema.to_json()["columns"],
        "classes": None if found.classes is None else _plain(found.classes),
        "n_outputs": found.n_outputs,
        "parts": [_part(part) for part in found.parts],
        "steps": plain_steps(found),
    }


def to_json(model: Any, path: str | PathLike[str]) -> None:
    """Write what `to_dict` gives as JSON.

    Parameters
    ----------
    model : estimator
        Fitted.
    path : str or path-like
        Where to.
    """
    with open(path, "w", encoding="utf-8") as file:
        json.dump(to_dict(model), file, ensure_ascii=False, allow_nan=False)


def plain_steps(found: Description) -> list[dict[str, Any]]:
    """The last steps, without arrays."""
    return [_step(step) for step in found.steps]


def _step(step: Step) -> dict[str, Any]:
    return {name: _plain(value) for name, value in step.items()}


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _part(part: ExportedPart) -> dict[str, Any]:
    trees = part.trees
    return {
        "share": part.share,
        "normalised": part.normalised,
        "trees_per_member": part.forest.trees_per_member,
        "weights": part.forest.weights.tolist(),
        "steps": [_step(step) for step in part.steps],
        "trees": [_tree(trees, number) for number in range(trees.n_trees)],
    }


def _tree(trees: FlatTrees, number: int) -> dict[str, Any]:
    nodes = trees.nodes(number)
    feature, child = trees.feature[nodes], trees.child[nodes]
    is_leaf, is_set = feature < 0, trees.is_set[nodes]
    left = np.where(is_leaf, -1, child - nodes.start)
    places = range(nodes.start, nodes.stop)
    cuts = zip(trees.threshold[nodes].tolist(), is_leaf | is_set, strict=True)
    leaves = zip(child.tolist(), is_leaf, strict=True)
    return {
        "feature": feature.tolist(),
        "threshold": [None if other else cut for cut, other in cuts],
        "left_levels": [
            trees.left_levels(node).tolist() if is_set[node - nodes.start] else None
            for node in places
        ],
        "missing_left": trees.missing_left[nodes].tolist(),
        "left": left.tolist(),
        "right": np.where(is_leaf, -1, left + 1).tolist(),
        "value": [trees.value[leaf].tolist() if here else None for leaf, here in leaves],
    }
