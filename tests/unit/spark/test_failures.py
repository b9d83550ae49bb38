"""What is made of the errors of Spark; no Spark is needed."""

import pytest

from bayeswood.distributed.backends.local_processes import WorkerError
from bayeswood.spark.failures import reason, spark_step

# As Spark 4 says it, shortened.
IN_PYTHON = """
  An exception was thrown from the Python worker. Please see the stack trace below.
Traceback (most recent call last):
  File "worker.py", line 3, in main
    process()
MemoryError: Unable to allocate 3.1 GiB

\tat org.apache.spark.api.python.BasePythonRunner.handlePythonException(PythonRunner.scala:581)
"""


class JavaError(Exception):
    """As those of py4j."""


JavaError.__module__ = "py4j.protocol"


def test_an_error_of_python_is_found_in_the_stack_trace():
    assert reason(IN_PYTHON) == "MemoryError: Unable to allocate 3.1 GiB."


def test_a_long_reason_is_cut_between_words():
    found = reason("word " * 200)
    assert len(found) < 420
    assert found.endswith("word ...")


def test_silence_is_said():
    assert reason("") == "no reason was given."


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        ("SparkException: bigger than spark.driver.maxResultSize", "Raise 'spark.driver.maxRes"),
        ("java.io.IOException: No space left on device", "'spark.local.dir'"),
        ("Python worker exited unexpectedly (crashed)", "'memory_limit'"),
        ("Python worker process terminated due to idle timeout", "idleTimeoutSeconds"),
        ("something else", "logs of the executors"),
    ],
)
def test_an_error_of_spark_names_the_step_and_what_to_do(message, advice):
    words = f"Spark gave up while it slept: .*{advice}"
    with pytest.raises(WorkerError, match=words) as found, spark_step("it slept"):
        raise JavaError(message)
    assert isinstance(found.value.__cause__, JavaError)


def test_other_errors_are_left_alone():
    with pytest.raises(ValueError, match="mine"), spark_step("it slept"):
        raise ValueError("mine")
