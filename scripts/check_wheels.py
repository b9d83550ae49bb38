"""Build the wheels and try them on every Python that is here: ``make wheels-check``.

Python 3.11 has a wheel of its own; from 3.12 on one stable-ABI wheel serves all. Interpreters are
looked for on the PATH, among pyenv's, and among uv's; the variable PYTHONS may name more.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "wheels-check"
WHEELS = ROOT / "dist"

TRIAL = """
import sys, sysconfig, tempfile
from pathlib import Path
import numpy as np
import bayeswood
from bayeswood import _core
X = np.arange(120.0).reshape(60, 2)
y = np.sin(X[:, 0])
model = bayeswood.CalibratedForestRegressor(n_estimators=20, random_state=0).fit(X, y)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model"
    model.save(path)
    assert (bayeswood.load(path).predict(X) == model.predict(X)).all()
assert ROOT not in Path(bayeswood.__file__).parents or "wheels-check" in bayeswood.__file__
print(Path(_core.__file__).name)
"""


def run(*command: object, **options: object) -> str:
    """What a command prints; its errors are shown and end the program."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def version_of(python: str) -> str | None:
    """Its version, such as 3.12; None if it does not run or cannot make environments."""
    code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def find_python(version: str) -> str | None:
    """An interpreter of a version."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [
        *os.environ.get("PYTHONS", "").split(),
        f"python{version}",
        *map(str, sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)),
    ]
    if shutil.which("uv"):
        found = subprocess.run(["uv", "python", "find", version], capture_output=True, text=True)
        candidates += found.stdout.split()
    there = (name for name in candidates if shutil.which(name))
    return next((name for name in there if version_of(name) == version), None)


def make_environment(python: str, name: str) -> Path:
    """A fresh environment; the path of its interpreter."""
    run(python, "-m", "venv", "--clear", FOLDER / name)
    return FOLDER / name / "bin" / "python"


def pip(python: Path, *arguments: object) -> None:
    """Run pip quietly."""
    run(python, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments)


def build_wheel(python: str, tag: str) -> Path:
    """The wheel with a tag, built by this interpreter."""
    builder = make_environment(python, f"build-{tag}")
    pip(builder, "wheel", "--no-deps", "--wheel-dir", WHEELS, ROOT)
    return max(WHEELS.glob(f"bayeswood-*-{tag}-*.whl"), key=lambda wheel: wheel.stat().st_mtime)


def try_wheel(python: str, version: str, wheel: Path) -> str:
    """Install and use a wheel; the name of its native module."""
    installed = make_environment(python, f"try-{version}")
    pip(installed, "install", wheel)
    trial = TRIAL.replace("ROOT", f"Path({str(ROOT)!r})")
    return run(installed, "-W", "error::DeprecationWarning:bayeswood", "-c", trial, cwd=FOLDER)


def main() -> None:
    """Say of every version whether it was tried."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    pythons = {version: find_python(version) for version in VERSIONS}
    wheels: dict[str, Path] = {}
    for version, python in pythons.items():
        if python is None:
            print(f"Python {version}: not there, not tried", flush=True)
            continue
        tag = "cp311-cp311" if version == "3.11" else "cp312-abi3"
        if tag not in wheels:
            wheels[tag] = build_wheel(python, tag)
        module = try_wheel(python, version, wheels[tag])
        print(f"Python {version}: {wheels[tag].name} works ({module})", flush=True)
    if not wheels:
        sys.exit("No Python was found. Name some in the variable PYTHONS.")


if __name__ == "__main__":
    main()
