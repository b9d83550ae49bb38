"""What is measured on the test rows: of class probabilities, and of intervals."""

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

FLOOR = 1e-3
COVERAGE = 0.9
ROWS_PER_BIN, MIN_BINS, MAX_BINS = 40, 2, 15
OUTER = np.array([(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
LEVELS = np.arange(1, 20) / 20
THIRDS = ("low", "middle", "high")


def classification_metrics(codes: NDArray[np.intp], probability: F64) -> dict[str, float]:
    """Scores of class probabilities, given the true classes as column numbers."""
    chosen = probability[np.arange(len(codes)), codes]
    return {
        "log_p": float(np.log(np.maximum(chosen, FLOOR)).mean()),
        "floored": float(np.mean(chosen < FLOOR)),
        "brier": brier_score(codes, probability),
        "calibration_error": calibration_error(codes, probability),
        "accuracy": float(np.mean(probability.argmax(axis=1) == codes)),
    }


def brier_score(codes: NDArray[np.intp], probability: F64) -> float:
    """Squared distance to the indicator of the true class, summed over classes: 0 to 2."""
    return float(((probability - _indicators(codes, probability.shape[1])) ** 2).sum(1).mean())


def calibration_error(codes: NDArray[np.intp], probability: F64) -> float:
    """Mean |frequency - mean probability| in bins of equally many rows, mean over the classes.

    A bin has about `ROWS_PER_BIN` rows, so that chance alone gives some .05 in each bin of a
    probability near one half: compare models, do not read it as a distance from perfection.
    """
    happened = _indicators(codes, probability.shape[1])
    errors = [_bin_error(h, p) for h, p in zip(happened.T, probability.T, strict=True)]
    return float(np.mean(errors))


def n_bins(n_rows: int) -> int:
    return int(np.clip(n_rows // ROWS_PER_BIN, MIN_BINS, MAX_BINS))


def _bin_error(happened: F64, probability: F64) -> float:
    order = np.argsort(probability, kind="stable")
    gaps = np.array_split((happened - probability)[order], n_bins(len(order)))
    return sum(abs(float(gap.sum())) for gap in gaps) / len(order)


def _indicators(codes: NDArray[np.intp], n_classes: int) -> F64:
    return np.eye(n_classes)[codes]


def regression_metrics(
    y: F64, mean: F64, low: F64, high: F64, spread: F64, scale: float
) -> dict[str, float]:
    """Scores of 90 % intervals; lengths are in units of `scale`.

    `spread` sorts the rows into thirds, the same for all models; `own_...` are the thirds by
    the model's own width (absent where all widths are equal).
    """
    covered = (low <= y) & (y <= high)
    width = high - low
    own = {} if np.ptp(width) <= 1e-9 * width.max() else by_thirds(covered, width)
    return {
        "rmse": float(np.sqrt(np.mean((y - mean) ** 2)) / scale),
        "coverage": float(covered.mean()),
        "width": float(width.mean() / scale),
        "interval_score": float(interval_scores(y, low, high).mean() / scale),
        **{f"coverage_{third}": share for third, share in by_thirds(covered, spread).items()},
        **{f"own_{third}": share for third, share in own.items()},
    }


def quantile_loss(y: F64, quantiles: F64) -> float:
    """Twice the mean pinball loss at `LEVELS`: the CRPS, but for what lies between them."""
    above = y[:, None] - quantiles
    return float(2 * np.maximum(LEVELS * above, (LEVELS - 1) * above).mean())


def interval_scores(y: F64, low: F64, high: F64, coverage: float = COVERAGE) -> F64:
    """Winkler's score: the width, and 2/α times what y lies outside. Smaller is better."""
    outside = np.maximum(low - y, 0) + np.maximum(y - high, 0)
    return (high - low) + 2 / (1 - coverage) * outside


def by_thirds(covered: NDArray[np.bool_], spread: F64) -> dict[str, float]:
    """Share of rows covered in the third of least, middle and greatest spread."""
    parts = np.array_split(covered[np.argsort(spread, kind="stable")], 3)
    return {name: float(part.mean()) for name, part in zip(THIRDS, parts, strict=True)}
