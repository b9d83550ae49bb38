"""What it means when Spark gives up."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from bayeswood.distributed.backends.local_processes import WorkerError

_SPACE = "Make room in the folder of 'spark.local.dir', or name another there."
_ADVICE = {
    "maxResultSize": "Raise 'spark.driver.maxResultSize', or set it to 0 for no limit.",
    "exited unexpectedly": (
        "A worker of Python was ended from outside, most often for taking too much memory: lower "
        "'memory_limit' to what a worker has, or raise 'trunk_max_leaves'."
    ),
    "idle timeout": (
        "A worker of Python said nothing for as long as "
        "'spark.sql.execution.pyspark.udf.idleTimeoutSeconds' allows; the fit of a branch must "
        "take less."
    ),
    "No space left": _SPACE,
    "File too large": _SPACE,
}
_MORE = "The logs of the executors say more."
# What Spark wraps a failure in: the packages of its classes, where the task ran.
_PACKAGE = re.compile(r"\b(?:[a-z][\w$]*\.)+(?=[A-Z][\w$]*)")
_WRAPPING = re.compile(
    r"^.*due to stage failure: |(?<=times), most recent failure: Lost task [^:]*"
)
# The last line of what Python says of an error.
_RAISED = re.compile(r"^(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Interrupt): .*", re.MULTILINE)
_MOST = 400


@contextmanager
def spark_step(doing: str) -> Iterator[None]:
    """Turn a failure of Spark into one error that says at which step it came, and why.

    Parameters
    ----------
    doing : str
        The step, as in "Spark gave up while ...".
    """
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark.", "py4j.")):
            raise
        found = str(error)
        advice = [words for sign, words in _ADVICE.items() if sign in found] or [_MORE]
        raise WorkerError(
            f"Spark gave up while {doing}: {reason(found)} {' '.join(advice)}"
        ) from error


def reason(message: str) -> str:
    r"""The sentence of a failure of Spark that says what was the matter.

    Parameters
    ----------
    message : str
        All that Spark says, with the stack traces of several machines.

    Examples
    --------
    >>> reason(
    ...     "An error occurred while calling o1.collect.\n: org.apache.spark.SparkException: Job "
    ...     "aborted due to stage failure: Task 3 in stage 1.0 failed 4 times, most recent "
    ...     "failure: Lost task 3.3 in stage 1.0 (TID 9) (host executor 1): "
    ...     "java.io.IOException: No space left on device\n\tat java.base/java.io.FileWriter"
    ... )
    'Task 3 in stage 1.0 failed 4 times: IOException: No space left on device.'
    """
    lines = [line.strip(" :\t") for line in message.splitlines()]
    told = [line for line in lines if line and not line.startswith(("at ", "An error occurred"))]
    first = next((line for line in told if "aborted" in line), (told or ["no reason was given"])[0])
    raised = _RAISED.findall(message) if "Traceback" in message else []
    if raised:
        first = raised[-1]
    first = _PACKAGE.sub("", _WRAPPING.sub("", first))
    first = first if len(first) <= _MOST else first[:_MOST].rsplit(" ", 1)[0] + " ..."
    return first if first.endswith(".") else f"{first}."
