"""The records on disk: written after every measurement, so that a run can be interrupted."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Record = dict[str, Any]


@dataclass
class Store:
    """What has been measured, by (set, split, model), what with, and on which data."""

    path: Path
    n_trees: int
    machine: dict[str, Any] = field(default_factory=dict)
    sets: dict[str, dict[str, Any]] = field(default_factory=dict)
    records: dict[tuple[str, int, str], Record] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path, n_trees: int | None = None) -> "Store":
        """Read a file if there is one; with another number of trees it cannot be gone on with."""
        if not path.exists():
            return cls(path, n_trees or 300)
        kept = json.loads(path.read_text())
        if n_trees not in (None, kept["n_trees"]):
            raise ValueError(
                f"{path} holds results for {kept['n_trees']} trees, not {n_trees}: "
                "choose another file with --results."
            )
        records = {(r["set"], r["split"], r["model"]): r for r in kept["records"]}
        return cls(path, kept["n_trees"], kept["machine"], kept["sets"], records)

    def add(self, record: Record) -> None:
        kept = {key: _rounded(value) for key, value in record.items()}
        self.records[record["set"], record["split"], record["model"]] = kept
        self.write()

    def write(self) -> None:
        """Replace the file in one step: an interruption leaves the old or the new one."""
        lines = ",\n".join(json.dumps(self.records[key]) for key in sorted(self.records))
        head = {"n_trees": self.n_trees, "machine": self.machine, "sets": self.sets}
        text = (
            json.dumps(head, indent=1).removesuffix("\n}") + f',\n "records": [\n{lines}\n]\n}}\n'
        )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".partial")
        partial.write_text(text)
        os.replace(partial, self.path)


def _rounded(value: Any) -> Any:
    """Six digits: more than any figure deserves, in half the file."""
    return float(f"{value:.6g}") if isinstance(value, float) else value
