"""Print the tables of docs/smc-trees.md.

python -m benchmarks.particle_trust evidence       # needs BAYESWOOD_DATA
python -m benchmarks.particle_trust moves --seeds 10 --sets iris,wine
python -m benchmarks.particle_trust moves --quick  # generated rows: does it run?
"""

import argparse

from bayeswood import datasets
from benchmarks.machine import one_line
from benchmarks.particle_trust.comparisons import COMPARISONS, compare
from benchmarks.particle_trust.evidence import spread_of_seeds
from benchmarks.particle_trust.fits import CLASSES, GENERATED, NUMBERS


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="How far to trust particles over trees.")
    parser.add_argument("table", choices=["evidence", *COMPARISONS])
    parser.add_argument("--sets", default=",".join([*CLASSES, *NUMBERS]))
    parser.add_argument("--seeds", type=int, help="60 for the evidence, else 8")
    parser.add_argument("--quick", action="store_true", help="few generated rows: does it run?")
    options = parser.parse_args(arguments)
    sets = [GENERATED] if options.quick else options.sets.split(",")
    is_evidence = options.table == "evidence"
    n_seeds = options.seeds or (2 if options.quick else 60 if is_evidence else 8)
    print(one_line(), "\n")
    if is_evidence:
        spread_of_seeds(sets, n_seeds)
    else:
        compare(options.table, sets, n_seeds)


if __name__ == "__main__":
    with datasets.exit_without_data():
        main()
