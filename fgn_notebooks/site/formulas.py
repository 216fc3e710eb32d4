"""Formulas as MathML, which browsers draw by themselves: no script and no network.

``mathml`` turns TeX into MathML; ``setup`` makes it Sphinx's way to write mathematics.
"""

from __future__ import annotations

import html
import re
from typing import Any


def mathml(tex: str, display: str) -> str:
    """A formula as MathML, ``display`` "inline" or "block"; what it cannot say stays TeX."""
    from latex2mathml.converter import convert

    # Without braces latex2mathml names a style that no browser knows, and bold is lost.
    tex = re.sub(r"\\(mathbf|mathcal) (\w)", r"\\\1{\2}", tex)
    # latex2mathml lays out `align`, and reads `aligned` as letters.
    tex = re.sub(r"\\(begin|end)\{(aligned|split|equation\*?)\}", _environment, tex)
    try:
        return str(convert(tex, display=display))
    except Exception:  # its errors have no common base; a page with one raw formula is still a page
        return f"<code>{html.escape(tex)}</code>"


def _environment(match: re.Match[str]) -> str:
    return "" if "equation" in match[2] else f"\\{match[1]}{{align*}}"


def setup(app: Any) -> None:
    """Sphinx calls this: formulas of all pages are written by :func:`mathml`."""
    from docutils.nodes import SkipNode

    def inline(writer: Any, node: Any) -> None:
        writer.body.append(mathml(node.astext(), "inline"))
        raise SkipNode

    def block(writer: Any, node: Any) -> None:
        formula = mathml(node.astext(), "block")
        writer.body.append(f'<div class="fgn-formula" tabindex="0">{formula}</div>\n')
        raise SkipNode

    app.add_html_math_renderer("fgn_mathml", (inline, None), (block, None))
