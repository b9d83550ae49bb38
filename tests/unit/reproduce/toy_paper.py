"""A paper of three parts, for tests; its units can be counted and made to fail."""

from pathlib import Path

import numpy as np

from bayeswood.reproduce.finding import Claim, Finding, Listing, Picture, compared, not_run
from bayeswood.reproduce.paper import Paper, Part, Unit
from bayeswood.reproduce.verdict import Reading

READING = Reading(0.1, "sd", 5)


def draw(seed, n, log):
    """A mean of normal numbers, and a line in a log."""
    with Path(log).open("a") as stream:
        stream.write(f"{seed}\n")
    if Path(log).with_name("fail").exists() and seed % 10 == 3:
        raise RuntimeError("the power is gone")
    return {"mean": float(np.random.default_rng(seed).normal(size=n).mean() + 10)}


def make_paper(log, *, data=()):
    def units(plan):
        n = 4 if plan.quick else 9
        return [
            Unit(f"draws/{repeat}", draw, (10 * plan.seed + repeat, n, str(log)), data)
            for repeat in range(5)
        ]

    def find_table(found, plan):
        ours = [each["mean"] for each in found.repeats("draws", 5)]
        return Finding(
            cells=(
                compared(("one", "mean"), (10.0, 0.4), ours, READING),
                compared(("two", "mean"), (20.0, 0.4), ours, READING),
                compared(("three", "mean"), (30.0, 0.4), ours, READING),
                not_run(("four", "mean"), (1.0, None), "nobody knows how"),
            )
        )

    def find_claims(found, plan):
        mean = np.mean([each["mean"] for each in found.repeats("draws", 5)])
        return Finding(
            claims=(
                Claim("it is ten", "the mean", bool(abs(mean - 10) < 2), f"{mean:.1f}"),
                Claim("it is | twenty", "the mean", bool(abs(mean - 20) < 2), f"{mean:.1f}"),
                Claim("it is nice", "", None, "a matter of taste"),
            ),
            pictures=(Picture("dot", "A <dot>.", b"\x89PNG"),),
        )

    def find_free(found, plan):
        return Finding(listings=(Listing(("a", "b"), (("1", "2"),), "Beside", "So `it` is."),))

    return Paper(
        name="toy-2000", title="Toys & trees", citation="A. Nobody, 2000.",
        about="## What it claims\n\n1. One.\n2. **Two** <3.\n\n| x | y |\n|---|---|\n| 1 | 2 |",
        notes="## Notes\n\nNone.", quick="4 draws in place of 9.", sample="free",
        reasons={("table-1", "two", "mean"): "It was printed so."},
        parts=(
            Part("claims", "Claims", find_claims, units),
            Part("table-1", "Table 1: means", find_table, units, words="Of draws."),
            Part("free", "Ours: free", find_free),
            Part("figure-9", "Figure 9", words="it is a picture."),
        ),
    )  # fmt: skip
