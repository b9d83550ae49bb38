"""Models in streams: open files, buffers, sockets."""

import io
import os
from collections.abc import Iterable
from typing import BinaryIO

from bayeswood.errors import DataTypeError
from bayeswood.modelfile.container import Buffer, stated_size
from bayeswood.modelfile.layout import PREAMBLE

Path = str | os.PathLike[str]
File = Path | BinaryIO

_CHUNK = 1 << 20


def as_stream(file: BinaryIO, method: str) -> BinaryIO:
    """What a user gave in place of a path, if it is a stream with such a method."""
    if isinstance(file, io.TextIOBase):
        raise DataTypeError("A model file holds bytes: open it in binary mode ('wb', 'rb').")
    if not callable(getattr(file, method, None)):
        kind = type(file).__name__
        raise DataTypeError(f"A model file is a path or a binary stream. Got {kind} instead.")
    return file


def name_of(file: File) -> str:
    """What to call a file in an error."""
    if isinstance(file, str | bytes | os.PathLike):
        return repr(os.fsdecode(file))
    name = getattr(file, "name", None)
    return repr(name) if isinstance(name, str) else f"in a {type(file).__name__}"


def write_pieces(stream: BinaryIO, pieces: Iterable[Buffer]) -> None:
    """Write all pieces, also where a raw stream takes a part of one at a time."""
    for piece in pieces:
        left = memoryview(piece).cast("B")
        while len(left):
            taken: int | None = stream.write(left)
            if not taken:
                raise BlockingIOError("the stream takes no more")
            left = left[taken:]


def read_model_bytes(stream: BinaryIO) -> io.BytesIO:
    """The bytes of the model that begins where the stream stands, and no more than these."""
    found = io.BytesIO()
    _copy(stream, found, PREAMBLE.size)
    _copy(stream, found, stated_size(found.getvalue()) - PREAMBLE.size)
    found.seek(0)
    return found


def _copy(source: BinaryIO, target: io.BytesIO, n_bytes: int) -> None:
    """So many bytes, or all there are; a size that a file only claims takes no memory."""
    while n_bytes > 0 and (chunk := source.read(min(n_bytes, _CHUNK))):
        target.write(chunk)
        n_bytes -= len(chunk)
