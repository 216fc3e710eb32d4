"""The parts of a Bayesian graph in a scene: cards, and the arrows between them (section 2.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from fgnwidgets.border.bayes import BayesGraph
from fgnwidgets.draw.layout import Layout, layout_bayes
from fgnwidgets.draw.names import state_labels
from fgnwidgets.engine.arrays import Array
from fgnwidgets.engine.messages import Messages
from fgnwidgets.engine.nodes import Block

from .cards import EDGE, CardPart, card, card_size
from .film import Round
from .shape import in_rows
from .why import why_belief

APART = 30
"""Least distance between two cards of a row, in pixels."""
STEP = 60.0
"""Pixels of a grid step, in a layout that was told how wide the cards are."""


def arrows(
    bayes: BayesGraph, at: Round, seen: Mapping[str, Any], prior: Messages | None
) -> tuple[list[CardPart], float, float]:
    """The arrows and cards of a Bayesian graph, and the width and height of the drawing.

    Places are those of the layout, scaled so that the cards have room.
    """
    graph = at.messages.graph
    states = {name: state_labels(graph, graph.branch(name)) for name in bayes.variables}
    sizes = {name: card_size(states[name], name) for name in bayes.variables}
    highest = max(height for _, height in sizes.values())
    layout, across, down = _laid(bayes, tuple(sizes.items()))
    levels = _levels(layout)
    left = min(x * across - sizes[v][0] / 2 for v, (x, _) in layout.positions.items()) - EDGE
    top = highest / 2 + EDGE - levels[0] * down

    def place(point: tuple[float, float]) -> Array:
        return np.array([point[0] * across - left, point[1] * down + top]).round(1)

    heights = [level * down + top for level in levels]
    lines, cards = [], []
    for name, point in layout.positions.items():
        (x, y), (width, height) = place(point), sizes[name]
        before = None if prior is None else prior[name].p[:, 0]
        belief = at.messages[name].p[:, 0]
        made = card(
            name,
            states[name],
            belief,
            before,
            seen.get(name),
            x - width / 2,
            y - height / 2,
            why_belief(at.messages, graph.branch(name).name),
        )
        cards.append({**made, "of": name})
    for child, parents in bayes.parents.items():
        block = next(
            (n for n in graph.nodes if isinstance(n, Block) and n.y.variable == child), None
        )
        for parent in parents:
            bends = [place(p) for p in layout.paths[f"{parent}->{child}"][1:-1]]
            inner = [point for bend in bends for point in _passing(bend, heights, highest)]
            ends = place(layout.positions[parent]), place(layout.positions[child])
            leave = _port if inner else _border
            start = leave(ends[0], [*inner, ends[1]][0], sizes[parent])
            stop = leave(ends[1], [ends[0], *inner][-1], sizes[child])
            lines.append(_arrow(parent, child, block, [start, *inner, stop]))
    width = max(part["x"] + part["w"] for part in cards) + EDGE
    return [*lines, *cards], width, max(part["y"] + part["h"] for part in cards) + EDGE


def _levels(layout: Layout) -> list[float]:
    """The different heights at which variables lie, from the top."""
    return sorted({round(y, 3) for _, y in layout.positions.values()})


@lru_cache(maxsize=32)
def _laid(
    bayes: BayesGraph, sizes: tuple[tuple[str, tuple[float, float]], ...]
) -> tuple[Layout, float, float]:
    """The layout, and the pixels of a grid step across and down; many children stand in rows.

    Cached, since evidence and matrices do not change it.
    """
    widths = {name: width for name, (width, _) in sizes}
    highest = max(height for _, (_, height) in sizes)

    def laid(rows: int) -> tuple[Layout, float, float]:
        cards = {name: width / 2 / STEP for name, width in widths.items()} if rows > 1 else {}
        layout = layout_bayes(bayes, rows=rows, wide=cards)
        down = (highest + 56) / min(np.diff(_levels(layout)), default=1.0)
        return layout, STEP if cards else _across(layout, widths), down

    def extent(of: tuple[Layout, float, float]) -> tuple[float, float]:
        layout, across, down = of
        levels = _levels(layout)
        return layout.width * across, (levels[-1] - levels[0]) * down + highest

    return in_rows(laid, extent)


def _across(layout: Layout, widths: Mapping[str, float]) -> float:
    """Pixels of a grid step across.

    As few as keep the cards of a row apart from each other and from the arrows that pass between
    them, but no more than if all cards were as wide as the widest.
    """
    rows: dict[float, list[tuple[float, float]]] = {}
    for name, (x, y) in layout.positions.items():
        rows.setdefault(round(y, 3), []).append((x, widths[name] / 2))
    gaps = [np.diff(sorted(x for x, _ in row)).min() for row in rows.values() if row[1:]]
    for path in layout.paths.values():
        for (x, y), (to, lower) in pairwise(path):
            top, foot = min(y, lower), max(y, lower)
            for level, row in rows.items():
                if top + 1e-6 < level < foot + 1e-6:
                    row.append((x + (to - x) * (level - y) / (lower - y), 0.0))
    needed = [
        (half + other + APART) / (to - x)
        for row in rows.values()
        for (x, half), (to, other) in pairwise(sorted(row))
        if to > x and half + other
    ]
    return min(max(needed, default=np.inf), (max(widths.values()) + APART) / min(gaps, default=1.0))


def _passing(bend: Array, heights: Sequence[float], highest: float) -> list[Array]:
    """The points of a bend; one in a row of cards becomes two, above and below the row."""
    away = np.array([0.0, highest / 2 + 8])
    if any(abs(bend[1] - height) < 1 for height in heights):
        return [bend - away, bend + away]
    return [bend]


def _border(centre: np.ndarray, towards: np.ndarray, size: tuple[float, float]) -> Array:
    """Where the line from a card's centre leaves the card."""
    way = towards - centre
    scale = min(
        half / abs(d) for half, d in zip(np.array(size) / 2 + 3, way, strict=True) if abs(d) > 1e-9
    )
    edge: Array = centre + way * min(scale, 1.0)
    return edge


def _port(centre: np.ndarray, towards: np.ndarray, size: tuple[float, float]) -> Array:
    """The middle of the lower or upper side, from where a bent line clears the cards beside."""
    return np.array([centre[0], centre[1] + np.copysign(size[1] / 2 + 3, towards[1] - centre[1])])


def _arrow(parent: str, child: str, block: Block | None, path: list[np.ndarray]) -> CardPart:
    """The part for an arrow; a click on it selects the block of its child."""
    way = path[-1] - path[-2]
    towards = way / max(float(np.hypot(*way)), 1e-9)
    middle = (path[0] + path[-1]) / 2
    return {
        "id": f"edge:{parent}->{child}",
        "kind": "branch",
        "selects": f"node:{block.name}" if block else None,
        "name": f"arrow from {parent} to {child}",
        "of": parent,
        "points": [[round(float(v), 1) for v in point] for point in path],
        "arrow": {
            "x": round(float(path[-1][0]), 1),
            "y": round(float(path[-1][1]), 1),
            "towards": [round(float(v), 3) for v in towards],
        },
        "ends": [],
        "label": None,
        "messages": [],
        "at": [float(v) for v in middle],
    }
