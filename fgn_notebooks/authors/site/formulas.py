"""Formulas as MathML, which browsers draw without a script or a network.

``mathml`` converts a formula; ``setup`` makes Sphinx use it for all mathematics.
"""

from __future__ import annotations

import html
import re
from typing import Any


def mathml(tex: str, display: str) -> str:
    """A formula in TeX as MathML, ``display`` "inline" or "block"; as TeX if that fails."""
    from latex2mathml.converter import convert

    # Without braces latex2mathml writes an unknown style, and bold is lost.
    tex = re.sub(r"\\(mathbf|mathcal) (\w)", r"\\\1{\2}", tex)
    # latex2mathml knows `align`, but not `aligned`.
    tex = re.sub(r"\\(begin|end)\{(aligned|split|equation\*?)\}", _environment, tex)
    try:
        return str(convert(tex, display=display))
    except Exception:  # its errors have no common base class
        return f"<code>{html.escape(tex)}</code>"


def _environment(match: re.Match[str]) -> str:
    return "" if "equation" in match[2] else f"\\{match[1]}{{align*}}"


def setup(app: Any) -> None:
    """Set up the extension: Sphinx writes all formulas with :func:`mathml`."""
    from docutils.nodes import SkipNode

    def inline(writer: Any, node: Any) -> None:
        writer.body.append(mathml(node.astext(), "inline"))
        raise SkipNode

    def block(writer: Any, node: Any) -> None:
        formula = mathml(node.astext(), "block")
        writer.body.append(f'<div class="fgn-formula" tabindex="0">{formula}</div>\n')
        raise SkipNode

    app.add_html_math_renderer("fgn_mathml", (inline, None), (block, None))
