"""Sections in a file: a preamble, a table with sizes and digests, then the bytes."""

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from bayeswood.modelfile.layout import (
    CODE_OF_DTYPE,
    DIGEST_SIZE,
    DTYPE_CODES,
    DTYPE_OF_CODE,
    ENTRY,
    MAGIC,
    MAX_SECTIONS,
    PREAMBLE,
    VERSION,
    Array,
    Codec,
    DType,
    FormatError,
    Kind,
    raw_limit,
)

# Compression must save a tenth; long sections are judged by a sample first.
_WORTH = 0.9
_SAMPLE = 1 << 16
_LEVEL = 6

Buffer = bytes | memoryview


@dataclass(frozen=True)
class Section:
    """One section to be written: what it is and its numbers (1-D, little-endian)."""

    kind: Kind
    array: Array


@dataclass(frozen=True)
class Entry:
    """One checked row of the section table."""

    kind: Kind
    dtype: DType
    codec: Codec
    offset: int
    stored_size: int
    raw_size: int
    digest: bytes

    @property
    def count(self) -> int:
        """How many numbers the section holds."""
        return self.raw_size // self.dtype.itemsize


@dataclass(frozen=True)
class _Packed:
    section: Section
    codec: Codec
    data: Buffer

    @property
    def saving(self) -> int:
        return self.section.array.nbytes - len(self.data)


def digest(*parts: Buffer) -> bytes:
    """Return the 16-byte BLAKE2b digest of the parts, one after another."""
    state = hashlib.blake2b(digest_size=DIGEST_SIZE)
    for part in parts:
        state.update(part)
    return state.digest()


def seal(sections: Sequence[Section], version: int) -> list[Buffer]:
    """Return the bytes of a whole file, in pieces, that holds the sections in order."""
    if len(sections) > MAX_SECTIONS:
        raise FormatError(f"it would need {len(sections)} sections; the limit is {MAX_SECTIONS}")
    packed = _within_ratio([_pack(section) for section in sections])
    table = b"".join(_entry(item) for item in packed)
    preamble = PREAMBLE.pack(MAGIC, version, len(packed), 0, _file_size(packed))
    return [preamble, digest(preamble, table), table, *(item.data for item in packed)]


def read_table(stream: BinaryIO, size: int) -> list[Entry]:
    """Read and check the preamble and the section table of a file of `size` bytes."""
    preamble = stream.read(PREAMBLE.size)
    n_sections = _check_preamble(preamble, size)
    stated = stream.read(DIGEST_SIZE)
    table = stream.read(n_sections * ENTRY.size)
    if digest(preamble, table) != stated:
        raise FormatError("its section table is damaged")
    return _parse_table(table, size)


def stated_version(stream: BinaryIO) -> int:
    """The format version of a file whose preamble was checked."""
    stream.seek(0)
    return int(PREAMBLE.unpack(stream.read(PREAMBLE.size))[1])


def stated_size(preamble: bytes) -> int:
    """How many bytes a file has by its own word; 0 where this is no preamble."""
    if len(preamble) < PREAMBLE.size or preamble[: len(MAGIC)] != MAGIC:
        return 0
    return int(PREAMBLE.unpack(preamble)[4])


def read_section(stream: BinaryIO, entry: Entry) -> Array:
    """Read one section, check its digest and return its numbers."""
    stream.seek(entry.offset)
    data = stream.read(entry.stored_size)
    if len(data) != entry.stored_size or digest(data) != entry.digest:
        raise FormatError(f"its {entry.kind.label} is damaged")
    if entry.codec is Codec.ZLIB:
        data = _join_planes(_inflate(data, entry), entry.dtype.itemsize)
    return np.frombuffer(data, dtype=entry.dtype)


def _pack(section: Section) -> _Packed:
    raw = _bytes_of(section.array)
    if section.kind is not Kind.HEADER and _looks_compressible(raw):
        data = zlib.compress(_split_planes(raw, section.array.itemsize), _LEVEL)
        if len(data) <= _WORTH * len(raw):
            return _Packed(section, Codec.ZLIB, data)
    return _Packed(section, Codec.RAW, raw)


def _bytes_of(array: Array) -> Buffer:
    """Look at the bytes of an array, without a copy."""
    return np.ascontiguousarray(array).data.cast("B") if array.size else b""


def _looks_compressible(raw: Buffer) -> bool:
    if len(raw) <= 16 * _SAMPLE:
        return len(raw) > 64
    start = len(raw) // 2 & ~7
    sample = _split_planes(raw[start : start + _SAMPLE], 8)
    return len(zlib.compress(sample, _LEVEL)) <= 0.95 * _SAMPLE


