"""A matplotlib figure as an image on a page, drawn again and again.

Vocabulary
    draw     ``draw(result, fig=None) -> Figure``: draws on ``fig``, which is empty, or with None on
             a new figure. If it keeps axes, ``fig`` still has its last drawing, and ``draw``
             replaces it itself
    look     what a view on a page tells about itself: whether it is dark, the width and the height
             that it has for the picture, and the number of screen pixels in a pixel of the page
    view     one of perhaps several places on pages that show the image; the widest decides, and the
             others show its picture smaller

An output area flickers when it is cleared. Here the page keeps one image, of which only the bytes
change. The figure is kept too: to keep its axes with their ticks saves a third of the time.
"""

from __future__ import annotations

import inspect
import struct
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import traitlets
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from fgnwidgets.draw.style import DARK, figure_of

from ..page.canvas import canvas_of, drawn
from ..page.lock import LOCK
from ..page.outputs import output
from ..page.plain import layout
from ..page.scripts import Scripted
from ..page.stored_picture import sharp_picture
from .picture_map import EPOCHS, picture_map
from .pins import Pin, drawn_behind, with_pinned

Draw = Callable[..., Figure]

LEAST, MOST = 0.764, 1.6
"""Limits of the factor by which a figure is scaled to fill the width of the page.

A letter of 8.5 points has nine pixels at the least; where there is less room, the page scrolls."""

FINEST = 2.0
"""Most screen pixels drawn for one pixel of the page, since each costs time."""

INCH = 100.0
"""Pixels of the page in an inch of a figure, at text of its usual size."""


@dataclass(frozen=True)
class Drawing:
    """A function that draws, and what is known of it: :class:`~fgnwidgets.widgets.Pair`."""

    draw: Draw
    keeps_axes: bool = False
    steps: tuple[str, ...] = EPOCHS


