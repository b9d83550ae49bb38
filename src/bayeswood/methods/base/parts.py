"""What a fitted estimator consists of besides its forest and predictive, part by part.

A part knows which fitted attributes it gives, and how a model file keeps it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.methods.base.saved_state import read_scalar, read_value
from bayeswood.modelfile.laws import means_can_be_squared
from bayeswood.table import Schema, classes_from_plain, classes_to_plain


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A model file that is being read.

    Attributes
    ----------
    meta : dict
        Plain data.
    arrays : dict of ndarray
        Arrays by name.
    forest : Forest
        The trees.
    schema : Schema
        Of the training table.
    seed : int
        The seed of the fit.
    estimator : estimator
        With the parameters of the file; not fitted yet.
    """

    meta: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    forest: Forest
    schema: Schema
    seed: int
    estimator: Any


class Part(Protocol):
    """A part of a fitted estimator."""

    def attributes(self) -> Mapping[str, Any]:
        """The fitted attributes that it gives."""

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Put it where a model file keeps it."""

    @classmethod
    def read(cls, saved: SavedModel) -> Self | None:
        """What `write` put there, None if nothing; BayeswoodError if anything is amiss."""


@dataclass(frozen=True, eq=False)
class ClassLabels:
    """The classes, in the order of a classifier's outputs."""

    classes: NDArray[Any]

    def attributes(self) -> Mapping[str, Any]:
        """``classes_``."""
        return {"classes_": self.classes}

    def names(self) -> tuple[str, ...]:
        """For texts of trees."""
        return tuple(map(str, self.classes))

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """With the type of the labels."""
        meta["classes"] = classes_to_plain(self.classes)

    @staticmethod
    def labels_in(saved: SavedModel) -> NDArray[Any]:
        """The labels that a file holds."""
        plain = read_value(saved.meta, "classes", dict)
        return classes_from_plain(plain, "The model file")

    @classmethod
    def read(cls, saved: SavedModel) -> Self:
        """Checked against the trees."""
        classes = cls.labels_in(saved)
        if not saved.forest.is_classifier or len(classes) != saved.forest.n_outputs:
            raise BayeswoodError("The model file's classes do not match its trees.")
        return cls(classes)


@dataclass(frozen=True, eq=False)
class ClassBlocks:
    """The classes of several outputs, in the order of a classifier's outputs."""

    blocks: tuple[NDArray[Any], ...]

    def attributes(self) -> Mapping[str, Any]:
        """``classes_``, a list."""
        return {"classes_": list(self.blocks)}

    def names(self) -> tuple[str, ...]:
        """Leaves hold a column for each class, without a name."""
        return ()

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """With the types of the labels."""
        meta["class_blocks"] = [classes_to_plain(classes) for classes in self.blocks]

    @classmethod
    def read(cls, saved: SavedModel) -> "ClassBlocks | ClassLabels":
        """Checked against the trees; `ClassLabels` where there is one output."""
        if "class_blocks" not in saved.meta:
            return ClassLabels.read(saved)
        plain = read_value(saved.meta, "class_blocks", list)
        blocks = tuple(classes_from_plain(one, "The model file") for one in plain)
        is_lawful = not saved.forest.is_classifier and len(blocks) > 1
        if not is_lawful or sum(map(len, blocks)) != saved.forest.n_outputs:
            raise BayeswoodError("The model file's classes do not match its trees.")
        return cls(blocks)


@dataclass(frozen=True)
class ResponseShape:
    """Whether there is one response, so that predictions have no axis for it."""

    single_output: bool

    def attributes(self) -> Mapping[str, Any]:
        """Whether the axis is dropped."""
        return {"_single_output": self.single_output}

    def names(self) -> tuple[str, ...]:
        """Responses have no classes."""
        return ()

    def write(self, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """The number of responses is the forest's."""
        meta["single_output"] = self.single_output

    @classmethod
    def read(cls, saved: SavedModel) -> Self:
        """Checked against the trees."""
        single_output = read_value(saved.meta, "single_output", bool)
        forest = saved.forest
        if forest.is_classifier or (single_output and forest.n_outputs != 1):
            raise BayeswoodError("The model file's responses do not match its trees.")
        return cls(single_output)


def read_trees(
    arrays: Mapping[str, NDArray[Any]], prefix: str, like: Forest, **other: Any
) -> Forest:
    """Trees among the arrays of a model file, over the columns of its forest.

    `other`: n_outputs and is_classifier, where they are not that forest's.
    """
    shape = {n: getattr(like.core, n) for n in ("n_features", "n_outputs", "is_classifier")}
    shape |= other
    own = {
        name: np.ascontiguousarray(arrays[f"{prefix}_{name}"])
        for name in like.core.select(np.zeros(0, dtype=np.int64)).to_arrays()
        if f"{prefix}_{name}" in arrays
    }
    if not shape["is_classifier"] and not _can_be_squared(own.get("leaf_value")):
        raise BayeswoodError(f"The model file holds an unlawful {prefix}: a value is too large.")
    try:
        return Forest.from_arrays({**own, **shape})
    except (ValueError, KeyError) as error:
        raise BayeswoodError(f"The model file holds an unlawful {prefix}: {error}") from error


def _can_be_squared(values: NDArray[Any] | None) -> bool:
    return values is not None and values.dtype.kind == "f" and means_can_be_squared(values)


def forest_arrays(prefix: str, forest: Forest) -> dict[str, NDArray[Any]]:
    """The trees of a second forest, for a model file."""
    own = forest.core.to_arrays()
    kept = {f"{prefix}_{n}": a for n, a in own.items() if isinstance(a, np.ndarray)}
    return {**kept, f"{prefix}_trees_per_member": np.array(forest.trees_per_member)}


def forest_from(
    prefix: str, arrays: Mapping[str, NDArray[Any]], like: Forest, **other: Any
) -> Forest | None:
    """What `forest_arrays` gave; None if it is not there. `other`: as of `read_trees`."""
    if f"{prefix}_trees_per_member" not in arrays:
        return None
    found = read_trees(arrays, prefix, like, **other)
    size = read_scalar(arrays, f"{prefix}_trees_per_member", int)
    return Forest(found.core, trees_per_member=size)
