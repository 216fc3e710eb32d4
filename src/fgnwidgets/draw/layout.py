"""Where the parts of a drawn graph are, as plain numbers that any renderer can use.

Vocabulary
    grid step   the unit of all coordinates; y grows downwards, sources on top, leaves below
    path        the line of a branch from its tail to its head, open ends included
    bars        messages drawn at the branches: forward and backward at the left of a line,
                the belief at its right
    em          the size of the letters that the layout leaves room for

The layout is deterministic and draws a forest without a crossing (``forest``): vertical lines, a
horizontal bar at a diverter, labels to the right of their lines, in room that nothing else uses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import networkx as nx

from ..engine.bayes import BayesGraph
from ..engine.graph import NormalGraph
from ..engine.nodes import Block, Branch, Diverter, Node, Source
from .forest import Places, place
from .names import length, matrix_label, plain
from .tree import Forest, Room

Point = tuple[float, float]

BLOCK = 0.2
"""Half the side of a block or source."""
DIVERTER = 0.12
"""Half the side of a diverter's ``=`` box."""
TERMINAL = 0.05
"""Radius of the circle at an open end."""
VARIABLE = 0.27
"""Half the height of a variable of a Bayesian graph, and half its least width."""
EM = 0.15
"""Size of the letters."""
GAP = 0.07
"""Between a line or a block and the label beside it."""
MESSAGE = 0.32
"""Width of a message's bars."""
ROWS = 0.62
"""Most height that the rows of a message take."""
ROW = 0.16
"""Most height that one row takes."""
BARS_STEP = 1.6
"""Height of a layer that shows messages."""
STATE = 6.0
"""Most that is shown of a state's label, in ems."""


@dataclass(frozen=True)
class Layout:
    """Centres of nodes, lines of branches, places for their labels; all in grid steps.

    ``positions``   node (of a Bayesian graph: variable) -> centre
    ``paths``       branch (``"parent->child"``) -> polyline from tail to head
    ``labels``      branch (variable) -> x, y and horizontal alignment, vertically centred
    """

    positions: Mapping[str, Point]
    paths: Mapping[str, tuple[Point, ...]]
    labels: Mapping[str, tuple[float, float, str]]
    width: float
    height: float


def layout_normal(
    graph: NormalGraph, *, bars: bool = False, room: Mapping[str, float] = MappingProxyType({})
) -> Layout:
    """Places for a graph in normal form; ``bars`` leaves room for messages at every branch.

    ``room`` is the width of what else is to stand at the right of some branches.
    """
    index = {node.name: i for i, node in enumerate(graph.nodes)}
    boxes = [_box(node) for node in graph.nodes]
    edges: list[tuple[int, int]] = []
    for name in graph.branches:
        ends = []
        for side in (graph.tails, graph.heads):
            if name in side:
                ends.append(index[side[name].name])
            else:
                ends.append(len(boxes))
                boxes.append((TERMINAL, TERMINAL))
        edges.append((ends[0], ends[1]))
    margins = {
        edge: _margin(branch, bars, room.get(branch.name, 0.0))
        for edge, branch in zip(edges, graph.branches.values(), strict=True)
    }
    step = BARS_STEP if bars else 1.0
    places = place(_forest(edges, boxes, margins))
    halves = [_half(node) for node in graph.nodes] + [TERMINAL] * (len(boxes) - len(graph.nodes))
    paths, labels = {}, {}
    for name, edge in zip(graph.branches, edges, strict=True):
        inner = places.inner[edge]
        paths[name] = _path(places, edge, inner, halves, step)
        outer, way = _outer(edge, inner)
        middle = (places.y[outer] - way / 2) * step
        labels[name] = (places.x[outer] + GAP, middle - (0.3 if bars else 0.0), "left")
    return _layout(places, index, paths, labels, step, BLOCK)


def layout_bayes(bayes: BayesGraph, *, bars: bool = False) -> Layout:
    """Places for a Bayesian graph; ``bars`` makes its variables cards that have room for a belief.

    A graph whose normal form has no loop can still have crossing arrows here, where several
    variables have the same several parents.
    """
    index = {name: i for i, name in enumerate(bayes.variables)}
    rows = max(branch.size for branch in bayes.variables.values()) if bars else 0
    halves = [variable_half(branch, rows) for branch in bayes.variables.values()]
    boxes = [(half + GAP, half + GAP) for half, _ in halves]
    families: dict[tuple[str, ...], list[str]] = {}
    for child, parents in bayes.parents.items():
        families.setdefault(parents, []).append(child)
    edges: list[tuple[int, int]] = []
    for parents, children in families.items():
        if len(parents) > 1 and len(children) > 1:  # they would form a loop: join them at a point
            edges += [(index[p], len(boxes)) for p in parents]
            edges += [(len(boxes), index[c]) for c in children]
            boxes.append((0.0, 0.0))
        else:
            edges += [(index[p], index[c]) for p in parents for c in children]
    places = place(_forest(edges, boxes, dict.fromkeys(edges, (0.05, 0.05))))
    step = 0.66 + 2 * halves[0][1]
    gaps = {edge: places.y[end] + _outer(edge, end)[1] / 2 for edge, end in places.inner.items()}
    flat = {gap for (a, b), gap in gaps.items() if abs(places.x[a] - places.x[b]) > 2.5}
    paths = {}
    for child, parents in bayes.parents.items():
        for parent in parents:
            edge = index[parent], index[child]
            end = places.inner.get(edge, edge[0])
            away = halves[0][1] + 0.28 if gaps.get(edge) in flat else step
            points = _bent(places, edge, end, away, step)
            border = _card_border if bars else _ellipse_border
            first = border(points[0], points[1], halves[edge[0]])
            last = border(points[-1], points[-2], halves[edge[1]])
            paths[f"{parent}->{child}"] = (first, *points[1:-1], last)
    labels = {name: (places.x[i], places.y[i] * step, "center") for name, i in index.items()}
    return _layout(places, index, paths, labels, step, halves[0][1])


