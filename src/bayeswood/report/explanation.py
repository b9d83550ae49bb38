"""One prediction in words and numbers: what, how sure, and who disagrees about which feature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.report.predictions import (
    DEFAULT_GAMMA0,
    ClassPredictions,
    predict_rows,
    support_of,
)
from bayeswood.report.reasons import Reason, find_reasons
from bayeswood.uncertainty import Uncertainty, check_coverage, is_confident, member_variance

if TYPE_CHECKING:
    from bayeswood.posterior.members import Members
    from bayeswood.posterior.paths import Parting

F64 = NDArray[np.float64]

_NAME = "explain"
# Of the summed standard deviations of trees that add up, what their sum has.
_TOGETHER = 0.6


@dataclass(frozen=True)
class Dissenter:
    """A member that does not agree with the prediction.

    Attributes
    ----------
    member : int
        Its number among the trees.
    weight : float
    prediction : object
        The class it votes for, or the number it predicts.
    parting : Parting or None
        Where its way leaves that of the nearest agreeing member; None if no member agrees.
    """

    member: int
    weight: float
    prediction: Any
    parting: Parting | None


@dataclass(frozen=True)
class PartingFeature:
    """A feature at which the ways of dissenting members part from the others'.

    Attributes
    ----------
    feature : str
        Its name; empty for members that go the same way to another leaf.
    value : str
        Of the row.
    share : float
        Of the dissenting members, by weight.
    n_members : int
    kinds : dict
        How many part in which way, see `bayeswood.posterior.paths.Parting`.
    instead_of : str
        The feature that the agreeing members beside them ask for most often where these ask for
        this one; empty if none does.
    cut, other_cut : float
        Where they part by taking another side: median cut of the dissenting members, and of the
        agreeing ones beside them. NaN elsewhere.
    """

    feature: str
    value: str
    share: float
    n_members: int
    kinds: Mapping[str, int]
    instead_of: str
    cut: float
    other_cut: float


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a model says what it says about one row. Printing it gives the text.

    Attributes
    ----------
    prediction : object
        The predicted class or number.
    probability : float or None
        Of the predicted class; None for a regressor.
    interval : tuple of float, or None
        Ends of the interval: of the class probability, or of the response itself. None if the
        regressor kept no responses.
    mean_interval : tuple of float
        Ends of the interval of the mean, or of the class probability.
    coverage : float
        Of the intervals.
    votes : dict
        Share of the members, by weight, for each class that has votes, largest first; empty for a
        regressor.
    tolerance : float or None
        A regressor's member agrees if it predicts so near the forest's prediction.
    agreement : float
        γ: share of the members, by weight, that agree.
    gamma0 : float
        The prediction is confident from this agreement on.
    n_members : int
    trees_per_member : int
        1, or how many trees add up to a member.
    uncertainty : Uncertainty or None
        Of this row: numbers, not arrays. None if the regressor kept no responses.
    dissenters : tuple of Dissenter
        Heaviest first.
    parting_features : tuple of PartingFeature
        Largest share first.
    support : float or None
        Share of the training rows that are no better surrounded by others; None if the model does
        not know. Below .05 there are no data near.
    reasons : tuple of Reason
        The three features that moved the prediction most, with credible bands, largest first.
    """

    prediction: Any
    probability: float | None
    interval: tuple[float, float] | None
    mean_interval: tuple[float, float]
    coverage: float
    votes: Mapping[Any, float]
    tolerance: float | None
    agreement: float
    gamma0: float
    n_members: int
    trees_per_member: int
    uncertainty: Uncertainty | None
    dissenters: tuple[Dissenter, ...]
    parting_features: tuple[PartingFeature, ...]
    support: float | None = None
    reasons: tuple[Reason, ...] = ()

    @property
    def is_confident(self) -> bool:
        """Whether γ >= γ₀."""
        return bool(is_confident(np.array([self.agreement]), self.gamma0)[0])

    @property
    def text(self) -> str:
        """The explanation in words, at most 80 columns wide."""
        from bayeswood.report.wording import explanation_text

        return explanation_text(self)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from bayeswood.report.wording import explanation_html

        return explanation_html(self)

    def __repr__(self) -> str:
        sure = "confident" if self.is_confident else "uncertain"
        return f"<Explanation of {self.prediction!r}, {sure}, {len(self.dissenters)} dissenters>"


