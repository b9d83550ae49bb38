"""Numbers and tables as Markdown."""

import math
from collections.abc import Sequence

from benchmarks.calibration.comparison import Estimate


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    ruled = [header, ["---"] * len(header), *lines]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in ruled)


def number(value: float, digits: int = 3, sign: bool = False) -> str:
    """Fixed decimals without the zero before the point: -.366, +.012, 1.25."""
    if math.isnan(value):
        return ""
    text = f"{value:{'+' if sign else ''}.{digits}f}"
    return (
        text.replace("0.", ".", 1)
        if abs(value) < 1 and text.lstrip("+-").startswith("0.")
        else text
    )


def with_error(estimate: Estimate | None, digits: int = 3, sign: bool = False) -> str:
    if estimate is None:
        return ""
    error = "" if math.isnan(estimate.error) else f" ± {number(estimate.error, digits)}"
    return number(estimate.mean, digits, sign) + error


def ratio_with_error(estimate: Estimate | None, digits: int = 3) -> str:
    """Of a mean logarithm: the ratio, with its standard error to first order."""
    if estimate is None:
        return ""
    ratio = math.exp(estimate.mean)
    return with_error(Estimate(ratio, ratio * estimate.error, estimate.n), digits)


def bold(text: str, yes: bool = True) -> str:
    return f"**{text}**" if yes and text else text


def listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "no set"
