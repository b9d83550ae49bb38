"""Reads what docs/export.md says of the JSON form, slowly and literally."""

import math

import numpy as np


def predict(model, rows):
    """Probabilities or means of encoded rows, (n_rows, n_outputs)."""
    return np.array([_predict_row(model, row) for row in rows])


def _predict_row(model, row):
    total = None
    for part in model["parts"]:
        here = part["share"] * np.array(_part(model, part, row))
        total = here if total is None else total + here
    return _steps(model["steps"], list(total))


def _part(model, part, row):
    size, mean = part["trees_per_member"], None
    for m, weight in enumerate(part["weights"]):
        said = [_leaf(tree, row) for tree in part["trees"][m * size : (m + 1) * size]]
        made = np.array(_steps(part["steps"], [sum(column) for column in zip(*said, strict=True)]))
        mean = weight * made if mean is None else mean + weight * made
    return _steps([{"op": "normalise"}], list(mean)) if part["normalised"] else list(mean)


def _leaf(tree, row):
    node = 0
    while tree["feature"][node] >= 0:
        x, levels = row[tree["feature"][node]], tree["left_levels"][node]
        if math.isnan(x):
            left = tree["missing_left"][node]
        else:
            left = x in levels if levels is not None else x <= tree["threshold"][node]
        node = tree["left" if left else "right"][node]
    return tree["value"][node]


def _steps(steps, x):
    for step in steps:
        x = _OPERATIONS[step["op"]](step, x)
    return x


def _softmax(step, x):
    powers = [math.exp(value - max(x)) for value in x]
    return [power / sum(powers) for power in powers]


def _precision_mean(step, x):
    p, sharpness = step["precision"], step["sharpness"]
    q = p + sharpness * (x[0] - p)
    r = step["mean"] * p + sharpness * (x[1] - step["mean"] * p)
    return [step["offset"] + (r / q if q > step["least"] * p else x[1] / x[0])]


_OPERATIONS = {
    "affine": lambda s, x: [f * v + o for f, v, o in zip(s["factor"], x, s["offset"], strict=True)],
    "log": lambda s, x: [math.log(v) for v in x],
    "softmax": _softmax,
    "normalise": lambda s, x: [v / sum(x) for v in x],
    "prepend-zero": lambda s, x: [0.0, *x],
    "probit-pair": lambda s, x: [0.5 * math.erfc(z * math.sqrt(0.5)) for z in (x[1], -x[1])],
    "precision-mean": _precision_mean,
}
