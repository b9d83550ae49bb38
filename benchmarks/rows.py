"""One line of the result, and the Markdown table of all."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

HEADER = (
    "workload", "ours", "beside", "measure", "our figure", "theirs", "ratio", "promise",
    "stretch", "our test error", "theirs",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """Our figure beside another's: the ratio says how many times smaller ours is."""

    workload: str
    subject: str
    beside: str
    measure: str
    unit: str
    ours: float
    theirs: float
    promise: float | None = None
    stretch: float | None = None
    error_ours: dict[str, float] = field(default_factory=dict)
    error_theirs: dict[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"ratio": self.ratio}

    @classmethod
    def from_json(cls, obj: dict[str, Any]) -> "Row":
        return cls(**{key: value for key, value in obj.items() if key != "ratio"})

    def cells(self) -> tuple[str, ...]:
        return (
            self.workload,
            self.subject,
            self.beside,
            self.measure,
            f"{_figure(self.ours)} {self.unit}",
            f"{_figure(self.theirs)} {self.unit}",
            f"**{_figure(self.ratio)}x**",
            _times(self.promise),
            _times(self.stretch),
            _errors(self.error_ours),
            _errors(self.error_theirs),
        )


def markdown(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    return _table([HEADER, *(row.cells() for row in rows)])


def brief_markdown(rows: Sequence[Row]) -> str:
    """For the README: only what was promised, without the promise."""
    kept = [0, 1, 2, 3, 6, 9, 10]
    table = [HEADER, *(row.cells() for row in rows if row.promise is not None)]
    return _table([tuple(cells[i] for i in kept) for cells in table])


def _table(lines: Sequence[tuple[str, ...]]) -> str:
    ruled = [lines[0], tuple("---" for _ in lines[0]), *lines[1:]]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in ruled)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _times(value: float | None) -> str:
    return "" if value is None else f"{value:g}x"


def _errors(errors: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in errors.items())
