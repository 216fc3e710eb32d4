"""The curves of an earlier picture, pale behind those of a later one.

Vocabulary
    pin    a picture whose curves stay while controls are moved: its map and the map's numbers

It works for whatever a function draws, since the curves are those of the picture's map
(:mod:`.picture_map`): lines, points, and the outlines of bars. A cell of a matrix has a small
square in its middle, in the colour that it had: where nothing has changed, the square is not seen.
Limits of axes stay those of the new picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .picture_map import Map, heat_maps, mapped_axes

PALE = 0.45
"""The opacity of what is pinned."""

BEHIND = 1.4
"""The zorder of what is pinned: above grids, below curves."""


INSET = 0.22
"""The inset in a cell of the square of what is pinned, as share of its sides."""


@dataclass(frozen=True, eq=False)
class Pin:
    """The curves of a picture, with what its numbers said and the values of the controls."""

    map: Map
    numbers: bytes


def drawn_behind(figure: Figure, pin: Pin) -> list[Artist]:
    """Add what is pinned to a drawn figure; returns what is to be removed afterwards.

    Axes get the curves of the pinned axes at the same place in order, if both have the same label
    of x; matrices the squares of pinned ones with the same cells.
    """
    numbers = np.frombuffer(pin.numbers, np.float32)
    added: list[Artist] = []
    for number, ax in enumerate(mapped_axes(figure)):
        if number >= len(pin.map["axes"]):
            break
        own = [curve for curve in pin.map["curves"] if curve["axes"] == number]
        for artist, curve, values in heat_maps(ax):
            then = _pinned(curve, values, own, numbers)
            if then is not None:
                added.append(ax.add_collection(_insets(artist, values, then), autolim=False))
        if _alike(ax, pin.map["axes"][number]):
            for curve in own:
                if not curve.get("heat"):
                    added += [ax.add_artist(artist) for artist in _artists(ax, curve, numbers)]
    return added


def with_pinned(found: Map, numbers: bytes, pin: Pin) -> tuple[Map, bytes]:
    """A picture's map and its numbers, in which cells have what was pinned as a further row."""
    now, then = np.frombuffer(numbers, np.float32), np.frombuffer(pin.numbers, np.float32)
    curves, rows, start = [], [numbers], len(now)
    for curve in found["curves"]:
        own = [c for c in pin.map["curves"] if c["axes"] == curve["axes"]]
        values = _rows(curve, now)
        was = _pinned(curve, values, own, then) if curve.get("heat") else None
        if was is not None:
            both = np.vstack([values, was])
            curve = {**curve, "start": start, "parts": len(both) - 1}
            rows.append(both.astype(np.float32).tobytes())
            start += both.size
        curves.append(curve)
    return {**found, "curves": curves}, b"".join(rows)


def _rows(curve: Map, numbers: np.ndarray) -> np.ndarray:
    """The numbers of a curve: a row of x, then rows of y."""
    count = curve["parts"] + 1
    own = numbers[curve["start"] : curve["start"] + count * curve["count"]]
    return own.reshape(count, -1)


def _pinned(
    curve: Map, values: np.ndarray, own: list[Map], numbers: np.ndarray
) -> np.ndarray | None:
    """The pinned values of the cells of a matrix; None if there was none with the same cells."""
    for other in own:
        if other.get("heat") and other["label"] == curve["label"]:
            then = _rows(other, numbers)
            if then.shape[1] == values.shape[1] and np.allclose(then[:4], values[:4], atol=1e-4):
                pinned: np.ndarray = then[4]
                return pinned
    return None


def _insets(artist: Any, values: np.ndarray, then: np.ndarray) -> PolyCollection:
    """The squares inside the cells of a matrix, coloured as the matrix is."""
    x0, y0, x1, y1 = values[:4]
    across, up = INSET * (x1 - x0), INSET * (y1 - y0)
    left, right, low, high = x0 + across, x1 - across, y0 + up, y1 - up
    corners = np.stack([np.stack([left, right, right, left]), np.stack([low, low, high, high])], -1)
    made = PolyCollection(
        list(corners.swapaxes(0, 1)), cmap=artist.cmap, norm=artist.norm, linewidths=0,
        zorder=artist.get_zorder() + 0.1,
    )  # fmt: skip
    made.set_array(then)
    return made


def _alike(ax: Axes, pinned: Map) -> bool:
    return ax.axison and ax.get_xlabel() == pinned["label"] and ax.get_xscale() == pinned["x"][2]


def _artists(ax: Axes, curve: Map, numbers: np.ndarray) -> Iterator[Artist]:
    looks = {"color": curve["color"], "alpha": PALE, "zorder": BEHIND}
    x, *ys = _rows(curve, numbers)
    if curve["kind"] == "cells":
        y0, x1, y1 = ys[:3]
        corners = np.stack([np.stack([x, x1, x1, x, x]), np.stack([y0, y0, y1, y1, y0])], -1)
        yield LineCollection(list(corners.swapaxes(0, 1)), linewidths=1.2, **looks)
        return
    for y in ys:
        line = Line2D(x, y, linewidth=1.4, **looks)
        if curve["kind"] == "points":
            line.set(linestyle="none", marker="o", markersize=4, markerfacecolor="none")
        yield line