def _within_ratio(packed: list[_Packed]) -> list[_Packed]:
    """Undo the largest savings until the file obeys the limit that the reader checks."""
    packed = list(packed)
    raw_total = sum(item.section.array.nbytes for item in packed)
    while raw_total > raw_limit(_file_size(packed)):
        worst = max(range(len(packed)), key=lambda k: packed[k].saving)
        section = packed[worst].section
        packed[worst] = _Packed(section, Codec.RAW, _bytes_of(section.array))
    return packed


def _file_size(packed: Sequence[_Packed]) -> int:
    return _body_start(len(packed)) + sum(len(item.data) for item in packed)


def _body_start(n_sections: int) -> int:
    return PREAMBLE.size + DIGEST_SIZE + n_sections * ENTRY.size


def _entry(item: _Packed) -> bytes:
    array = item.section.array
    code = CODE_OF_DTYPE[array.dtype]
    sizes = len(item.data), array.nbytes
    return ENTRY.pack(item.section.kind, code, item.codec, 0, *sizes, digest(item.data))


def _check_preamble(preamble: bytes, size: int) -> int:
    if preamble[: len(MAGIC)] != MAGIC[: len(preamble)] or not preamble:
        raise FormatError("it is not a bayeswood model file")
    if len(preamble) < PREAMBLE.size:
        raise FormatError("it is cut short")
    _, version, n_sections, reserved, file_size = PREAMBLE.unpack(preamble)
    _check_version(version)
    if size != file_size:
        verb = "is cut short" if size < file_size else "has bytes after its end"
        raise FormatError(f"it {verb}: {size} bytes where {file_size} are stated")
    if reserved or not 1 <= n_sections <= MAX_SECTIONS or _body_start(n_sections) > size:
        raise FormatError("its preamble is damaged")
    return int(n_sections)


def _check_version(version: int) -> None:
    if version > VERSION:
        raise FormatError(
            f"it has format version {version} and this bayeswood reads up to version {VERSION}; "
            "update bayeswood to read it"
        )
    if version < 1:
        raise FormatError(f"its format version {version} does not exist")


def _parse_table(table: bytes, size: int) -> list[Entry]:
    entries = []
    offset = _body_start(len(table) // ENTRY.size)
    for fields in ENTRY.iter_unpack(table):
        entry = _parse_entry(fields, offset)
        offset += entry.stored_size
        entries.append(entry)
    if offset != size:
        raise FormatError(f"its sections end at byte {offset} and the file at byte {size}")
    if sum(entry.raw_size for entry in entries) > raw_limit(size):
        raise FormatError(f"its sections would unpack to more than {raw_limit(size)} bytes")
    return entries


def _parse_entry(fields: tuple[int, int, int, int, int, int, bytes], offset: int) -> Entry:
    kind_code, dtype_code, codec_code, reserved, stored_size, raw_size, stated = fields
    try:
        kind, codec = Kind(kind_code), Codec(codec_code)
    except ValueError as error:
        raise FormatError(f"its section table has an unknown code ({error})") from None
    if reserved or dtype_code not in DTYPE_CODES[kind]:
        raise FormatError(f"its {kind.label} has a wrong type in the section table")
    entry = Entry(
        kind, DTYPE_OF_CODE[dtype_code], codec, offset, stored_size, raw_size, bytes(stated)
    )
    _check_sizes(entry)
    return entry


def _check_sizes(entry: Entry) -> None:
    raw = entry.codec is Codec.RAW
    if raw and entry.stored_size != entry.raw_size:
        raise FormatError(f"its {entry.kind.label} has two different sizes in the section table")
    if not raw and (entry.kind is Kind.HEADER or entry.stored_size >= entry.raw_size):
        raise FormatError(f"its {entry.kind.label} must not be compressed")
    if entry.raw_size % entry.dtype.itemsize:
        raise FormatError(f"its {entry.kind.label} does not hold a whole number of items")


def _inflate(data: bytes, entry: Entry) -> bytes:
    inflater = zlib.decompressobj()
    try:
        raw = inflater.decompress(data, entry.raw_size + 1)
    except zlib.error as error:
        raise FormatError(f"its {entry.kind.label} cannot be unpacked ({error})") from None
    if len(raw) != entry.raw_size or not inflater.eof or inflater.unused_data:
        raise FormatError(f"its {entry.kind.label} does not unpack to its stated size")
    return raw


def _split_planes(raw: Buffer, itemsize: int) -> bytes:
    """Put first bytes first, then all second bytes, ...: like bytes compress better together."""
    return np.frombuffer(raw, dtype=np.uint8).reshape(-1, itemsize).T.tobytes()


def _join_planes(planes: bytes, itemsize: int) -> bytes:
    return np.frombuffer(planes, dtype=np.uint8).reshape(itemsize, -1).T.tobytes()