def explain(
    model: Any,
    x: Any,
    *,
    coverage: float = 0.9,
    gamma0: float = DEFAULT_GAMMA0,
    tolerance: float | None = None,
) -> Explanation:
    """Explain the prediction of one row.

    Parameters
    ----------
    model : fitted bayeswood estimator
        A classifier, or a regressor of one response.
    x : one row
        A flat sequence, a pandas Series, or a table of one row.
    coverage : float, default 0.9
        Of the intervals.
    gamma0 : float, default 0.9
        The prediction is called confident if at least this share of the members agrees.
    tolerance : float, default None
        For regressors: a member agrees if its prediction is so near the forest's, in units of the
        response. None takes half a standard deviation of the trees' leaf means over the training
        rows, that is half of how much predictions differ between rows.

    Returns
    -------
    Explanation
        Plain data, with the ``text``.

    Notes
    -----
    A classifier's member agrees if it votes for the predicted class; γ = Σ_m w_m 1[m agrees] is
    then the consistency of the Uncertainty Envelope (Schetinin and others 2004, section 4) where
    the predicted class has the majority. A dissenting member's way through its tree is compared
    with that of the agreeing member that has the longest beginning in common with it
    (`bayeswood.posterior.paths`). Where they part is a hint at what the disagreement is about,
    not a proof of its cause.

    Examples
    --------
    >>> from bayeswood import BayesianForestClassifier, explain
    >>> from bayeswood.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> forest = BayesianForestClassifier(min_samples_leaf=3, random_state=0)
    >>> forest = forest.fit(iris.data[::2], iris.target[::2])
    >>> why = explain(forest, iris.data[77:78])
    >>> why.is_confident, len(why.dissenters)
    (False, 12)
    """
    from bayeswood.posterior.members import Members, as_rows

    check_coverage(coverage, _NAME)
    members = Members(model, _NAME)
    table = as_rows(x)
    row = members.encode(table)
    if len(row) != 1:
        raise BayeswoodError(
            f"The 'x' parameter of {_NAME} must be one row. Got {len(row)} rows instead."
        )
    judge = _judge_class if members.is_classifier else _judge_number
    found, agrees, said = judge(model, members, table, row, coverage, gamma0, tolerance)
    dissenters = _dissenters(members, row[0], agrees, said)
    return Explanation(
        **found,
        coverage=coverage,
        agreement=float(np.round(members.weights @ agrees, 12)),
        gamma0=gamma0,
        n_members=len(members),
        trees_per_member=members.forest.trees_per_member,
        dissenters=dissenters,
        parting_features=_parting_features(members, row[0], dissenters),
        support=None if (support := support_of(model, table)) is None else float(support[0]),
        reasons=find_reasons(model, table, found["prediction"], coverage),
    )


_Judged = tuple[dict[str, Any], NDArray[np.bool_], NDArray[Any]]


def _judge_class(
    model: Any,
    members: Members,
    table: Any,
    row: NDArray[Any],
    coverage: float,
    gamma0: float,
    _: float | None,
) -> _Judged:
    """What the classifier says, which members agree, and what each says."""
    given = predict_rows(model, table, coverage=coverage, gamma0=gamma0)
    assert isinstance(given, ClassPredictions)
    assert given.lower is not None
    assert given.upper is not None
    votes = members.some(slice(0, len(members)))(row)[:, 0].argmax(axis=1)
    chosen = int(np.flatnonzero(members.classes == given.predicted[0])[0])
    shares = np.bincount(votes, members.weights, len(members.classes))
    ranked = [int(k) for k in np.argsort(-shares, kind="stable") if shares[k] > 0]
    ends = (float(given.lower[0, chosen]), float(given.upper[0, chosen]))
    found = {
        "prediction": given.predicted[0],
        "probability": float(given.proba[0, chosen]),
        "interval": ends,
        "mean_interval": ends,
        "votes": {members.classes[k]: float(shares[k]) for k in ranked},
        "tolerance": None,
        "uncertainty": _of_one_row(model, table),
    }
    return found, votes == chosen, members.classes[votes]


def _judge_number(
    model: Any,
    members: Members,
    table: Any,
    row: NDArray[Any],
    coverage: float,
    _: float,
    tolerance: float | None,
) -> _Judged:
    """What the regressor says, which members agree, and what each says."""
    if members.forest.n_outputs != 1:
        raise BayeswoodError(
            f"{_NAME} needs a model of one response. This one has {members.forest.n_outputs}."
        )
    said = members.some(slice(0, len(members)))(row).reshape(len(members))
    predicted = float(np.asarray(model.predict(table)).reshape(-1)[0])
    near = spread_of_predictions(members) / 2 if tolerance is None else float(tolerance)
    split = _of_one_row(model, table)
    ends = model.predict_interval(table, coverage=coverage, kind="mean")
    found: dict[str, Any] = {
        "prediction": predicted,
        "probability": None,
        "interval": None if split is None else _pair(model.predict_interval(table, coverage)),
        "mean_interval": _pair(ends),
        "votes": {},
        "tolerance": near,
        "uncertainty": split,
    }
    return found, np.abs(said - predicted) <= near, said