class FigureImage(Scripted):
    """An image of what ``draw(result, fig)`` draws, on one kept figure for each ``draw``.

    ``map`` and ``numbers`` describe its axes and curves (:mod:`.picture_map`), so that the page can
    answer a pointer by itself. The picture fills the width of the page; if ``draw`` has an argument
    ``theme``, it gets that of the page, and for ``width`` the inches that it has room for. ``text``
    says in words what the picture shows and is stored beside it in a notebook; ``alt`` says it to a
    screen reader. ``cursor`` is the step of a run at which the page's cursor stands, None without.
    """

    BUNDLE = "picture"

    value = traitlets.Bytes().tag(sync=True)
    size = traitlets.List([0, 0]).tag(sync=True)  # width and height in pixels of the page
    map = traitlets.Dict().tag(sync=True)
    numbers = traitlets.Bytes().tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
    cursor = traitlets.Int(None, allow_none=True).tag(sync=True)
    narrow = traitlets.Bool().tag(sync=True)  # whether it is wider than its room, to be readable
    look = traitlets.Dict()

    def __init__(self) -> None:
        self._figures: dict[Draw, tuple[Figure, float]] = {}  # each with the dpi that it came with
        self._last: tuple[Drawing, object, Mapping[str, Any]] | None = None
        self._looks: dict[str, dict[str, Any]] = {}  # view -> what it tells about itself
        self._views: set[str] = set()  # all that have ever told
        self._pin: Pin | None = None
        self._heard: dict[str, int] = {}  # view -> the number of its last request
        self.text = ""
        super().__init__(layout=layout())
        self.on_msg(self._hear)

    def draw(self, draw: Draw, result: object, **options: Any) -> None:
        """Show ``draw(result, figure, **options)``; if it raises, the last picture stays."""
        self.paint(Drawing(draw, keeps_axes(draw)), result, options)

    def paint(self, drawing: Drawing, result: object, options: Mapping[str, Any]) -> None:
        """Show what a drawing makes of a result; if it raises, the last picture stays."""
        with LOCK:
            draw = drawing.draw
            kept, own = self._figures.get(draw, (None, 0.0))
            if kept is not None and not drawing.keeps_axes:
                kept.clear()
            with no_figure_stays():
                given = self._given(draw, kept)
                figure = read_figure(draw(result, **given, **options), draw)
            own = own if figure is kept else figure.dpi
            scale, fine = self._scale(*(figure.get_size_inches() * own))
            if figure.dpi != own * scale * fine:
                figure.set_dpi(own * scale * fine)
            behind = [] if self._pin is None else drawn_behind(figure, self._pin)
            shown = drawn(canvas_of(figure))[..., :3]
            for artist in behind:
                artist.remove()
            self._figures[draw] = figure, own
            self._last = drawing, result, options
            room = self.look.get("width", 0)
            with self.hold_sync():  # the page gets the size with the bytes, or before them
                self.size = [round(length / fine) for length in shown.shape[1::-1]]
                self.narrow = 0 < room < self.size[0] - 1
                found = picture_map(figure, fine, drawing.steps)
                self.map, self.numbers = (
                    found if self._pin is None else with_pinned(*found, self._pin)
                )
                self.value = _frame(shown)

    def pin(self, pin: Pin | None) -> None:
        """Pin these curves behind all further pictures, or None, and show the picture anew."""
        with LOCK:
            self._pin = pin
            self._again()

    @property
    def shown(self) -> Pin:
        """The curves of the picture shown, to be pinned."""
        return Pin(self.map, bytes(self.numbers))

    @property
    def png(self) -> bytes:
        """The bytes of the picture on the page."""
        return bytes(self.value)

    def __repr__(self) -> str:
        return f"FigureImage({self.text!r})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = output(self, super()._repr_mimebundle_, **kwargs)
        if self._last is None:
            return data, metadata
        drawing, result, options = self._last
        with LOCK, no_figure_stays():
            figure = read_figure(drawing.draw(result, **options), drawing.draw)
            picture, wide = sharp_picture(figure)
        kept = {"image/png": picture, "text/plain": self.text}
        return {**data, **kept}, {**metadata, "image/png": {"width": wide}}

    def _given(self, draw: Draw, kept: Figure | None) -> dict[str, Any]:
        """The values that a drawing function gets, of those that it has an argument for."""
        room = self.look.get("width", 0)
        known = {"fig": kept, "theme": DARK, "width": room / INCH}
        wanted = {"fig": True, "theme": bool(self.look.get("dark")), "width": room > 0}
        taken = inspect.signature(draw).parameters
        return {name: v for name, v in known.items() if wanted[name] and name in taken}

    def _scale(self, width: float, height: float) -> tuple[float, float]:
        """The factor by which a figure is enlarged, and the screen pixels in a pixel of the page.

        ``width`` and ``height`` are those of the figure in pixels of the page.
        """
        room, high = self.look.get("width", 0), self.look.get("high", 0)
        if height > width:  # its parts are stacked, and the page scrolls
            high = 0
        fits = min(room / width, (high / height) if high else MOST) if room else 1.0
        return min(max(fits, LEAST), MOST), min(max(self.look.get("ratio", 1.0), 1.0), FINEST)

    @traitlets.observe("look")
    def _look_again(self, change: Any) -> None:
        self._again()

    def _again(self) -> None:
        """Show the last picture anew, as the page is now."""
        with LOCK:
            if self._last is not None:
                self.paint(*self._last)

    # What pages say

    def _hear(self, _: Any, message: Any, __: Any = None) -> None:
        """Take in what a view says of itself, or where its cursor went, and answer."""
        if not isinstance(message, Mapping) or "request" not in message:
            return
        view, number, fault = str(message.get("from", "")), int(message["request"]), ""
        with LOCK:
            try:
                if number > self._heard.get(view, 0):
                    self._heard[view] = number
                    words: dict[str, Callable[..., None]] = {
                        "look": self._looked,
                        "left": self._left,
                        "cursor": self._pointed,
                    }
                    words[message["do"]](view, **message.get("with", {}))
            except Exception as error:  # raised in a callback, it would be seen only in a log
                fault = str(error) or type(error).__name__
            self.send({"answer": number, "from": view, "fault": fault})

    def _looked(self, view: str, **look: Any) -> None:
        """A view has a look. Of a new one the others hear, so that those that are gone do not
        count."""
        if view not in self._views:
            self._views.add(view)
            others, self._looks = self._looks, {}
            for other in others:
                self.send({"event": "look", "from": other})
        self._looks[view] = look
        self._widest()

    def _left(self, view: str) -> None:
        self._looks.pop(view, None)
        self._widest()

    def _widest(self) -> None:
        if self._looks:
            self.look = max(self._looks.values(), key=lambda look: look.get("width", 0))

    def _pointed(self, view: str, step: int | None) -> None:
        self.cursor = step


def keeps_axes(draw: Draw) -> bool:
    """True if a function says by its attribute that it empties its figure itself."""
    return bool(getattr(draw, "keeps_axes", False))


def read_figure(drawn: Any, draw: Draw) -> Figure:
    """A function's result as a figure; that of axes, too. Raises ``TypeError`` otherwise."""
    if isinstance(drawn, Axes):
        return figure_of(drawn)
    if isinstance(drawn, Figure):
        return drawn
    name = getattr(draw, "__name__", draw)
    raise TypeError(
        f"{name} returned {'None' if drawn is None else f'a {type(drawn).__name__}'}: a matplotlib "
        "Figure was expected. Does it end with return fig?"
    )


@contextmanager
def no_figure_stays() -> Iterator[None]:
    """Close what is drawn inside with pyplot, which would keep every figure and show it again."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    before = set(pyplot.get_fignums()) if pyplot is not None else set()
    try:
        yield
    finally:
        pyplot = sys.modules.get("matplotlib.pyplot")
        for number in set(pyplot.get_fignums()) - before if pyplot is not None else ():
            pyplot.close(number)  # type: ignore[union-attr]


def _frame(rgb: NDArray[np.uint8]) -> bytes:
    """A PNG of pixels ``(height, width, 3)``, made quickly: no filters, compression at level 1.

    Pillow tries five filters on every row, which takes twice the time for a file of the same size.
    ``rgb`` may be a view of pixels with opacity: it is taken in by colours, since three bytes of
    every four in one go take five times as long, nearly as long as the compression.
    """
    height, width, _ = rgb.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # 0 before each row: no filter
    for color in range(3):
        rows[:, 1 + color :: 3] = rgb[..., color]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, RGB
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.data, 1)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
