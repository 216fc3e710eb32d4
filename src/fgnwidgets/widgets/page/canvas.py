"""A canvas of matplotlib for pictures that are drawn again and again: it draws only what is new.

Vocabulary
    stamp    the pixels of a text in one font, colour and position relative to the pixel grid
    replay   to draw an axis by the calls of the renderer that it was drawn by before

Matplotlib 3.11 draws texts glyph by glyph, which takes half of the time of a picture. (Earlier
versions draw a text in one piece and are fast.) Here the pixels of a text that comes again are kept
and copied the next time. The picture is exactly matplotlib's: where two glyphs touch, a copy would
differ by one level of 255, so such a text is drawn again each time.

An axis with its ticks, grid and labels takes a third of the time of a picture, most of it to find
out what is where. One that has not changed is replayed, by the same calls with the same numbers.

How the lines of a text lie about its point follows from its words, font and alignment. Matplotlib
works it out for every text of every picture; here it is kept, too.
"""

# Matplotlib's renderers and canvases have no types.
# mypy: disable-error-code="no-untyped-call, no-untyped-def"

from __future__ import annotations

import math
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar, NamedTuple
from weakref import WeakKeyDictionary

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axis import Axis, Tick, XAxis, YAxis
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.typing import NDArray

MOST_STAMPS = 1000
"""The most stamps that are kept (a few megabytes); the least recently used one is dropped first."""

ROOM = 4
"""Pixels added around the box of a text, since glyphs may reach out of it."""


CALLS = ("draw_path", "draw_markers", "draw_image", "draw_path_collection")
"""The calls of a renderer while an axis is drawn; texts are noted where they are drawn."""


Around = tuple[int, int, int, int]
"""Pixels that a text takes left, right, above and below of its point."""


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
    with warnings.catch_warnings(), replaying(canvas):
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from")
        canvas.draw()
    return np.asarray(canvas.buffer_rgba())


