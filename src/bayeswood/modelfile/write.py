"""Write a model to a file: all of it or nothing."""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from bayeswood.errors import BayeswoodError
from bayeswood.modelfile.container import Buffer, Section, seal
from bayeswood.modelfile.header import dump_header, to_json
from bayeswood.modelfile.laws import check_forest, check_log_weights
from bayeswood.modelfile.layout import CLASS_FLOOR, MAX_NAME_LENGTH, Array, FormatError, Kind
from bayeswood.modelfile.named_arrays import array_sections, describe_arrays
from bayeswood.modelfile.streams import File, as_stream, name_of, write_pieces
from bayeswood.modelfile.trees import ForestSize, encode_forest


class ForestLike(Protocol):
    """What the writer needs of a forest."""

    @property
    def log_weights(self) -> Array:
        """One float64 per member."""

    def to_arrays(self) -> dict[str, Any]:
        """Return the arrays of all trees."""


def write_model(
    file: File,
    class_name: str,
    meta: Mapping[str, Any],
    arrays: Mapping[str, Array],
    forest: ForestLike,
) -> None:
    """Write a model to a path, replacing what is there only when all is written, or to a stream.

    Parameters
    ----------
    file : str, path-like or binary stream
        The directory of a path must exist.
    class_name : str
        Name of the estimator's class.
    meta : dict
        Settings and small facts: None, bool, int, float (NaN and infinities too), str, and lists
        and str-keyed dicts of them. Tuples come back as lists.
    arrays : dict of str to ndarray
        Numbers (bool, integers, float32, float64) of any shape, or text.
    forest : Forest

    Raises
    ------
    BayeswoodError
        If the model or the path cannot be written; an older file is then untouched.
    """
    try:
        if isinstance(file, str | bytes | os.PathLike):
            target = _checked_target(file)
            replace_file(target, seal(*model_sections(class_name, meta, arrays, forest)))
        else:
            stream = as_stream(file, "write")
            write_pieces(stream, seal(*model_sections(class_name, meta, arrays, forest)))
    except FormatError as flaw:
        raise BayeswoodError(f"Cannot write the model file {name_of(file)}: {flaw}.") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise BayeswoodError(f"Cannot write the model file {name_of(file)}: {reason}.") from error


@np.errstate(all="ignore")  # a signalling NaN is refused or kept, not warned of
def model_sections(
    class_name: str, meta: Mapping[str, Any], arrays: Mapping[str, Array], forest: ForestLike
) -> tuple[list[Section], int]:
    """Check a model and turn it into the sections of a file, header first, and its version."""
    forest_arrays, log_weights = dict(forest.to_arrays()), np.asarray(forest.log_weights)
    forest_arrays.pop("log_weights", None)
    trees_per_member = forest_arrays.pop("trees_per_member", 1)
    check_forest(forest_arrays)
    size = ForestSize.of(forest_arrays, trees_per_member)
    check_log_weights(log_weights, size.n_members)
    header = {
        "class_name": check_class_name(class_name),
        "meta": to_json(dict(meta), "meta"),
        "arrays": describe_arrays(arrays),
        "forest": size.to_json(),
    }
    encoded = encode_forest(forest_arrays, log_weights)
    sections = [
        Section(Kind.HEADER, np.frombuffer(dump_header(header), dtype=np.uint8)),
        *(Section(kind, encoded[kind]) for kind in size.kinds),
        *array_sections(arrays),
    ]
    check_n_classes(size, sum(section.array.nbytes for section in sections))
    return sections, size.version


def real_path(name: str) -> str:
    """Follow links; refuse what no file system can hold."""
    if "\0" in name:
        raise FormatError("its name has a null character")
    return os.path.realpath(name)


def check_class_name(class_name: object) -> str:
    """A class name is a Python identifier."""
    if not isinstance(class_name, str) or not class_name.isidentifier():
        raise FormatError("the class name is not a Python name")
    if len(class_name) > MAX_NAME_LENGTH:
        raise FormatError("the class name is too long")
    return str(class_name)


def check_n_classes(size: ForestSize, n_bytes: int) -> None:
    """A file cannot claim far more classes than it has bytes to name them with."""
    if size.is_classifier and size.n_outputs > n_bytes + CLASS_FLOOR:
        raise FormatError(f"{size.n_outputs} classes are too many for a model of {n_bytes} bytes")


def _checked_target(path: Any) -> str:
    target = real_path(os.fsdecode(path))
    directory = os.path.dirname(target)
    if not os.path.isdir(directory):
        raise FormatError(f"the directory {directory!r} does not exist")
    if os.path.isdir(target):
        raise FormatError("it is a directory")
    if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
        raise FormatError("it is not a regular file")
    return target


def replace_file(target: str, pieces: Iterable[Buffer]) -> None:
    """Write a temporary file beside the target, flush it to disk, then rename it."""
    directory = os.path.dirname(target)
    temporary = os.path.join(directory, f".bayeswood-{secrets.token_hex(8)}.tmp")
    try:
        _write_through(temporary, pieces)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _flush_directory(directory)


def _write_through(path: str, pieces: Iterable[Buffer]) -> None:
    with open(path, "xb") as stream:
        stream.writelines(pieces)
        stream.flush()
        os.fsync(stream.fileno())


def _flush_directory(directory: str) -> None:
    """Make the rename durable where the system lets a directory be opened."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
