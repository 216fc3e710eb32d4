"""The parts of a Bayesian graph: cards, and the arrows between them (section 2.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fgnwidgets.border.bayes import BayesGraph
from fgnwidgets.draw.layout import layout_bayes
from fgnwidgets.draw.names import state_labels
from fgnwidgets.engine.arrays import Array
from fgnwidgets.engine.messages import Messages
from fgnwidgets.engine.nodes import Block

from .cards import EDGE, Part, card, card_size
from .film import Round
from .why import why_belief


def arrows(
    bayes: BayesGraph, at: Round, seen: Mapping[str, Any], prior: Messages | None
) -> tuple[list[Part], float, float]:
    """Cards for circles: the places of the layout, pulled apart until the cards have room."""
    graph = at.messages.graph
    layout = layout_bayes(bayes)
    states = {name: state_labels(graph, graph.branch(name)) for name in bayes.variables}
    sizes = {name: card_size(states[name], name) for name in bayes.variables}
    widest, highest = (max(size[i] for size in sizes.values()) for i in (0, 1))
    rows: dict[float, list[float]] = {}
    for x, y in layout.positions.values():
        rows.setdefault(round(y, 3), []).append(x)
    nearest = min((np.diff(sorted(xs)).min() for xs in rows.values() if len(xs) > 1), default=1.0)
    levels = sorted(rows)
    across = (widest + 30) / nearest
    down = (highest + 56) / min(np.diff(levels), default=1.0)
    left = min(x for x, _ in layout.positions.values()) * across - widest / 2 - EDGE
    top = highest / 2 + EDGE - levels[0] * down

    def place(point: tuple[float, float]) -> Array:
        return np.array([point[0] * across - left, point[1] * down + top]).round(1)

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
            inner = [place(p) for p in layout.paths[f"{parent}->{child}"][1:-1]]
            ends = place(layout.positions[parent]), place(layout.positions[child])
            start = _border(ends[0], [*inner, ends[1]][0], sizes[parent])
            stop = _border(ends[1], [ends[0], *inner][-1], sizes[child])
            lines.append(_arrow(parent, child, block, [start, *inner, stop]))
    width = max(part["x"] + part["w"] for part in cards) + EDGE
    return [*lines, *cards], width, max(part["y"] + part["h"] for part in cards) + EDGE


def _border(centre: np.ndarray, towards: np.ndarray, size: tuple[float, float]) -> Array:
    """Where the line from a card's centre leaves the card."""
    way = towards - centre
    scale = min(
        half / abs(d) for half, d in zip(np.array(size) / 2 + 3, way, strict=True) if abs(d) > 1e-9
    )
    edge: Array = centre + way * min(scale, 1.0)
    return edge


def _arrow(parent: str, child: str, block: Block | None, path: list[np.ndarray]) -> Part:
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
