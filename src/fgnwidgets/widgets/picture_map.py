"""The map that goes with a picture: its axes, curves and points, for a page that answers by itself.

Vocabulary
    map      per pair of axes the box in pixels of the page and the limits; per curve its values
    curve    a line, or points without one; its label says whose it is: a rule, a state
    cells    small squares that show a value each; their labels say whose they are
    by epoch whether x counts epochs, so that a cursor can be dragged through them

Values are those that were drawn, as 32-bit numbers side by side in one string of bytes; where they
lie follows from box and limits, so the page needs no other pixel. Only what lies in plain data
coordinates is on the map.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import Collection, LineCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from numpy.typing import NDArray

EPOCHS = ("epoch", "iteration", "round")
"""How the label of an axis begins along which time goes."""

BY_EPOCH = "epoch"
"""The gid of an artist that counts epochs from its own left end, whatever its axes say."""

SCALES = ("linear", "log")

MOST = 12_000
"""Numbers of one curve, or bundle of curves; a longer one is thinned: a map is light."""

Map = dict[str, Any]
Values = NDArray[np.float32]


def picture_map(figure: Figure, fine: float = 1.0) -> tuple[Map, bytes]:
    """The map of a figure that was drawn, and the values of its curves; ``fine`` as it was drawn.

    ``{"axes": [...], "curves": [...]}``. A curve has its numbers from ``start`` on: ``count`` of x,
    then for each of its ``parts`` as many of y. Cells have ``x0, y0, x1, y1`` and the value.
    """
    high = figure.bbox.height / fine
    shown: list[Map] = []
    curves: list[Map] = []
    values: list[NDArray[np.float32]] = []
    start = 0
    for ax in figure.axes:
        if not ax.get_visible() or ax.get_xscale() not in SCALES or ax.get_yscale() not in SCALES:
            continue
        found = list(_curves(ax))
        for curve, own in found:
            parts = 4 if curve["kind"] == "cells" else len(own) - 1
            own = own[:, :: 1 + own.size // MOST] if own.size > MOST else own
            place = {"axes": len(shown), "start": start, "count": own.shape[1], "parts": parts}
            curves.append({**curve, **place})
            values.append(own.ravel())
            start += own.size
        if found:
            shown.append(_axes(ax, fine, high))
    ground = to_hex(figure.get_facecolor())
    return {"axes": shown, "curves": curves, "ground": ground}, b"".join(
        v.tobytes() for v in values
    )


def _axes(ax: Axes, fine: float, high: float) -> Map:
    box = ax.bbox
    return {
        "box": [box.x0 / fine, high - box.y1 / fine, box.x1 / fine, high - box.y0 / fine],
        "x": [*map(float, ax.get_xlim()), ax.get_xscale()],
        "y": [*map(float, ax.get_ylim()), ax.get_yscale()],
        "title": ax.get_title(loc="left") or ax.get_ylabel(),
        "xlabel": ax.get_xlabel() if ax.axison else "",
    }


def _curves(ax: Axes) -> Iterator[tuple[Map, Values]]:
    """What is on a pair of axes, with its numbers: a row of x, then rows of y."""
    timed = ax.get_xlabel().startswith(EPOCHS)
    for line in ax.lines:
        if line.get_transform() is not ax.transData or not line.get_visible():
            continue
        kind = "line" if line.get_linestyle() not in ("None", "none", " ", "") else "points"
        epochs = kind == "line" and (timed or line.get_gid() == BY_EPOCH)
        at = np.asarray(line.get_xydata(), dtype=np.float32).T
        if at.size:
            yield _named(line, kind, line.get_color(), epochs), at
    for artist in ax.collections:
        if not artist.get_visible():
            continue
        if artist.get_transform() is not ax.transData:
            yield from _scattered(ax, artist)
        elif isinstance(artist, LineCollection):
            yield from _bundles(artist, timed or artist.get_gid() == BY_EPOCH)
        elif isinstance(artist, PolyCollection) and artist.get_array() is not None:
            yield from _cells(artist)


def _bundles(artist: LineCollection, epochs: bool) -> Iterator[tuple[Map, Values]]:
    """The lines of a collection: one bundle where they share their x."""
    lines = [np.asarray(path.vertices, dtype=np.float32).T for path in artist.get_paths()]
    colors = artist.get_colors()
    color = colors[0] if len(colors) else "black"
    if lines and all(
        v.shape == lines[0].shape and np.array_equal(v[0], lines[0][0]) for v in lines
    ):
        both = np.stack([lines[0][0], *(v[1] for v in lines)])
        yield _named(artist, "line", color, epochs), both
        return
    for k, line in enumerate(lines):
        yield _named(artist, "line", colors[k % len(colors)], epochs), line


def _cells(artist: PolyCollection) -> Iterator[tuple[Map, Values]]:
    """Squares with their values, as the corners that lie opposite."""
    corners = [np.asarray(path.vertices) for path in artist.get_paths()]
    if corners:
        low = np.stack([v.min(axis=0) for v in corners])
        high = np.stack([v.max(axis=0) for v in corners])
        value: NDArray[Any] = np.ma.filled(np.ma.asarray(artist.get_array()), np.nan).ravel()
        both = np.vstack([low.T, high.T, value]).astype(np.float32)
        yield _named(artist, "cells", "black", False), both


def _scattered(ax: Axes, artist: Collection) -> Iterator[tuple[Map, Values]]:
    """The points of a scatter plot."""
    at = np.ma.filled(artist.get_offsets(), np.nan)
    if artist.get_offset_transform() is ax.transData and len(at):
        colors = np.asarray(artist.get_facecolor())
        color = colors[0] if len(colors) else "black"
        yield _named(artist, "points", color, False), at.T.astype(np.float32)


def _named(artist: Any, kind: str, color: Any, epochs: bool) -> Map:
    label = str(artist.get_label())
    own = "" if label.startswith("_") else label
    return {"label": own, "kind": kind, "color": to_hex(color), "byEpoch": epochs}
