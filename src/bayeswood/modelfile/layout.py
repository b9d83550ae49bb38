"""What the model file looks like: numbers, names and limits (docs/modelfile.md)."""

import struct
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
DType = np.dtype[Any]

MAGIC = b"BWOOD\r\n\x1a"
VERSION = 2  # the newest that is read; a file has the lowest that can hold its forest
DIGEST_SIZE = 16
# magic, version, n_sections, reserved, file_size; the digest of preamble and table follows
PREAMBLE = struct.Struct("<8sHHIQ")
# kind, dtype, codec, reserved, stored_size, raw_size, digest
ENTRY = struct.Struct(f"<HBBIQQ{DIGEST_SIZE}s")

MAX_SECTIONS = 4096
MAX_HEADER_SIZE = 1 << 28
MAX_META_DEPTH = 32
MAX_INT_DIGITS = 1300
MAX_NAME_LENGTH = 255
MAX_ARRAY_DIMENSIONS = 8
# All sections together may unpack to at most RAW_RATIO times the file plus RAW_FLOOR bytes.
RAW_RATIO = 8
RAW_FLOOR = 1 << 20
# A fixed-width string array may take at most STRING_RATIO times its text plus STRING_FLOOR bytes.
STRING_RATIO = 64
STRING_FLOOR = 1 << 24
# A classifier may have this many classes more than the file has bytes.
CLASS_FLOOR = 1 << 16


class FormatError(ValueError):
    """Something wrong with a model file or with what should be written to one.

    Internal: the reader and the writer turn it into one error that names the file.
    """


class Codec(IntEnum):
    """How the bytes of a section are stored."""

    RAW = 0
    ZLIB = 1


class Kind(IntEnum):
    """What a section holds."""

    HEADER = 1
    STRUCTURE = 2
    FEATURE = 3
    N_LEVELS = 4
    THRESHOLD_LAYOUT = 5
    THRESHOLD_COUNT = 6
    THRESHOLD_FLOAT32 = 7
    THRESHOLD_FLOAT64 = 8
    THRESHOLD_INDEX8 = 9
    THRESHOLD_INDEX16 = 10
    THRESHOLD_INDEX32 = 11
    MISSING_LEFT = 12
    CATEGORY_SETS = 13
    LEAF_N_SAMPLES = 14
    LEAF_WEIGHT = 15
    LEAF_VALUE = 16
    LOG_WEIGHTS = 17
    LEAF_PURE = 18
    LEAF_N_ENTRIES = 19
    LEAF_CLASS = 20
    LEAF_ROWS = 21
    NAMED_ARRAY = 64

    @property
    def label(self) -> str:
        """The name used in error messages."""
        return f"'{self.name.lower()}' section"


DTYPE_OF_CODE: dict[int, DType] = {
    1: np.dtype("u1"),
    2: np.dtype("<u2"),
    3: np.dtype("<u4"),
    4: np.dtype("<u8"),
    5: np.dtype("i1"),
    6: np.dtype("<i2"),
    7: np.dtype("<i4"),
    8: np.dtype("<i8"),
    9: np.dtype("<f4"),
    10: np.dtype("<f8"),
}
CODE_OF_DTYPE = {dtype: code for code, dtype in DTYPE_OF_CODE.items()}

_BYTES = (1,)
_COUNTS = (1, 2, 3)
_FLOAT32 = (1, 2, 9)
_FLOAT64 = (1, 2, 3, 9, 10)

DTYPE_CODES = {
    Kind.HEADER: _BYTES,
    Kind.STRUCTURE: _BYTES,
    Kind.FEATURE: _COUNTS,
    Kind.N_LEVELS: _COUNTS,
    Kind.THRESHOLD_LAYOUT: _BYTES,
    Kind.THRESHOLD_COUNT: _COUNTS,
    Kind.THRESHOLD_FLOAT32: (9,),
    Kind.THRESHOLD_FLOAT64: (10,),
    Kind.THRESHOLD_INDEX8: (1,),
    Kind.THRESHOLD_INDEX16: (2,),
    Kind.THRESHOLD_INDEX32: (3,),
    Kind.MISSING_LEFT: _BYTES,
    Kind.CATEGORY_SETS: _BYTES,
    Kind.LEAF_N_SAMPLES: _COUNTS,
    Kind.LEAF_WEIGHT: _FLOAT32,
    Kind.LEAF_VALUE: _FLOAT64,
    Kind.LOG_WEIGHTS: _FLOAT64,
    Kind.LEAF_PURE: _BYTES,
    Kind.LEAF_N_ENTRIES: _COUNTS,
    Kind.LEAF_CLASS: _COUNTS,
    Kind.LEAF_ROWS: _COUNTS,
    Kind.NAMED_ARRAY: tuple(DTYPE_OF_CODE),
}


def raw_limit(file_size: int) -> int:
    """How many bytes all sections of a file may unpack to."""
    return RAW_RATIO * file_size + RAW_FLOOR
