"""Place one tree of a forest, starting from a root: all edges point down, and none cross.

The root is any node of the tree, with edges to it and from it. So from an inner node some subtrees
hang above it and others below it.

Vocabulary
    inner, outer   the end of an edge that is nearer to the root, and the other end
    column, bar    an edge is drawn as a vertical line through its outer end, the column, and a
                   horizontal line at the height of its inner end, the bar
    way            of a node: 1 if it is below its inner node, -1 if it is above
    strip          a subtree: an outer node and all that is further out
    straight       a strip in the column of its inner node; the others are at the left or the right
    fan            the strips below a node that are chains, if there are many of them
    mixed          a strip with edges of both ways, so that some of it may pass its inner node
    bound          (a node that a strip must stay below, one that it must stay above), -1 for none
    row            ``2 * layer`` for nodes, ``2 * layer + 1`` for the gap below, with the labels

Why nothing crosses: a strip with another one outside it stays on its own side of the bar. Only the
outermost strip may pass the bar, and only with its outward half. Layers are longest paths over the
edges and these bounds. Then the strips are pushed together as far as their contours allow. All
steps are loops over one order of the nodes, so that a chain of thousands needs no recursion.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx

from .contours import Contour, Room, join, overlap, snap

Bound = tuple[int, int]

FEW = 3
"""Least number of strips of a fan in one row."""
TURNED = 20
"""What it costs that a parent stands at the right of the next one."""
FREE: Bound = (-1, -1)


@dataclass(frozen=True)
class Forest:
    """What to place: a forest of nodes 0, 1, ..., whose edges point down from tail to head.

    ``boxes``     the room of each node
    ``margins``   the room of each edge's line with its label
    ``slant``     bars shorter than this are drawn as slanting lines, and need no room
    ``asides``    nodes that hang at a side, so that another strip can go straight on
    ``rows``      over how many rows, one below the other, the strips of a fan are dealt
    ``families``  the nodes of a child's parents, which are to stand in this order
    """

    graph: nx.DiGraph
    boxes: Sequence[Room]
    margins: Mapping[tuple[int, int], Room]
    slant: float = 0.0
    asides: frozenset[int] = frozenset()
    rows: int = 1
    families: Sequence[Sequence[int]] = ()


class Tree:
    """One tree, placed from one root by the steps ``hang``, ``arrange``, ``heights``, ``columns``.

    The result is ``x[v]`` and the layer ``y[v]`` of every node, and ``inner[v]``, its inner node.
    """

    def __init__(self, forest: Forest, root: int) -> None:
        self.forest, self.root = forest, root
        self.up, self.down = forest.graph.pred, forest.graph.succ
        self.hang()
        self.arrange()
        self.heights()
        self.columns()

    @property
    def cost(self) -> float:
        """How bad the drawing is: order of sources and parents, low sources, size, long bars."""
        sources = sorted(v for v in self.order if not self.up[v])
        low = sum(self.y[v] for v in sources)
        swaps = sum(self.x[a] > self.x[b] for a, b in pairwise(sources))
        families = (family for family in self.forest.families if family[0] in self.x)
        turned = sum(self.x[a] > self.x[b] for family in families for a, b in pairwise(family))
        bars = sum(abs(d) for d in self.offset.values())
        return TURNED * turned + low + swaps + self.right - self.left + self.depth + bars / 10

    def hang(self) -> None:
        """Order the nodes from the root outwards, and describe the strip of each.

        Finds the inner node and the way of each node; the number of nodes in its strip; and whether
        this is mixed, or a chain, which does not branch.
        """
        self.order = [self.root]
        self.inner: dict[int, int] = {self.root: -1}
        self.way: dict[int, int] = {self.root: 0}
        for v in self.order:
            for way, around in ((-1, self.up[v]), (1, self.down[v])):
                for w in around:
                    if w != self.inner[v]:
                        self.inner[w], self.way[w] = v, way
                        self.order.append(w)
        self.size = dict.fromkeys(self.order, 1)
        self.mixed = dict.fromkeys(self.order, False)
        self.chain = dict.fromkeys(self.order, True)
        for w in reversed(self.order[1:]):
            v = self.inner[w]
            self.chain[v] &= self.chain[w] and self.size[v] == 1
            self.size[v] += self.size[w]
            self.mixed[v] |= self.mixed[w] or self.way[w] != self.way[v]

    def ends(self, v: int) -> tuple[int, int]:
        """Tail and head of the edge between a node and its inner node."""
        return (self.inner[v], v) if self.way[v] > 0 else (v, self.inner[v])

    def arrange(self) -> None:
        """Find the strips at the left and the right of each node, from the inside out, and bounds.

        A strip has a bound for itself, and one for what hangs at the left and right of its column.
        """
        self.left_of: dict[int, list[int]] = {}
        self.right_of: dict[int, list[int]] = {}
        self.straight: dict[int, list[int]] = {}
        self.lower: dict[int, int] = {}  # how many layers further down a strip of a fan begins
        self.bound: dict[int, Bound] = {self.root: FREE}
        half: dict[int, tuple[Bound, Bound]] = {self.root: (FREE, FREE)}  # at the left, the right
        outward = {self.root: 0}  # -1 if the node is in a strip at the left, 1 at the right
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
        """The strips of a node at the left, straight on, and at the right.

        Parents stand in the order in which the node has them, whatever the root is.
        """
        straight: list[int] = []
        left: list[list[int]] = []
        right: list[list[int]] = []
        for way, around in ((1, self.down[v]), (-1, self.up[v])):
            inner, strips = self.inner[v], [w for w in around if w != self.inner[v]]
            cut = list(around).index(inner) if way < 0 and inner in around else -1
            if way > 0:
                strips = self._mixed_outside(self._dealt(strips), outward)
            if inner not in around and strips:  # else the middle is the line to the inner node
                middle = self._middle(strips)
                if middle is not None:
                    straight.append(strips.pop(middle))
                    cut = middle if way < 0 else -1
            if cut < 0:
                cut = len(strips) // 2 + (len(strips) % 2 if outward < 0 else 0)
            left.append(strips[:cut][::-1])
            right.append(strips[cut:])
        return self._mixed_last(left), straight, self._mixed_last(right)

    def _mixed_last(self, sides: list[list[int]]) -> list[int]:
        """The strips below and above a bar in one list, so that a mixed one is outermost."""
        sides = sorted(filter(None, sides), key=lambda strips: self.mixed[strips[-1]])
        return [w for strips in sides for w in strips]

    def _dealt(self, strips: list[int]) -> list[int]:
        """The strips with those of a fan dealt to rows; a row is full before the next one begins.

        Lines to lower rows pass at the left of the higher strips, so that the names at the right of
        lines are not in their way.
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
        """The strips from left to right, mixed ones outside of those that keep to one way."""
        pure = [w for w in strips if not self.mixed[w]]
        mixed = [w for w in strips if self.mixed[w]]
        if not pure or not mixed:
            return strips
        first = [
            w for w in mixed if outward < 0 or (not outward and strips.index(w) < len(pure) / 2)
        ]
        return [*first, *pure, *(w for w in mixed if w not in first)]

    def _middle(self, strips: list[int]) -> int | None:
        """The index of the strip that goes straight on, if any.

        It is the only one that is not aside, the middle one, or one that outweighs all others.
        """
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
        """Find the layers: longest paths from the top.

        Then nodes that are no sources are lowered to just above what follows them.
        """
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
        """Push the strips of every node together, outer nodes first, and add the offsets up."""
        self.offset: dict[int, float] = {}  # from the inner node
        contours: dict[int, Contour] = {}
        for v in reversed(self.order):
            contours[v] = self._contour(v, contours)
        self.x = {self.root: 0.0}
        for w in self.order[1:]:
            self.x[w] = self.x[self.inner[w]] + self.offset[w]
        rows = contours[self.root].values()
        self.left, self.right = min(r[0] for r in rows), max(r[1] for r in rows)

    def _contour(self, v: int, contours: dict[int, Contour]) -> Contour:
        """The contour of a node's strip; sets the offsets of the strips that hang on the node."""
        straight = sorted(self.straight[v], key=lambda w: -self.size[w])
        total = contours.pop(straight[0]) if straight else {}
        for w in straight:
            self.offset[w] = 0.0
        for w in straight[1:]:
            join(total, contours.pop(w), 0.0)
        join(total, self._own(v), 0.0)
        left, right = self.left_of[v], self.right_of[v]
        # Strips that hang the other way pass the columns of the nodes further in.
        if self.mixed[v] and (left or right):
            w = v
            while w != self.root and w in self.straight[self.inner[w]]:
                w = self.inner[w]
                join(total, self._own(w), 0.0)
        for i in range(max(len(left), len(right))):
            pair: list[tuple[int, Contour]] = []
            if i < len(left):
                strip = contours.pop(left[i])
                pair.append((left[i], strip))
                self.offset[left[i]] = -snap(max(overlap(strip, total), 0.5))
            if i < len(right):
                strip = contours.pop(right[i])
                pair.append((right[i], strip))
                self.offset[right[i]] = snap(max(overlap(total, strip), 0.5))
            if len(pair) == 2:
                (a, one), (b, two) = pair
                room = self.offset[b] - self.offset[a]
                apart = snap(max(overlap(one, two) - room, 0.0) / 2)
                self.offset[a] -= apart
                self.offset[b] += apart
            for w, strip in pair:
                reach = self.offset[w]
                join(total, strip, reach)
                if abs(reach) > self.forest.slant:
                    join(total, {2 * self.y[v]: (min(reach, 0.0), max(reach, 0.0))}, 0.0)
        return total

    def _own(self, v: int) -> Contour:
        """The contour of a node's box and of the line to its inner node with its label."""
        box = self.forest.boxes[v]
        own = {2 * self.y[v]: (-box[0], box[1])}
        if v != self.root:
            way = self.way[v]
            corner = self.mixed[v] or not self.forest.slant  # whether the line ends on a bar
            end = 2 * self.y[self.inner[v]] - way * corner
            for row in range(2 * self.y[v] - way, end, -way):
                own[row] = (-0.05, 0.05)
            margin = self.forest.margins[self.ends(v)]
            own[2 * self.y[v] - way] = (-margin[0], margin[1])
        return own
