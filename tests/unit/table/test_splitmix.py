"""Keys of rows: the published sequence, without a warning."""

import numpy as np

from bayeswood.table.splitmix import splitmix64


def test_the_published_sequence():
    # The first numbers of the generator with seed 1234567, as its author's C code prints them.
    gamma = 0x9E3779B97F4A7C15
    states = [(1234567 + step * gamma) % 2**64 for step in range(5)]
    assert splitmix64(np.array(states, dtype=np.uint64)).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_the_argument_stays_as_it_is():
    numbers = np.arange(4, dtype=np.uint64)
    keys = splitmix64(numbers)
    assert numbers.tolist() == [0, 1, 2, 3]
    assert len(set(keys.tolist())) == 4
