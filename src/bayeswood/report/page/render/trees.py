"""The trees."""

from collections.abc import Iterator

import numpy as np

from bayeswood.posterior import ChainDiagnostics, IslandDiagnostics, TrunkPlace
from bayeswood.posterior.structure import TreeStructure
from bayeswood.report.names import member_words
from bayeswood.report.page.render.chart import (
    Axis,
    Scale,
    bars,
    drawing,
    figure,
    line,
    plot,
    share_bar,
    up,
)
from bayeswood.report.page.render.markup import (
    Html,
    count,
    join,
    number,
    numbers,
    percent,
    section,
    table,
    tag,
    words,
)
from bayeswood.report.page.summary.trees import TraceSummary, TreeLine, TreesSummary

_MOST_CHOICES = 4
_MOST_TREES = 5
_N_COLOURS = 7


def render_trees(found: TreesSummary) -> Html:
    """The section."""
    members = member_words(found.n_members, found.trees_per_member)
    lead = (
        f"{members.counted}. A tree has {number(found.mean_leaves)} leaves and a depth of "
        f"{number(found.mean_depth)}, on average."
    )
    return section("trees", "The trees", lead, *_parts(found))


def _parts(found: TreesSummary) -> Iterator[Html]:
    yield _sizes(found)
    yield _drawn(found)
    yield from _trunk(found)
    if found.structure is not None:
        yield _structure(found.structure)
    if found.diagnostics is not None:
        yield _diagnostics(found.diagnostics)
    if found.traces:
        yield tag("h3", "Traces")
        yield tag("div", *map(_trace, found.traces), class_="multiples")


def _sizes(found: TreesSummary) -> Html:
    shown = found.leaves
    if len(shown.counts) < 2:
        return words(f"Every tree has {number(shown.low)} leaves.")
    chart = tag("div", drawing(bars(shown.counts), label="Trees by leaves"), class_="histogram low")
    ends = tag(
        "div", tag("span", number(shown.low)), tag("span", number(shown.high)), class_="ends"
    )
    wide = (shown.high - shown.low) / len(shown.counts)
    rows = [
        (f"{number(shown.low + k * wide)} to {number(shown.low + (k + 1) * wide)}", count(n))
        for k, n in enumerate(shown.counts)
    ]
    caption = "Trees by their number of leaves."
    return figure(join((chart, ends)), caption, numbers(table(("leaves", "trees"), rows)))


def _drawn(found: TreesSummary) -> Html:
    one = "one of the trees that add up" if found.trees_per_member > 1 else "the heaviest"
    said = words(
        f"Tree {found.drawn} of {found.n_trees:,} ({one}), to its third question. Beside each node "
        "stand its training rows"
        + (", below it the shares of the classes." if len(found.lines[0].shares) > 1 else ".")
    )
    lines = tag("ol", *(_line(one) for one in found.lines), class_="tree")
    keys = None
    if len(found.lines[0].shares) > 1:
        keys = tag(
            "figcaption", *(_class_key(k, n) for k, n in enumerate(found.class_names[:_N_COLOURS]))
        )
    listed = numbers(tag("pre", found.outline), "The same as text")
    return join((tag("h3", "One tree"), said, tag("figure", lines, keys, listed)))


def _class_key(k: int, name: str) -> Html:
    return tag("span", tag("span", class_=f"key class{k}"), name, class_="legend")


def _line(one: TreeLine) -> Html:
    answer = tag("span", one.answer, class_="answer") if one.answer else None
    below = tag("span", f" … {one.n_below:,} leaves below", class_="soft") if one.n_below else None
    if len(one.shares) > 1:
        parts = join(
            tag("i", class_=f"class{min(k, _N_COLOURS)}", style=f"width:{100 * share:.1f}%")
            for k, share in enumerate(one.shares)
            if share > 0
        )
    else:
        parts = tag("i", class_="class0", style=f"width:{100 * one.shares[0]:.1f}%")
    return tag(
        "li",
        answer,
        tag("span", one.text, class_="leaf" if one.is_end else "question"),
        below,
        tag("span", f"{one.n_samples:,}", class_="n"),
        tag("div", parts, class_="mini", aria_hidden="true"),
        style=f"--depth:{one.depth}",
    )


