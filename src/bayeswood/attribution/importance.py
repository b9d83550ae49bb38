"""What a feature does in the mean over rows: sizes of Shapley values, with their spread.

    I_j = mean over rows of |φ_j|, summed over outputs.

Unlike the impurity that splits reduce, it does not favour features of many values: a feature that
splits noise moves predictions little. Of draws, I_j of every member: its posterior. A single tree
says more of a feature than the mean of all, so that bands lie above the value of the mean.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayeswood.attribution.shap_values import ShapValues
from bayeswood.uncertainty import check_coverage, member_quantiles

F64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ShapImportances:
    """Features by the size of what they do, largest first.

    Attributes
    ----------
    names : tuple of str
    mean : ndarray, (n_features,)
        Mean size over rows of the Shapley values; of the draws' mean, where there are draws.
    lower, upper : ndarray, (n_features,), or None
        Ends of the credible bands over the members; None without draws.
    coverage : float
        Of the bands.
    """

    names: tuple[str, ...]
    mean: F64
    lower: F64 | None
    upper: F64 | None
    coverage: float


def shap_importances(found: ShapValues, *, coverage: float = 0.9) -> ShapImportances:
    """Importances by the size of Shapley values.

    Parameters
    ----------
    found : ShapValues
        Of rows, with draws or without.
    coverage : float, default=0.9
        Of the bands.

    Examples
    --------
    >>> import numpy as np
    >>> from bayeswood import RandomForestRegressor
    >>> from bayeswood.attribution import shap_importances
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> forest = RandomForestRegressor(random_state=0).fit(X, 5 * X[:, 2] + X[:, 0])
    >>> shap_importances(forest.shap_values(X)).names
    ('x2', 'x0', 'x1')
    """
    share = check_coverage(coverage, "shap_importances")
    mean = _sizes((found.mean() if found.has_draws else found).values, found)
    order = np.argsort(-mean, kind="stable")
    names = tuple(found.feature_names[j] for j in order)
    if found.member_weights is None:
        return ShapImportances(names, mean[order], None, None, share)
    of_members = np.stack([_sizes(values, found) for values in found.values])
    levels = np.array([(1 - share) / 2, (1 + share) / 2])
    ends = member_quantiles(of_members[:, :, None], found.member_weights, levels)[:, 0]
    return ShapImportances(names, mean[order], ends[order, 0], ends[order, 1], share)


def _sizes(values: F64, found: ShapValues) -> F64:
    """Of the values of one member, or of all, (n_features,)."""
    sizes: F64 = np.abs(values).mean(axis=0)
    return np.sum(sizes, axis=-1) if found.output_names else sizes
