"""Places of the cards in a graph editor.

A place is the centre of a card, in pixels at scale one. Cards stay where they are until they are
moved by hand. A new card takes the first free place, and ``tidied`` places all anew, in layers with
parents above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from fgnwidgets.draw.layered import layered

from ..graph.cards import EDGE, card_size
from .document import Document, Point, parents_of

UNIT = 60.0
"""Pixels of a grid step of the layered layout."""

DOWN = 36
"""Distance between two layers, with room for arrows."""

RIGHT, DOWNWARDS = 20, 26
"""Distances between the places that are tried for a new card."""

ACROSS = 646
"""Width in which new cards are placed: on a laptop there are 660 pixels beside the panel."""

WIDEST = 606
"""Greatest width of a row in ``tidied``, so that arrows can pass at its sides."""

LANE = 22
"""Empty width at the left of such a row."""

GAP, BETWEEN = 26, 34
"""Distance between two cards of a row, and between two rows of a layer."""

HANDLE = 16
"""The reach of a card's handle, from which one draws arrows, below the card."""

BESIDE = 12
"""Least empty space around a card that is put at a place by hand, and its handle."""

REACH, STEPS = 40, 20
"""Steps to each side, and pixels of a step, in which a free place near a point is looked for."""


def states_shown(doc: Document, name: str) -> list[str]:
    """The labels of a variable's states, or their indices."""
    assert doc.graph is not None
    branch = doc.graph.variables[name]
    return [str(state) for state in branch.states or range(branch.size)]


def size(doc: Document, name: str) -> tuple[float, float]:
    """Width and height of a variable's card."""
    return card_size(states_shown(doc, name), name)


def free_place(doc: Document, name: str, near: Sequence[float] | None = None) -> Point:
    """A place at which a variable's card covers no other card and no handle.

    It is the nearest one to ``near``, or by default the first one, row by row.
    """
    width, height = size(doc, name)
    others = [(doc.places[v], size(doc, v)) for v in doc.variables if v in doc.places and v != name]
    if near is not None and (found := _nearest(near, (width, height), others)):
        return found
    steps = range(1 + max(0, int(ACROSS - EDGE - width) // RIGHT))
    for row in count():
        for k in steps:
            at = (EDGE + width / 2 + RIGHT * k, EDGE + height / 2 + DOWNWARDS * row)
            if not any(
                abs(at[0] - x) < (width + w) / 2 + EDGE
                and abs(at[1] - y) < (height + h) / 2 + 2 * EDGE
                for (x, y), (w, h) in others
            ):
                return at
    raise AssertionError("rows have no end")


def _nearest(
    near: Sequence[float], own: tuple[float, float], others: list[tuple[Point, tuple[float, float]]]
) -> Point | None:
    """The free place nearest to a point, or None far and wide."""
    width, height = own
    steps = np.arange(-REACH, REACH + 1) * STEPS
    at = np.stack(np.meshgrid(float(near[0]) + steps, float(near[1]) + steps), -1).reshape(-1, 2)
    at = np.maximum(at, [width / 2 + 1, height / 2 + 1])
    free = np.ones(len(at), dtype=bool)
    for (x, y), (w, h) in others:
        beside = np.abs(at[:, 0] - x) >= (width + w) / 2 + BESIDE
        below = np.abs(at[:, 1] - y) >= (height + h) / 2 + BESIDE + HANDLE
        free &= beside | below
    if not free.any():
        return None
    far = np.where(free, np.hypot(at[:, 0] - float(near[0]), at[:, 1] - float(near[1])), np.inf)
    x, y = at[int(np.argmin(far))]
    return float(x), float(y)


def in_rows(doc: Document) -> Document:
    """All cards placed one after the other, for a graph without arrows."""
    doc = replace(doc, places={})
    for name in doc.variables:
        doc = placed(doc, name)
    return doc


def placed(doc: Document, name: str) -> Document:
    """The document with a variable's card at a free place."""
    return replace(doc, places={**doc.places, name: free_place(doc, name)})


def steady(made: Document, doc: Document, new: str, name: str) -> Document:
    """``made`` with a card's upper left corner where it was in ``doc``, as its size has changed."""
    if name not in doc.places:
        return made
    (x, y), before, now = doc.places[name], size(doc, name), size(made, new)
    at = (x + (now[0] - before[0]) / 2, y + (now[1] - before[1]) / 2)
    return replace(made, places={**made.places, new: at})


def tidied(doc: Document) -> Document:
    """All cards in layers, parents above, with few crossings; a wide layer has several rows."""
    if doc.graph is None:
        return doc
    if not parents_of(doc.graph):
        return in_rows(doc)
    sizes = {name: size(doc, name) for name in doc.variables}
    halves = {name: width / 2 / UNIT for name, (width, _) in sizes.items()}
    at, _, _ = layered(parents_of(doc.graph), halves)
    layers: dict[int, list[str]] = {}
    for name in sorted(at, key=lambda name: at[name]):
        layers.setdefault(at[name][1], []).append(name)
    wide = {k: _long(own, sizes) > WIDEST for k, own in layers.items()}
    places: dict[str, Point] = {}
    top = float(EDGE)
    for k in sorted(layers):
        rows = _rows(layers[k], sizes) if wide[k] else [layers[k]]
        for row in rows:
            high = max(sizes[name][1] for name in row)
            left = -_long(row, sizes) / 2
            for name in row:
                width = sizes[name][0]
                own = left + (GAP + width) / 2
                left += GAP + width
                x = own if any(wide.values()) else UNIT * at[name][0]
                places[name] = (x, top + high / 2)
            top += high + (DOWN if row is rows[-1] else BETWEEN)
    first = min(x - sizes[name][0] / 2 for name, (x, _) in places.items())
    left = LANE if any(wide.values()) else EDGE
    moved = {name: (round(x - first + left, 1), round(y, 1)) for name, (x, y) in places.items()}
    return replace(doc, places=moved)


def _rows(names: list[str], sizes: dict[str, tuple[float, float]]) -> list[list[str]]:
    """The names of a wide layer dealt to rows, so that a card lies below a gap between others."""
    for rows in count(math.ceil(_long(names, sizes) / WIDEST)):
        dealt = [names[k::rows] for k in range(rows)]
        if rows >= len(names) or all(_long(row, sizes) - GAP <= WIDEST for row in dealt):
            return dealt
    raise AssertionError("rows have no end")


def _long(names: list[str], sizes: dict[str, tuple[float, float]]) -> float:
    """The width of a row of cards, with a gap for each."""
    return sum(sizes[name][0] + GAP for name in names)
