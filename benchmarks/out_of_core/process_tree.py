"""Memory of a process and all that it began, watched from outside."""

import threading
from pathlib import Path
from typing import Self

_INTERVAL = 0.1


class PeakMemory:
    """The most resident memory of a process and its descendants, while the block runs.

    Pages that several of them share count in parts (PSS), so that the sum is what they take
    together. Linux only; 0 elsewhere.
    """

    def __init__(self, pid: int) -> None:
        self.n_bytes = 0
        self._pid = pid
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(_INTERVAL):
            self.n_bytes = max(self.n_bytes, sum(map(_resident, descendants(self._pid))))


def descendants(pid: int) -> list[int]:
    """A process and those it began, directly or not."""
    found = [pid]
    for parent in found:
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                found.extend(int(child) for child in children.read_text().split())
            except OSError:
                continue  # it has ended meanwhile
    return found


def _resident(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:"))
