"""Scores in words: what counts as alike, lists of settings, and lines of claims."""

from collections.abc import Iterable, Mapping, Sequence

from bayeswood.reproduce.finding import Listing
from bayeswood.reproduce.lakshminarayanan_2013.printed import NAMES
from bayeswood.reproduce.lakshminarayanan_2013.runs import Setting, mean, sets_here, values
from bayeswood.reproduce.paper import Found

# Differences in the mean that are taken for none, and for much; accuracy is in points.
CLOSE = {"log p": 0.02, "accuracy": 1.0}
MUCH = {"log p": 0.1, "accuracy": 5.0}
_DIGITS = {"log p": 3, "accuracy": 1}
_UNITS = {"log p": "", "accuracy": " points"}


def shown(value: float, column: str) -> str:
    """A score.

    Examples
    --------
    >>> shown(-0.25211, "log p"), shown(93.46, "accuracy")
    ('-0.252', '93.5 %')
    """
    return f"{value:.{_DIGITS[column]}f}" + (" %" if column == "accuracy" else "")


def gained(value: float, column: str) -> str:
    """A difference of scores.

    Examples
    --------
    >>> gained(0.0312, "log p"), gained(-2.04, "accuracy")
    ('+0.031', '-2.0 points')
    """
    return f"{value:+.{_DIGITS[column]}f}{_UNITS[column]}"


def limit(value: float, column: str) -> str:
    """A limit of differences, such as those of `CLOSE`.

    Examples
    --------
    >>> limit(0.02, "log p"), limit(1.0, "accuracy")
    ('0.02', '1 point')
    """
    unit = _UNITS[column].removesuffix("s") if value == 1 else _UNITS[column]
    return f"{value:g}{unit}"


def named(setting: Setting) -> str:
    """A setting within a sentence.

    Examples
    --------
    >>> named(Setting("prior", 2000, 5)), named(Setting("MCMC", 10_000))
    ('prior, M = 2,000', 'MCMC, 10,000 iterations')
    """
    if setting.method == "MCMC":
        return f"MCMC, {setting.size:,} iterations"
    if setting.method.startswith("CART"):
        return f"{setting.method}, leaves of {setting.size}"
    return f"{setting.method}, M = {setting.size:,}"


def by_data(texts: Mapping[str, str]) -> str:
    """One text for each data set.

    Examples
    --------
    >>> by_data({"pendigits": "2", "magic04": "3"})
    'pen-digits: 2; magic-04: 3'
    """
    return "; ".join(f"{NAMES[data]}: {text}" for data, text in texts.items())


def listing(found: Found, data: Iterable[str], settings: Sequence[Setting]) -> Listing:
    """The numbers behind a figure: a line for each setting on each data set that is here."""
    rows = []
    for name in sets_here(found, data, settings[0]):
        for each in settings:
            got = {key: values(found, name, each, key) for key in ("accuracy", "log p")}
            seconds, leaves = (mean(found, name, each, key) for key in ("seconds", "leaves"))
            rows.append(
                (NAMES[name], _method(each), f"{each.size:,}", str(each.n_islands),
                 f"{seconds:.2g}", *(f"{v.mean():.{d}f} ± {v.std(ddof=1):.{d}f}"
                 for v, d in ((got["accuracy"], 1), (got["log p"], 3))), f"{leaves:.0f}")
            )  # fmt: skip
    header = (
        "data", "method", "M, iterations or fewest rows of a leaf", "I", "CPU, s", "accuracy, %",
        "log p", "leaves",
    )  # fmt: skip
    return Listing(header, tuple(rows))


def _method(setting: Setting) -> str:
    others = [f"{value}" if name == "expansion" else f"{name}={value}"
              for name, value in setting.others]  # fmt: skip
    words = [text.replace("layer", "layer-wise") for text in others]
    return ", ".join([setting.method, *words])
