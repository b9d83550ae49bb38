"""How good predictions are, in plain numbers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ClassifierScores:
    """How well a classifier did on labelled rows.

    Attributes
    ----------
    n_rows : int
    accuracy : float
    log_predictive_probability : float
        Mean log of the probability given to the true class; a probability of 0 counts as the
        float64 epsilon, as in scikit-learn's ``log_loss``.
    n_zero_probability : int
        Rows whose true class got probability 0.
    brier : float
        Mean squared error of the probabilities: of the second class where there are two classes,
        summed over the classes where there are more.
    gamma0 : float
    confident_correct, uncertain, confident_incorrect : float
        Shares of the rows; they sum to 1.
    """

    n_rows: int
    accuracy: float
    log_predictive_probability: float
    n_zero_probability: int
    brier: float
    gamma0: float
    confident_correct: float
    uncertain: float
    confident_incorrect: float


@dataclass(frozen=True)
class RegressorScores:
    """How well a regressor did on labelled rows.

    Attributes
    ----------
    n_rows : int
    rmse, mae : float
        Root mean squared and mean absolute error.
    r2 : float
        NaN where the target does not vary.
    coverage : float
        What the intervals promise.
    covered : float
        Share of the rows whose target lies in its interval.
    mean_width : float
        Of the intervals.
    """

    n_rows: int
    rmse: float
    mae: float
    r2: float
    coverage: float
    covered: float
    mean_width: float
