"""Choosing the power β of a classifier over prior trees: the rows and powers of its curve."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.methods.base.parameters import parameter_error
from bayeswood.methods.safe_bayes.class_posterior import ClassPosterior
from bayeswood.methods.safe_bayes.operating_curve import (
    CurveRows,
    OperatingCurve,
    left_out_rows,
    measure_curve,
    power_grid,
)

F64 = NDArray[np.float64]
Given = tuple[NDArray[Any], NDArray[np.int32]]


def curve_of(
    posterior: ClassPosterior,
    given: Given | None,
    on: str,
    powers: ArrayLike | None,
    n_jobs: int,
    caller: str,
) -> OperatingCurve:
    """Accuracy and log probability over β.

    Parameters
    ----------
    posterior : ClassPosterior
        The forest given its rows.
    given : (rows, class numbers) or None
        Rows to measure on; None: those of the reservoir.
    on : {"train", "loo"}
        Whether rows of the reservoir are predicted with or without themselves.
    powers : array-like or None
        Values of β; None for a grid.
    n_jobs : int
        Threads.
    caller : str
        Who asks, for the errors.
    """
    if on not in ("train", "loo"):
        raise parameter_error("on", caller, "one of 'train', 'loo'", on)
    grid = power_grid(posterior.n_rows) if powers is None else _checked(powers, caller)
    return measure_curve(posterior, _curve_rows(posterior, given, on, n_jobs), grid)


def _curve_rows(posterior: ClassPosterior, given: Given | None, on: str, n_jobs: int) -> CurveRows:
    kept = posterior.reservoir
    rows, codes, times = kept.X, kept.y, kept.copies.astype(np.float64)
    if given is not None:
        rows, codes = given
        times, on = np.ones(len(codes)), "given"
    if not len(codes):
        raise BayeswoodError("An operating curve needs rows. Fit with a reservoir, or give X.")
    if on == "loo":
        return left_out_rows(posterior, rows, codes, times)
    draws = posterior.forest.draws(rows, n_jobs)
    return CurveRows(draws, posterior.log_evidence, posterior.class_rows, codes, times, on)


def _checked(powers: ArrayLike, caller: str) -> F64:
    grid = np.unique(np.atleast_1d(np.asarray(powers, dtype=np.float64)))
    if not grid.size or not bool(((grid > 0) & (grid <= 1)).all()):
        raise parameter_error("powers", caller, "floats in the range (0, 1]", powers)
    return grid
