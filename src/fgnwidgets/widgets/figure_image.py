"""A matplotlib figure as an image on a page, drawn again and again.

Vocabulary
    draw    ``draw(result, fig) -> Figure``: draws on the empty figure ``fig``, or with None on a
            new figure. If ``draw.keeps_axes`` is true, ``fig`` still has its last drawing, and
            ``draw`` replaces it itself
    look    what the page tells about itself: whether it is dark, the width and the height that it
            has for the picture, and the number of screen pixels in a pixel of the page

An output area flickers when it is cleared. Here the page keeps one image, of which only the bytes
change. The figure is kept too: to keep its axes with their ticks saves a third of the time.
"""

from __future__ import annotations

import inspect
import struct
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import anywidget
import numpy as np
import traitlets
from matplotlib.figure import Figure
from numpy.typing import NDArray

from fgnwidgets.draw.style import DARK

from .canvas import canvas_of, drawn
from .lock import LOCK
from .picture_map import picture_map
from .scripts import STATIC, script
from .still import still

Draw = Callable[..., Figure]

LEAST, MOST = 0.6, 1.6
"""Limits of the factor by which a figure is scaled to fill the width of the page."""

FINEST = 2.0
"""Most screen pixels drawn for one pixel of the page, since each costs time."""


class FigureImage(anywidget.AnyWidget):
    """An image of what ``draw(result, fig)`` draws, on one kept figure for each ``draw``.

    ``map`` and ``numbers`` describe its axes and curves (:mod:`.picture_map`), so that the page can
    answer a pointer by itself. The picture fills the width of the page; if ``draw`` has an argument
    ``theme``, it gets that of the page. ``text`` says in words what the picture shows and is stored
    beside it in a notebook; ``alt`` says it to a screen reader.
    """

    _esm = script("picture.js")
    _css = STATIC / "lab.css"

    value = traitlets.Bytes().tag(sync=True)
    size = traitlets.List([0, 0]).tag(sync=True)  # width and height in pixels of the page
    map = traitlets.Dict().tag(sync=True)
    numbers = traitlets.Bytes().tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
    look = traitlets.Dict().tag(sync=True)

    def __init__(self) -> None:
        self._figures: dict[Draw, tuple[Figure, float]] = {}  # each with the dpi that it came with
        self._last: tuple[Draw, object, Mapping[str, Any]] | None = None
        self.text = ""
        super().__init__()

    def draw(self, draw: Draw, result: object, **options: Any) -> None:
        """Show ``draw(result, figure, **options)``; if it raises, the last picture stays."""
        with LOCK:
            kept, own = self._figures.get(draw, (None, 0.0))
            if kept is not None and not getattr(draw, "keeps_axes", False):
                kept.clear()
            themed = {"theme": DARK} if self.look.get("dark") and _takes_theme(draw) else {}
            figure = draw(result, kept, **options, **themed)
            own = own if figure is kept else figure.dpi
            scale, fine = self._scale(*(figure.get_size_inches() * own))
            if figure.dpi != own * scale * fine:
                figure.set_dpi(own * scale * fine)
            shown = drawn(canvas_of(figure))[..., :3]
            self._figures[draw] = figure, own
            self._last = draw, result, options
            with self.hold_sync():  # the page gets the size with the bytes, or before them
                self.size = [round(length / fine) for length in shown.shape[1::-1]]
                self.map, self.numbers = picture_map(figure, fine)
                self.value = _frame(shown)

    @property
    def png(self) -> bytes:
        """The bytes of the picture on the page."""
        return bytes(self.value)

    def __repr__(self) -> str:
        return f"FigureImage({self.text!r})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        if self._last is None:
            return data, metadata
        draw, result, options = self._last
        with LOCK:
            kept = {"image/png": still(draw(result, None, **options)), "text/plain": self.text}
        return {**data, **kept}, metadata

    def _scale(self, width: float, height: float) -> tuple[float, float]:
        """The factor by which a figure is enlarged, and the screen pixels in a pixel of the page.

        ``width`` and ``height`` are those of the figure in pixels of the page.
        """
        room, high = self.look.get("width", 0), self.look.get("high", 0)
        fits = min(room / width, (high / height) if high else MOST) if room else 1.0
        return min(max(fits, LEAST), MOST), min(max(self.look.get("ratio", 1.0), 1.0), FINEST)

    @traitlets.observe("look")
    def _look_again(self, change: Any) -> None:
        with LOCK:
            if self._last is not None:
                draw, result, options = self._last
                self.draw(draw, result, **options)


def _takes_theme(draw: Draw) -> bool:
    return "theme" in inspect.signature(draw).parameters


def _frame(rgb: NDArray[np.uint8]) -> bytes:
    """A PNG of pixels ``(height, width, 3)``, made quickly: no filters, compression at level 1.

    Pillow tries five filters on every row, which takes twice the time for a file of the same size.
    """
    height, width, _ = rgb.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # 0 before each row: no filter
    rows[:, 1:] = rgb.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, RGB
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.data, 1)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
