"""Read a model from a file that may be damaged or hostile."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from bayeswood.errors import BayeswoodError, MissingFileError
from bayeswood.modelfile.container import Entry, read_section, read_table, stated_version
from bayeswood.modelfile.header import from_json, parse_header
from bayeswood.modelfile.laws import check_forest, check_log_weights
from bayeswood.modelfile.layout import Array, FormatError, Kind
from bayeswood.modelfile.named_arrays import Description, build_arrays, parse_descriptions
from bayeswood.modelfile.streams import File, as_stream, name_of, read_model_bytes
from bayeswood.modelfile.trees import ForestSize, decode_forest
from bayeswood.modelfile.write import check_class_name, check_n_classes, real_path

if TYPE_CHECKING:
    from bayeswood.forest import Forest

_HEADER_KEYS = frozenset({"class_name", "meta", "arrays", "forest"})


@dataclass(frozen=True)
class StoredModel:
    """What a model file holds, checked: plain data, no forest object yet."""

    class_name: str
    meta: dict[str, Any]
    arrays: dict[str, Array]
    forest_arrays: dict[str, Any]
    log_weights: Array
    trees_per_member: int


def read_model(file: File) -> "tuple[str, dict[str, Any], dict[str, Array], Forest]":
    """Read a model file; safe on any bytes.

    Parameters
    ----------
    file : str, path-like or binary stream
        A stream is read from where it stands to the end of the model.

    Returns
    -------
    class_name : str
    meta : dict
    arrays : dict of str to ndarray
    forest : Forest

    Raises
    ------
    MissingFileError
        If there is no such file.
    BayeswoodError
        If the file cannot be opened, is not a model file, is damaged, breaks any law of a forest
        or was written by a newer bayeswood.
    """
    from bayeswood import _core
    from bayeswood.forest import Forest

    stored = read_stored(file)
    try:
        core = _core.Forest.from_arrays(stored.forest_arrays)
        size = stored.trees_per_member
        forest = Forest(core, stored.log_weights, trees_per_member=size)
    except ValueError as error:
        raise _refusal(file, str(error).rstrip(".")) from error
    return stored.class_name, stored.meta, stored.arrays, forest


def read_stored(file: File) -> StoredModel:
    """Read and check everything in a model file, without building the forest."""
    try:
        if isinstance(file, str | bytes | os.PathLike):
            return _read_path(file)
        found = read_model_bytes(as_stream(file, "read"))
        return parse_model(found, len(found.getbuffer()))
    except FormatError as flaw:
        raise _refusal(file, str(flaw)) from None
    except OSError as error:
        kind = MissingFileError if isinstance(error, FileNotFoundError) else BayeswoodError
        raise _refusal(file, error.strerror or str(error), kind) from error


def _read_path(path: Any) -> StoredModel:
    with open(_regular_file(os.fsdecode(path)), "rb") as stream:
        return parse_model(stream, os.fstat(stream.fileno()).st_size)


@np.errstate(all="ignore")  # a signalling NaN is refused or kept, not warned of
def parse_model(stream: BinaryIO, size: int) -> StoredModel:
    """Parse a model file of `size` bytes; raise `FormatError` if anything is wrong with it."""
    entries = read_table(stream, size)
    version = stated_version(stream)
    if entries[0].kind is not Kind.HEADER:
        raise FormatError("its first section is not the header")
    header = parse_header(read_section(stream, entries[0]).tobytes(), _HEADER_KEYS)
    class_name = check_class_name(header["class_name"])
    meta = _parse_meta(header["meta"])
    forest_size = ForestSize.from_json(header["forest"], version)
    descriptions = parse_descriptions(header["arrays"])
    _check_entries(entries, forest_size, descriptions)
    forest_arrays, log_weights = _read_forest(stream, entries, forest_size)
    arrays = build_arrays(descriptions, _named_arrays(stream, entries))
    return StoredModel(
        class_name, meta, arrays, forest_arrays, log_weights, forest_size.trees_per_member
    )


def _regular_file(name: str) -> str:
    """Refuse directories, pipes and devices before opening them can block."""
    target = real_path(name)
    if not stat.S_ISREG(os.stat(target).st_mode):
        raise FormatError("it is not a regular file")
    return target


def _parse_meta(value: object) -> dict[str, Any]:
    meta = from_json(value)
    if not isinstance(meta, dict):
        raise FormatError("its metadata are not a JSON object")
    return meta


def _check_entries(
    entries: Sequence[Entry], size: ForestSize, descriptions: Sequence[Description]
) -> None:
    """The sections must be those the header calls for, of the lengths it implies."""
    n_named = sum(not description.is_text for description in descriptions)
    expected = (Kind.HEADER, *size.kinds, *(Kind.NAMED_ARRAY,) * n_named)
    if tuple(entry.kind for entry in entries) != expected:
        raise FormatError("its sections are not those that its header calls for")
    counts = size.counts
    for entry in entries:
        if entry.count != counts.get(entry.kind, entry.count):
            raise FormatError(f"its {entry.kind.label} does not have the length the header implies")
    check_n_classes(size, sum(entry.raw_size for entry in entries))


def _read_forest(
    stream: BinaryIO, entries: Sequence[Entry], size: ForestSize
) -> tuple[dict[str, Any], Array]:
    sections = {
        entry.kind: read_section(stream, entry) for entry in entries if entry.kind in size.kinds
    }
    arrays, log_weights = decode_forest(size, sections)
    check_forest(arrays)
    check_log_weights(log_weights, size.n_members)
    return arrays, log_weights


def _named_arrays(stream: BinaryIO, entries: Sequence[Entry]) -> Iterator[Array]:
    return (read_section(stream, entry) for entry in entries if entry.kind is Kind.NAMED_ARRAY)


def _refusal(
    file: File, reason: str, kind: type[BayeswoodError] = BayeswoodError
) -> BayeswoodError:
    return kind(f"Cannot read the model file {name_of(file)}: {reason}.")
