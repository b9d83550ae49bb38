"""The folder that a fit works in: every step ends in a file that appears whole or not at all.

A step whose file is there is done and is not done again. A file is written under another name
beside its place, and renamed. Tasks are functions of what is in the folder, so that whoever runs
them, once or twice, here or on another machine that sees the folder, leaves the same files.
"""

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError

_LOCK = "lock"
_UNFINISHED = ".part"
_SPILL_ADVICE = (
    "Make room or name another 'spill_dir'; what is done so far is kept there, and resume=True "
    "goes on from it."
)


class SpillError(BayeswoodError):
    """The spill directory cannot be used: full, taken, or not of this fit."""


@dataclass(frozen=True)
class WorkFolder:
    """Files of one fit.

    Parameters
    ----------
    path : Path
        The folder; made when the first file is written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = WorkFolder(Path(place))
    ...     folder.write_json("step", {"rows": 3})
    ...     folder.has("step.json"), folder.read_json("step")
    (True, {'rows': 3})
    """

    path: Path

    def has(self, name: str) -> bool:
        """Whether a file is there, and so whole."""
        return (self.path / name).exists()

    def write(self, name: str, writer: Callable[[Path], None], *, sync: bool = True) -> None:
        """Let `writer` write a file beside its place, and rename it.

        Parameters
        ----------
        name : str
            The file, relative to the folder.
        writer : callable
            Takes the path to write to.
        sync : bool, default=True
            Whether to wait until the disk has it.
        """
        place = self.path / name
        # The same task may run twice at once, on machines that give out the same numbers.
        beside = place.with_name(f".{place.name}.{os.getpid()}-{token_hex(6)}{_UNFINISHED}")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            writer(beside)
            publish(beside, place, sync=sync)
        except OSError as error:
            beside.unlink(missing_ok=True)
            raise full_disk(error, f"the spill folder '{self.path}'", _SPILL_ADVICE) from error
        except BaseException:
            beside.unlink(missing_ok=True)
            raise

    def write_json(self, name: str, plain: Any) -> None:
        """Write plain data to ``name.json``."""
        text = json.dumps(plain, indent=1, allow_nan=False)
        self.write(f"{name}.json", lambda path: _write_text(path, text))

    def read_json(self, name: str) -> Any:
        """Plain data of ``name.json``."""
        return json.loads((self.path / f"{name}.json").read_text(encoding="utf-8"))

    def write_arrays(self, name: str, arrays: Mapping[str, Any]) -> None:
        """Write arrays to ``name.npz``."""
        plain: dict[str, Any] = {key: np.asarray(value) for key, value in arrays.items()}

        def writer(path: Path) -> None:
            with open(path, "wb") as stream:
                np.savez(stream, **plain)

        self.write(f"{name}.npz", writer)

    def read_arrays(self, name: str, only: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
        """Arrays of ``name.npz``, all or some."""
        with np.load(self.path / f"{name}.npz", allow_pickle=False) as arrays:
            return {key: arrays[key] for key in only or arrays.files}

    def remove(self) -> None:
        """Delete the folder and all in it."""
        shutil.rmtree(self.path, ignore_errors=True)

    def clear(self) -> None:
        """Delete all in the folder but its lock."""
        for found in self.path.iterdir():
            if found.is_dir():
                shutil.rmtree(found)
            elif found.name != _LOCK:
                found.unlink()

    def sweep(self) -> None:
        """Delete what was begun and not finished; nobody may be writing."""
        for beside in self.path.rglob(f".*{_UNFINISHED}"):
            beside.unlink(missing_ok=True)

    def free_bytes(self) -> int:
        """Room left on the folder's disk."""
        place = self.path
        while not place.exists():
            place = place.parent
        return shutil.disk_usage(place).free

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for one fit; the hold ends with the process, however that ends."""
        self.path.mkdir(parents=True, exist_ok=True)
        with open(self.path / _LOCK, "a+", encoding="utf-8") as stream:
            if not _try_lock(stream):
                stream.seek(0)
                holder = stream.read().strip() or "another process"
                raise SpillError(
                    f"The spill folder '{self.path}' is in use by {holder}. Wait for that fit to "
                    "end, or name another 'spill_dir'."
                )
            stream.truncate(0)
            stream.write(f"process {os.getpid()}")
            stream.flush()
            yield


def publish(beside: Path, place: Path, *, sync: bool) -> None:
    """Give a finished file its name: the one moment at which a step becomes done."""
    if sync:
        with open(beside, "rb") as stream:
            os.fsync(stream.fileno())
    os.replace(beside, place)


def full_disk(error: OSError, place: str, advice: str) -> Exception:
    """A full disk, a used-up quota or a file too large in words; any other error as it is."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return SpillError(f"The disk of {place} is full. {advice}")
    if error.errno == errno.EFBIG:
        return SpillError(
            f"A file in {place} would be larger than its file system or 'ulimit -f' allows. "
            f"{advice}"
        )
    return error


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _try_lock(stream: Any) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows: the file is held open, which keeps others from replacing it
        return True
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
