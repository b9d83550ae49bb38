"""Predictions of files by the workers of a cluster: each part of the input by itself.

The model goes to the storage that all workers share, as an ordinary model file. A worker that
predicts a part leaves one Parquet file; the folder of all parts gets its name when it is whole.
"""

import os
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from secrets import token_hex
from typing import Any

from bayeswood.distributed.backends.dask_futures import DaskFutures
from bayeswood.distributed.backends.dask_worker import seen_folder, sign_of_life
from bayeswood.distributed.files.file_plan import Fragment, cut_fragments
from bayeswood.distributed.files.input_files import ENDINGS, InputFile, Paths
from bayeswood.distributed.predict_files import checked_files, predicted_tables, table_file
from bayeswood.distributed.tasks.work_folder import WorkFolder
from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.forest_estimator import read_estimator
from bayeswood.methods.bayesian_forest.files_fitter import predicted_columns
from bayeswood.progress import rows_bar

_MODEL = "model.bw"


def predict_parts(
    model: Any,
    paths: Paths,
    out: str | os.PathLike[str],
    executor: DaskFutures,
    *,
    keep: Sequence[str],
    batch_rows: int,
    owner: str,
) -> None:
    """Predict the rows of files on a cluster, into a folder of Parquet files.

    Parameters
    ----------
    model : FileForest
        Fitted.
    paths : str, path-like, or sequence of these
        Files, folders and patterns.
    out : path-like
        Folder to make; its files, in the order of their names, hold the rows in their order.
    executor : DaskFutures
        Who predicts.
    keep : sequence of str
        Columns to copy before the predictions.
    batch_rows : int
        Rows at a time.
    owner : str
        Who predicts, for the errors.
    """
    place = _new_folder(out, owner)
    files = checked_files(paths, model.schema_, keep, owner)
    fragments = cut_fragments(files)
    if not fragments:
        raise BayeswoodError(f"The files given to {owner} have no rows.")
    work = WorkFolder(place.with_name(f".{place.name}.{token_hex(6)}.part"))
    try:
        _describe(work, files, fragments, keep, batch_rows)
        model.save(work.path / _MODEL)
        _run(work, fragments, executor, show_progress=bool(model.verbose))
        os.rename(work.path / "parts", place)
    finally:
        work.remove()


def _new_folder(out: str | os.PathLike[str], owner: str) -> Path:
    place = Path(out).absolute()
    if place.name.lower().endswith(tuple(ENDINGS)):
        raise BayeswoodError(
            f"The 'out' parameter of {owner} must name a folder, to be filled with Parquet files, "
            f"where an 'executor' is given. Got '{place.name}' instead."
        )
    if place.exists():
        raise BayeswoodError(f"{owner} cannot make the folder '{place}': it is there already.")
    return place


def _describe(
    work: WorkFolder,
    files: Sequence[InputFile],
    fragments: Sequence[Fragment],
    keep: Sequence[str],
    batch_rows: int,
) -> None:
    """Write what all workers need to know."""
    plain = {
        "files": [file.to_json() for file in files],
        "fragments": [asdict(fragment) for fragment in fragments],
        "keep": list(keep),
        "batch_rows": batch_rows,
    }
    work.write_json("request", plain)


def _run(
    work: WorkFolder, fragments: Sequence[Fragment], executor: DaskFutures, show_progress: bool
) -> None:
    (work.path / "parts").mkdir()
    names = [f"predict-{index}" for index in range(len(fragments))]
    calls = [(str(work.path), index) for index in range(len(fragments))]
    total = sum(fragment.n_rows for fragment in fragments)
    with rows_bar("Predicting", total, show=show_progress) as advance:
        for _, result in executor.map(predict_part, calls, names, work.path):
            advance(result["n_rows"])


def predict_part(path: str, index: int, run: str) -> dict[str, Any]:
    """Predict one part, inside a worker; again is as good as once.

    Parameters
    ----------
    path : str
        The work folder; gets ``parts/part-INDEX.parquet``.
    index : int
        Number of the part.
    run : str
        Name of the run.

    Returns
    -------
    dict
        ``n_rows`` of the part.
    """
    work = WorkFolder(seen_folder(path))
    model, request = _known(path)
    fragment = Fragment(**request["fragments"][index])
    place = work.path / f"parts/part-{index:06d}.parquet"
    if not place.exists():
        report = sign_of_life(work.path, f"predict-{index}", run)
        tables = predicted_tables(
            InputFile.from_json(request["files"][fragment.file]),
            partial(predicted_columns, model),
            model.schema_,
            request["keep"],
            request["batch_rows"],
            range(fragment.start, fragment.stop),
            fragment.first_row,
        )
        done = 0
        with table_file(place) as write:
            for table in tables:
                write(table)
                done += table.num_rows
                report(done, fragment.n_rows)
    return {"n_rows": fragment.n_rows}


@lru_cache(maxsize=1)
def _known(path: str) -> tuple[Any, dict[str, Any]]:
    """The model and the request of a folder, whose name is never used again."""
    from bayeswood.methods.bayesian_forest.empirical import FILE_FORESTS

    work = WorkFolder(Path(path))
    # A worker runs as many parts at once as it has threads.
    model = read_estimator(work.path / _MODEL, FILE_FORESTS).set_params(n_jobs=1)
    return model, work.read_json("request")
