"""Places for names beside slanting lines, clear of lines, nodes and other names (section 2).

Vocabulary
    box     left, top, right and bottom of a name or a node, in grid steps
    place   where a name could stand: at a share of the way along its line, at the right or the left
    cost    of a place: ``COVERED`` for every line and box that the name would cover, and less for
            being further from the middle, further from the line, or at the left
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from ..graphs.nodes import Node
from ..graphs.normal_graph import NormalGraph
from .measures import EM, GAP, Point, node_half, node_room
from .names import length, plain

Rectangle = tuple[float, float, float, float]

SHARES = (0.5, 0.35, 0.65, 0.2, 0.8, 0.42, 0.58, 0.27, 0.73, 0.1, 0.9)
"""The places of a name along a line, as shares of the way; the best is first."""

FURTHER = (0.0, 0.08, 0.16)
"""The largest distance of a name from its line beyond what is needed, in grid steps."""

ABOVE, BELOW = 0.55 * EM, 0.9 * EM
"""The reach of a name above and below the height of its place, with numbers of replicas."""

PASSES = 3
"""The rounds in which all names are placed anew, each beside where the others are by then."""

HIGHEST = 3.0
"""The greatest height of a layer of a crowded drawing, so that each name has a free place."""

COVERED = 2.0
"""The cost of every line and box that a name would cover; more than that of any place by itself."""


class NamePlace(NamedTuple):
    """A place for a name, its alignment and box, and the cost of the place by itself."""

    at: Point
    align: str
    box: Rectangle
    against: float


def beside(
    graph: NormalGraph,
    paths: Mapping[str, Sequence[Point]],
    centre: Mapping[str, Point],
    width: float,
) -> tuple[dict[str, tuple[float, float, str]], float, bool]:
    """``(x, y, alignment)`` for the name of each branch, and the width of the drawing with them.

    The third is whether some name covers a line or a box, as no place is free.
    """
    nodes = [_box(node, centre[node.name]) for node in graph.nodes]
    lines = [line for path in paths.values() for line in pairwise(path)]
    found: dict[str, NamePlace] = {}
    costs: dict[str, float] = {}
    for _ in range(PASSES):
        for name in sorted(paths, key=lambda name: len(paths[name])):
            taken = [*nodes, *(place.box for other, place in found.items() if other != name)]
            places = _places(paths[name], EM * length(plain(name)))
            priced = ((_cost(place, lines, taken), k, place) for k, place in enumerate(places))
            costs[name], _, found[name] = min(priced)
    width = max(width, *(place.box[2] for place in found.values()))
    return (
        {name: (*found[name].at, found[name].align) for name in paths},
        width,
        max(costs.values()) >= COVERED,
    )


def _box(node: Node, at: Point) -> Rectangle:
    """The box of a node and of the label at its right."""
    (left, right), half = node_room(node), node_half(node)
    return (at[0] - left, at[1] - half, at[0] + right, at[1] + half)


def _places(path: Sequence[Point], width: float) -> Iterable[NamePlace]:
    """The places along a line for a name of some width."""
    for number, ((x0, y0), (x1, y1)) in enumerate(pairwise(path)):
        lean = abs((x1 - x0) / (y1 - y0)) if y1 != y0 else 0.0
        near = GAP + BELOW * lean  # the flatter a line, the sooner it runs into the name
        for (order, share), further in product(enumerate(SHARES), FURTHER):
            x, y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
            for left in (False, True):
                away = near + further
                start = x - away - width if left else x + away
                against = 0.05 * order + 0.25 * left + 0.15 * number + 3 * further
                yield NamePlace(
                    (x - away if left else x + away, y),
                    "right" if left else "left",
                    (start, y - ABOVE, start + width, y + BELOW),
                    against + 100 * (start < 0),
                )


def _cost(
    place: NamePlace, lines: Sequence[tuple[Point, Point]], taken: Sequence[Rectangle]
) -> float:
    """The cost of a place, with two for every line and box that its name would cover."""
    crossed = sum(_crosses(line, place.box) for line in lines)
    covered = sum(_intersect(other, place.box) for other in taken)
    return place.against + COVERED * (crossed + covered)


def _intersect(one: Rectangle, two: Rectangle) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def _crosses(line: tuple[Point, Point], box: Rectangle) -> bool:
    """True if some of a line lies in a box: if any is left after clipping it at the sides."""
    (x0, y0), (x1, y1) = line
    first, last = 0.0, 1.0
    for at, way, low, high in ((x0, x1 - x0, box[0], box[2]), (y0, y1 - y0, box[1], box[3])):
        if way == 0:
            if not low < at < high:
                return False
            continue
        one, two = sorted(((low - at) / way, (high - at) / way))
        first, last = max(first, one), min(last, two)
    return first < last
