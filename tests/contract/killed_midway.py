"""Ends a process in the middle of a step, once: a part of the work is on disk, and does not count.

Imported where the steps run, in workers of all kinds; it needs the library and nothing else.
"""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bayeswood.distributed.tasks import work_folder

# What a step leaves last, by the beginning and the end of its name.
LAST_FILES = {"route": ("route-", ".json"), "fit": ("fit-", ".npz")}


def die_once(flag: str, pid: int) -> None:
    """Kill a process, unless another was before; the flag says which."""
    try:
        with open(flag, "x", encoding="utf-8") as stream:
            stream.write(str(pid))
    except FileExistsError:
        return
    os.kill(pid, signal.SIGKILL)


def die_at(kind: str, flag: str) -> None:
    """Let this process die when the last file of a step is written and has not got its name."""
    folder, ending = LAST_FILES[kind]
    publish = work_folder.publish

    def publish_or_die(beside: Path, place: Path, *, sync: bool) -> None:
        if place.parent.name.startswith(folder) and place.suffix == ending:
            die_once(flag, os.getpid())
        publish(beside, place, sync=sync)

    work_folder.publish = publish_or_die


def executor_pid() -> int:
    """The Spark executor of a worker of Python: its parent's parent, a daemon being between."""
    daemon = Path(f"/proc/{os.getppid()}/stat").read_text(encoding="utf-8")
    return int(daemon.rsplit(")", 1)[1].split()[1])


def die_at_branch(found: Iterator[Any], branch: int | None, flag: str) -> Iterator[Any]:
    """What a stage of Spark gives; its executor dies when something of a branch is there."""
    for batch in found:
        if branch in batch.column("branch").to_pylist():
            die_once(flag, executor_pid())
        yield batch


def in_another_order(batches: Iterator[Any], flag: str) -> Iterator[Any]:
    """Batches of rows backwards once a process has died, as a shuffle may bring them."""
    return reversed(list(batches)) if os.path.exists(flag) else batches


def is_running(pid: int) -> bool:
    """Whether a process lives."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    from bayeswood.distributed.backends.worker import main

    die_at(sys.argv[1], sys.argv[2])
    main()
