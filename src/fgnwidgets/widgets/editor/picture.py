"""The stored picture of a graph editor, which is shown when no kernel runs."""

from __future__ import annotations

from matplotlib.figure import Figure

from fgnwidgets.draw.graph import draw_bayes
from fgnwidgets.draw.style import LIGHT, figure_of

from ..page.stored_picture import sharp_picture
from .document import Document

WORDS = "A picture: run this cell (Shift+Enter), then draw variables and arrows, or drop a table."


def pictured(doc: Document, words: str = "") -> tuple[str, int]:
    """The picture as a PNG in base64 with ``words`` above it, and its width on the page."""
    if doc.graph is None:
        figure = Figure(figsize=(5.0, 0.8), facecolor=LIGHT.frame)
        figure.text(0.5, 0.5, "an empty graph", color=LIGHT.ink, ha="center", va="center")
    else:
        figure = figure_of(draw_bayes(doc.graph, messages=doc.beliefs))
    return sharp_picture(figure, words)
