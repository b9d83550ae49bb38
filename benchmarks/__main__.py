"""Command line of the benchmarks."""

import argparse
import datetime
import json
import re
import sys
import time
from pathlib import Path

from bayeswood.datasets import exit_without_data
from benchmarks import machine
from benchmarks.peers.contenders import PEERS
from benchmarks.rows import Row, brief_markdown, markdown
from benchmarks.workloads import Options, all_workloads

RESULTS = Path(__file__).parent / "results"


def parser() -> argparse.ArgumentParser:
    names = list(all_workloads())
    made = argparse.ArgumentParser("benchmarks", description="bayeswood beside other libraries.")
    made.add_argument("--quick", action="store_true", help="tiny data: does it run? (no figures)")
    made.add_argument("--only", action="append", metavar="NAME", choices=names,
                      help=f"run this workload (repeatable): {', '.join(names)}")  # fmt: skip
    made.add_argument("--peers", metavar="A,B", type=_peers, action="extend",
                      help=f"repeatable; of: {'; '.join(PEERS)}")  # fmt: skip
    made.add_argument("--repeats", type=int, metavar="N", help="rounds, best of which counts")
    made.add_argument("--held-out", type=int, metavar="SEED",
                      help="draw fresh problems of each kind, not the table's own")  # fmt: skip
    made.add_argument("--json", metavar="OUT", help="write the rows and the machine here")
    made.add_argument("--save", action="store_true", help="keep them in benchmarks/results/")
    made.add_argument("--show", metavar="FILE", help="print the table of a kept result and stop")
    made.add_argument("--brief", action="store_true", help="only ratios that have a promise")
    return made


def main(arguments: list[str] | None = None) -> int:
    given = parser().parse_args(arguments)
    table = brief_markdown if given.brief else markdown
    if given.show:
        print(
            table([Row.from_json(row) for row in json.loads(Path(given.show).read_text())["rows"]])
        )
        return 0
    if given.save and given.quick:
        parser().error("--save keeps figures; --quick gives none")
    if given.save and given.held_out is not None:
        parser().error("--save keeps the table's own problems; --held-out draws others")
    peers = None if given.peers is None else tuple(given.peers)
    rows, notes = run(given.only, Options(given.quick, given.repeats, peers, given.held_out))
    print(f"\n{machine.one_line()}\n")
    print(table(rows))
    print("".join(f"\n- {note}" for note in dict.fromkeys(notes)))
    if given.quick:
        print("\nA quick run: the data are tiny and the ratios mean nothing.")
    result = {"date": datetime.date.today().isoformat(), "quick": given.quick,
              "machine": machine.describe(), "rows": [row.to_json() for row in rows]}  # fmt: skip
    for path in filter(None, (given.json, _saved_path(result) if given.save else None)):
        Path(path).write_text(json.dumps(result, indent=1) + "\n")
    return 0


def run(only: list[str] | None, options: Options) -> tuple[list[Row], list[str]]:
    """Run the named workloads (all by default), telling on stderr which is under way."""
    rows: list[Row] = []
    notes: list[str] = []
    for name, workload in all_workloads().items():
        if only and name not in only:
            continue
        start = time.perf_counter()
        new_rows, new_notes = workload(options)
        rows += new_rows
        notes += new_notes
        print(f"{name}: {time.perf_counter() - start:.1f} s", file=sys.stderr)
    return rows, notes


def _peers(text: str) -> tuple[str, ...]:
    """Names between semicolons or commas; one that has a comma itself may stand alone."""
    if text in PEERS:
        return (text,)
    names = tuple(name.strip() for name in text.split(";" if ";" in text else ","))
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        raise argparse.ArgumentTypeError(f"unknown peer {unknown[0]!r}; known: {'; '.join(PEERS)}")
    return names


def _saved_path(result: dict) -> Path:
    RESULTS.mkdir(exist_ok=True)
    cpu = re.sub(r"\W+", "-", result["machine"]["cpu"].lower()).strip("-")
    return RESULTS / f"{result['date']}-{cpu}.json"


if __name__ == "__main__":
    with exit_without_data():
        sys.exit(main())