def _forest(
    edges: Sequence[tuple[int, int]],
    boxes: Sequence[Room],
    margins: Mapping[tuple[int, int], Room],
) -> Forest:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(boxes)))
    graph.add_edges_from(edges)
    return Forest(graph, boxes, margins)


def node_label(node: Node) -> str:
    """What stands beside a node: its prior or matrix; nothing at diverters and product blocks."""
    if isinstance(node, Source | Block):
        return matrix_label(node.theta, node.name, source=isinstance(node, Source))
    return ""


def variable_half(branch: Branch, rows: int = 0) -> Room:
    """Half the width and height of a variable's ellipse, or of its card with so many rows."""
    name = length(branch.name) * 1.15 * EM
    if not rows:
        return (max(VARIABLE, 0.55 * name + GAP), VARIABLE)
    width = max(name, MESSAGE + GAP + state_room(branch)) + 2 * GAP
    return (width / 2, (rows_height(rows) + 2 * EM + 2 * GAP) / 2)


def rows_height(count: int) -> float:
    """How high the rows of a message with so many values are."""
    return min(ROW * count, ROWS)


def state_room(branch: Branch) -> float:
    """Width of the labels of a variable's states, 0 if it has none."""
    if not branch.states:
        return 0.0
    return GAP + 0.75 * EM * min(STATE, max(length(plain(s)) for s in branch.states))


def _layout(
    places: Places,
    index: Mapping[str, int],
    paths: Mapping[str, tuple[Point, ...]],
    labels: Mapping[str, tuple[float, float, str]],
    step: float,
    top: float,
) -> Layout:
    """All of it, moved down by what the highest nodes need above their centres."""
    positions = {name: (places.x[i], places.y[i] * step + top) for name, i in index.items()}
    lines = {name: tuple((x, y + top) for x, y in path) for name, path in paths.items()}
    texts = {name: (x, y + top, align) for name, (x, y, align) in labels.items()}
    return Layout(
        MappingProxyType(positions),
        MappingProxyType(lines),
        MappingProxyType(texts),
        places.width,
        places.height * step + 2 * top,
    )


def _half(node: Node) -> float:
    return DIVERTER if isinstance(node, Diverter) else BLOCK


def _box(node: Node) -> Room:
    text = length(node_label(node)) * EM
    half = _half(node)
    return (half, half + (GAP + text if text else 0.0))


def _margin(branch: Branch, bars: bool, room: float) -> Room:
    """The room at both sides of a branch's line."""
    text = max(GAP + length(branch.name) * EM, room)
    if not bars:
        return (0.05, text)
    return (2 * MESSAGE + 3 * GAP, max(text, 2 * GAP + MESSAGE + state_room(branch)))


def _outer(edge: tuple[int, int], inner: int) -> tuple[int, int]:
    """The end of the edge that has its column, and 1 if that is the lower one, else -1."""
    return (edge[1], 1) if inner == edge[0] else (edge[0], -1)


def _path(
    places: Places, edge: tuple[int, int], inner: int, halves: Sequence[float], step: float
) -> tuple[Point, ...]:
    """From the tail's border to the head's: along the bar of the inner node, down the column."""
    outer, way = _outer(edge, inner)
    x, y = places.x[outer], places.y[inner] * step
    end = (x, places.y[outer] * step - way * halves[outer])
    beside = x - places.x[inner]
    if beside:
        points = [(places.x[inner] + math.copysign(halves[inner], beside), y), (x, y), end]
    else:
        points = [(x, y + way * halves[inner]), end]
    return tuple(points if way > 0 else reversed(points))


def _bent(
    places: Places, edge: tuple[int, int], inner: int, away: float, step: float
) -> tuple[Point, ...]:
    """Straight from centre to centre, or slanting at the inner end and then down the column."""
    tail, head = ((places.x[i], places.y[i] * step) for i in edge)
    outer, way = _outer(edge, inner)
    y = places.y[inner] * step + way * away
    if tail[0] == head[0] or y == places.y[outer] * step:
        return (tail, head)
    return (tail, (places.x[outer], y), head)


def _ellipse_border(centre: Point, towards: Point, half: Room) -> Point:
    """Where the line from the centre of an ellipse leaves it."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    share = 1 / math.hypot(dx / half[0], dy / half[1])
    return (centre[0] + share * dx, centre[1] + share * dy)


def _card_border(centre: Point, towards: Point, half: Room) -> Point:
    """The middle of a card's upper or lower side."""
    return (centre[0], centre[1] + math.copysign(half[1], towards[1] - centre[1]))
