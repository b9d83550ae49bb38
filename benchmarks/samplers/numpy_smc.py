"""Top-down particle filtering of decision trees, straightforwardly in NumPy: a peer to run beside.

Algorithm 1 of Lakshminarayanan, Roy and Teh (2013) as one would write it from the paper: a Python
loop over stages and particles, array operations on the rows of a node, log-gamma looked up in a
table, what a node needs computed once and kept with the node, which resampled particles share.
Nodes are expanded one by one, the oldest first; cuts are uniform over the extent of the node's
rows; particles are resampled (multinomially) where the effective sample size falls to a tenth.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

F64 = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Model:
    """Data and hyper-parameters, with the logarithms of gamma functions of all counts."""

    X: F64
    y: NDArray[np.intp]
    n_classes: int
    alpha: float = 5.0
    alpha_split: float = 0.95
    beta_split: float = 0.5
    log_gamma_class: F64 = field(init=False)
    log_gamma_total: F64 = field(init=False)

    def __post_init__(self) -> None:
        counts = np.arange(len(self.y) + 1)
        share = self.alpha / self.n_classes
        object.__setattr__(self, "log_gamma_class", gammaln(counts + share) - gammaln(share))
        object.__setattr__(self, "log_gamma_total", gammaln(self.alpha + counts))

    def log_marginal(self, counts: NDArray[np.intp]) -> Any:
        """Equation (3), of the counts along the last axis."""
        by_class = self.log_gamma_class[counts].sum(axis=-1)
        return by_class + gammaln(self.alpha) - self.log_gamma_total[counts.sum(axis=-1)]

    def split_probability(self, depth: int) -> float:
        """Equation (4)."""
        return self.alpha_split / (1 + depth) ** self.beta_split


class Node:
    """Rows of a block; what is computed of them is kept, for particles share nodes."""

    def __init__(self, model: Model, rows: Rows, depth: int) -> None:
        self.rows, self.depth = rows, depth
        self.counts = np.bincount(model.y[rows], minlength=model.n_classes)
        self.log_marginal = float(model.log_marginal(self.counts))
        self._extent: tuple[F64, F64, NDArray[np.intp]] | None = None
        self._table: CutTable | None = None

    def extent(self, model: Model) -> tuple[F64, F64, NDArray[np.intp]]:
        """Lowest and highest value of each feature, and the features that vary."""
        if self._extent is None:
            values = model.X[self.rows]
            low, high = values.min(axis=0), values.max(axis=0)
            self._extent = low, high, np.flatnonzero(high > low)
        return self._extent

    def table(self, model: Model) -> "CutTable":
        """All cuts with their probabilities under the one-step optimal proposal."""
        if self._table is None:
            self._table = CutTable.of(model, self)
        return self._table

    def split(self, model: Model, feature: int, cut: float) -> tuple["Node", "Node"]:
        goes_left = model.X[self.rows, feature] <= cut
        return (
            Node(model, self.rows[goes_left], self.depth + 1),
            Node(model, self.rows[~goes_left], self.depth + 1),
        )


@dataclass(frozen=True)
class CutTable:
    """The one-step optimal proposal at a node (section 3.1): entry 0 is to stop."""

    cumulative: F64
    log_normaliser: float
    feature: NDArray[np.intp]
    low: F64
    high: F64

    @classmethod
    def of(cls, model: Model, node: Node) -> "CutTable":
        lowest, highest, varying = node.extent(model)
        split = model.split_probability(node.depth)
        parts = [cls._of_feature(model, node, int(j)) for j in varying]
        log_weights = [np.array([np.log1p(-split) + node.log_marginal])]
        for j, (low, high, log_likelihood) in zip(varying, parts, strict=True):
            share = split / len(varying) / (highest[j] - lowest[j])
            log_weights.append(np.log(share * (high - low)) + log_likelihood)
        joined = np.concatenate(log_weights)
        top = joined.max()
        cumulative = np.cumsum(np.exp(joined - top))
        return cls(
            cumulative=cumulative / cumulative[-1],
            log_normaliser=float(top + np.log(cumulative[-1])),
            feature=np.repeat(varying, [len(part[0]) for part in parts]),
            low=np.concatenate([part[0] for part in parts]),
            high=np.concatenate([part[1] for part in parts]),
        )

    @staticmethod
    def _of_feature(model: Model, node: Node, feature: int) -> tuple[F64, F64, F64]:
        """Gaps between neighbouring values, and the log likelihood of a cut in each."""
        values = model.X[node.rows, feature]
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        is_gap = np.flatnonzero(ordered[1:] > ordered[:-1])
        one_hot = np.eye(model.n_classes, dtype=np.intp)[model.y[node.rows[order]]]
        left = np.cumsum(one_hot, axis=0)[is_gap]
        log_likelihood = model.log_marginal(left) + model.log_marginal(node.counts - left)
        return ordered[is_gap], ordered[is_gap + 1], log_likelihood

    def draw(self, rng: np.random.Generator) -> tuple[int, float] | None:
        """A feature and a cut, or None to stop."""
        entry = int(np.searchsorted(self.cumulative, rng.random(), side="right")) - 1
        if entry < 0:
            return None
        entry = min(entry, len(self.feature) - 1)
        return int(self.feature[entry]), rng.uniform(self.low[entry], self.high[entry])


class Particle:
    """A growing tree: nodes in the order of their birth, the next of them to be expanded."""

    def __init__(self, root: Node) -> None:
        self.nodes: list[Node] = [root]
        self.rules: list[tuple[int, float, int] | None] = [None]
        self.next = 0

    def copy(self) -> "Particle":
        twin = Particle.__new__(Particle)
        twin.nodes, twin.rules, twin.next = self.nodes.copy(), self.rules.copy(), self.next
        return twin

    @property
    def is_done(self) -> bool:
        return self.next == len(self.nodes)

    def expand(self, model: Model, proposal: str, rng: np.random.Generator) -> float:
        """Stop or split the oldest open node; gives the log of the factor of the weight."""
        place = self.next
        node = self.nodes[place]
        self.next += 1
        if not node.extent(model)[2].size:
            return 0.0
        if proposal == "optimal":
            table = node.table(model)
            rule, log_factor = table.draw(rng), table.log_normaliser - node.log_marginal
            if rule is not None:
                self._split(model, place, *rule)
            return log_factor
        rule = draw_from_prior(model, node, rng)
        if rule is None:
            return 0.0
        left, right = self._split(model, place, *rule)
        return left.log_marginal + right.log_marginal - node.log_marginal

    def _split(self, model: Model, place: int, feature: int, cut: float) -> tuple[Node, Node]:
        children = self.nodes[place].split(model, feature, cut)
        self.rules[place] = (feature, cut, len(self.nodes))
        self.nodes += children
        self.rules += [None, None]
        return children

    def predict(self, model: Model, X: F64) -> F64:
        found = np.empty((len(X), model.n_classes))
        waiting = [(0, np.arange(len(X)))]
        while waiting:
            place, rows = waiting.pop()
            rule = self.rules[place]
            if rule is None:
                counts = self.nodes[place].counts
                found[rows] = (counts + model.alpha / model.n_classes) / (
                    counts.sum() + model.alpha
                )
                continue
            feature, cut, left = rule
            goes_left = X[rows, feature] <= cut
            waiting += [(left, rows[goes_left]), (left + 1, rows[~goes_left])]
        return found


def draw_from_prior(model: Model, node: Node, rng: np.random.Generator) -> tuple[int, float] | None:
    """A rule of the prior's, or None to stop."""
    if rng.random() >= model.split_probability(node.depth):
        return None
    low, high, varying = node.extent(model)
    feature = int(varying[rng.integers(len(varying))])
    return feature, rng.uniform(low[feature], high[feature])