class StampingRenderer(RendererAgg):
    """Agg's renderer, which draws all texts but those set by TeX as stamps."""

    _stamps: ClassVar[OrderedDict[Any, Stamp | Around]] = OrderedDict()
    _drawn: ClassVar[OrderedDict[Any, Any]] = OrderedDict()  # with its ground, where glyphs touch
    _met: ClassVar[OrderedDict[Any, None]] = OrderedDict()  # texts that were drawn once
    calls: list[tuple[Any, tuple[Any, ...]]] | None = None  # those of an axis that is being noted

    def noting(self, draw: Callable[[], None]) -> list[tuple[Any, tuple[Any, ...]]]:
        """Draw, and return the calls of this renderer that did it."""
        calls: list[tuple[Any, tuple[Any, ...]]] = []

        def noted(call: Any) -> Any:
            def act(*arguments: Any) -> Any:
                if self.calls is not None:
                    calls.append((call, arguments))
                return call(*arguments)

            return act

        before = {name: getattr(self, name) for name in CALLS}
        own = {name for name in CALLS if name in self.__dict__}
        self.calls = calls
        for name, call in before.items():
            setattr(self, name, noted(call))
        try:
            draw()
        finally:
            self.calls = None
            for name, call in before.items():
                if name in own:
                    setattr(self, name, call)
                else:
                    delattr(self, name)
        return calls

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None) -> None:
        calls, self.calls = self.calls, None  # a text is one call, whatever it is drawn by
        text = gc, x, y, s, prop, angle, ismath, mtext
        if calls is not None:
            calls.append((self.draw_text, text))
        try:
            if ismath == "TeX":
                super().draw_text(*text)
            else:
                self._draw_again(*text)
        finally:
            self.calls = calls

    def _draw_again(self, gc, x, y, s, prop, angle, ismath, mtext) -> None:
        column, row = math.floor(x), math.floor(y)
        between = x - column, y - row
        look = gc.get_rgb(), gc.get_alpha(), gc.get_antialiased(), self.dpi
        key = s, angle, ismath, between, look, _font(prop), _features(mtext)
        text = gc, x, y, s, prop, angle, ismath, mtext
        if key not in self._stamps and key not in self._met:
            _keep(self._met, key, None)  # most numbers are seen once: they are not worth a stamp
            super().draw_text(*text)
            return
        if key not in self._stamps:
            _keep(self._stamps, key, self._stamp(gc, between, s, prop, angle, ismath, mtext))
        self._stamps.move_to_end(key)
        stamp = self._stamps[key]
        if isinstance(stamp, Stamp):
            bottom = self.height - (row + stamp.bottom)
            self.draw_image(gc, column + stamp.left, bottom, stamp.pixels)
        else:
            self._on_its_ground(key, (column, row), stamp, text)

    def _on_its_ground(self, key, at, around, text) -> None:
        """Draw a text whose glyphs touch: by a copy where its ground is of one colour, as then."""
        (column, row), (left, right, above, below) = at, around
        rows = slice(row - above, row + below)
        columns = slice(column - left, column + right)
        pixels = np.asarray(self.buffer_rgba())
        inside = rows.start >= 0 and rows.stop <= len(pixels)
        inside = inside and columns.start >= 0 and columns.stop <= pixels.shape[1]
        if not inside or text[0].get_clip_rectangle() is not None:
            super().draw_text(*text)
            return
        there = pixels[rows, columns]
        ground = there[0, 0].tobytes()
        if not (there == there[0, 0]).all():
            super().draw_text(*text)
        elif (known := self._drawn.get((key, ground))) is not None:
            there[:] = known
        else:
            super().draw_text(*text)
            _keep(self._drawn, (key, ground), there.copy())

    def _stamp(self, gc, between, s, prop, angle, ismath, mtext) -> Stamp | Around:
        """The stamp of a text; the room that it takes if on white it would differ from the text."""
        left, right, above, below = self._around(s, prop, angle, ismath)
        size = left + right, above + below
        clear, drawn, stamped = (RendererAgg(*size, self.dpi) for _ in range(3))
        ink = clear.new_gc()
        ink.copy_properties(gc)
        ink.set_clip_rectangle(None)
        ink.set_clip_path(None)
        for renderer in (drawn, stamped):
            np.asarray(renderer.buffer_rgba())[:] = 255
        for renderer in (clear, drawn):
            at = left + between[0], above + between[1]
            renderer.draw_text(ink, *at, s, prop, angle, ismath, mtext)
        pixels = np.asarray(clear.buffer_rgba())[::-1]  # as images are drawn
        stamped.draw_image(ink, 0, 0, pixels)
        if not np.array_equal(drawn.buffer_rgba(), stamped.buffer_rgba()):
            return left, right, above, below
        return Stamp(pixels.copy(), -left, below)

    def _around(self, s, prop, angle, ismath) -> Around:
        """The pixels that a text takes left, right, above and below of its point."""
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

    def __init__(self, figure: Figure) -> None:
        super().__init__(figure)
        self.known: WeakKeyDictionary[Axis, tuple[Any, Any, Any]] = WeakKeyDictionary()
        """The looks of each axis, the renderer that it was drawn by, and its calls."""

    def get_renderer(self) -> RendererAgg:
        width, height = self.get_width_height(physical=True)
        kept, dpi = self._kept, self.figure.dpi
        if kept is None or (kept.width, kept.height, kept.dpi) != (width, height, dpi):
            kept = self._kept = StampingRenderer(width, height, dpi)
        self.renderer = kept
        return kept


@contextmanager
def replaying(canvas: FigureCanvasAgg) -> Iterator[None]:
    """Inside, axes of a figure that have not changed are drawn by the calls that are known."""
    if not isinstance(canvas, StampingCanvas):
        yield
        return
    every: list[Any] = [axis for ax in canvas.figure.axes for axis in (ax.xaxis, ax.yaxis)]
    plain = [axis for axis in every if type(axis) in (XAxis, YAxis)]
    for axis in plain:
        axis.draw = partial(_replayed, canvas, axis)
    try:
        with laid_out(_texts(canvas.figure)):
            yield
    finally:
        for axis in plain:
            del axis.draw


_LAYOUTS: OrderedDict[Any, Any] = OrderedDict()
"""How texts lie about their points."""


