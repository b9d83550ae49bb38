"""Formulas as MathML, which every current browser draws by itself: no script and no network.

The converter is that of docutils, which Sphinx brings; `_static/site.css` brings a font with a
table for formulas, without which browsers set them badly.
"""

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml, pick_math_environment

# What browsers would set worse than TeX: primes too low, "log p" without a space on either side,
# and the fractions of aligned lines as small as in the text.
REPAIRS = (
    (r"<mo>'</mo>", r'<mo lspace="0" rspace="0">′</mo>'),
    (r"(</m(?!o>)\w+>\s*)(?=<mi>\w+</mi>\s*<mo>&Appl)", r'\1<mspace width="0.17em"></mspace>'),
    (r"<mo>(?=&ApplyFunction;</mo>\s*<m(?!o\b|row))", r'<mo lspace="0" rspace="0.17em">'),
    (r'<mtable class="ams-align">', r'<mtable class="ams-align" displaystyle="true">'),
)


def markup(code: str, as_block: bool) -> str:
    """The MathML element of a formula in LaTeX."""
    environment = pick_math_environment(code)
    if as_block and "align" in environment:
        code = f"\\begin{{aligned}}\n{code}\n\\end{{aligned}}"
    element = "".join(latex2mathml.tex2mathml(code, as_block=as_block))
    for fault, repair in REPAIRS:
        element = re.sub(fault, repair, element)
    return element


def visit_inline(translator: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    translator.body.append(markup(node.astext(), as_block=False))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    """Write a formula of its own lines."""
    translator.body.append(f'<div class="formula">{markup(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True}
