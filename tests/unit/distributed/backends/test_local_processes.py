"""Tasks begin in order, as many at once as workers and memory allow; errors come through."""

import pytest

from bayeswood import BayeswoodError
from bayeswood.distributed.backends import local_processes
from bayeswood.distributed.backends.local_processes import LocalProcesses, WorkerError
from bayeswood.distributed.tasks.tasks import Task
from bayeswood.errors import DataTypeError


class PromptWorker:
    """Stands for a process that has done its task as soon as anybody asks."""

    answer = staticmethod(lambda place: {"result": {"place": place}})
    pid = 0

    def __init__(self, events):
        self._events = events
        self.place = None

    def begin(self, place, task):
        self.place = place
        self._events.put((self, self.answer(place)))

    def end(self):
        return 0


class Watched(LocalProcesses):
    """Notes which tasks run whenever one is begun."""

    def __init__(self, n_workers):
        super().__init__(n_workers)
        self.begun = []

    def _begun(self, pid, task):
        places = [worker.place for worker in self._workers if worker.place is not None]
        self.begun.append(sorted(places))


def tasks_of(*sizes):
    return [Task("folder", "fit", index, n_bytes=size) for index, size in enumerate(sizes)]


@pytest.fixture(autouse=True)
def _prompt(monkeypatch):
    monkeypatch.setattr(local_processes, "_Worker", PromptWorker)


def test_workers_bound_what_runs_at_once():
    executor = Watched(2)
    done = dict(executor.run(tasks_of(1, 1, 1, 1), memory=100))
    assert done == {place: {"place": place} for place in range(4)}
    assert executor.begun[0] == [0]
    assert max(map(len, executor.begun)) == 2


def test_memory_bounds_what_runs_at_once():
    sizes = (60, 50, 40, 30, 30)
    executor = Watched(3)
    assert len(list(executor.run(tasks_of(*sizes), memory=100))) == 5
    assert all(sum(sizes[place] for place in places) <= 100 for places in executor.begun)
    assert executor.begun[:2] == [[0], [0, 2]]  # the second does not fit beside the first


def test_a_task_larger_than_the_memory_runs_alone():
    executor = Watched(2)
    assert len(list(executor.run(tasks_of(500, 10), memory=100))) == 2
    assert executor.begun == [[0], [1]]


@pytest.mark.parametrize(
    ("kind", "raised"),
    [
        ("BayeswoodError", BayeswoodError),
        ("DataTypeError", DataTypeError),
        ("MemoryError", MemoryError),
        ("ZeroDivisionError", WorkerError),
    ],
)
def test_errors_of_workers_are_raised_here(monkeypatch, kind, raised):
    error = {"type": kind, "message": "what went wrong", "errno": None, "trace": "line 1"}
    monkeypatch.setattr(PromptWorker, "answer", staticmethod(lambda place: {"error": error}))
    with pytest.raises(raised, match="what went wrong"):
        list(LocalProcesses(1).run(tasks_of(1), memory=100))
