"""Layouts of graphs: where the parts of a drawing are, as numbers that any renderer can use.

Vocabulary
    grid step   the unit of all coordinates; y grows downwards, sources are on top, leaves below
    path        the line of a branch from its tail to its head, or to its open end
    bars        messages beside a branch: forward and backward at its left, the belief at its right

Layouts are deterministic. A forest is drawn without crossings (``forest``): branches are vertical
lines, a diverter is a horizontal bar, and labels at the right of their lines have room of their
own. A graph with a loop is drawn in layers (``layered``).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..bayes.graph import BayesGraph
from ..graphs.normal_graph import NormalGraph
from .beside import HIGHEST, beside
from .contours import SEPARATION, Room
from .directed import Directed, is_forest
from .forest import Places, parents_in_order, place
from .layered import layered
from .measures import (
    ARROW,
    BARS_STEP,
    BLOCK,
    FLAT,
    GAP,
    SLANT,
    TERMINAL,
    Point,
    branch_room,
    ellipse_border,
    node_half,
    node_room,
    port,
    variable_half,
)
from .subtrees import Forest


@dataclass(frozen=True)
class Layout:
    """Centres of nodes, lines of branches, places for their labels; all in grid steps.

    ``positions``   node -> centre
    ``paths``       branch -> polyline from tail to head
    ``labels``      branch -> x, y and horizontal alignment of its label, vertically centred

    In a Bayesian graph nodes and labels are those of variables, and a path is ``"parent->child"``.
    """

    positions: Mapping[str, Point]
    paths: Mapping[str, tuple[Point, ...]]
    labels: Mapping[str, tuple[float, float, str]]
    width: float
    height: float


def layout_normal(
    graph: NormalGraph,
    *,
    bars: bool = False,
    room: Mapping[str, float] = MappingProxyType({}),
    asides: Collection[str] = (),
    rows: int = 1,
    names: Mapping[str, str] = MappingProxyType({}),
    messages: float | None = None,
    apart: float = SEPARATION,
) -> Layout:
    """The layout of a graph in normal form.

    ``bars``     whether to leave room for messages at every branch
    ``room``     the width of what else is to stand at the right of a branch
    ``asides``   open branches that make room for others, so that they never bend another line
    ``rows``     over how many rows the many children of a variable are spread
    ``names``    what is written at a branch in place of its own name
    ``messages`` the width of the messages at the left of a branch, where a caller draws no belief
    ``apart``    the least distance between two subtrees
    """
    if graph.loop:
        return _layered_normal(graph, bars=bars)
    index = {node.name: i for i, node in enumerate(graph.nodes)}
    boxes = [node_room(node) for node in graph.nodes]
    edges: list[tuple[int, int]] = []
    aside: set[int] = set()
    for name in graph.branches:
        ends = []
        for side in (graph.tails, graph.heads):
            if name in side:
                ends.append(index[side[name].name])
            else:
                aside |= {len(boxes)} if name in asides else set()
                ends.append(len(boxes))
                boxes.append((TERMINAL, TERMINAL))
        edges.append((ends[0], ends[1]))
    margins = {
        edge: branch_room(
            branch, bars, room.get(branch.name, 0.0), names.get(branch.name), messages
        )
        for edge, branch in zip(edges, graph.branches.values(), strict=True)
    }
    step = BARS_STEP if bars else 1.0
    forest, parents = _directed(edges, len(boxes)), parents_in_order(graph, index)
    places = place(Forest(forest, boxes, margins, 0.0, frozenset(aside), rows, parents, apart))
    halves = [*map(node_half, graph.nodes), *[TERMINAL] * (len(boxes) - len(index))]
    paths, labels = {}, {}
    for name, edge in zip(graph.branches, edges, strict=True):
        inner = places.inner[edge]
        paths[name] = _path(places, edge, inner, halves, step)
        outer, way = _outer(edge, inner)
        middle = (places.y[outer] - way / 2) * step
        labels[name] = (places.x[outer] + GAP, middle - (0.3 if bars else 0.0), "left")
    return _layout(places, index, paths, labels, step, BLOCK)


def layout_bayes(
    bayes: BayesGraph,
    *,
    bars: bool = False,
    rows: int = 1,
    wide: Mapping[str, float] = MappingProxyType({}),
) -> Layout:
    """The layout of a Bayesian graph; see :func:`layout_normal` for ``rows``.

    ``bars``   whether variables are cards with room for a belief
    ``wide``   half the width of variables that the caller draws in another way

    Arrows can cross if several variables have the same several parents. Other loops: layers.
    """
    index = {name: i for i, name in enumerate(bayes.variables)}
    states = max(branch.size for branch in bayes.variables.values()) if bars else 0
    halves = [variable_half(branch, states) for branch in bayes.variables.values()]
    halves = [(wide.get(v, w), h) for v, (w, h) in zip(bayes.variables, halves, strict=True)]
    edges, joints = _arrows(bayes, index)
    if edges and not is_forest(edges):
        return _layered(bayes, halves, ports=bars)
    boxes = [(half + GAP, half + GAP) for half, _ in halves] + [(0.0, 0.0)] * joints
    margins = dict.fromkeys(edges, (0.05, 0.05))
    families = [[index[p] for p in own] for own in bayes.parents.values() if len(own) > 1]
    graph = _directed(edges, len(boxes))
    places = place(Forest(graph, boxes, margins, SLANT, frozenset(), rows, families))
    gaps = {edge: places.y[end] + _outer(edge, end)[1] / 2 for edge, end in places.inner.items()}
    flat = {gap for (a, b), gap in gaps.items() if abs(places.x[a] - places.x[b]) > SLANT}
    paths = {}
    for child, parents in bayes.parents.items():
        for parent in parents:
            edge = index[parent], index[child]
            paths[f"{parent}->{child}"] = _arrow(
                places, edge, halves, is_flat=gaps.get(edge) in flat, ports=bars
            )
    step = ARROW + 2 * halves[0][1]
    labels = {name: (places.x[i], places.y[i] * step, "center") for name, i in index.items()}
    return _layout(places, index, paths, labels, step, halves[0][1])


def _layered(bayes: BayesGraph, halves: Sequence[Room], *, ports: bool) -> Layout:
    """A Bayesian graph with a loop, in layers; arrows that pass a layer have a bend there."""
    half = dict(zip(bayes.variables, halves, strict=True))
    at, bends, width = layered(bayes.parents, {name: own[0] for name, own in half.items()})
    top = halves[0][1]
    step = ARROW + 2 * top
    centre = {name: (x, layer * step + top) for name, (x, layer) in at.items()}
    paths = {}
    for (parent, child), own in bends.items():
        points = [(x, layer * step + top) for x, layer in own]
        points = [centre[parent], *points, centre[child]]
        border = port if ports else ellipse_border
        first, last = (
            border(points[k], points[k + way], half[name])
            for k, way, name in ((0, 1, parent), (-1, -1, child))
        )
        paths[f"{parent}->{child}"] = (first, *points[1:-1], last)
    labels = {name: (x, y, "center") for name, (x, y) in centre.items()}
    maps = (MappingProxyType(centre), MappingProxyType(paths), MappingProxyType(labels))
    return Layout(*maps, width, max(y for _, y in centre.values()) + top)


def _layered_normal(graph: NormalGraph, *, bars: bool, higher: float = 1.0) -> Layout:
    """A normal graph with a loop, in layers with bends; ``higher`` until names have room."""
    rooms = {node.name: max(node_room(node)) for node in graph.nodes}
    parents: dict[str, list[str]] = {name: [] for name in rooms}
    ends = {}
    for name, branch in graph.branches.items():
        pair = [side[name].name if name in side else "" for side in (graph.tails, graph.heads)]
        for k, mark in enumerate("<>"):
            if not pair[k]:  # an open end, placed as a node of its own
                pair[k] = f"{mark}{name}"
                rooms[pair[k]] = TERMINAL
                parents[pair[k]] = []
        ends[name] = pair
        parents[pair[1]].append(pair[0])
        rooms[pair[1]] = max(rooms[pair[1]], *branch_room(branch, bars, 0.0))
    at, bends, width = layered(parents, rooms)
    step = BARS_STEP if bars else higher
    half = {node.name: node_half(node) for node in graph.nodes}
    centre = {name: (x, layer * step + BLOCK) for name, (x, layer) in at.items()}
    paths, labels = {}, {}
    for name, (tail, head) in ends.items():
        middle = [(x, layer * step + BLOCK) for x, layer in bends[tail, head]]
        first = (centre[tail][0], centre[tail][1] + half.get(tail, 0.0))
        last = (centre[head][0], centre[head][1] - half.get(head, 0.0))
        path = paths[name] = (first, *middle, last)
        several = len(parents[head]) > 1  # then lines meet at the head, so the name is at the tail
        ((x0, y0), (x1, y1)), share = (path[:2], 0.3) if several else (path[-2:], 0.6)
        labels[name] = (x0 + share * (x1 - x0) + GAP, y0 + share * (y1 - y0) - 0.3, "left")
    positions = {node.name: centre[node.name] for node in graph.nodes}
    if not bars:
        labels, width, crowded = beside(graph, paths, centre, width)
        if crowded and higher < HIGHEST:
            return _layered_normal(graph, bars=bars, higher=higher + 0.25)
    maps = (MappingProxyType(positions), MappingProxyType(paths), MappingProxyType(labels))
    return Layout(*maps, width, max(y for _, y in centre.values()) + BLOCK)


def _arrows(bayes: BayesGraph, index: Mapping[str, int]) -> tuple[list[tuple[int, int]], int]:
    """The edges from parents to children, and the number of joints among their ends.

    Several children with the same several parents form loops. To draw them as a forest, all these
    parents are joined to all these children through one added point, a joint.
    """
    families: dict[tuple[str, ...], list[str]] = {}
    for child, parents in bayes.parents.items():
        families.setdefault(parents, []).append(child)
    edges: list[tuple[int, int]] = []
    joints = 0
    for parents, children in families.items():
        if len(parents) > 1 and len(children) > 1:
            joint = len(index) + joints
            joints += 1
            edges += [(index[p], joint) for p in parents] + [(joint, index[c]) for c in children]
        else:
            edges += [(index[p], index[c]) for p in parents for c in children]
    return edges, joints


def _arrow(
    places: Places, edge: tuple[int, int], halves: Sequence[Room], *, is_flat: bool, ports: bool
) -> tuple[Point, ...]:
    """An arrow from border to border: straight, or slanting at its inner end and then vertical.

    In one gap between layers either all slanting arrows are flat or none, so that none cross.
    """
    half = halves[0][1]
    step = ARROW + 2 * half
    tail, head = ((places.x[i], places.y[i] * step) for i in edge)
    points = [tail, head]
    layers = places.y[edge[1]] - places.y[edge[0]]
    if tail[0] != head[0] and (is_flat or layers > 1.5) and edge in places.inner:
        inner = places.inner[edge]
        outer, way = _outer(edge, inner)
        steep = step - half if ports else step  # a card is as high as the row
        away = half + FLAT if is_flat else steep
        points.insert(1, (places.x[outer], places.y[inner] * step + way * away))
    border = port if ports or is_flat else ellipse_border
    points[0] = border(points[0], points[1], halves[edge[0]])
    points[-1] = border(points[-1], points[-2], halves[edge[1]])
    return tuple(points)


def _directed(edges: Sequence[tuple[int, int]], count: int) -> Directed:
    return Directed(range(count), edges)


def _layout(
    places: Places,
    index: Mapping[str, int],
    paths: Mapping[str, tuple[Point, ...]],
    labels: Mapping[str, tuple[float, float, str]],
    step: float,
    top: float,
) -> Layout:
    """The layout, moved down by ``top``, the room of the highest nodes above their centres."""
    positions = {name: (places.x[i], places.y[i] * step + top) for name, i in index.items()}
    lines = {name: tuple((x, y + top) for x, y in path) for name, path in paths.items()}
    texts = {name: (x, y + top, align) for name, (x, y, align) in labels.items()}
    maps = (MappingProxyType(positions), MappingProxyType(lines), MappingProxyType(texts))
    return Layout(*maps, places.width, places.height * step + 2 * top)


def _outer(edge: tuple[int, int], inner: int) -> tuple[int, int]:
    """The outer end of an edge (``subtrees``), and 1 if it is the lower one, else -1."""
    return (edge[1], 1) if inner == edge[0] else (edge[0], -1)


def _path(
    places: Places, edge: tuple[int, int], inner: int, halves: Sequence[float], step: float
) -> tuple[Point, ...]:
    """A branch from border to border: along the bar of its inner node, and down its column."""
    outer, way = _outer(edge, inner)
    x, y = places.x[outer], places.y[inner] * step
    end = (x, places.y[outer] * step - way * halves[outer])
    beside = x - places.x[inner]
    if beside:
        points = [(places.x[inner] + math.copysign(halves[inner], beside), y), (x, y), end]
    else:
        points = [(x, y + way * halves[inner]), end]
    return tuple(points if way > 0 else reversed(points))