def _pair(ends: Any) -> tuple[float, float]:
    low, high = np.asarray(ends, dtype=np.float64).reshape(2)
    return float(low), float(high)


def _of_one_row(model: Any, table: Any) -> Uncertainty | None:
    """The row's uncertainty as numbers; None where a regressor kept no responses."""
    try:
        split = model.uncertainty(table)
    except BayeswoodError:
        return None
    return Uncertainty(*(float(np.asarray(part).reshape(-1)[0]) for part in split))  # type: ignore[arg-type]


def spread_of_predictions(members: Members) -> float:
    """How much predictions differ between rows: standard deviation of the leaves' means.

    Of each tree, by the weight of the leaves; the variances are averaged over the trees. Trees that
    add up to a member move together, but not quite: of the sum of their standard deviations three
    fifths are taken (measured: 53 to 66 %).
    """
    size = members.forest.trees_per_member
    spreads = np.zeros(len(members) * size)
    for idx, tree in enumerate(members.forest.trees):
        is_leaf = tree.feature < 0
        weight = tree.weight[is_leaf].astype(np.float64)
        if weight.sum() > 0:
            means = tree.value[is_leaf, 0]
            spreads[idx] = np.sqrt(float(member_variance(means, weight / weight.sum())))
    of_members = spreads.reshape(-1, size).sum(axis=1) * (1.0 if size == 1 else _TOGETHER)
    return float(np.sqrt(members.weights @ of_members**2))


def _dissenters(
    members: Members, row: NDArray[Any], agrees: NDArray[np.bool_], said: NDArray[Any]
) -> tuple[Dissenter, ...]:
    from bayeswood.posterior.paths import part_ways, path_steps

    counts = members.weights > 0
    dissenting = np.flatnonzero(~agrees & counts)
    if not dissenting.size:
        return ()
    partings: Mapping[int, Parting] = {}
    if members.forest.trees_per_member == 1 and (agrees & counts).any():
        ways = [path_steps(tree, row) for tree in members.forest.trees]
        partings = part_ways(ways, agrees & counts, members.weights)
    heaviest = sorted(dissenting, key=lambda i: -members.weights[i])
    return tuple(
        Dissenter(int(i), float(members.weights[i]), said[i], partings.get(int(i)))
        for i in heaviest
    )


def _parting_features(
    members: Members, row: NDArray[Any], dissenters: tuple[Dissenter, ...]
) -> tuple[PartingFeature, ...]:
    by_feature: dict[int | None, list[Dissenter]] = {}
    for dissenter in dissenters:
        if dissenter.parting is not None:
            by_feature.setdefault(dissenter.parting.feature, []).append(dissenter)
    total = sum(dissenter.weight for dissenter in dissenters)
    found = [
        _parting_feature(members, row, feature, group, total)
        for feature, group in by_feature.items()
    ]
    return tuple(sorted(found, key=lambda part: (-part.share, part.feature)))


def _parting_feature(
    members: Members, row: NDArray[Any], feature: int | None, group: list[Dissenter], total: float
) -> PartingFeature:
    partings = [d.parting for d in group if d.parting is not None]
    sides = [p for p in partings if p.kind == "other side" and not np.isnan(p.threshold)]
    others = Counter(p.other_feature for p in partings if p.kind == "other question")
    instead = others.most_common(1)[0][0] if others else None
    return PartingFeature(
        feature="" if feature is None else members.schema.names[feature],
        value="" if feature is None else _value_text(members, feature, float(row[feature])),
        share=sum(d.weight for d in group) / total,
        n_members=len(group),
        kinds=dict(Counter(p.kind for p in partings)),
        instead_of="" if instead is None else members.schema.names[instead],
        cut=float(np.median([p.threshold for p in sides])) if sides else float("nan"),
        other_cut=float(np.median([p.other_threshold for p in sides])) if sides else float("nan"),
    )


def _value_text(members: Members, feature: int, value: float) -> str:
    if np.isnan(value):
        return "missing"
    column = members.schema.columns[feature]
    return str(column.levels[int(value)]) if column.kind == "category" else f"{value:.6g}"