@contextmanager
def laid_out(texts: list[Any]) -> Iterator[None]:
    """Inside, texts that look as some did before have their layout."""
    for text in texts:
        text._get_layout = partial(_layout, text)
    try:
        yield
    finally:
        for text in texts:
            text.__dict__.pop("_get_layout", None)


def _texts(figure: Figure) -> list[Any]:
    """The texts of a figure and of its visible axes, but for those of their axis."""
    found: list[Any] = list(figure.texts)
    every: list[Any] = figure.axes
    for ax in every:
        if ax.get_visible():
            found += [*ax.texts, ax.title, ax._left_title, ax._right_title]
    return [text for text in found if type(text) is Text]


def _layout(text: Any, renderer: Any) -> Any:
    """``Text._get_layout``, by that of a text that looked the same."""
    lay_out = type(text)._get_layout
    if text.get_wrap() or text.get_usetex() or not isinstance(renderer, StampingRenderer):
        return lay_out(text, renderer)
    key = (
        *_looks(text)[:-2],  # all but its colour and opacity
        *(text.get_rotation_mode(), text._multialignment, text._linespacing),
        *(text.get_parse_math(), _features(text), renderer.dpi),
    )
    known = _LAYOUTS.get(key)
    if known is None:
        known = lay_out(text, renderer)
        _keep(_LAYOUTS, key, known)
    else:
        _LAYOUTS.move_to_end(key)
    return known


def _replayed(canvas: StampingCanvas, axis: Any, renderer: RendererAgg) -> None:
    """Draw an axis, by the calls of the last time if it looks as it did then."""
    draw = type(axis).draw
    grouped = axis.get_figure()._align_label_groups[axis.axis_name].get_siblings(axis.axes)
    if not axis.get_visible() or len(grouped) > 1 or not isinstance(renderer, StampingRenderer):
        draw(axis, renderer)
        return
    look = _look(axis)
    known = canvas.known.get(axis)
    if known is not None and known[0] == look and known[1] is renderer:
        for call, arguments in known[2]:
            call(*arguments)
        axis.stale = False
        return
    labels = [label for tick in axis._update_ticks() for label in (tick.label1, tick.label2)]
    with laid_out([axis.label, *labels]):
        calls = renderer.noting(lambda: draw(axis, renderer))
    canvas.known[axis] = look, renderer, calls


def _look(axis: Any) -> tuple[Any, ...]:
    """All that decides how an axis is drawn."""
    ax = axis.axes
    ticks = axis._update_ticks()
    return (
        ax.bbox.bounds,
        ax.get_figure().dpi,
        axis.get_view_interval().tobytes(),
        axis.get_scale(),
        ax.patch.get_facecolor(),
        *((tick.get_loc(), tick.get_pad(), *map(_looks, _parts(tick))) for tick in ticks),
        _looks(axis.label),
        _placed(axis),
        axis.labelpad,
        axis.major.formatter.get_offset(),
        _looks(axis.offsetText),
    )


def _placed(axis: Any) -> Any:
    """The place of an axis label; its distance follows from the ticks, unless it is set."""
    at = axis.label.get_position()
    return ("auto", at[axis.axis_name == "y"]) if axis._autolabelpos else at


def _parts(tick: Tick) -> tuple[Artist, ...]:
    return tick.gridline, tick.tick1line, tick.tick2line, tick.label1, tick.label2


def _looks(artist: Any) -> Any:
    """The looks of a line or a text of an axis, but for its place."""
    if not artist.get_visible():
        return None
    if isinstance(artist, Text):
        own = artist.get_text(), _font(artist.get_fontproperties()), artist.get_rotation()
        align = artist.get_horizontalalignment(), artist.get_verticalalignment()
        return *own, *align, artist.get_color(), artist.get_alpha()
    return (
        *(artist.get_color(), artist.get_linestyle(), artist.get_linewidth(), artist.get_alpha()),
        *(artist.get_marker(), artist.get_markersize(), artist.get_markeredgewidth()),
        *(artist.get_markeredgecolor(), artist.get_zorder()),
    )


def _keep(known: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    """Keep a value; the one that was used least recently goes where there are too many."""
    known[key] = value
    if len(known) > MOST_STAMPS:
        known.popitem(last=False)


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
