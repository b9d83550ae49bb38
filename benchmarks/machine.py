"""What the figures were measured on."""

import os
import platform
from importlib import metadata
from pathlib import Path

LIBRARIES = (
    "bayeswood", "numpy", "scikit-learn", "biosphere", "lightgbm", "xgboost", "xgboost-cpu",
    "quantile-forest", "mapie", "crepes",
)  # fmt: skip


def describe() -> dict[str, str | int | dict[str, str]]:
    """CPU model, cores, system, Python and the versions of the libraries that ran."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "libraries": {name: version for name in LIBRARIES if (version := _version(name))},
    }


def one_line() -> str:
    """The same as a sentence."""
    facts = describe()
    libraries = facts.pop("libraries")
    assert isinstance(libraries, dict)
    versions = ", ".join(f"{name} {version}" for name, version in libraries.items())
    place = f"{facts['cpu']}, {facts['cores']} cores, {facts['system']}"
    return f"{place}, Python {facts['python']}; {versions}"


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
