"""The parts of a graph in normal form in a scene, with their places (figures 1, 3 and 6).

Vocabulary
    chart    a message as small bars at the left of its branch: forward, then backward
    home     the branch beside which a variable's card lies: the one that leaves its source or block
    level    a height at which nodes lie; the gap below a level is as high as its contents need
    sheet    the layout in pixels. It is that of the ``whole`` (``reserve``), so that no evidence
             moves anything
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from fgnwidgets.draw.layout import Layout, layout_normal
from fgnwidgets.draw.measures import TERMINAL, node_label
from fgnwidgets.draw.names import state_labels
from fgnwidgets.engine.arrays import Array
from fgnwidgets.engine.graph import NormalGraph
from fgnwidgets.engine.messages import Messages
from fgnwidgets.engine.nodes import Node

from .cards import EDGE, JOINT, TITLE, CardPart, card, card_size, runs, short
from .film import Round
from .panel import vector
from .reserve import Reserve, reserve
from .shape import in_rows
from .why import why_belief

STEP = 80  # pixels of a grid step across
GAP, CLEAR = 80, 48  # least height of a gap between levels; the part of it that nodes take
BLOCK, DIVERTER = 18, 10  # half the side of a square
MOST_CELLS = 144  # a larger matrix is not drawn inside its block
CHART, WIDE_CHART = 26, 28  # width of a chart, and of one with many values
NAME = 20  # height of a branch's name above a card


@dataclass(frozen=True)
class Sheet:
    """A layout in pixels: ``knots`` are its levels in grid steps, ``pixels`` those in pixels."""

    graph: NormalGraph
    layout: Layout
    knots: Array
    pixels: Array

    def point(self, x: float, y: float) -> list[float]:
        """A point of the layout in pixels."""
        height = float(np.interp(y, self.knots, self.pixels))
        return [round(EDGE + STEP * x, 1), round(height, 1)]

    def centre(self, node: Node) -> list[float]:
        """The centre of a node in pixels."""
        return self.point(*self.layout.positions[node.name])

    def run(self, pieces: tuple[str, ...]) -> list[list[float]]:
        """The line along these branches, one after the other."""
        points = self.line(pieces[0])
        for piece in pieces[1:]:
            points = points[:-1] + self.line(piece)[1:]
        return points

    def middle(self, branch: str) -> list[float]:
        """The middle of a branch's line in the gap that holds its label."""
        gap = gap_of(self.knots, self.layout, branch)
        path = self.layout.paths[branch]
        column = next(x for (x, _), (other, _) in pairwise(path) if x == other)
        height = (self.pixels[gap] + self.pixels[gap + 1]) / 2
        return [self.point(column, 0)[0], round(float(height), 1)]

    def line(self, branch: str) -> list[list[float]]:
        """A branch's line from tail to head, between the borders of its nodes."""
        points = [self.point(*point) for point in self.layout.paths[branch]]
        for end, near, ends in ((0, 1, self.graph.tails), (-1, -2, self.graph.heads)):
            if branch in ends:
                (x, y), half = self.centre(ends[branch]), half_side(ends[branch])
                dx, dy = np.sign(points[near][0] - x), np.sign(points[near][1] - y)
                sideways = points[near][1] == y
                points[end] = [x + dx * half, y] if sideways else [x, y + dy * half]
        return points


def circuit(
    base: NormalGraph, at: Round, seen: Mapping[str, Any], prior: Messages | None
) -> tuple[list[CardPart], float, float]:
    """The parts of the graph of the messages ``at``, and the width and height of the drawing.

    That graph may have T-junctions for evidence; ``base`` is the graph without evidence. Every part
    has the same place whatever the evidence is.
    """
    graph = at.messages.graph
    places = reserve(base, graph)
    shown = [name for name in graph.variables if name in seen or name not in graph.products]
    homes = {_home(graph, name): name for name in shown}
    sizes = {b: card_size(state_labels(graph, graph.branches[b]), v) for b, v in homes.items()}
    room = {places.home(b): sizes[b] for b in homes}
    above = {places.home(b): 0 if places.home(b) == v else NAME for b, v in homes.items()}
    sheet = _sheet(places.whole, tuple(room.items()), tuple(above.items()), places.stubs)
    branches, cards = [], []
    for name in graph.branches:
        home = places.home(name)
        x, y = sheet.middle(home)
        top = y - 2
        if name in homes:
            variable, height = homes[name], sizes[name][1]
            top = y + (above[home] - height) / 2
            made = card(
                variable,
                state_labels(graph, graph.branches[name]),
                at.messages[name].p[:, 0],
                None if prior is None else prior[variable].p[:, 0],
                seen.get(variable),
                x + 10,
                top,
                why_belief(at.messages, name),
            )
            cards.append({**made, "of": variable})
        label = {"text": runs(shown_name(graph, name)), "x": x + 8, "y": top - 7, "anchor": "start"}
        needed = name not in homes or name != homes[name]  # else the card has the name
        branches.append(_branch(at, name, sheet, places, label if needed else None))
        branches[-1]["look"] = "seen" if graph.variable_of[name] in seen else ""
    nodes = [_node(sheet, node, at.messages) for node in graph.nodes]
    width = 2 * EDGE + STEP * sheet.layout.width
    return [*branches, *nodes, *cards], round(width, 1), float(sheet.pixels[-1]) + EDGE + BLOCK


def shown_name(graph: NormalGraph, branch: str) -> str:
    """The name of a branch in a drawing: that of a long variable is cut, its replica number not."""
    variable = graph.variable_of[branch]
    if not branch.startswith(variable):
        return branch
    return short(variable, JOINT if variable in graph.products else TITLE) + branch[len(variable) :]


