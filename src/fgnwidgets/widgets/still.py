"""What a stored notebook shows in the place of a live view: a picture, and how to bring it to life.

Vocabulary
    still    a PNG in base64 with 256 colours, which a plot hardly notices, in a third of the bytes
    words    a line above the picture: that this is one, and what running the cell gives
"""

from __future__ import annotations

import base64
import io
import textwrap

import numpy as np
import PIL.Image
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from fgnwidgets.draw.style import LIGHT

from .canvas import drawn

LINE, LETTER = 0.2, 0.095
"""Inches: the height of a line of words, and the width of a letter of them."""

NARROWEST = 1.7
"""Inches that words need; a smaller picture gets ground at its side."""


def still(figure: Figure, words: str = "", dpi: float | None = None) -> str:
    """The figure as it is stored, in its own resolution or another, with ``words`` above it."""
    dpi = dpi or figure.dpi
    pixels = _pixels(figure, dpi)
    if words:
        missing = max(round(NARROWEST * dpi) - pixels.shape[1], 0)
        pixels = np.pad(pixels, ((0, 0), (0, missing), (0, 0)), "edge")
        pixels = np.vstack([_line(words, pixels.shape[1], dpi), pixels])
    few = PIL.Image.fromarray(pixels).quantize(256, dither=PIL.Image.Dither.NONE)
    buffer = io.BytesIO()
    few.save(buffer, "png", compress_level=9)
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def _line(words: str, width: int, dpi: float) -> NDArray[np.uint8]:
    """The words on a strip as wide as the picture, in as many lines as they need."""
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
