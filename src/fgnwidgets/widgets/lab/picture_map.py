"""A map of what a picture shows, so that its page can answer a pointer without Python.

Vocabulary
    map        for each pair of axes its box in pixels of the page and its limits; for each curve
               where its numbers are
    curve      a line, points, or cells; its label says what they belong to, such as a rule
    cells      rectangles that each show a value: the bars of a chart, the cells of a matrix
    by epoch   whether x counts epochs; then the page has a cursor that can be dragged

The numbers of all curves are one string of bytes, 32-bit floats in data coordinates; box and limits
tell the page where on the picture they are. What is not drawn in data coordinates is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import (
    Collection,
    LineCollection,
    PathCollection,
    PolyCollection,
    QuadMesh,
)
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from numpy.typing import NDArray

EPOCHS = ("epoch", "iteration", "round")
"""First words of the label of an x axis that counts epochs."""

BY_EPOCH = "epoch"
"""The gid of an artist whose x counts epochs, whatever the label of its axis."""

SCALES = ("linear", "log")

MOST = 12_000
"""A curve with more numbers than this is thinned, so that the map is small."""

Map = dict[str, Any]
Values = NDArray[np.float32]


def picture_map(
    figure: Figure, fine: float = 1.0, steps: Sequence[str] = EPOCHS
) -> tuple[Map, bytes]:
    """The map of a figure that was drawn with ``fine`` pixels for one of the page, and its numbers.

    ``steps`` are the words with which a label of x begins that counts steps of a run.

    The map is ``{"axes": [...], "curves": [...], "ground": ...}``. The numbers of a curve begin at
    index ``start``: ``count`` of x, then for each of its ``parts`` as many of y. Those of cells are
    ``x0, y0, x1, y1`` and the value. Cells may have ``names``, for each its own name and those of
    what it belongs to; those of a matrix have ``heat``.
    """
    high = figure.bbox.height / fine
    shown: list[Map] = []
    curves: list[Map] = []
    values: list[NDArray[np.float32]] = []
    start = 0
    for ax in mapped_axes(figure):
        for curve, own in _curves(ax, steps):
            parts = 4 if curve["kind"] == "cells" else len(own) - 1
            if own.size > MOST and "names" not in curve:
                own = own[:, :: 1 + own.size // MOST]
            place = {"axes": len(shown), "start": start, "count": own.shape[1], "parts": parts}
            curves.append({**curve, **place})
            values.append(own.ravel())
            start += own.size
        shown.append(_axes(ax, fine, high, steps))
    ground = to_hex(figure.get_facecolor())
    return {"axes": shown, "curves": curves, "ground": ground}, b"".join(
        v.tobytes() for v in values
    )


def mapped_axes(figure: Figure) -> list[Axes]:
    """The axes of a figure that have a place in its map, in order."""
    return [
        ax
        for ax in figure.axes
        if ax.get_visible()
        and ax.get_xscale() in SCALES
        and ax.get_yscale() in SCALES
        and next(_curves(ax, EPOCHS), None) is not None
    ]


def _axes(ax: Axes, fine: float, high: float, steps: Sequence[str]) -> Map:
    """The box and limits of a pair of axes; ``high`` is the height of the picture on the page."""
    box = ax.bbox
    return {
        "box": [box.x0 / fine, high - box.y1 / fine, box.x1 / fine, high - box.y0 / fine],
        "x": [*map(float, ax.get_xlim()), ax.get_xscale()],
        "y": [*map(float, ax.get_ylim()), ax.get_yscale()],
        "title": ax.get_title(loc="left") or ax.get_ylabel(),
        "xlabel": _plain(ax.get_xlabel()) if ax.axison else "",
        "label": ax.get_xlabel(),
        "unit": next((word for word in steps if ax.get_xlabel().startswith(word)), "epoch"),
    }


def _curves(ax: Axes, steps: Sequence[str]) -> Iterator[tuple[Map, Values]]:
    """The curves on a pair of axes with their numbers: a row of x, then rows of y."""
    timed = ax.get_xlabel().startswith(tuple(steps))
    for line in ax.lines:
        if line.get_transform() is not ax.transData or not line.get_visible():
            continue
        kind = "line" if line.get_linestyle() not in ("None", "none", " ", "") else "points"
        epochs = kind == "line" and (timed or line.get_gid() == BY_EPOCH)
        at = np.asarray(line.get_xydata(), dtype=np.float32).T
        if at.size:
            yield _named(line, kind, line.get_color(), epochs), at
    for bars in ax.containers:
        if isinstance(bars, BarContainer):
            yield from _bars(ax, bars)
    for artist in ax.collections:
        if not artist.get_visible():
            continue
        if artist.get_transform() is not ax.transData:
            yield from _scattered(ax, artist)
        elif isinstance(artist, LineCollection):
            yield from _bundles(artist, timed or artist.get_gid() == BY_EPOCH)
        elif isinstance(artist, ContourSet | PathCollection):
            yield from _contours(artist)
        elif isinstance(artist, QuadMesh):
            yield from _mesh(artist)
        elif isinstance(artist, PolyCollection) and artist.get_array() is not None:
            yield from _cells(artist)


def _bundles(artist: LineCollection, epochs: bool) -> Iterator[tuple[Map, Values]]:
    """The lines of a collection, as one curve with several parts if all have the same x."""
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
    """The rectangles of a collection, as two opposite corners, with their values."""
    corners = [np.asarray(path.vertices) for path in artist.get_paths()]
    if corners:
        low = np.stack([v.min(axis=0) for v in corners])
        high = np.stack([v.max(axis=0) for v in corners])
        value: NDArray[Any] = np.ma.filled(np.ma.asarray(artist.get_array()), np.nan).ravel()
        both = np.vstack([low.T, high.T, value]).astype(np.float32)
        yield {**_named(artist, "cells", "black", False), "heat": True}, both


def _contours(artist: ContourSet | PathCollection) -> Iterator[tuple[Map, Values]]:
    """The contour lines, each as a curve; areas without an edge are none."""
    colors = artist.get_edgecolor()
    if not len(colors):
        return
    for k, path in enumerate(artist.get_paths()):
        for line in path.to_polygons(closed_only=False):
            color = colors[k % len(colors)]
            yield _named(artist, "line", color, False), np.asarray(line, dtype=np.float32).T


def _mesh(artist: QuadMesh) -> Iterator[tuple[Map, Values]]:
    """The cells of a matrix, row by row."""
    at = np.asarray(artist.get_coordinates())
    value: Values = np.ma.filled(np.ma.asarray(artist.get_array()), np.nan)
    corners = at[:-1, :-1].reshape(-1, 2), at[1:, 1:].reshape(-1, 2)
    both = np.vstack([corners[0].T, corners[1].T, value.ravel()]).astype(np.float32)
    curve = {**_named(artist, "cells", "black", False), "heat": True}
    yield _parted(artist, curve, both.shape[1]), both


def heat_maps(ax: Axes) -> Iterator[tuple[Collection, Map, Values]]:
    """The heat maps on a pair of axes: artist, curve and numbers of each."""
    for artist in ax.collections:
        if not artist.get_visible() or artist.get_transform() is not ax.transData:
            continue
        if isinstance(artist, QuadMesh):
            found = _mesh(artist)
        elif isinstance(artist, PolyCollection) and artist.get_array() is not None:
            found = _cells(artist)
        else:
            continue
        for curve, values in found:
            yield artist, curve, values


def _bars(ax: Axes, bars: BarContainer) -> Iterator[tuple[Map, Values]]:
    """Bars as cells whose values are their lengths."""
    shown = [bar for bar in bars.patches if bar.get_data_transform() is ax.transData]
    if len(shown) == len(bars.patches) > 0:
        boxes = np.array([bar.get_bbox().extents for bar in shown]).T
        upright = bars.orientation != "horizontal"
        value = boxes[3] - boxes[1] if upright else boxes[2] - boxes[0]
        curve = _named(bars, "cells", shown[0].get_facecolor(), False)
        yield _parted(bars, curve, len(shown)), np.vstack([boxes, value]).astype(np.float32)


def _parted(artist: Any, curve: Map, count: int) -> Map:
    """The curve with the names that :func:`~fgnwidgets.draw.names.name_parts` gave its parts."""
    names = getattr(artist, "part_names", ())
    return {**curve, "names": names} if len(names) == count else curve


def _plain(text: str) -> str:
    """A label without TeX markup, as the page shows it."""
    return re.sub(r"[${}_]", "", text.replace(r"\theta", "θ")) if "$" in text else text


def _scattered(ax: Axes, artist: Collection) -> Iterator[tuple[Map, Values]]:
    """The points of a scatter plot."""
    at = np.ma.filled(artist.get_offsets(), np.nan)
    if artist.get_offset_transform() is ax.transData and len(at):
        colors = np.asarray(artist.get_facecolor())
        color = colors[0] if len(colors) else "black"
        yield _named(artist, "points", color, False), at.T.astype(np.float32)


def _named(artist: Any, kind: str, color: Any, epochs: bool) -> Map:
    """The map of a curve: label, kind and colour."""
    label = str(artist.get_label())
    own = "" if label.startswith("_") else label
    return {"label": own, "kind": kind, "color": to_hex(color), "byEpoch": epochs}
