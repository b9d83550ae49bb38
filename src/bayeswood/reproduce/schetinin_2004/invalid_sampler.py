"""The paper's sampler as reconstructed from printed numbers; **not a valid Metropolis-Hastings**.

For this paper's page only: its draws are of no posterior. `MCMCTreeClassifier` is the valid one.
What makes trees of the printed size, and what is wrong with it:

- a rule is drawn among the cuts of the node's own rows that leave p_min rows on both sides, but
  their number enters no ratio;
- proposals that are not available (no such cut, a leaf below with fewer than p_min rows, no split
  to change) are drawn again, where a chain would have to stay;
- rows are scored by the posterior mean of their own leaf, Π_l Π_c ((m_lc + 1)/(n_l + C))^m_lc,
  which knows them already, in place of eq. 5: leaves cost next to nothing.

Sets of rows are whole numbers, a bit for each row: to send rows down a split is one ``&``.
"""

import random
from collections import Counter, deque
from dataclasses import dataclass
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood.errors import BayeswoodError
from bayeswood.reproduce.schetinin_2004.measure import (
    GAMMA0,
    N_TEST,
    N_TOP,
    N_TRAIN,
    SYNTHETIC,
    Rows,
    chain_numbers,
    rates,
    rows_of,
)
from bayeswood.reproduce.schetinin_2004.row_bits import RowBits, to_mask
from bayeswood.uncertainty import summarize_rows

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

N_BURN_IN = N_DRAWS = 2000
P_MIN = 5
# Up to which draw a move is birth, death, change-split; the rest are change-rule (.1 .1 .1 .7).
_BIRTH, _DEATH, _CHANGE_SPLIT = 0.1, 0.2, 0.3


@dataclass(frozen=True)
class InvalidDraws:
    """What the chains went through.

    Attributes
    ----------
    shares : ndarray, (n_test, n_classes)
        Share of the draws that vote for each class.
    log_likelihood, n_splits : ndarray, (n_chains, n_iterations)
        Burn-in included; the likelihood is the one of this module.
    accepted : ndarray of bool, (n_chains, n_iterations)
    trees : Counter of tuple of int
        How often each distinct tree was drawn after the burn-in: the features of all nodes, breadth
        first, -1 at leaves.
    """

    shares: F64
    log_likelihood: F64
    n_splits: I64
    accepted: NDArray[np.bool_]
    trees: Counter[tuple[int, ...]]


def run_invalid_chains(
    X: F64, y: I64, X_test: F64, n_chains: int, seed: int, *, p_min: int = P_MIN
) -> InvalidDraws:
    """Restarts of the sampler, 2,000 + 2,000 iterations each.

    Parameters
    ----------
    X, y : ndarray, (n_rows, n_features) and (n_rows,)
        Training rows; classes 0, 1, ...
    X_test : ndarray, (n_test, n_features)
    n_chains : int
    seed : int
    p_min : int, default 5
        Fewest rows in a leaf.
    """
    rows = RowBits(X, y, X_test, p_min)
    chains = [_Chain(rows, random.Random(f"{seed} {chain}")) for chain in range(n_chains)]
    if not any(rows.cuts(rows.everything, feature) for feature in range(rows.n_features)):
        raise BayeswoodError(f"No cut leaves {p_min} rows on both sides.")
    trees: Counter[tuple[int, ...]] = Counter()
    for chain in chains:
        chain.run()
        trees.update(chain.trees)
    votes = np.sum([chain.votes for chain in chains], axis=0)
    return InvalidDraws(
        shares=votes / votes.sum(axis=1, keepdims=True),
        log_likelihood=np.array([chain.log_likelihoods for chain in chains]),
        n_splits=np.array([chain.sizes for chain in chains]),
        accepted=np.array([chain.accepted for chain in chains]),
        trees=trees,
    )


