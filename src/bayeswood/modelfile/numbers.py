"""The narrowest type that keeps every number of an array, bit for bit."""

from itertools import chain

import numpy as np

from bayeswood.modelfile.layout import Array, DType, FormatError

_UNSIGNED = tuple(np.dtype(code) for code in ("u1", "<u2", "<u4", "<u8"))
_SIGNED = tuple(np.dtype(code) for code in ("i1", "<i2", "<i4", "<i8"))
_BLOCK = 1 << 20
_FLOAT32, _FLOAT64 = np.dtype("<f4"), np.dtype("<f8")
_NARROWER_FLOATS = {
    _FLOAT32: (_UNSIGNED[0], _UNSIGNED[1]),
    _FLOAT64: (_UNSIGNED[0], _UNSIGNED[1], _FLOAT32, _UNSIGNED[2]),
}


def narrowest(array: Array) -> Array:
    """Return a flat little-endian copy in the narrowest type that loses nothing.

    Parameters
    ----------
    array : ndarray of bool, integers, float32 or float64
    """
    flat = np.ravel(array)
    if flat.dtype.kind == "b":
        return flat.astype(np.uint8)
    if flat.dtype.kind in "iu":
        return _narrowest_integer(flat)
    return _narrowest_float(flat.astype(flat.dtype.newbyteorder("<"), copy=False))


def widen(stored: Array, dtype: DType, what: str) -> Array:
    """Turn a stored array back into `dtype`; refuse numbers that it cannot hold.

    Parameters
    ----------
    stored : ndarray
        Integers or floats, as they were in the file.
    dtype : dtype
        The type wanted, of native byte order.
    what : str
        What the array is, for the message.
    """
    if dtype.kind in "biu":
        _check_integer_range(stored, dtype, what)
    elif stored.dtype not in (dtype, *_NARROWER_FLOATS[dtype.newbyteorder("<")]):
        raise FormatError(f"{what} of type {dtype} is stored as {stored.dtype}")
    return stored.astype(dtype)


def _narrowest_integer(flat: Array) -> Array:
    low, high = (int(flat.min()), int(flat.max())) if flat.size else (0, 0)
    for dtype in chain(_UNSIGNED, _SIGNED) if low >= 0 else _SIGNED:
        info = np.iinfo(dtype)
        if info.min <= low and high <= info.max:
            return flat.astype(dtype)
    raise AssertionError("every integer fits one of the types")


def _narrowest_float(flat: Array) -> Array:
    for dtype in _NARROWER_FLOATS[flat.dtype]:
        if _fits(flat, dtype):
            return flat.astype(dtype)
    return flat


def _fits(flat: Array, dtype: DType) -> bool:
    """Tell whether the floats survive a trip through `dtype` with the same bits."""
    if dtype.kind == "u" and not _within(flat, np.iinfo(dtype).max):
        return False
    blocks = (flat[start : start + _BLOCK] for start in range(0, len(flat), _BLOCK))
    return all(_block_fits(block, dtype) for block in blocks)


def _block_fits(block: Array, dtype: DType) -> bool:
    bits = np.dtype(f"<u{block.dtype.itemsize}")
    with np.errstate(over="ignore", invalid="ignore"):
        back = block.astype(dtype).astype(block.dtype)
    return bool(np.array_equal(back.view(bits), block.view(bits)))


def _within(flat: Array, high: int) -> bool:
    return flat.size == 0 or bool(flat.min() >= 0 and flat.max() <= high)


def _check_integer_range(stored: Array, dtype: DType, what: str) -> None:
    if stored.dtype.kind == "f":
        raise FormatError(f"{what} of type {dtype} is stored as {stored.dtype}")
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    if stored.size and not (low <= int(stored.min()) and int(stored.max()) <= high):
        raise FormatError(f"{what} has a number outside {low} to {high}")
