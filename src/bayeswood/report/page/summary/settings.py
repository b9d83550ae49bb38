"""How the model was made, by which versions, how to know it again and how to load it."""

import inspect
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath
from typing import Any

from bayeswood.report.page.summary.rows import ReportRows
from bayeswood.version import __version__

_PACKAGES = ("numpy", "scipy", "scikit-learn", "narwhals")


@dataclass(frozen=True)
class Setting:
    """A parameter of the estimator.

    Attributes
    ----------
    name, value : str
    is_default : bool
    """

    name: str
    value: str
    is_default: bool


@dataclass(frozen=True)
class SettingsSummary:
    """How the model came about.

    Attributes
    ----------
    estimator : str
    settings : tuple of Setting
    seed : int or None
        That the fit was made with.
    digest : str
        SHA-256 of the trees and their weights.
    versions : tuple of (str, str)
    model_file : str
        Name to load the model by.
    data_file : str or None
        Where the rows came from.
    report : tuple of (str, str)
        What this report was asked for.
    is_classifier : bool
    """

    estimator: str
    settings: tuple[Setting, ...]
    seed: int | None
    digest: str
    versions: tuple[tuple[str, str], ...]
    model_file: str
    data_file: str | None
    report: tuple[tuple[str, str], ...]
    is_classifier: bool


def summarize_settings(
    rows: ReportRows, model_file: str | None, data_file: str | None
) -> SettingsSummary:
    """Describe how the model was made; files are named without their folders."""
    model = rows.model
    seed = getattr(model, "seed_", None)
    return SettingsSummary(
        estimator=type(model).__name__,
        settings=tuple(_settings(model)),
        seed=None if seed is None else int(seed),
        digest=model.forest_.digest,
        versions=(
            ("bayeswood", __version__),
            ("Python", platform.python_version()),
            *((name, found) for name in _PACKAGES if (found := _version(name))),
        ),
        model_file="model.bayeswood" if model_file is None else PurePath(model_file).name,
        data_file=None if data_file is None else PurePath(data_file).name,
        report=(
            ("coverage of bands and intervals", f"{rows.coverage:.6g}"),
            ("γ₀", f"{rows.gamma0:.6g}"),
            ("seed of samples and bootstrap", str(rows.seed)),
        ),
        is_classifier=rows.is_classifier,
    )


def _settings(model: Any) -> list[Setting]:
    known = inspect.signature(type(model).__init__).parameters
    return [
        Setting(name, repr(value), name in known and repr(known[name].default) == repr(value))
        for name, value in model.get_params(deep=False).items()
    ]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
