"""Places for names beside slanting lines, clear of lines, nodes and other names (section 2).

Vocabulary
    box     left, top, right and bottom of a name or a node, in grid steps
    place   where a name could stand: at a share of the way along its line, at the right or the left
    cost    of a place: one for every line and box that the name would cover, and less than one for
            being further from the middle or at the left
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from ..engine.graph import NormalGraph
from ..engine.nodes import Node
from .measures import EM, GAP, Point, node_half, node_room
from .names import length, plain

Rectangle = tuple[float, float, float, float]

SHARES = (0.5, 0.35, 0.65, 0.2, 0.8)
"""Where along a line a name may stand, as shares of the way; the best is first."""


def beside(
    graph: NormalGraph,
    paths: Mapping[str, Sequence[Point]],
    centre: Mapping[str, Point],
    width: float,
) -> tuple[dict[str, tuple[float, float, str]], float]:
    """``(x, y, alignment)`` for the name of each branch, and the width of the drawing with them."""
    taken = [_box(node, centre[node.name]) for node in graph.nodes]
    lines = [line for path in paths.values() for line in pairwise(path)]
    places = {}
    for name in sorted(paths, key=lambda name: len(paths[name])):
        long = EM * length(plain(name))
        _, box, (x, y, left) = min(
            _candidates(paths[name], long), key=lambda candidate: _cost(candidate, lines, taken)
        )
        taken.append(box)
        width = max(width, box[2])
        places[name] = (x, y, "right" if left else "left")
    return {name: places[name] for name in paths}, width


def _box(node: Node, at: Point) -> Rectangle:
    """The box of a node and of the label at its right."""
    (left, right), half = node_room(node), node_half(node)
    return (at[0] - left, at[1] - half, at[0] + right, at[1] + half)


def _candidates(
    path: Sequence[Point], width: float
) -> Iterable[tuple[float, Rectangle, tuple[float, float, bool]]]:
    """Places along a line: the cost of each by itself, the box, and ``x, y`` and whether left."""
    for number, ((x0, y0), (x1, y1)) in enumerate(pairwise(path)):
        lean = abs((x1 - x0) / (y1 - y0)) if y1 != y0 else 0.0
        away = GAP + 0.6 * EM * lean  # the flatter a line, the sooner it runs into the name
        for order, share in enumerate(SHARES):
            x, y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
            for left in (False, True):
                start = x - away - width if left else x + away
                box = (start, y - 0.6 * EM, start + width, y + 0.6 * EM)
                against = 0.1 * order + 0.25 * left + 0.15 * number + 100 * (start < 0)
                yield against, box, (x - away if left else x + away, y, left)


def _cost(
    candidate: tuple[float, Rectangle, object],
    lines: Sequence[tuple[Point, Point]],
    taken: Sequence[Rectangle],
) -> float:
    """The cost of a place, with one for every line and box that its name would cover."""
    against, box, _ = candidate
    crossed = sum(_crosses(line, box) for line in lines)
    covered = sum(_intersect(other, box) for other in taken)
    return against + crossed + covered


def _intersect(one: Rectangle, two: Rectangle) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def _crosses(line: tuple[Point, Point], box: Rectangle) -> bool:
    """Whether some of a line lies in a box: whether any is left after clipping it at the sides."""
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
