"""Numbers made unrelated: what keys of rows are made of."""

import numpy as np
from numpy.typing import NDArray

U64 = NDArray[np.uint64]


def splitmix64(z: U64) -> U64:
    """One step of splitmix64: neighbouring numbers become unrelated.

    References
    ----------
    G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators",
    OOPSLA 2014.

    Examples
    --------
    >>> import numpy as np
    >>> [hex(key) for key in splitmix64(np.array([0, 1], dtype=np.uint64))]
    ['0xe220a8397b1dcdaf', '0x910a2dec89025cc1']
    """
    with np.errstate(over="ignore"):
        z = z + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
