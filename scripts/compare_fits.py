"""Hold the lines of ``fixed_fits`` from several machines beside each other.

Each line is the name of a fit, the digest of its trees' rules, and that of all its numbers. Rules
must be the same on every machine; numbers may differ in their last bits, which is said.
"""

import sys
from pathlib import Path

Digests = dict[str, tuple[str, str]]


def read_digests(path: str) -> Digests:
    """By the name of the fit: rules, numbers."""
    rows = (line.rsplit(maxsplit=2) for line in Path(path).read_text().splitlines())
    return {name.strip(): (rules, numbers) for name, rules, numbers in rows}


def verdict(ours: tuple[str, str], other: tuple[str, str]) -> str:
    """What two machines have in common."""
    if ours == other:
        return "all bits"
    return "the trees" if ours[0] == other[0] else "DIFFERS"


def main(first: str, *others: str) -> None:
    """Print a table; fail if trees differ."""
    ours, theirs = read_digests(first), [read_digests(path) for path in others]
    print(f"{'the same as ' + Path(first).stem:28}", *(f"{Path(p).stem:>10}" for p in others))
    failed = False
    for name, digests in ours.items():
        verdicts = [verdict(digests, other[name]) for other in theirs]
        failed |= "DIFFERS" in verdicts
        print(f"{name:28}", *(f"{v:>10}" for v in verdicts))
    sys.exit(failed)


if __name__ == "__main__":
    main(*sys.argv[1:])
