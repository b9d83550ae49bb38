"""Whose work a folder holds: the inputs and parameters of a fit, and where it left off."""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bayeswood.distributed.files.file_plan import Source
from bayeswood.distributed.files.input_files import SPILL_PREFIX
from bayeswood.distributed.tasks.work_folder import SpillError, WorkFolder

_FORMAT = 1


def describe_fit(source: Source, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """All that the result of a fit depends on, the seed excepted, as plain data.

    Parameters
    ----------
    source : Source
        The files and the roles of their columns.
    parameters : mapping
        Parameters of the estimator and of the fit.
    """
    return {
        "format": _FORMAT,
        "files": [file.to_json() for file in source.files],
        "roles": source.roles.to_json(),
        "parameters": dict(parameters),
    }


def fingerprint(description: Mapping[str, Any]) -> str:
    """A short name for a description: equal ones have equal names."""
    text = json.dumps(description, sort_keys=True, default=list)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def claim_folder(
    spill_dir: str | os.PathLike[str] | None, description: Mapping[str, Any], resume: bool
) -> WorkFolder:
    """The folder for a fit; a left-over of the same fit is kept if it is to be resumed.

    Parameters
    ----------
    spill_dir : path-like or None
        Where to make it; None for the system's place for temporary files.
    description : mapping
        As `describe_fit` gives it.
    resume : bool
        Whether to go on from what an earlier run left.

    Raises
    ------
    SpillError
        If there is nothing to resume but the work of another fit; it says what differs.
    """
    if spill_dir is None:
        if resume:
            raise SpillError(
                "resume=True needs the 'spill_dir' of the run to go on from. Got None instead."
            )
        return WorkFolder(Path(tempfile.mkdtemp(prefix=SPILL_PREFIX)))
    folder = WorkFolder(Path(spill_dir).absolute() / (SPILL_PREFIX + fingerprint(description)))
    if resume and not folder.has("manifest.json"):
        _refuse_others(Path(spill_dir), description)
    return folder


def begin(folder: WorkFolder, description: Mapping[str, Any], seed: int, resume: bool) -> int:
    """Write the manifest, or read that of the run to resume; the seed of the fit.

    The folder must be locked. What an earlier run left is deleted unless it is to be resumed.
    """
    if folder.has("manifest.json") and resume:
        manifest = folder.read_json("manifest")
        if _plain(manifest["fit"]) != _plain(description):
            raise SpillError(f"The spill folder '{folder.path}' holds the work of another fit.")
        return int(manifest["seed"])
    folder.clear()
    folder.write_json("manifest", {"fit": description, "seed": seed})
    return seed


def _plain(description: Any) -> Any:
    return json.loads(json.dumps(description))


def _refuse_others(spill_dir: Path, description: Mapping[str, Any]) -> None:
    """Refuse to begin anew where something else was to be resumed."""
    for manifest in sorted(spill_dir.glob(f"{SPILL_PREFIX}*/manifest.json")):
        found = json.loads(manifest.read_text(encoding="utf-8"))["fit"]
        what = "; ".join(differences(found, _plain(description))) or "nothing that is known"
        raise SpillError(
            f"There is no fit like this one to resume in '{spill_dir}'. '{manifest.parent.name}' "
            f"there differs in: {what}. Fit as it was, or without resume=True."
        )


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What has changed between two descriptions, in words; at most five changes.

    Examples
    --------
    >>> one = {"files": [], "roles": {}, "parameters": {"n_estimators": 20}}
    >>> two = {"files": [], "roles": {}, "parameters": {"n_estimators": 30}}
    >>> differences(one, two)
    ["parameter 'n_estimators' (20 before, 30 now)"]
    """
    old = {file["path"]: file for file in before["files"]}
    new = {file["path"]: file for file in now["files"]}
    found = [f"file '{path}' (gone)" for path in old if path not in new]
    found += [f"file '{path}' (new)" for path in new if path not in old]
    found += [f"file '{path}' (changed)" for path in new if path in old and old[path] != new[path]]
    for words, part in (("column role", "roles"), ("parameter", "parameters")):
        for name in {**before[part], **now[part]}:
            a, b = before[part].get(name), now[part].get(name)
            if a != b:
                found.append(f"{words} {name!r} ({a!r} before, {b!r} now)")
    return found[:5]