def half_side(node: Node) -> int:
    """Half the side of a node's square, in pixels."""
    return DIVERTER if node.copies else BLOCK


def gap_of(knots: Array, layout: Layout, branch: str) -> int:
    """The index of the gap between levels that holds a branch's label."""
    return int(np.searchsorted(knots, layout.labels[branch][1])) - 1


def _home(graph: NormalGraph, variable: str) -> str:
    """The branch beside which a variable's card lies."""
    members = graph.variables[variable]
    made = (b for b in members if (tail := graph.tails.get(b)) and not tail.copies)
    return next(made, members[0])


@lru_cache(maxsize=32)
def _sheet(
    graph: NormalGraph,
    cards: tuple[tuple[str, tuple[float, float]], ...],
    names: tuple[tuple[str, int], ...],
    stubs: frozenset[str],
) -> Sheet:
    """The layout with room for the cards beside their lines and in the gaps between levels.

    Cached, since it takes most of the time that a click takes.
    """
    return in_rows(lambda rows: _laid(graph, dict(cards), dict(names), stubs, rows), _extent)


def _extent(sheet: Sheet) -> tuple[float, float]:
    """Width and height, for ``in_rows``."""
    return STEP * sheet.layout.width, float(sheet.pixels[-1])


def _laid(
    graph: NormalGraph,
    sizes: Mapping[str, tuple[float, float]],
    above: Mapping[str, int],
    stubs: frozenset[str],
    rows: int,
) -> Sheet:
    """The same for a given number of rows, over which many children of a variable are spread."""
    room = {name: (width + 16) / STEP for name, (width, _) in sizes.items()}
    written = {name: shown_name(graph, name) for name in graph.branches}
    layout = layout_normal(graph, bars=True, room=room, asides=stubs, rows=rows, names=written)
    levels = [y for _, y in layout.positions.values()]
    levels += [p[0][1] - TERMINAL for name, p in layout.paths.items() if name not in graph.tails]
    levels += [p[-1][1] + TERMINAL for name, p in layout.paths.items() if name not in graph.heads]
    knots = np.unique(np.round(levels, 6))
    gaps = np.full(len(knots) - 1, float(GAP))
    for name, (_, height) in sizes.items():
        gap = gap_of(knots, layout, name)
        gaps[gap] = max(gaps[gap], height + above[name] + CLEAR)
    pixels = EDGE + BLOCK + np.concatenate([[0.0], np.cumsum(gaps)])
    return Sheet(graph, layout, knots, pixels)


def _branch(
    at: Round, name: str, sheet: Sheet, places: Reserve, label: CardPart | None
) -> CardPart:
    """The part for a branch: its line, its open ends, and the charts of its messages."""
    graph, belief = at.messages.graph, at.messages[name]
    sent = {(step.branch, step.direction): i + 1 for i, step in enumerate(at.sent)}
    x, y = sheet.middle(places.home(name))
    points = sheet.run(places.pieces[name])
    vectors = {"f": belief.f[:, 0], "b": belief.b[:, 0]}
    width = CHART if len(vectors["f"]) <= 6 else WIDE_CHART
    charts = [
        {
            "x": x - left,
            "y": y - CHART / 2 + 3,
            "w": width,
            "h": CHART,
            "direction": way,
            "towards": [0, 1 if way == "f" else -1],
            "values": [round(float(v), 4) for v in vectors[way]],
            "number": sent.get((name, way)),
            "waiting": (name, way) in at.waiting,
        }
        for way, left in (("f", 2 * width + 16), ("b", width + 8))
    ]
    ends = [points[0]] if name not in graph.tails else []
    ends += [points[-1]] if name not in graph.heads else []
    words = [word for word, way in (("forward", "f"), ("backward", "b")) if (name, way) in sent]
    said = f"branch {name}, forward {vector(vectors['f'])}, backward {vector(vectors['b'])}"
    return {
        "id": f"branch:{name}",
        "kind": "branch",
        "name": f"{said}, {' and '.join(words)} sent in this round" if words else said,
        "of": graph.variable_of[name],
        "points": points,
        "arrow": {"x": x, "y": y + 8, "towards": [0, 1]},
        "ends": ends,
        "label": label,
        "messages": charts,
        "at": [x, y],
    }


def _node(sheet: Sheet, node: Node, messages: Messages) -> CardPart:
    """The part for a node, with the cells of its matrix if that is not too large."""
    (x, y), half = sheet.centre(node), half_side(node)
    shaded = not node.learn and not node.copies
    kind = type(node).__name__.lower()
    made = {
        "id": f"node:{node.name}",
        "kind": kind,
        "look": "shaded" if shaded else "",
        "name": f"{kind} {node_label(node) or node.name}" + (", shaded" if shaded else ""),
        "x": x,
        "y": y,
        "w": 2 * half,
        "h": 2 * half,
        "cells": [],
        "label": {"text": runs(node_label(node)), "x": x + half + 6, "y": y + 4, "anchor": "start"},
        "at": [x, y],
    }
    matrix = messages.theta.get(node.theta) if node.theta else None
    return made if matrix is None or matrix.size > MOST_CELLS else made | _cells(node, messages)


def _cells(node: Node, messages: Messages) -> CardPart:
    """A matrix that can be edited, with the names of its rows and columns."""
    y = node.outputs[0]
    return {
        "cells": np.round(messages.theta[node.theta], 5).tolist(),
        "edit": node.theta,
        "about": y.variable,
        "states": list(state_labels(messages.graph, y)),
        "given": list(state_labels(messages.graph, node.inputs[0])) if node.inputs else [""],
    }
