"""The words of an explanation, at most 80 columns wide."""

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from bayeswood import html_table
from bayeswood.posterior.paths import GOES_ON, OTHER_QUESTION, OTHER_SIDE, SAME_WAY, STOPS
from bayeswood.report.names import percent, shorten
from bayeswood.uncertainty import NO_DATA_BELOW

if TYPE_CHECKING:
    from bayeswood.report.explanation import Explanation, PartingFeature

_WIDTH = 80
_LABEL = 13
_N_FEATURES = 5
_N_CLASSES = 4
_KIND_WORDS = {
    OTHER_SIDE: "take the other side",
    OTHER_QUESTION: "ask for it",
    STOPS: "do not ask for it",
    GOES_ON: "ask for it where others stop",
    SAME_WAY: "take the same way to another leaf",
}


def explanation_text(found: "Explanation") -> str:
    """The lines of an explanation, joined."""
    lines = [line for label, text in _statements(found) for line in _entry(label, text)]
    return "\n".join([*lines, *_parting_lines(found)])


def explanation_html(found: "Explanation") -> str:
    """The same for a notebook."""
    parts = [html_table.entries(_statements(found))]
    if _n_partings(found):
        rows = [
            (f"{name}{value}: they {said}", share)
            for share, name, value, said in map(_parting, found.parting_features[:_N_FEATURES])
        ]
        parts.append(html_table.table(("where their ways part", "share"), rows))
    return html_table.block(f"Why {shorten(str(_short(found)), 40)}?", *parts)


def _short(found: "Explanation") -> str:
    return str(found.prediction) if found.probability is not None else f"{found.prediction:.5g}"


def _statements(found: "Explanation") -> Iterator[tuple[str, str]]:
    """What is said, and under which label."""
    yield "Prediction", _prediction(found)
    yield "Confident", _confidence(found)
    if found.support is not None:
        yield "Data near", _support(found, found.support)
    if found.reasons:
        yield "Moved by", _reasons(found)
    if found.votes:
        yield "Votes", _votes(found)
    if found.uncertainty is not None:
        yield "Uncertainty", _uncertainty(found)
    yield "Disagreeing", _disagreement(found)


def _entry(label: str, text: str) -> list[str]:
    """A label and a paragraph beside it."""
    indent = " " * _LABEL
    return wrap(text, _WIDTH, initial_indent=f"{label:{_LABEL}}", subsequent_indent=indent)


def _prediction(found: "Explanation") -> str:
    share = percent(found.coverage)
    low, high = found.mean_interval
    if found.probability is not None:
        return (
            f"{shorten(str(found.prediction), 40)} with probability {found.probability:.2f} "
            f"({share} interval {low:.2f} to {high:.2f})"
        )
    of_mean = f"of its mean {low:.5g} to {high:.5g}"
    if found.interval is None:
        return f"{found.prediction:.5g}; {share} interval {of_mean} (no responses were kept)"
    return (
        f"{found.prediction:.5g}; {share} interval of a new response {found.interval[0]:.5g} to "
        f"{found.interval[1]:.5g}, {of_mean}"
    )


def _trees(found: "Explanation", number: int = 2) -> str:
    """What members are called."""
    if found.trees_per_member == 1:
        return "tree" if number == 1 else "trees"
    return "sum of trees" if number == 1 else "sums of trees"


def _confidence(found: "Explanation") -> str:
    answer = "yes" if found.is_confident else "no"
    near = found.tolerance
    what = "vote for it" if near is None else f"are within {near:.4g} of it"
    return (
        f"{answer}: {_share(found.agreement)} of the {found.n_members} {_trees(found)} {what}, "
        f"{percent(found.gamma0)} are asked for"
    )


def _share(share: float) -> str:
    """A share in whole percent that never rounds to all or to nothing."""
    if 0.995 <= share < 1:
        return "more than 99%"
    return "less than 1%" if 0 < share < 0.005 else f"{share:.0%}"


