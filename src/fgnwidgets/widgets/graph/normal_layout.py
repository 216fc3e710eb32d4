"""The parts of a graph in normal form in a scene, with their places (figures 1, 3 and 6).

Vocabulary
    chart    a message as small bars at the left of its branch: forward, then backward
    home     the branch beside which a variable's card lies: the one that leaves its source or block
    level    a height at which nodes lie; the gap below a level is as high as its contents need
    strip    the heights that the nodes of a level take; a card reaches into it where it is free

The layout in pixels is that of the ``whole`` (``reserve``), so that no evidence moves anything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from fgnwidgets.algebra.arrays import Array
from fgnwidgets.draw.layout import Layout, layout_normal
from fgnwidgets.draw.measures import TERMINAL, node_label
from fgnwidgets.draw.names import length, state_labels
from fgnwidgets.graphs.nodes import Node
from fgnwidgets.graphs.normal_graph import NormalGraph
from fgnwidgets.loops.families import Family

from .cards import EDGE, JOINT, TELLS, CardPart, card, card_size, runs, short
from .drawing import GraphDrawing, colours
from .reserve import reserve
from .shape import in_rows
from .spare import Area, boxes_of, spare
from .why import cell_labels

STEP = 80  # pixels of a grid step across
BLOCK, DIVERTER, OPEN = 18, 10, 4  # half the side of a square; radius of an open end
APART = 5  # least distance above and below what lies in a gap
ABOVE, FOOT = 10, 7  # what a chart takes above itself (its triangle), below itself (its number)
MOST_CELLS = 144  # a larger matrix is not drawn inside its block
CHART, HIGH = 22, 24  # width and height of a chart
MESSAGES = 2 * CHART + 12  # width of both at the left of a line
SIDE = 0.15  # least distance of subtrees, in grid steps
NEAR, BESIDE = 10, 26  # from a line to its card, and where it lies beside a block, too
COPY = 9  # most characters of a variable's name at its copies, beside whose diverter it is whole
STUB = 4  # characters of a variable's name at the open branch where its evidence enters


@dataclass(frozen=True)
class PixelLayout:
    """A layout in pixels: ``knots`` are its levels in grid steps, ``pixels`` those in pixels.

    ``tops`` are the upper edges of the cards, ``lefts`` how far they are from their lines.
    """

    graph: NormalGraph
    layout: Layout
    knots: Array
    pixels: Array
    tops: Mapping[str, float]
    lefts: Mapping[str, float]
    sizes: Mapping[str, tuple[float, float]]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the drawing."""
        width = round(2 * EDGE + STEP * self.layout.width, 1)
        return width, float(self.pixels[-1]) + EDGE + BLOCK

    @cached_property
    def spare(self) -> tuple[float, ...] | None:
        """The largest place that is free whatever the evidence is (:mod:`.spare`)."""
        taken: list[Area] = []
        for node in self.graph.nodes:
            (x, y), half, label = self.centre(node), half_side(node), node_label(node)
            text = 6 + length(label) * 12 if label else 0
            taken.append((x - half, y - half, x + half + text, y + half))
        for name in self.graph.branches:
            taken += boxes_of((x, y) for x, y in self.line(name))
            x, y = self.middle(name)
            text = 0 if name in self.sizes else length(shown_name(self.graph, name)) * 12
            taken.append((x - MESSAGES, y - 24, x + 8 + text, y + 22))
            if name in self.sizes:
                width, height = self.sizes[name]
                left, top = x + self.lefts[name], self.tops[name]
                taken.append((left, top, left + width, top + height + TELLS))
        return spare(tuple(taken), *self.size)

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
        column = _column(self.layout, branch)
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


