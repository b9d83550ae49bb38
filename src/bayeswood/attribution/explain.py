"""Shapley values of predictions: of the answer, of every member, of pairs of features."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayeswood import _core
from bayeswood.attribution.additive import Additive, AdditivePart, Link
from bayeswood.attribution.through_link import through_link
from bayeswood.forest import Forest
from bayeswood.uncertainty import row_blocks

F64 = NDArray[np.float64]

# Arrays as large as the values that a link takes meanwhile.
_COPIES = 8


@dataclass(frozen=True, eq=False)
class Question:
    """Rows to explain.

    Attributes
    ----------
    rows : ndarray, (n_rows, n_features)
        Encoded.
    background : ndarray, (n_others, n_features), or None
        Where features that are not known come from; None: expectations along the paths.
    n_jobs : int
    progress : callable or None
        Told of (done, total), in any unit.
    """

    rows: NDArray[Any]
    background: NDArray[Any] | None = None
    n_jobs: int = 1
    progress: Callable[[float, float], None] | None = None

    def at(self, block: slice) -> "Question":
        """Some of the rows."""
        n_rows = max(1, len(self.rows))
        part = self.within(block.start / n_rows, block.stop / n_rows)
        return replace(part, rows=self.rows[block])

    def within(self, start: float, stop: float) -> "Question":
        """The same where it is a part of the work, from one share of it to another."""
        whole = self.progress
        if whole is None:
            return self

        def progress(done: float, total: float) -> None:
            whole(start + (stop - start) * done / total, 1.0)

        return replace(self, progress=progress)

    def of_parts(self, sizes: Sequence[int]) -> "list[Question]":
        """The same for each of several parts of the work, by their sizes."""
        ends = np.cumsum([0, *sizes]) / sum(sizes)
        return [self.within(start, stop) for start, stop in pairwise(ends.tolist())]


def explain_rows(additive: Additive, question: Question, *, raw: bool = False) -> tuple[F64, F64]:
    """Values, (n_rows, n_features, n_answers), and bases, (n_rows, n_answers).

    Parameters
    ----------
    additive : Additive
        How the answer comes about.
    question : Question
        Of what.
    raw : bool, default=False
        Whether the average is explained instead, before a link makes the answer of it.
    """
    if len(additive.parts) == 1 and (raw or additive.link is None):
        return _explain_block(additive, question, raw)
    # Of what is made of sums there are copies on the way.
    size = question.rows.shape[1] * additive.parts[0].forest.n_outputs
    blocks = row_blocks(len(question.rows), _COPIES, size)
    found = [_explain_block(additive, question.at(block), raw) for block in blocks]
    return np.concatenate([v for v, _ in found]), np.concatenate([b for _, b in found])


def _explain_block(additive: Additive, question: Question, raw: bool) -> tuple[F64, F64]:
    questions = question.of_parts([part.forest.n_trees for part in additive.parts])
    parts = [_explain_part(*one) for one in zip(additive.parts, questions, strict=True)]
    shares = [part.share for part in additive.parts]
    values: F64 = np.sum([s * v for s, (v, _) in zip(shares, parts, strict=True)], axis=0)
    base: F64 = np.sum([s * b for s, (_, b) in zip(shares, parts, strict=True)], axis=0)
    if raw or additive.link is None:
        return values, base
    return through_link(values, base, additive.link)


def _explain_part(part: AdditivePart, question: Question) -> tuple[F64, F64]:
    """Of one part, before its share."""
    forest = part.forest
    if part.link is None:
        values = _values(forest, question, forest.tree_weights, by_member=False)
        base = forest.weights @ member_bases(forest, question)
        return values, np.broadcast_to(base, (len(values), len(base)))
    size = question.rows.shape[1] * forest.n_outputs
    blocks = row_blocks(len(question.rows), forest.n_members, size)
    found = [_mean_of_links(forest, part.link, question.at(block)) for block in blocks]
    return np.concatenate([v for v, _ in found]), np.concatenate([b for _, b in found])


def _mean_of_links(forest: Forest, link: Link, question: Question) -> tuple[F64, F64]:
    values, bases = explain_draws(forest, question, link)
    return np.tensordot(forest.weights, values, 1), np.tensordot(forest.weights, bases, 1)


def explain_draws(forest: Forest, question: Question, link: Link | None = None) -> tuple[F64, F64]:
    """Values of every member, (n_members, n_rows, n_features, n_answers), and their bases.

    Parameters
    ----------
    forest : Forest
        The members.
    question : Question
        Of what.
    link : callable or None
        Makes of what a member says what it predicts.
    """
    values = _values(forest, question, np.ones(forest.n_trees), by_member=True)
    bases = member_bases(forest, question)
    n_rows = values.shape[1]
    if link is None:
        shape = (len(bases), n_rows, bases.shape[1])
        return values, np.broadcast_to(bases[:, None, :], shape)
    # Members one below another, as if they were rows.
    n_features, n_outputs = values.shape[2:]
    flat = values.reshape(-1, n_features, n_outputs)
    found, answers = through_link(flat, np.repeat(bases, n_rows, axis=0), link)
    return found.reshape(len(bases), n_rows, n_features, -1), answers.reshape(
        len(bases), n_rows, -1
    )


def draws_around(additive: Additive, forest: Forest, question: Question) -> tuple[F64, F64]:
    """Values of every member and their bases, moved so that their mean is that of the answer.

    For answers that are no mean of what members say, as their intervals lie around the answer too.

    Parameters
    ----------
    additive : Additive
        How the answer comes about.
    forest : Forest
        The members.
    question : Question
        Of what.
    """
    of_members, of_answer = question.of_parts([1, 1])
    values, bases = explain_draws(forest, of_members)
    middle, base = explain_rows(additive, of_answer)
    weights = forest.weights
    moved = middle - np.tensordot(weights, values, 1), base - np.tensordot(weights, bases, 1)
    return values + moved[0], bases + moved[1]


def explain_bags(
    forest: Forest, question: Question, trees_per_bag: int, weights: F64
) -> tuple[F64, F64]:
    """Values of averages over bags of trees, (n_bags, ...), and their bases, (n_bags, n_outputs).

    Parameters
    ----------
    forest : Forest
        Trees of single members.
    question : Question
        Of what.
    trees_per_bag : int
        That follow one another; the last bag has those that are left.
    weights : ndarray, (n_trees,)
        Of each tree in its bag.
    """
    values = _values(forest, question, weights, by_member=True, size=trees_per_bag)
    bases = weights[:, None] * _tree_bases(forest, question)
    return values, np.add.reduceat(bases, np.arange(0, forest.n_trees, trees_per_bag))


def explain_pairs(forest: Forest, question: Question) -> tuple[F64, F64]:
    """Values of pairs, (n_rows, n_features, n_features, n_outputs), and bases."""
    values = _core.shap_interactions(
        forest.core, question.rows, forest.tree_weights, question.n_jobs, question.progress
    )
    base = forest.weights @ member_bases(forest, question)
    return values, np.broadcast_to(base, (len(values), len(base)))


def _values(
    forest: Forest, question: Question, weights: F64, *, by_member: bool, size: int | None = None
) -> F64:
    options: dict[str, Any] = {
        "trees_per_member": forest.trees_per_member if size is None else size,
        "by_member": by_member,
        "n_jobs": question.n_jobs,
        "progress": question.progress,
    }
    if question.background is None:
        return _core.shap_values(forest.core, question.rows, weights, **options)
    return _core.shap_against(forest.core, question.rows, question.background, weights, **options)


def member_bases(forest: Forest, question: Question) -> F64:
    """What every member says where no feature is known, (n_members, n_outputs)."""
    of_trees = _tree_bases(forest, question)
    found: F64 = of_trees.reshape(forest.n_members, forest.trees_per_member, -1).sum(axis=1)
    return found


def _tree_bases(forest: Forest, question: Question) -> F64:
    if question.background is None:
        return _core.shap_base(forest.core)
    blocks = row_blocks(len(question.background), forest.n_trees, forest.n_outputs)
    sums = [
        forest.core.predict_draws(question.background[block], question.n_jobs, 1).sum(axis=1)
        for block in blocks
    ]
    found: F64 = np.sum(sums, axis=0) / len(question.background)
    return found
