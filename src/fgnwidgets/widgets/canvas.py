"""A canvas of matplotlib for pictures that are drawn again and again: it draws each text only once.

Vocabulary
    stamp    the pixels of a text in one font, colour and position relative to the pixel grid

Matplotlib 3.11 draws texts glyph by glyph, which takes half of the time of a picture. (Earlier
versions draw a text in one piece and are fast.) Here the pixels of a text are kept and copied the
next time. The picture is exactly matplotlib's: where two glyphs touch, a copy would differ by one
level of 255, so such a text is drawn again each time.
"""

# Matplotlib's renderers and canvases have no types.
# mypy: disable-error-code="no-untyped-call, no-untyped-def"

from __future__ import annotations

import math
import warnings
from collections import OrderedDict
from typing import Any, ClassVar, NamedTuple

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

MOST_STAMPS = 1000
"""How many stamps are kept (a few megabytes); the least recently used one is dropped first."""

ROOM = 4
"""Pixels added around the box of a text, since glyphs may reach out of it."""


class Stamp(NamedTuple):
    """Pixels ``(height, width, 4)``, lowest row first, and their place relative to the text's."""

    pixels: NDArray[np.uint8]
    left: int
    bottom: int


def canvas_of(figure: Figure) -> FigureCanvasAgg:
    """The figure's canvas; from matplotlib 3.11 on it is a :class:`StampingCanvas`."""
    wanted = StampingCanvas if matplotlib.__version_info__ >= (3, 11) else FigureCanvasAgg
    canvas = figure.canvas
    return canvas if isinstance(canvas, wanted) else wanted(figure)


def drawn(canvas: FigureCanvasAgg) -> NDArray[np.uint8]:
    """Draw the canvas and return its pixels, ``(height, width, 4)``.

    Without matplotlib's warnings about letters that its font lacks and that are drawn as boxes: the
    names of users have such letters, and the page shows them in full.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from")
        canvas.draw()
    return np.asarray(canvas.buffer_rgba())


class StampingRenderer(RendererAgg):
    """Agg's renderer, which draws all texts but those set by TeX as stamps."""

    _stamps: ClassVar[OrderedDict[Any, Stamp | None]] = OrderedDict()

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None) -> None:
        if ismath == "TeX":
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        column, row = math.floor(x), math.floor(y)
        between = x - column, y - row
        look = gc.get_rgb(), gc.get_alpha(), gc.get_antialiased(), self.dpi
        key = s, angle, ismath, between, look, _font(prop), _features(mtext)
        if key in self._stamps:
            self._stamps.move_to_end(key)
        else:
            self._stamps[key] = self._stamp(gc, between, s, prop, angle, ismath, mtext)
            if len(self._stamps) > MOST_STAMPS:
                self._stamps.popitem(last=False)
        stamp = self._stamps[key]
        if stamp is None:
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
        else:
            bottom = self.height - (row + stamp.bottom)
            self.draw_image(gc, column + stamp.left, bottom, stamp.pixels)

    def _stamp(self, gc, between, s, prop, angle, ismath, mtext) -> Stamp | None:
        """The stamp of a text, or None if on white it would differ from the text itself."""
        left, right, above, below = self._around(s, prop, angle, ismath)
        size = left + right, above + below
        clear, drawn, stamped = (RendererAgg(*size, self.dpi) for _ in range(3))
        ink = clear.new_gc()
        ink.copy_properties(gc)
        ink.set_clip_rectangle(None)
        ink.set_clip_path(None)
        for sheet in (drawn, stamped):
            np.asarray(sheet.buffer_rgba())[:] = 255
        for sheet in (clear, drawn):
            at = left + between[0], above + between[1]
            sheet.draw_text(ink, *at, s, prop, angle, ismath, mtext)
        pixels = np.asarray(clear.buffer_rgba())[::-1]  # as images are drawn
        stamped.draw_image(ink, 0, 0, pixels)
        if not np.array_equal(drawn.buffer_rgba(), stamped.buffer_rgba()):
            return None
        return Stamp(pixels.copy(), -left, below)

    def _around(self, s, prop, angle, ismath) -> tuple[int, int, int, int]:
        """How many pixels a text takes left, right, above and below of its point."""
        width, height, descent = self.get_text_width_height_descent(s, prop, ismath=ismath)
        cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        corners = [(x, y) for x in (0.0, width) for y in (-descent, height)]
        across = [x * cos - y * sin for x, y in corners]
        up = [x * sin + y * cos for x, y in corners]
        left, right, above, below = -min(across), max(across), max(up), -min(up)
        return tuple(math.ceil(max(side, 0.0)) + ROOM for side in (left, right, above, below))


class StampingCanvas(FigureCanvasAgg):
    """Agg's canvas on a :class:`StampingRenderer`."""

    _kept: StampingRenderer | None = None

    def get_renderer(self) -> RendererAgg:
        width, height = self.get_width_height(physical=True)
        kept, dpi = self._kept, self.figure.dpi
        if kept is None or (kept.width, kept.height, kept.dpi) != (width, height, dpi):
            kept = self._kept = StampingRenderer(width, height, dpi)
        self.renderer = kept
        return kept


def _font(prop: Any) -> tuple[Any, ...]:
    """All that decides how a font looks, as a value: the properties themselves are mutable."""
    return (
        tuple(prop.get_family()),
        prop.get_style(),
        prop.get_variant(),
        prop.get_weight(),
        prop.get_stretch(),
        prop.get_size(),
        prop.get_file(),
    )


def _features(mtext: Any) -> tuple[Any, ...]:
    """A text's own OpenType features and language."""
    return () if mtext is None else (mtext.get_fontfeatures(), mtext.get_language())