@dataclass(slots=True, eq=False)
class _Node:
    """A leaf (feature -1) with the score of its rows, or a split."""

    rows: int
    score: float
    feature: int = -1
    cut: int = -1
    children: "tuple[_Node, ...]" = ()

    def is_prunable(self) -> bool:
        """Whether it is a split into two leaves."""
        return self.feature >= 0 and self.children[0].feature < 0 > self.children[1].feature


@dataclass(slots=True)
class _Proposal:
    """A node that is to have another rule and other rows below; feature -1: a leaf."""

    node: _Node
    feature: int
    cut: int
    children: tuple[_Node, ...]
    moved: list[tuple[_Node, int, float]]  # nodes below, their new rows and scores
    gain: float  # of the log likelihood
    log_ratio: float


class _Chain:
    """One restart."""

    def __init__(self, rows: RowBits, source: random.Random) -> None:
        self._data, self._random = rows, source
        self._root = _Node(rows.everything, rows.score(rows.everything))
        self._leaves: list[_Node] = [self._root]
        self._splits: list[_Node] = []
        self.votes = np.zeros((rows.n_test, rows.n_classes))
        self.log_likelihoods: list[float] = []
        self.sizes: list[int] = []
        self.accepted: list[bool] = []
        self.trees: Counter[tuple[int, ...]] = Counter()

    def run(self) -> None:
        """All iterations."""
        log_likelihood, since = self._root.score, 0
        for iteration in range(N_BURN_IN + N_DRAWS):
            proposal = self._propose()
            odds = proposal.gain + proposal.log_ratio
            accepted = odds >= 0 or self._random.random() < exp(odds)
            if accepted:
                self._count(since)
                since = 0
                self._take(proposal)
                log_likelihood += proposal.gain
            since += iteration >= N_BURN_IN
            self.accepted.append(accepted)
            self.sizes.append(len(self._splits))
            self.log_likelihoods.append(log_likelihood)
        self._count(since)

    def _propose(self) -> _Proposal:
        while True:  # invalid: what is not available is drawn again
            draw = self._random.random()
            if draw < _BIRTH:
                found = self._birth()
            elif draw < _DEATH:
                found = self._death()
            else:
                found = self._change(new_feature=draw < _CHANGE_SPLIT)
            if found is not None:
                return found

    def _birth(self) -> _Proposal | None:
        leaf, data = self._random.choice(self._leaves), self._data
        feature = self._random.randrange(data.n_features)
        cuts = data.cuts(leaf.rows, feature)
        if not cuts:
            return None
        cut = self._random.choice(cuts)
        left = leaf.rows & data.train[feature][cut]
        children = tuple(_Node(rows, data.score(rows)) for rows in (left, leaf.rows ^ left))
        prunable = 1 + sum(
            split.is_prunable() and leaf not in split.children for split in self._splits
        )
        k = len(self._leaves)
        # Eq. 11 with S_k = Catalan(k - 1): S_k/S_{k+1} = (k + 1)/(4k - 2).
        ratio = log(k / prunable * (k + 1) / (4 * k - 2))
        gain = children[0].score + children[1].score - leaf.score
        return _Proposal(leaf, feature, cut, children, [], gain, ratio)

    def _death(self) -> _Proposal | None:
        prunable = [split for split in self._splits if split.is_prunable()]
        if not prunable:
            return None
        node, k = self._random.choice(prunable), len(self._leaves)
        gain = self._data.score(node.rows) - node.children[0].score - node.children[1].score
        ratio = log(len(prunable) / (k - 1) * (4 * k - 6) / k)
        return _Proposal(node, -1, -1, (), [], gain, ratio)

    def _change(self, *, new_feature: bool) -> _Proposal | None:
        if not self._splits:
            return None
        node, data = self._random.choice(self._splits), self._data
        feature = self._random.randrange(data.n_features) if new_feature else node.feature
        cuts = data.cuts(node.rows, feature)
        if not cuts:
            return None
        cut = self._random.choice(cuts)
        left = node.rows & data.train[feature][cut]
        todo = [(node.children[0], left), (node.children[1], node.rows ^ left)]
        moved, gain = [], 0.0
        while todo:
            below, rows = todo.pop()
            if rows.bit_count() < data.p_min:
                return None
            score = 0.0
            if below.feature < 0:
                score = data.score(rows)
                gain += score - below.score
            else:
                left = rows & data.train[below.feature][below.cut]
                todo.append((below.children[0], left))
                todo.append((below.children[1], rows ^ left))
            moved.append((below, rows, score))
        return _Proposal(node, feature, cut, node.children, moved, gain, 0.0)

    def _take(self, proposal: _Proposal) -> None:
        node = proposal.node
        if proposal.children and not node.children:
            self._leaves.remove(node)
            self._leaves += proposal.children
            self._splits.append(node)
        elif not proposal.children:
            self._splits.remove(node)
            for child in node.children:
                self._leaves.remove(child)
            self._leaves.append(node)
            node.score = self._data.score(node.rows)
        node.feature, node.cut, node.children = proposal.feature, proposal.cut, proposal.children
        for below, rows, score in proposal.moved:
            below.rows, below.score = rows, score

    def _count(self, n_draws: int) -> None:
        """Count the tree of so many draws: its votes on the test rows, and its features."""
        if not n_draws:
            return
        data, features = self._data, []
        reached = [0] * data.n_classes
        todo = deque([(self._root, (1 << data.n_test) - 1)])
        while todo:
            node, rows = todo.popleft()
            features.append(node.feature)
            if node.feature < 0:
                reached[data.vote(node.rows)] |= rows
            else:
                left = rows & data.test[node.feature][node.cut]
                todo.append((node.children[0], left))
                todo.append((node.children[1], rows ^ left))
        for label, rows in enumerate(reached):
            self.votes[:, label] += n_draws * to_mask(rows, data.n_test)
        self.trees[tuple(features)] += n_draws


