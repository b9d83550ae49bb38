"""A model as one C file."""

import re
from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.export.c_functions import (
    CLASS_OF,
    HEAD,
    LEAF_OF,
    LEVEL_OF,
    OPERATIONS,
    ROWS_OF,
    SUM_OF,
)
from bayeswood.export.description import Description, ExportedPart, describe
from bayeswood.export.flat_trees import FlatTrees
from bayeswood.export.steps import Step
from bayeswood.version import __version__

_PER_LINE = 8


def to_c(model: Any, path: str | PathLike[str], *, name: str = "bayeswood") -> None:
    """Write a fitted model as one C99 file that needs nothing but the standard library.

    Parameters
    ----------
    model : estimator
        Fitted.
    path : str or path-like
        Where to.
    name : str, default="bayeswood"
        What the names of all that the file defines begin with.

    Notes
    -----
    ``void NAME_predict(const double *row, double *out)`` takes a row as `encode` gives it, and
    gives what `predict_proba` says, or `predict` of a regressor; docs/export.md has the rest. Means
    and shares of trees have the same bits as ours. What exp, log or erfc make of them has the same
    but for the last digits, which differ between C libraries too.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from bayeswood import BayesianForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = BayesianForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_c(forest, pathlib.Path(folder, "iris.c"), name="iris")
    ...     text = pathlib.Path(folder, "iris.c").read_text()
    >>> "void iris_predict(const double *row, double *out)" in text
    True
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise BayeswoodError(
            "The 'name' parameter of to_c must be letters, digits and underscores, and begin with "
            f"a letter. Got {name!r} instead."
        )
    found = describe(model)
    with open(path, "w", encoding="ascii") as file:
        for text in _file(found):
            file.write(text.replace("NAME", name) + "\n")


def _file(found: Description) -> Iterable[str]:
    has_sets = not found.schema.all_numeric
    yield HEAD.format(version=__version__, model=found.name)
    yield f"#define NAME_N_FEATURES {found.schema.n_features}"
    yield f"#define NAME_N_OUTPUTS {found.n_outputs}"
    yield _strings("NAME_columns", found.schema.names)
    if found.classes is not None:
        yield _strings("NAME_classes", map(str, found.classes.tolist()))
    yield from _levels(found)
    yield LEAF_OF[has_sets]
    if any(part.normalised for part in found.parts) or _uses(found, "normalise"):
        yield SUM_OF
    for op in OPERATIONS:
        if _uses(found, op):
            yield OPERATIONS[op]
    for number, part in enumerate(found.parts):
        yield from _trees(number, part)
    yield _predict(found)
    yield ROWS_OF
    if found.classes is not None:
        yield CLASS_OF


def _uses(found: Description, op: str) -> bool:
    steps = [*found.steps, *(step for part in found.parts for step in part.steps)]
    return any(step["op"] == op for step in steps)


def _levels(found: Description) -> Iterable[str]:
    """Numbers of levels, and their names where they are words."""
    columns = found.schema.columns
    if found.schema.all_numeric:
        return
    yield _numbers("int32_t", "NAME_n_levels", [len(column.levels) for column in columns])
    words = [c.levels if c.level_type is str else () for c in columns]
    for number, levels in enumerate(words):
        if levels:
            yield _strings(f"NAME_levels_{number}", map(str, levels))
    if any(words):
        tables = [f"NAME_levels_{n}" if levels else "NULL" for n, levels in enumerate(words)]
        yield f"static const char *const *const NAME_levels[] = {{{', '.join(tables)}}};"
        yield LEVEL_OF


def _trees(number: int, part: ExportedPart) -> Iterable[str]:
    trees = part.trees if part.steps else part.weighted_trees
    own = f"NAME_part{number}"
    yield _numbers("uint32_t", f"{own}_root", trees.root)
    yield _numbers("int32_t", f"{own}_feature", trees.feature)
    yield _doubles(f"{own}_threshold", trees.threshold)
    yield _numbers("uint8_t", f"{own}_missing_left", trees.missing_left.astype(int))
    yield _numbers("uint32_t", f"{own}_child", trees.child)
    yield _doubles(f"{own}_value", trees.value.ravel())
    if part.steps:
        yield _doubles(f"{own}_weight", part.forest.weights)
    yield _struct(own, trees)


def _struct(own: str, trees: FlatTrees) -> str:
    fields = ["feature", "threshold", "missing_left", "child", "value"]
    sets = ""
    if trees.n_levels.any():
        words = [f"{word:#x}u" for word in trees.words.tolist()] or ["0"]
        sets = "\n".join(
            [
                _table("uint64_t", f"{own}_words", words),
                _numbers("int32_t", f"{own}_first_word", trees.first_word),
                "",
            ]
        )
        fields += ["words", "first_word"]
    listed = ", ".join(f"{own}_{field}" for field in fields)
    return f"{sets}static const struct NAME_trees {own} = {{{trees.n_outputs}, {listed}}};"


def _predict(found: Description) -> str:
    widest = max([found.n_outputs, 2, *(part.trees.n_outputs for part in found.parts)])
    lines = [
        "void NAME_predict(const double *row, double *out) {",
        f"  double x[{widest}] = {{0}};",
    ]
    lines += ["  size_t k;"]
    width = 0
    for number, part in enumerate(found.parts):
        width = part.trees.n_outputs
        body, width = _linked(number, part, widest) if part.steps else _summed(number, part, widest)
        lines += ["  {", *body, "  }"]
    steps, width = _steps(found.steps, "x", width)
    lines += [f"  {line}" for line in steps]
    lines += [f"  for (k = 0; k < {width}; ++k) out[k] = x[k];", "}"]
    return "\n".join(lines)


def _summed(number: int, part: ExportedPart, widest: int) -> tuple[list[str], int]:
    """The sum over all trees, whose leaves contain their weights."""
    trees, own = part.weighted_trees, f"NAME_part{number}"
    width = trees.n_outputs
    lines = [
        f"    double sum[{widest}] = {{0}};",
        "    size_t t;",
        f"    for (t = 0; t < {trees.n_trees}; ++t) {{",
        f"      const double *value = NAME_leaf(&{own}, {own}_root[t], row);",
        f"      for (k = 0; k < {width}; ++k) sum[k] += value[k];",
        "    }",
    ]
    return lines + _added(part, width), width


def _linked(number: int, part: ExportedPart, widest: int) -> tuple[list[str], int]:
    """The weighted mean of what is made of each member's sum."""
    own, width = f"NAME_part{number}", part.trees.n_outputs
    size = part.forest.trees_per_member
    steps, after = _steps(part.steps, "y", width)
    lines = [
        f"    double sum[{widest}] = {{0}};",
        "    size_t m, t;",
        f"    for (m = 0; m < {part.forest.n_members}; ++m) {{",
        f"      double y[{widest}] = {{0}};",
        f"      for (t = m * {size}; t < (m + 1) * {size}; ++t) {{",
        f"        const double *value = NAME_leaf(&{own}, {own}_root[t], row);",
        f"        for (k = 0; k < {width}; ++k) y[k] += value[k];",
        "      }",
        *(f"      {line}" for line in steps),
        f"      for (k = 0; k < {after}; ++k) sum[k] += {own}_weight[m] * y[k];",
        "    }",
    ]
    return lines + _added(part, after), after