@dataclass(frozen=True)
class Island:
    """Weighted particles, and the estimate of the evidence."""

    particles: list[Particle]
    weights: F64
    log_evidence: float


def run_island(
    model: Model,
    n_particles: int,
    proposal: str,
    rng: np.random.Generator,
    ess_threshold: float = 0.1,
    max_stages: int = 5000,
) -> Island:
    """Grow particles until all leaves of all of them are stopped."""
    root = Node(model, np.arange(len(model.y)), 0)
    particles = [Particle(root) for _ in range(n_particles)]
    log_weights = np.zeros(n_particles)
    log_evidence = root.log_marginal
    for _ in range(max_stages):
        for m, particle in enumerate(particles):
            if not particle.is_done:
                log_weights[m] += particle.expand(model, proposal, rng)
        if all(particle.is_done for particle in particles):
            break
        top = log_weights.max()
        weights = np.exp(log_weights - top)
        if weights.sum() ** 2 / (weights**2).sum() <= ess_threshold * n_particles:
            log_evidence += top + np.log(weights.mean())
            chosen = rng.choice(n_particles, n_particles, p=weights / weights.sum())
            particles = [particles[m].copy() for m in chosen]
            log_weights[:] = 0.0
    top = log_weights.max()
    weights = np.exp(log_weights - top)
    log_evidence += top + float(np.log(weights.mean()))
    return Island(particles, weights / weights.sum(), float(log_evidence))


class NumpySMC:
    """The peer: islands in turn, predictions averaged over them.

    Parameters
    ----------
    n_particles : int
        Over all islands.
    n_islands : int
    proposal : {"prior", "optimal"}
    """

    def __init__(
        self,
        n_particles: int = 100,
        n_islands: int = 5,
        proposal: str = "prior",
        seed: int = 0,
        **prior: float,
    ) -> None:
        self.n_particles, self.n_islands = n_particles, n_islands
        self.proposal, self.seed, self.prior = proposal, seed, prior

    def fit(self, X: F64, y: NDArray[Any]) -> "NumpySMC":
        self.classes_, labels = np.unique(y, return_inverse=True)
        X = np.ascontiguousarray(X, dtype=np.float64)
        self.model_ = Model(X, labels, len(self.classes_), **self.prior)
        each = self.n_particles // self.n_islands
        streams = np.random.default_rng(self.seed).spawn(self.n_islands)
        self.islands_ = [run_island(self.model_, each, self.proposal, rng) for rng in streams]
        found = np.array([island.log_evidence for island in self.islands_])
        self.log_evidence_ = float(np.logaddexp.reduce(found) - np.log(len(found)))
        return self

    def predict_proba(self, X: F64) -> F64:
        total = np.zeros((len(X), len(self.classes_)))
        for island in self.islands_:
            for particle, weight in zip(island.particles, island.weights, strict=True):
                if weight > 1e-12:
                    total += weight * particle.predict(self.model_, X)
        return total / total.sum(axis=1, keepdims=True)
