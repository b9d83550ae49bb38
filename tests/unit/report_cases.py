"""A table with everything in it that a page could trip over."""

import numpy as np
import pandas as pd

COLUMN = "<script>alert(1)</script>"
LABEL = "</script><img src=x onerror=alert(2)>"
LEVEL = "<!--<b onclick='x'>&amp; \u2028 \"quoted\""


def hostile_table(n_rows=240, seed=0):
    """Names that are markup, a category, dates, missing cells; two classes, and a number."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            COLUMN: rng.normal(size=n_rows),
            "kind": pd.Categorical(rng.choice(["red", LEVEL, "tan"], n_rows)),
            "when": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 900, n_rows), unit="D"),
            "flag": rng.random(n_rows) < 0.5,
        }
    )
    table.iloc[::13, 0] = np.nan
    truth = np.nan_to_num(table[COLUMN]) + (table["kind"] == LEVEL) + table.when.dt.month / 6
    number = pd.Series(np.asarray(truth) + rng.normal(size=n_rows) * 0.3, name="<i>price</i>")
    classes = pd.Series(np.where(number > 1.5, LABEL, "no"), name="<u>kind</u>")
    return table, classes, number
