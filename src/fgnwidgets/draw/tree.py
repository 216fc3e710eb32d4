"""One tree of a forest, placed from one root: every edge goes down, and none cross.

Vocabulary
    inner, outer   the two ends of an edge: the one nearer to the root of the drawing, and the other
    column         an edge is a vertical line at its outer end; a horizontal *bar*, at the height of
                   its inner end, leads there
    strip          what hangs on one edge of a node, beside the node's own column
    fan            the strips below a node that do not branch, if there are many of them
    mixed          a strip that does not keep to one direction, so that it may pass its inner node
    bound          (node that a strip stays below, node that it stays above), -1 for none
    row            ``2 * layer`` for nodes, ``2 * layer + 1`` for the gap below, with the labels

Why nothing crosses: a strip that has another one outside it stays wholly on its own side of the
bar; only the outermost may pass it, and only with its outward half. Heights are longest paths over
the edges and these bounds; then the strips are pushed together, row by row, as far as they go.
Everything is a loop over an order of the nodes: a chain of thousands needs no recursion.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx

Room = tuple[float, float]  # to the left and to the right of a centre
Bound = tuple[int, int]
Contour = dict[int, Room]  # row -> leftmost and rightmost place taken

SEPARATION = 0.3
SNAP = 0.25
FEW = 3  # strips of a fan in one row, at least
FREE: Bound = (-1, -1)


@dataclass(frozen=True)
class Forest:
    """What to place: a forest of the numbers 0, 1, ..., its edges down from tail to head.

    ``boxes`` is the room that each node takes, ``margins`` that of each edge's line and label.
    Bars shorter than ``slant`` are drawn as slanting lines, and need no room of their own. The
    nodes ``asides`` never turn another one out of the straight line: they hang beside it. The
    strips of a fan are dealt out to ``rows`` that lie below each other, so that it is not as wide.
    """

    graph: nx.DiGraph
    boxes: Sequence[Room]
    margins: Mapping[tuple[int, int], Room]
    slant: float = 0.0
    asides: frozenset[int] = frozenset()
    rows: int = 1


class Tree:
    """One tree, placed from one root; its steps are the methods, in order."""

    def __init__(self, forest: Forest, root: int) -> None:
        self.forest, self.root = forest, root
        self.up, self.down = forest.graph.pred, forest.graph.succ
        self.hang()
        self.arrange()
        self.heights()
        self.columns()

    @property
    def cost(self) -> float:
        """Smaller is better: sources on top and in their order, narrow, low, short bars."""
        sources = sorted(v for v in self.order if not self.up[v])
        low = sum(self.y[v] for v in sources)
        swaps = sum(self.x[a] > self.x[b] for a, b in pairwise(sources))
        bars = sum(abs(d) for d in self.offset.values())
        return low + swaps + self.right - self.left + self.depth + bars / 10

    def hang(self) -> None:
        """Order the nodes from the root; for each its inner node, direction, size, mixed."""
        self.order = [self.root]
        self.inner: dict[int, int] = {self.root: -1}
        self.way: dict[int, int] = {self.root: 0}  # 1: below its inner node, -1: above
        for v in self.order:
            for way, around in ((-1, self.up[v]), (1, self.down[v])):
                for w in around:
                    if w != self.inner[v]:
                        self.inner[w], self.way[w] = v, way
                        self.order.append(w)
        self.size = dict.fromkeys(self.order, 1)
        self.mixed = dict.fromkeys(self.order, False)
        self.chain = dict.fromkeys(self.order, True)  # whether it branches nowhere further out
        for w in reversed(self.order[1:]):
            v = self.inner[w]
            self.chain[v] &= self.chain[w] and self.size[v] == 1
            self.size[v] += self.size[w]
            self.mixed[v] |= self.mixed[w] or self.way[w] != self.way[v]

    def ends(self, v: int) -> tuple[int, int]:
        """Tail and head of the edge between a node and its inner node."""
        return (self.inner[v], v) if self.way[v] > 0 else (v, self.inner[v])

    def arrange(self) -> None:
        """Which strips lie left and right of each node, from the inside out, and their bounds."""
        self.left_of: dict[int, list[int]] = {}
        self.right_of: dict[int, list[int]] = {}
        self.straight: dict[int, list[int]] = {}
        self.lower: dict[int, int] = {}  # so many layers further down a strip of a fan begins
        self.bound: dict[int, Bound] = {self.root: FREE}
        half: dict[int, tuple[Bound, Bound]] = {self.root: (FREE, FREE)}  # of its left, its right
        outward = {self.root: 0}
        for v in self.order:
            left, straight, right = self._sides(v, outward[v])
            self.left_of[v], self.straight[v], self.right_of[v] = left, straight, right
            for side, strips in ((0, left), (1, right)):
                whole = half[v][side]
                for w in strips:
                    near = self._beside(v, w, whole)
                    far = whole if w == strips[-1] else near
                    half[w] = (far, near) if side == 0 else (near, far)
                    self.bound[w] = whole
                    outward[w] = 2 * side - 1
            for w in straight:
                half[w] = (
                    self._beside(v, w, half[v][0]) if left else half[v][0],
                    self._beside(v, w, half[v][1]) if right else half[v][1],
                )
                self.bound[w] = self.bound[v]
                outward[w] = outward[v]

    def _beside(self, v: int, w: int, bound: Bound) -> Bound:
        """The bound of a strip at ``w`` that must stay on its own side of the bar of ``v``."""
        return (v, bound[1]) if self.way[w] > 0 else (bound[0], v)

    def _sides(self, v: int, outward: int) -> tuple[list[int], list[int], list[int]]:
        left: list[int] = []
        right: list[int] = []
        straight: list[int] = []
        for way, around in ((1, self.down[v]), (-1, self.up[v])):
            strips = [w for w in around if w != self.inner[v]]
            strips = self._mixed_outside(self._dealt(strips) if way > 0 else strips, outward)
            if self.way[v] != -way and strips:  # else the line to the inner node is in the middle
                middle = self._middle(strips)
                if middle is not None:
                    straight.append(strips.pop(middle))
            extra = len(strips) % 2 if outward < 0 else 0
            cut = len(strips) // 2 + extra
            left += reversed(strips[:cut])
            right += strips[cut:]
        left.sort(key=lambda w: self.mixed[w])
        right.sort(key=lambda w: self.mixed[w])
        return left, straight, right

    def _dealt(self, strips: list[int]) -> list[int]:
        """The strips of a fan dealt out to rows, which are read one after the other.

        The lines to the lower rows pass at the left of what hangs on the higher ones: so names and
        whatever else is at the right of a line take no room from them.
        """
        asides = self.forest.asides
        fan = [w for w in strips if self.chain[w] and not self.mixed[w] and w not in asides]
        rows = min(self.forest.rows, len(fan) // FEW)
        if rows < 2:
            return strips
        across = math.ceil(len(fan) / rows)
        depth = max(self.size[w] for w in fan)
        self.lower.update({w: k // across * depth for k, w in enumerate(fan)})
        dealt = [w for k in range(across) for w in reversed(fan[k::across])]
        return [*dealt, *(w for w in strips if w not in dealt)]

    def _mixed_outside(self, strips: list[int], outward: int) -> list[int]:
        pure = [w for w in strips if not self.mixed[w]]
        mixed = [w for w in strips if self.mixed[w]]
        if not pure or not mixed:
            return strips
        first = [
            w for w in mixed if outward < 0 or (not outward and strips.index(w) < len(pure) / 2)
        ]
        return [*first, *pure, *(w for w in mixed if w not in first)]

    def _middle(self, strips: list[int]) -> int | None:
        """Which strip goes on straight: the middle one, or one that outweighs all others."""
        rest = [w for w in strips if w not in self.forest.asides]
        if len(rest) == 1:
            return strips.index(rest[0])
        if len(strips) % 2:
            return len(strips) // 2
        heaviest = max(strips, key=lambda w: self.size[w])
        others = max(self.size[w] for w in strips if w != heaviest)
        if self.size[heaviest] > 2 * others and not self.mixed[heaviest]:
            return strips.index(heaviest)
        return None

    def heights(self) -> None:
        """Layers by longest paths from the top; then what is no source sinks to what it feeds."""
        order = nx.DiGraph()
        order.add_nodes_from(self.order)
        for w in self.order[1:]:
            order.add_edge(*self.ends(w))
            ceiling, floor = self.bound[w]
            if ceiling >= 0:
                order.add_edge(ceiling, w)
            if floor >= 0:
                order.add_edge(w, floor)
        ordered = list(nx.topological_sort(order))
        self.y: dict[int, int] = {}
        for v in ordered:
            self.y[v] = max((self.y[u] + 1 for u in order.pred[v]), default=0)
            if v in self.lower:
                self.y[v] = max(self.y[v], self.y[self.inner[v]] + 1 + self.lower[v])
        for v in reversed(ordered):
            if self.up[v] and order.succ[v]:
                self.y[v] = min(self.y[w] for w in order.succ[v]) - 1
        self.depth = max(self.y.values())

    def columns(self) -> None:
        """Push the strips of every node together, the innermost nodes last; then add up."""
        self.offset: dict[int, float] = {}
        contours: dict[int, Contour] = {}
        for v in reversed(self.order):
            contours[v] = self._contour(v, contours)
        self.x = {self.root: 0.0}
        for w in self.order[1:]:
            self.x[w] = self.x[self.inner[w]] + self.offset[w]
        rows = contours[self.root].values()
        self.left, self.right = min(r[0] for r in rows), max(r[1] for r in rows)

    def _contour(self, v: int, contours: dict[int, Contour]) -> Contour:
        straight = sorted(self.straight[v], key=lambda w: -self.size[w])
        total = contours.pop(straight[0]) if straight else {}
        for w in straight:
            self.offset[w] = 0.0
        for w in straight[1:]:
            _join(total, contours.pop(w), 0.0)
        _join(total, self._own(v), 0.0)
        left, right = self.left_of[v], self.right_of[v]
        if self.mixed[v] and (left or right):  # what hangs back passes the column further in
            w = v
            while w != self.root and w in self.straight[self.inner[w]]:
                w = self.inner[w]
                _join(total, self._own(w), 0.0)
        for i in range(max(len(left), len(right))):
            pair: list[tuple[int, Contour]] = []
            if i < len(left):
                strip = contours.pop(left[i])
                pair.append((left[i], strip))
                self.offset[left[i]] = -_snap(max(_overlap(strip, total), 0.5))
            if i < len(right):
                strip = contours.pop(right[i])
                pair.append((right[i], strip))
                self.offset[right[i]] = _snap(max(_overlap(total, strip), 0.5))
            if len(pair) == 2:
                (a, one), (b, two) = pair
                room = self.offset[b] - self.offset[a]
                apart = _snap(max(_overlap(one, two) - room, 0.0) / 2)
                self.offset[a] -= apart
                self.offset[b] += apart
            for w, strip in pair:
                reach = self.offset[w]
                _join(total, strip, reach)
                if abs(reach) > self.forest.slant:
                    _join(total, {2 * self.y[v]: (min(reach, 0.0), max(reach, 0.0))}, 0.0)
        return total

    def _own(self, v: int) -> Contour:
        """The node's box, and the line to its inner node with the room for its label."""
        box = self.forest.boxes[v]
        own = {2 * self.y[v]: (-box[0], box[1])}
        if v != self.root:
            way = self.way[v]
            corner = self.mixed[v] or not self.forest.slant  # where the line ends on a bar
            end = 2 * self.y[self.inner[v]] - way * corner
            for row in range(2 * self.y[v] - way, end, -way):
                own[row] = (-0.05, 0.05)
            margin = self.forest.margins[self.ends(v)]
            own[2 * self.y[v] - way] = (-margin[0], margin[1])
        return own


def _snap(distance: float) -> float:
    return math.ceil(distance / SNAP - 1e-9) * SNAP


def _overlap(one: Contour, two: Contour) -> float:
    """How far ``two`` must be moved to the right to clear ``one``."""
    shared = two if len(two) < len(one) else one
    return max(
        (one[row][1] - two[row][0] + SEPARATION for row in shared if row in one and row in two),
        default=0.0,
    )


def _join(total: Contour, part: Contour, offset: float) -> None:
    for row, (left, right) in part.items():
        known = total.get(row, (math.inf, -math.inf))
        total[row] = (min(known[0], left + offset), max(known[1], right + offset))