def _support(found: "Explanation", support: float) -> str:
    if support >= NO_DATA_BELOW:
        return f"yes: {_share(support)} of the training rows are no better surrounded by others"
    return (
        f"no: {_share(support)} of the training rows are as far from all others (support "
        f"{support:.2g}); what the {_trees(found)} say here is a guess"
    )


def _reasons(found: "Explanation") -> str:
    """What moved it most, with bands."""
    digits = ".2f" if found.probability is not None else ".4g"
    texts = [
        f"{shorten(one.feature, 30)} = {shorten(one.value, 16)} ({one.added:+{digits}}, "
        f"{one.lower:+{digits}} to {one.upper:+{digits}})"
        for one in found.reasons
    ]
    return (
        ", ".join(texts) + f"; in brackets what each adds, with its {percent(found.coverage)} band"
    )


def _votes(found: "Explanation") -> str:
    shown = list(found.votes.items())[:_N_CLASSES]
    texts = [f"{shorten(str(label), 24)} {_share(share)}" for label, share in shown]
    n_hidden = len(found.votes) - len(shown)
    return ", ".join(texts) + (f" and {n_hidden} more" if n_hidden else "")


def _uncertainty(found: "Explanation") -> str:
    total, data, _ = np.array(found.uncertainty, dtype=np.float64)
    if total == 0:
        return "none that the trees know of"
    if found.probability is not None:
        size = f"{total:.2f} nats"
    else:
        size = f"standard deviation {np.sqrt(total):.4g}"
    noise = _share(data / total)
    of_what = "it" if found.probability is not None else "the variance"
    return f"{size}; {noise} of {of_what} is noise in the data, the rest want of knowledge"


def _disagreement(found: "Explanation") -> str:
    n_dissenters = len(found.dissenters)
    if not n_dissenters:
        return f"no {_trees(found, 1)}"
    trees = f"{n_dissenters} {_trees(found, n_dissenters)}"
    named = ", ".join(str(d.member) for d in found.dissenters[:5])
    more = ", ..." if n_dissenters > 5 else ""
    return f"{trees} (number {named}{more}){_what_they_say(found)}"


def _n_partings(found: "Explanation") -> int:
    """Features to name; there is no way through a sum of trees."""
    return len(found.parting_features) if found.trees_per_member == 1 else 0


def _parting_lines(found: "Explanation") -> list[str]:
    if not found.dissenters or found.trees_per_member > 1:
        return []
    if not found.parting_features:
        return _entry("", "No tree agrees, so that there is nothing to compare with.")
    lines = _entry("", "Their ways part from the most similar agreeing tree's at:")
    for part in found.parting_features[:_N_FEATURES]:
        share, name, value, said = _parting(part)
        text = f"{share:>4}  {name}{value}: they {said}"
        lines += wrap(text, _WIDTH, initial_indent="  ", subsequent_indent=" " * 8)
    n_hidden = len(found.parting_features) - _N_FEATURES
    return [*lines, f"  and {n_hidden} more features"] if n_hidden > 0 else lines


def _what_they_say(found: "Explanation") -> str:
    if found.probability is not None:
        return ""
    said = np.array([d.prediction for d in found.dissenters], dtype=np.float64)
    if said.min() == said.max():
        return f", predicting {said[0]:.5g}"
    return f", predicting {said.min():.5g} to {said.max():.5g}"


def _parting(part: "PartingFeature") -> tuple[str, str, str, str]:
    """How often, at which feature, at which value of it, and in what manner."""
    name = shorten(part.feature, 34) if part.feature else "no feature"
    value = f" = {shorten(part.value, 20)}" if part.feature else ""
    # The commonest manner speaks for the feature.
    kind = max(part.kinds, key=lambda k: part.kinds[k])
    words = _KIND_WORDS[kind]
    if kind == OTHER_SIDE and not np.isnan(part.cut):
        words = f"cut at {part.cut:.5g} where others cut at {part.other_cut:.5g}"
    if kind == OTHER_QUESTION:
        words += f" where others ask for {shorten(part.instead_of, 34)}"
    return _share(part.share), name, value, words
