"""A hard limit on the memory of a process and all that it starts.

A control group of Linux counts the memory of all of them together, files in the page cache too,
and ends them if they need more. Where none can be made (it takes rights that few have), each
process gets a limit on its address space instead.
"""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_GROUPS = Path("/sys/fs/cgroup")
# Allocators reserve address space that they may never use: some 64 MB per thread, 1 GB at once.
_FRUGAL = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}


class MemoryLimit:
    """How to start a process under a limit.

    Parameters
    ----------
    n_bytes : int
        The most memory.
    group : path, default=None
        Folder of a control group that has the limit.
    """

    def __init__(self, n_bytes: int, group: Path | None = None) -> None:
        self._n_bytes = n_bytes
        self._group = group

    @property
    def kind(self) -> str:
        return "address space of each process" if self._group is None else "control group"

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **(_FRUGAL if self._group is None else {})}

    def enter(self) -> None:
        """Put this process under the limit; for `subprocess.Popen(preexec_fn=...)`."""
        if self._group is None:
            resource.setrlimit(resource.RLIMIT_AS, (self._n_bytes, self._n_bytes))
        else:
            (self._group / "cgroup.procs").write_text(str(os.getpid()))


@contextmanager
def memory_limit(n_bytes: int) -> Iterator[MemoryLimit]:
    """A control group of this size while it lasts, or the best there is."""
    group = _make_group(n_bytes)
    try:
        yield MemoryLimit(n_bytes, group)
    finally:
        if group is not None:
            with suppress(OSError):
                group.rmdir()


def _make_group(n_bytes: int) -> Path | None:
    for parent, name in _own_groups():
        group = parent / f"bayeswood-bench-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / name).write_text(str(n_bytes))
        except OSError:
            group.rmdir()
            continue
        return group
    return None


def _own_groups() -> Iterator[tuple[Path, str]]:
    """Folders of this process's memory groups (versions 1 and 2), and their limit's file."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            yield _GROUPS / "memory" / path.strip("/"), "memory.limit_in_bytes"
        elif not controllers:
            yield _GROUPS / path.strip("/"), "memory.max"
