"""The picture that a stored notebook shows in place of a live view.

Vocabulary
    still    the picture as a PNG in base64
    words    a line above the picture: that it is a picture, and how to get the live view
"""

from __future__ import annotations

import base64
import textwrap

import numpy as np
import PIL.Image
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from fgnwidgets.display import SHOWN_DPI, encoded, resolution
from fgnwidgets.draw.style import LIGHT

from .canvas import drawn

LINE, LETTER = 0.2, 0.095
"""Height of a line of words and width of a letter, in inches."""

NARROWEST = 1.7
"""Least width in inches, so that there is room for the words."""


def sharp_picture(figure: Figure, words: str = "") -> tuple[str, int]:
    """The still of a figure with two dots for each of the page's, and its width on a page."""
    wide = max(figure.get_figwidth(), NARROWEST)
    return stored_picture(figure, words, resolution(figure)), round(wide * SHOWN_DPI)


def stored_picture(figure: Figure, words: str = "", dpi: float | None = None) -> str:
    """The still of a figure, in its own resolution or in ``dpi``, with ``words`` above it."""
    dpi = dpi or figure.dpi
    pixels = _pixels(figure, dpi)
    if words:
        missing = max(round(NARROWEST * dpi) - pixels.shape[1], 0)
        pixels = np.pad(pixels, ((0, 0), (0, missing), (0, 0)), "edge")
        pixels = np.vstack([_line(words, pixels.shape[1], dpi), pixels])
    return base64.b64encode(encoded(PIL.Image.fromarray(pixels))).decode("ascii")


def _line(words: str, width: int, dpi: float) -> NDArray[np.uint8]:
    """A strip as wide as the picture with the words, on as many lines as they need."""
    inches = width / dpi
    lines = textwrap.wrap(words, int((inches - 0.2) / LETTER))
    high = LINE * len(lines) + 0.14
    strip = Figure(figsize=(inches, high), facecolor=LIGHT.frame)
    strip.text(0.1 / inches, 0.5, "\n".join(lines), color=LIGHT.ink, fontsize=10, va="center")
    made = _pixels(strip, dpi)
    return np.pad(made, ((0, 0), (0, max(width - made.shape[1], 0)), (0, 0)), "edge")[:, :width]


def _pixels(figure: Figure, dpi: float) -> NDArray[np.uint8]:
    figure.set_dpi(dpi)
    return drawn(FigureCanvasAgg(figure))[..., :3].copy()
