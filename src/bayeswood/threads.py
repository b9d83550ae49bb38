"""How many threads `n_jobs` stands for."""

import sys


def n_threads(n_jobs: int | None) -> int:
    """As many as joblib would start workers.

    joblib takes a while to import, and without it nothing can have said another number than the
    user: it is asked for the processors of the machine, and where it is loaded already.

    Parameters
    ----------
    n_jobs : int or None
        None is 1, unless a context of joblib's says more; -1 is all processors.

    Examples
    --------
    >>> n_threads(3)
    3
    """
    if "joblib" not in sys.modules and (n_jobs is None or n_jobs > 0):
        return n_jobs or 1
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))