@lru_cache(maxsize=32)
def normal_drawing(
    base: NormalGraph, graph: NormalGraph, products: tuple[str, ...] = ()
) -> GraphDrawing:
    """The drawing of ``graph``: that without evidence, ``base``, or one with T-junctions for it.

    Every part has the same place in all of them. Of product spaces only ``products`` have a card.
    """
    places = reserve(base, graph)
    shown = [name for name in graph.variables if name in products or name not in graph.products]
    homes = {_home(graph, name): name for name in shown}
    copied = {v: places.home(b) != v for b, v in homes.items()}  # whether it has a number
    states = {b: state_labels(graph, graph.branches[b]) for b in homes}
    sizes = {b: card_size(states[b], v, copied[v]) for b, v in homes.items()}
    room = {places.home(b): sizes[b] for b in homes}
    pixel_layout = _pixel_layout(places.whole, tuple(room.items()), places.stubs)
    hue = colours(graph)
    lines, cards = [], {}
    for name in graph.branches:
        home = places.home(name)
        x, y = pixel_layout.middle(home)
        line = _branch(graph, name, [x, y], pixel_layout.run(places.pieces[name]))
        variable = graph.variable_of[name]
        if name in homes:
            replica = name.removeprefix(homes[name]) if copied[homes[name]] else None
            corner = (x + pixel_layout.lefts[home], pixel_layout.tops[home])
            made = card(homes[name], states[name], *corner, replica)
            cards[name] = {**made, "hue": hue.get(homes[name])}
        else:
            written = shown_name(graph, name, stub=home in places.stubs)
            line["label"] = {"text": runs(written), "x": x + 8, "y": y - 9, "anchor": "start"}
        lines.append({**line, "variable of": variable, "hue": hue.get(variable)})
    nodes = [_node(pixel_layout, node, graph) for node in graph.nodes]
    name = f"normal graph of {', '.join(hue)}"
    return GraphDrawing.of(name, lines, nodes, cards, *pixel_layout.size, pixel_layout.spare)


def shown_name(graph: NormalGraph, branch: str, *, stub: bool = False) -> str:
    """The name of a branch in a drawing: that of a long variable is cut, its replica number not.

    At a ``stub``, where evidence enters, it is cut most.
    """
    variable = graph.variable_of[branch]
    if not branch.startswith(variable):
        return branch
    longest = STUB if stub else JOINT if variable in graph.products else COPY
    return short(variable, longest) + branch[len(variable) :]


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
def _pixel_layout(
    graph: NormalGraph,
    cards: tuple[tuple[str, tuple[float, float]], ...],
    stubs: frozenset[str],
) -> PixelLayout:
    """The layout with room for the cards beside their lines and in the gaps between levels.

    Cached, since it takes most of the time that a click takes.
    """
    return in_rows(lambda rows: _laid(graph, dict(cards), stubs, rows), _extent)


def _extent(pixel_layout: PixelLayout) -> tuple[float, float]:
    """Width and height, for ``in_rows``."""
    return STEP * pixel_layout.layout.width, float(pixel_layout.pixels[-1])


def _laid(
    graph: NormalGraph, sizes: Mapping[str, tuple[float, float]], stubs: frozenset[str], rows: int
) -> PixelLayout:
    """The same for a given number of rows, over which many children of a variable are spread."""
    lefts = {name: BESIDE if _beside(graph, name) else NEAR for name in sizes}
    room = {name: (width + lefts[name] + 6) / STEP for name, (width, _) in sizes.items()}
    written = {name: shown_name(graph, name, stub=name in stubs) for name in graph.branches}
    layout = layout_normal(
        graph,
        bars=True,
        room=room,
        asides=stubs,
        rows=rows,
        names=written,
        messages=(MESSAGES + 2) / STEP,
        apart=SIDE,
    )
    levels = [y for _, y in layout.positions.values()]
    levels += [p[0][1] - TERMINAL for name, p in layout.paths.items() if name not in graph.tails]
    levels += [p[-1][1] + TERMINAL for name, p in layout.paths.items() if name not in graph.heads]
    knots = np.unique(np.round(levels, 6))
    strips, taken = _strips(graph, layout, knots)
    homes = {name: gap_of(knots, layout, name) for name in graph.branches}
    gaps = np.array(
        [above + ABOVE + HIGH + FOOT + below + 2 * APART for above, below in pairwise(strips)]
    )
    reach = {}  # how far a card reaches into the strips above and below its gap
    for name, (width, height) in sorted(sizes.items(), key=lambda item: -item[1][1]):
        gap = homes[name]
        left = STEP * _column(layout, name) + lefts[name]
        reach[name] = [0, 0]
        for side, k in enumerate((gap, gap + 1)):
            if _free(taken[k], left, left + width):
                reach[name][side] = 2 * strips[k]
                taken[k].append((left, left + width))
        needed = height + strips[gap] + strips[gap + 1] + 2 * APART - sum(reach[name])
        gaps[gap] = max(gaps[gap], needed)
    pixels = EDGE + BLOCK + np.concatenate([[0.0], np.cumsum(gaps)])
    tops = {}
    for name, (_, height) in sizes.items():
        gap = homes[name]
        top = pixels[gap] + strips[gap] - reach[name][0]
        foot = pixels[gap + 1] - strips[gap + 1] + reach[name][1]
        tops[name] = round(float(top + foot - height) / 2, 1)
    return PixelLayout(graph, layout, knots, pixels, tops, lefts, sizes)