def _trunk(found: TreesSummary) -> Iterator[Html]:
    yield tag("h3", "How alike the trees are at the top")
    if not found.trunk:
        why = "add up" if found.trees_per_member > 1 else "are too many to be compared here"
        yield words(f"The trees {why}: the top of one says little.")
        return
    yield words(
        "At the root, and below the commonest question at each place, which column the trees ask "
        "for. Long bars are stable; cuts are medians, with the range of 90% of them."
    )
    top = [place for place in found.trunk if place.depth < 2]
    below = [place for place in found.trunk if place.depth >= 2]
    yield join(map(_place, top))
    if below:
        yield tag("details", tag("summary", "One question further"), *map(_place, below))


def _place(place: TrunkPlace) -> Html:
    way = " → ".join("yes" if side == "L" else "no" for side in place.path)
    title = f"After {way}" if way else "Root"
    rows = [
        (str(choice), share_bar(choice.share), percent(choice.share))
        for choice in place.choices[:_MOST_CHOICES]
    ]
    hidden = len(place.choices) - len(rows)
    if hidden > 0:
        rest = sum(choice.share for choice in place.choices[_MOST_CHOICES:])
        rows.append((f"{hidden} others", Html(""), percent(rest)))
    head = (f"{title}: {percent(place.weight, 0)} of the trees", "share", "")
    return table(head, rows, texts=2, class_="shares")


def _structure(found: TreeStructure) -> Html:
    rows = [
        (tree.nested(), percent(tree.mass), count(tree.n_leaves), count(tree.n_members))
        for tree in found.top[:_MOST_TREES]
    ]
    used = [
        (
            one.feature,
            percent(one.root_probability),
            percent(one.use_probability),
            number(one.n_splits, 3),
        )
        for one in found.features[:12]
    ]
    low, high = found.n_leaves.interval(0.9)
    said = words(
        f"{found.n_distinct:,} trees ask different questions, as diverse as "
        f"{number(found.effective_n_distinct, 3)} equally likely ones. Leaves: "
        f"{number(float(found.n_leaves.mean), 3)} (90% between {low:.0f} and {high:.0f})."
    )
    return join(
        (
            tag("h3", "The posterior over trees"),
            said,
            table(("likeliest trees", "probability", "leaves", "draws"), rows),
            table(("column", "asked at the root", "asked anywhere", "splits per tree"), used),
        )
    )


def _diagnostics(found: ChainDiagnostics | IslandDiagnostics) -> Html:
    if isinstance(found, IslandDiagnostics):
        rows = [
            (f"island {k}", number(value, 6))
            for k, value in enumerate(np.asarray(found.island_log_evidence).tolist())
        ]
        said = words(
            f"Log evidence {number(found.log_evidence, 6)} ± {number(found.log_evidence_se, 2)}; "
            f"{found.n_trees:,} distinct trees, as diverse as {number(found.effective_trees, 3)} "
            "equally likely ones."
        )
        shown = table(("islands of particles", "log evidence"), rows)
        return join((tag("h3", "Do the islands agree?"), said, shown))
    chains = [
        (
            q.name,
            number(q.mean),
            number(q.std, 3),
            f"{q.rhat:.3f}",
            f"{q.ess_bulk:.0f}",
            f"{q.ess_tail:.0f}",
        )
        for q in found.quantities
    ]
    head = ("quantity", "mean", "sd", "R-hat", "bulk ESS", "tail ESS")
    said = words(
        f"{found.n_chains} chains of {found.n_draws:,} draws. R-hat near 1 means that chains have "
        "found each other; above 1.1 they have not."
    )
    return join((tag("h3", "Do the chains agree?"), said, table(head, chains)))


def _trace(trace: TraceSummary) -> Html:
    across, scale = Scale.around(trace.iteration, margin=0.0), Scale.around(trace.chains)
    x = across(trace.iteration)
    lines = [
        line(x, up(scale, chain), f"thin class{k % _N_COLOURS}")
        for k, chain in enumerate(trace.chains)
    ]
    burnt = float(across(trace.n_burn_in))
    name = trace.name.replace("_", " ")
    chart = plot(
        f"Trace of {name}",
        Axis(across, "iteration"),
        Axis(scale, name),
        tag("path", d=f"M{burnt:.0f} 0V1000", class_="promise"),
        *lines,
    )
    caption = "One line per chain; what is left of the upright line is burn-in."
    shown = np.unique(np.linspace(0, len(trace.iteration) - 1, 12).astype(int))
    rows = [
        (count(trace.iteration[k]), *(number(chain[k]) for chain in trace.chains[:8]))
        for k in shown
    ]
    head = ("iteration", *(f"chain {k}" for k in range(min(len(trace.chains), 8))))
    return figure(chart, caption, numbers(table(head, rows)))
