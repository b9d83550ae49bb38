"""What the units would give in other worlds, for tests of tables and claims."""

import numpy as np

from bayeswood.reproduce.paper import Found
from bayeswood.reproduce.schetinin_2004.printed import COLUMNS, SETS, TABLE_2, TABLE_3, TABLE_4

_AROUND = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
_AROUND /= _AROUND.std(ddof=1)


def five(mean, two_sigma=0.0):
    """Five numbers of this mean and spread."""
    return mean + two_sigma / 2 * _AROUND


def table_world(tables, *, best=None, missing=()):
    """`tables` maps a kind of ensemble to a printed table."""
    values, absent = {}, {}
    for name in SETS:
        n_classes, n_features, n_train, n_test, single = TABLE_2[name]
        values[f"data/{name}"] = {"C": n_classes, "M": n_features, "rows": n_train + n_test}
        single = five(*(single if best is None else best))
        for kind, table in tables.items():
            columns = dict(zip(COLUMNS, (five(*cell) for cell in table[name]), strict=True))
            columns |= {"best tree": single, "best tree elsewhere": single - 5, "half": five(1.0)}
            for repeat in range(5):
                unit = f"{kind}/{name}/{repeat}"
                values[unit] = {key: column[repeat] for key, column in columns.items()}
                if name in missing:
                    absent[unit] = name
        if name in missing:
            absent[f"data/{name}"] = name
    return Found(values, absent)


PRINTED_TABLES = {
    "randomised": TABLE_3, "randomised, leaves": TABLE_3, "bayesian": TABLE_4, "invalid": TABLE_4,
}  # fmt: skip
