"""Names beside slanting lines, where no line, node or other name is in their way (section 2).

Vocabulary
    box    left, top, right and bottom of a name or a node, in grid steps
    side   where a name stands: at the right of its line, else at the left
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from ..engine.graph import NormalGraph
from ..engine.nodes import Node
from .measures import EM, GAP, node_half, node_room
from .names import length, plain

Point = tuple[float, float]
Rectangle = tuple[float, float, float, float]

SHARES = (0.5, 0.35, 0.65, 0.2, 0.8)
"""Where along a line a name is tried, the best first."""


def beside(
    graph: NormalGraph,
    paths: Mapping[str, Sequence[Point]],
    centre: Mapping[str, Point],
    width: float,
) -> tuple[dict[str, tuple[float, float, str]], float]:
    """A place for the name of each branch, ``x, y`` and its alignment; and the width of it all."""
    taken = [_box(node, centre[node.name]) for node in graph.nodes]
    lines = [line for path in paths.values() for line in pairwise(path)]
    places = {}
    for name in sorted(paths, key=lambda name: len(paths[name])):
        long = EM * length(plain(name))
        found = min(_tried(paths[name], long), key=lambda t: _cost(t, lines, taken))
        taken.append(found[1])
        width = max(width, found[1][2])
        x, y, left = found[2]
        places[name] = (x, y, "right" if left else "left")
    return {name: places[name] for name in paths}, width


def _box(node: Node, at: Point) -> Rectangle:
    """What a node covers, its label at the right included."""
    (left, right), half = node_room(node), node_half(node)
    return (at[0] - left, at[1] - half, at[0] + right, at[1] + half)


def _tried(
    path: Sequence[Point], width: float
) -> Iterable[tuple[float, Rectangle, tuple[float, float, bool]]]:
    """Places along a line with what speaks against each by itself."""
    for number, ((x0, y0), (x1, y1)) in enumerate(pairwise(path)):
        lean = abs((x1 - x0) / (y1 - y0)) if y1 != y0 else 0.0
        away = GAP + 0.6 * EM * lean  # a flat line would run into a name that is close
        for order, share in enumerate(SHARES):
            x, y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
            for left in (False, True):
                start = x - away - width if left else x + away
                box = (start, y - 0.6 * EM, start + width, y + 0.6 * EM)
                against = 0.1 * order + 0.25 * left + 0.15 * number + 100 * (start < 0)
                yield against, box, (x - away if left else x + away, y, left)


def _cost(
    tried: tuple[float, Rectangle, object],
    lines: Sequence[tuple[Point, Point]],
    taken: Sequence[Rectangle],
) -> float:
    """Each line or box that a name would lie on counts one."""
    against, box, _ = tried
    crossed = sum(_crosses(line, box) for line in lines)
    covered = sum(_overlap(other, box) for other in taken)
    return against + crossed + covered


def _overlap(one: Rectangle, two: Rectangle) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def _crosses(line: tuple[Point, Point], box: Rectangle) -> bool:
    """Whether a piece of a line lies in a box: what is left after cutting it at all four sides."""
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