def invalid_envelope(
    name: str, repeat: int, seed: int, sizes: list[int], p_min: int, n_chains: int
) -> dict[str, float]:
    """Size of trees, accuracy and envelope, as `measure.envelope` gives them."""
    rows = rows_of(name, repeat, seed, *sizes)
    drawn = run_invalid_chains(
        rows.X, rows.y, rows.X_test, n_chains, 1000 * seed + repeat, p_min=p_min
    )
    return {"size": float(drawn.n_splits[:, N_BURN_IN:].mean()), **_rates(drawn, rows)}


def invalid_trees(repeat: int, seed: int, n_chains: int) -> dict[str, Any]:
    """What section 5.1.1 tells, as `measure.bayesian_trees` gives it."""
    rows = rows_of(SYNTHETIC, repeat, seed, N_TRAIN, N_TEST)
    drawn = run_invalid_chains(rows.X, rows.y, rows.X_test, n_chains, 1000 * seed + repeat)
    paths = {tree: "".join(str(f + 1) for f in tree if f >= 0) for tree in drawn.trees}
    n_drawn, by_size = drawn.trees.total(), sorted(drawn.trees, key=lambda tree: len(tree))
    top = sorted(drawn.trees.items(), key=lambda item: (-item[1], item[0]))[:N_TOP]
    return {
        **_rates(drawn, rows),
        **chain_numbers(drawn.log_likelihood, drawn.n_splits, drawn.accepted, N_BURN_IN),
        "distinct": len(drawn.trees),
        "distinct sizes": [len(paths[tree]) for tree in by_size],
        "distinct masses": [drawn.trees[tree] / n_drawn for tree in by_size],
        "top": [[paths[tree], n / n_drawn] for tree, n in top],
    }


def _rates(drawn: InvalidDraws, rows: Rows) -> dict[str, float]:
    voted = drawn.shares.argmax(axis=1)
    is_correct = voted == rows.y_test
    return rates(summarize_rows(GAMMA0, drawn.shares.max(axis=1), voted, is_correct))
