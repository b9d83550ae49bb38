"""The structure of a posterior over trees, in words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bayeswood import html_table
from bayeswood.posterior.functional import Posterior

if TYPE_CHECKING:
    from bayeswood.posterior.structure import DistinctTree, FeatureSplits, TreeStructure

_SMALLEST_SHOWN = 0.0005
_MAX_FEATURES, _MAX_LEVELS, _WIDTH = 20, 4, 100


def structure_to_text(found: "TreeStructure") -> str:
    """A page: sizes, root, features, and the trees of the largest mass."""
    diverse = f"as diverse as {found.effective_n_distinct:.1f} equally likely ones"
    lines = [
        f"{found.n_trees} trees, {found.n_distinct} distinct ({diverse})",
        f"Leaves       {_spread(found.n_leaves)}",
        f"Depth        {_spread(found.depth)}",
        "",
        "Root splits on",
        *(f"  {c.share:.3f}  {c}" for c in found.root if c.share >= _SMALLEST_SHOWN),
    ]
    if found.features:
        lines += ["", *_feature_lines(found.features)]
    if found.top:
        lines += ["", "Trees of the largest mass", *_tree_lines(found.top)]
    return "\n".join(lines)


def structure_to_html(found: "TreeStructure") -> str:
    """The same for a notebook."""
    diverse = f"as diverse as {found.effective_n_distinct:.1f} equally likely ones"
    root = [(c, f"{c.share:.3f}") for c in found.root if c.share >= _SMALLEST_SHOWN]
    parts = [
        html_table.entries([("Leaves", _spread(found.n_leaves)), ("Depth", _spread(found.depth))]),
        html_table.table(("root splits on", "share"), root),
        _feature_table(found.features[:_MAX_FEATURES]),
        _tree_table(found.top),
    ]
    title = f"{found.n_trees} trees, {found.n_distinct} distinct ({diverse})"
    return html_table.block(title, *parts)


def _feature_table(features: tuple["FeatureSplits", ...]) -> str:
    head = ("feature", "splits per tree", "in trees", "cut", "90% of cuts")
    rows = [
        (f.feature, f"{f.n_splits:.2f}", f"{f.use_probability:.3f}", *_cut_cells(f))
        for f in features
    ]
    return html_table.table(head, rows) if rows else ""


def _tree_table(trees: tuple["DistinctTree", ...]) -> str:
    head = ("trees of the largest mass: their splits", "number", "mass")
    rows = [(_path_text(tree.path, _WIDTH), tree.n_splits, f"{tree.mass:.4f}") for tree in trees]
    return html_table.table(head, rows) if rows else ""


def _spread(posterior: Posterior) -> str:
    low, high = posterior.interval(0.9)
    return f"mean {float(posterior.mean):.3g}, 90% in {low:g} to {high:g}"


def _feature_lines(features: tuple["FeatureSplits", ...]) -> Iterator[str]:
    shown = features[:_MAX_FEATURES]
    width = max(len("Feature"), *(len(f.feature) + 2 for f in shown))
    cells = [_cut_cells(f) for f in shown]
    cut_width = max(len("cut"), *(len(cut) for cut, _ in cells))
    yield f"{'Feature':{width}}   splits per tree  in trees  {'cut':>{cut_width}}  90% of cuts"
    for f, (cut, rest) in zip(shown, cells, strict=True):
        numbers = f"{f.n_splits:17.2f}  {f.use_probability:8.3f}"
        yield f"  {f.feature:{width - 2}} {numbers}  {cut:>{cut_width}}  {rest}".rstrip()
    if len(features) > len(shown):
        yield f"  ... {len(features) - len(shown)} more"


def _cut_cells(feature: "FeatureSplits") -> tuple[str, str]:
    if not feature.thresholds.size:
        levels, share = feature.left_sets[0]
        more = ", ..." if len(levels) > _MAX_LEVELS else ""
        return "", f"{{{', '.join(levels[:_MAX_LEVELS])}{more}}} in {share:.0%}"
    low, middle, high = feature.quantiles([0.05, 0.5, 0.95])
    return f"{middle:.4g}", f"{low:.4g} to {high:.4g}"


def _tree_lines(trees: tuple["DistinctTree", ...]) -> Iterator[str]:
    rank_width = len(str(len(trees)))
    size_width = len(str(max(tree.n_splits for tree in trees)))
    for rank, tree in enumerate(trees, 1):
        plural = " " if tree.n_splits == 1 else "s"
        head = (
            f"  {rank:>{rank_width}}  {tree.mass:.4f}  {tree.n_splits:>{size_width + 1}} "
            f"split{plural}"
        )
        yield f"{head}  {_path_text(tree.path, _WIDTH - len(head) - 2)}".rstrip()


def _path_text(path: tuple[str, ...], width: int) -> str:
    """As many features as fit, and how many do not."""
    text = ", ".join(path)
    if len(text) <= width:
        return text
    n_shown = len(path)
    while n_shown > 1 and len(text) > width:
        n_shown -= 1
        text = f"{', '.join(path[:n_shown])}, ... {len(path) - n_shown} more"
    return text