def _added(part: ExportedPart, width: int) -> list[str]:
    lines = [f"    NAME_normalise(sum, {width});"] if part.normalised else []
    share = "" if part.share == 1.0 else f"{part.share.hex()} * "
    return [*lines, f"    for (k = 0; k < {width}; ++k) x[k] += {share}sum[k];"]


def _steps(steps: Iterable[Step], x: str, width: int) -> tuple[list[str], int]:
    """Calls that change x in place, and how many numbers it then holds."""
    lines: list[str] = []
    for step in steps:
        more, width = _CALLS[step["op"]](step, x, width)
        lines += more
    return lines, width


def _affine(step: Step, x: str, width: int) -> tuple[list[str], int]:
    factor, offset = _broadcast(step["factor"], width), _broadcast(step["offset"], width)
    lines = [
        "{",
        f"  static const double factor[] = {{{factor}}};",
        f"  static const double offset[] = {{{offset}}};",
        f"  for (k = 0; k < {width}; ++k) {x}[k] = factor[k] * {x}[k] + offset[k];",
        "}",
    ]
    return lines, width


def _precision_mean(step: Step, x: str, width: int) -> tuple[list[str], int]:
    names = ("mean", "precision", "sharpness", "least", "offset")
    numbers = ", ".join(float(step[name]).hex() for name in names)
    return [f"NAME_precision_mean({x}, {numbers});"], 1


def _call(function: str) -> Callable[[Step, str, int], tuple[list[str], int]]:
    return lambda step, x, width: ([f"NAME_{function}({x}, {width});"], width)


_CALLS: dict[str, Callable[[Step, str, int], tuple[list[str], int]]] = {
    "affine": _affine,
    "log": lambda step, x, width: (
        [f"for (k = 0; k < {width}; ++k) {x}[k] = log({x}[k]);"],
        width,
    ),
    "softmax": _call("softmax"),
    "normalise": _call("normalise"),
    "prepend-zero": lambda step, x, width: ([f"NAME_prepend_zero({x}, {width});"], width + 1),
    "probit-pair": lambda step, x, width: ([f"NAME_probit_pair({x});"], 2),
    "precision-mean": _precision_mean,
}


def _broadcast(values: Any, width: int) -> str:
    return ", ".join(value.hex() for value in np.broadcast_to(values, (width,)).tolist())


def _doubles(name: str, values: NDArray[np.float64]) -> str:
    return _table("double", name, [value.hex() for value in values.tolist()])


def _numbers(kind: str, name: str, values: Any) -> str:
    return _table(kind, name, [str(value) for value in np.asarray(values).tolist()])


def _table(kind: str, name: str, words: list[str]) -> str:
    """An array; its lines are short enough for any compiler."""
    rows = [", ".join(words[i : i + _PER_LINE]) for i in range(0, len(words), _PER_LINE)]
    return f"static const {kind} {name}[] = {{\n" + ",\n".join(rows) + "};"


def _strings(name: str, words: Iterable[str]) -> str:
    return f"const char *const {name}[] = {{{', '.join(map(_string, words))}}};"


def _string(word: str) -> str:
    """A literal of plain ASCII: other bytes of the UTF-8 text, and what C might read, in octal."""
    plain = [
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}"
        for byte in word.encode("utf-8", "surrogatepass")
    ]
    return '"' + "".join(plain) + '"'