def _beside(graph: NormalGraph, branch: str) -> bool:
    """True if a card may lie beside a block at the end of its branch: one without a name there."""
    ends = (side[branch] for side in (graph.tails, graph.heads) if branch in side)
    return any(not node.copies and not node_label(node) for node in ends)


def _column(layout: Layout, branch: str) -> float:
    """The column in which a branch runs down, in grid steps."""
    path = layout.paths[branch]
    return next(x for (x, _), (other, _) in pairwise(path) if x == other)


Spans = list[tuple[float, float]]


def _strips(graph: NormalGraph, layout: Layout, knots: Array) -> tuple[list[int], list[Spans]]:
    """Half the height of each level's strip, and what is taken of it from left to right."""
    strips = [OPEN] * len(knots)
    taken: list[Spans] = [[] for _ in knots]

    def level(y: float) -> int:
        return int(np.abs(knots - y).argmin())

    for node in graph.nodes:
        x, y = layout.positions[node.name]
        k, half = level(y), half_side(node)
        strips[k] = max(strips[k], half)
        label = node_label(node)
        text = 6 + length(label) * 12 if label else 0
        taken[k].append((STEP * x - half, STEP * x + half + text))
    for path in layout.paths.values():
        for (x, y), (to, lower) in pairwise(path):
            if y == lower:
                taken[level(y)].append((STEP * min(x, to), STEP * max(x, to)))
        for k in range(level(path[0][1]), level(path[-1][1]) + 1):
            x = next((x for (x, y), (_, to) in pairwise(path) if y <= knots[k] <= to), path[-1][0])
            taken[k].append((STEP * x - OPEN, STEP * x + OPEN))
    return strips, taken


def _free(spans: Spans, left: float, right: float) -> bool:
    """True if nothing of a strip is taken there."""
    return all(right + APART < begin or end + APART < left for begin, end in spans)


def _branch(
    graph: NormalGraph, name: str, middle: list[float], points: list[list[float]]
) -> CardPart:
    """The part for a branch: its line, its open ends, and the empty charts of its messages."""
    x, y = middle
    charts = [
        {
            "x": x - left,
            "y": y - (HIGH + FOOT - ABOVE) / 2,
            "w": CHART,
            "h": HIGH,
            "direction": direction,
            "towards": [0, 1 if direction == "f" else -1],
        }
        for direction, left in (("f", MESSAGES), ("b", CHART + 6))
    ]
    ends = [points[0]] if name not in graph.tails else []
    ends += [points[-1]] if name not in graph.heads else []
    return {
        "id": f"branch:{name}",
        "kind": "branch",
        "points": points,
        "arrow": {"x": x, "y": y + 8, "towards": [0, 1]},
        "ends": ends,
        "label": None,
        "messages": charts,
        "at": [x, y],
    }


def _node(pixel_layout: PixelLayout, node: Node, graph: NormalGraph) -> CardPart:
    """The part for a node, with the names of its matrix's cells if that is not too large."""
    (x, y), half = pixel_layout.centre(node), half_side(node)
    shaded = not node.learn and not node.copies
    kind = type(node).__name__.lower()
    part = {
        "id": f"node:{node.name}",
        "kind": kind,
        "look": "shaded" if shaded else "",
        "name": f"{kind} {node_label(node) or node.name}" + (", shaded" if shaded else ""),
        "hue": None,
        "x": x,
        "y": y,
        "w": 2 * half,
        "h": 2 * half,
        "cells": [],
        "label": {"text": runs(node_label(node)), "x": x + half + 6, "y": y + 4, "anchor": "start"},
        "at": [x, y],
    }
    if not node.theta or math.prod(graph.matrices[node.theta]) > MOST_CELLS:
        return part
    given, states = cell_labels(graph, node)
    family = isinstance(node, Family)
    return {
        **part,
        "edit": node.theta,
        "about": graph.family(node)[1] if family else node.outputs[0].variable,
        "states": list(states),
        "given": list(given),
    }
