"""The parts of a Bayesian graph in a scene: cards, and the arrows between them (section 2.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from fgnwidgets.algebra.arrays import Array
from fgnwidgets.bayes.graph import BayesGraph
from fgnwidgets.draw.layout import Layout, layout_bayes
from fgnwidgets.draw.names import state_labels
from fgnwidgets.graphs.nodes import Block
from fgnwidgets.graphs.normal_graph import NormalGraph

from .cards import EDGE, TELLS, CardPart, card, card_size
from .drawing import GraphDrawing, colours
from .routes import routed
from .shape import in_rows
from .spare import boxes_of, spare

APART = 30
"""Least distance between two cards of a row, in pixels."""
STEP = 60.0
"""Pixels of a grid step, in a layout that was told how wide the cards are."""


@lru_cache(maxsize=32)
def bayes_drawing(bayes: BayesGraph, graph: NormalGraph) -> GraphDrawing:
    """The cards of a Bayesian graph and the arrows between them; ``graph`` is its normal form.

    That may have T-junctions for evidence. Places are those of the layout, scaled so that the cards
    have room.
    """
    branches = {name: graph.branch(name) for name in bayes.variables}
    states = {name: state_labels(graph, branch) for name, branch in branches.items()}
    sizes = {name: card_size(states[name], name) for name in bayes.variables}
    highest = max(height for _, height in sizes.values())
    layout, across, down = _laid(bayes, tuple(sizes.items()))
    levels = _levels(layout)
    left = min(x * across - sizes[v][0] / 2 for v, (x, _) in layout.positions.items()) - EDGE
    top = highest / 2 + EDGE - levels[0] * down

    def place(point: tuple[float, float]) -> Array:
        return np.array([point[0] * across - left, point[1] * down + top]).round(1)

    heights = [level * down + top for level in levels]
    hue = colours(graph)
    cards: dict[str, CardPart] = {}
    for name, point in layout.positions.items():
        (x, y), (width, height) = place(point), sizes[name]
        made = card(name, states[name], x - width / 2, y - height / 2)
        cards[branches[name].name] = {**made, "hue": hue.get(name)}
    boxes = {c["variable"]: (c["x"], c["y"], c["w"], c["h"]) for c in cards.values()}
    given = {
        (parent, child): [
            (float(point[0]), float(point[1]))
            for p in layout.paths[f"{parent}->{child}"][1:-1]
            for point in _passing(place(p), heights, highest)
        ]
        for child, parents in bayes.parents.items()
        for parent in parents
    }
    lines: list[CardPart] = []
    ways = routed(boxes, list(given), given=given)
    for (parent, child), way in ways.items():
        block = next(
            (n for n in graph.nodes if isinstance(n, Block) and n.y.variable == child), None
        )
        made = arrow(parent, child, way)
        selects = f"node:{block.name}" if block else None
        lines.append({**made, "hue": hue.get(parent), "selects": selects})
    width = max(x + w for x, _, w, _ in boxes.values()) + EDGE
    height = max(y + h for _, y, _, h in boxes.values()) + EDGE
    taken = [(x, y, x + w, y + h + TELLS) for x, y, w, h in boxes.values()]
    taken += [box for line in lines for box in boxes_of(line["points"])]
    free = spare(tuple(taken), width, height)
    name = f"Bayesian graph of {', '.join(hue)}"
    return GraphDrawing.of(name, lines, [], cards, width, height, free)


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


def arrow(parent: str, child: str, way: list[list[float]]) -> CardPart:
    """The part for an arrow with its points; its tip is at the last."""
    (x, y), (to, lower) = way[-2:]
    long = max(float(np.hypot(to - x, lower - y)), 1e-9)
    return {
        "id": f"edge:{parent}->{child}",
        "kind": "branch",
        "name": f"arrow from {parent} to {child}",
        "points": way,
        "arrow": {
            "x": to,
            "y": lower,
            "towards": [round((to - x) / long, 3), round((lower - y) / long, 3)],
        },
        "ends": [],
        "label": None,
        "messages": [],
        "at": [(way[0][k] + way[-1][k]) / 2 for k in (0, 1)],
    }
