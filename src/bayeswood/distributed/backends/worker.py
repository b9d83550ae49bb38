"""A worker process: tasks come as lines of JSON on its standard input, answers go to its output.

It ends when its input ends, in the middle of a task if need be: whoever began it is gone.
"""

import json
import os
import queue
import sys
import threading
import time
import traceback
from typing import Any

#: Progress is reported at most so often, in seconds.
_INTERVAL = 0.5


def main() -> None:
    """Serve tasks until the input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", buffering=1)
    sys.stdout = sys.stderr  # nobody else's words may come between the answers
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(lines,), daemon=True).start()
    from bayeswood.distributed.tasks.tasks import Task, run_task

    _answer(answers, {"ready": os.getpid()})
    while True:
        task = Task(**json.loads(lines.get()))
        try:
            result = run_task(task, _reporter(answers))
        except BaseException as error:
            _answer(answers, {"error": describe(error)})
        else:
            _answer(answers, {"result": result})


def _listen(lines: "queue.Queue[str]") -> None:
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)


def _answer(answers: Any, plain: dict[str, Any]) -> None:
    answers.write(json.dumps(plain) + "\n")


def _reporter(answers: Any) -> Any:
    last = [0.0]

    def report(done: int, total: int) -> None:
        now = time.monotonic()
        if now - last[0] >= _INTERVAL:
            last[0] = now
            _answer(answers, {"progress": [done, total]})

    return report


def describe(error: BaseException) -> dict[str, Any]:
    """An error as plain data."""
    return {
        "type": type(error).__name__,
        "message": str(error),
        "errno": getattr(error, "errno", None),
        "trace": "".join(traceback.format_exception(error)),
    }


if __name__ == "__main__":
    main()
