"""Who runs the tasks, by what the caller hands over."""

from typing import Any

from bayeswood.distributed.backends.dask_futures import DaskFutures
from bayeswood.distributed.tasks.tasks import Executor
from bayeswood.errors import BayeswoodError


def as_executor(given: Any, stall_timeout: float, owner: str) -> Executor | None:
    """An `Executor` for what was given as ``executor=``.

    Parameters
    ----------
    given : Executor, distributed.Client or None
        None stays None: processes of this machine.
    stall_timeout : float
        Seconds without progress after which to give up.
    owner : str
        Whose parameter it is, for the errors.

    Examples
    --------
    >>> as_executor("spark://host", 600, "fit_parquet")
    Traceback (most recent call last):
    ...
    bayeswood.errors.BayeswoodError: The 'executor' parameter of fit_parquet must be None, a \
distributed.Client or an Executor. Got 'spark://host' instead.
    """
    if is_dask_client(given):
        return as_dask(given, owner, stall_timeout)
    if given is None or (hasattr(given, "run") and hasattr(given, "n_workers")):
        found: Executor | None = given
        return found
    raise BayeswoodError(
        f"The 'executor' parameter of {owner} must be None, a distributed.Client or an Executor. "
        f"Got {given!r} instead."
    )


def is_dask_client(given: Any) -> bool:
    """Whether something is a Dask client, without importing Dask."""
    kinds = type(given).__mro__
    return any(
        kind.__name__ == "Client" and kind.__module__.startswith("distributed.") for kind in kinds
    )


def as_dask(given: Any, owner: str, stall_timeout: float = 600.0) -> DaskFutures:
    """A Dask client as an executor; anything else is refused.

    Parameters
    ----------
    given : distributed.Client
        What was given as ``executor=``.
    owner : str
        Whose parameter it is, for the errors.
    stall_timeout : float, default=600
        Seconds without progress after which to give up.
    """
    if not is_dask_client(given):
        raise BayeswoodError(
            f"The 'executor' parameter of {owner} must be None or a distributed.Client. "
            f"Got {given!r} instead."
        )
    if given.asynchronous:
        raise BayeswoodError(
            f"The 'executor' parameter of {owner} must be a Dask client that blocks. Got one "
            "with asynchronous=True instead."
        )
    return DaskFutures(given, stall_timeout)
