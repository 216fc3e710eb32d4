"""Place one tree of a forest, starting from a root: all edges point down, and none cross.

The columns are those of Reingold and Tilford, "Tidier Drawings of Trees" (1981): from the leaves to
the root, subtrees are pushed together until their contours have the least separation, and each
keeps its offset from its inner node; from the root outwards, the offsets are added up. Theirs hang
below their nodes, ours above them, too: so the sides of the subtrees (:mod:`.subtrees`) give bounds
first, and the layers follow from these.

Vocabulary, beside that of ``subtrees``
    column, bar    an edge is drawn as a vertical line through its outer end, the column, and a
                   horizontal line at the height of its inner end, the bar
    bound          (a node that a subtree must stay below, one that it must stay above), -1 for none
    row            ``2 * layer`` for nodes, ``2 * layer + 1`` for the gap below, with the labels
    contour        of a subtree: how far it reaches to the left and right, row by row
    offset         of a subtree: how far its column is to the right of its inner node's

Why nothing crosses: a subtree with another one outside it stays on its own side of the bar. Only
the outermost one may pass the bar, and only with its outward half. Layers are longest paths over
the edges and these bounds.
"""

from __future__ import annotations

from itertools import pairwise

from .contours import Contour, join, separation, snap
from .directed import Directed
from .subtrees import Forest, Subtrees

Bound = tuple[int, int]

TURNED = 20
"""The cost of a parent that stands at the right of the next one."""
FREE: Bound = (-1, -1)


class Tree(Subtrees):
    """One tree, placed from one root by the steps ``arrange``, ``heights``, ``columns``.

    The result is ``x[v]`` and the layer ``y[v]`` of every node, and ``inner[v]``, its inner node.
    """

    def __init__(self, forest: Forest, root: int) -> None:
        super().__init__(forest, root)
        self.arrange()
        self.heights()
        self.columns()

    @property
    def cost(self) -> float:
        """The cost of the drawing: order of sources and parents, low sources, size, long bars."""
        sources = sorted(v for v in self.order if not self.up[v])
        low = sum(self.y[v] for v in sources)
        swaps = sum(self.x[a] > self.x[b] for a, b in pairwise(sources))
        families = (family for family in self.forest.families if family[0] in self.x)
        turned = sum(self.x[a] > self.x[b] for family in families for a, b in pairwise(family))
        bars = sum(abs(d) for d in self.offset.values())
        return TURNED * turned + low + swaps + self.right - self.left + self.depth + bars / 10

    def arrange(self) -> None:
        """Find the subtrees at the left and right of each node, from the inside out, and bounds.

        A subtree has a bound for itself, and one for what hangs at either side of its column.
        """
        self.left_of: dict[int, list[int]] = {}
        self.right_of: dict[int, list[int]] = {}
        self.straight: dict[int, list[int]] = {}
        self.bound: dict[int, Bound] = {self.root: FREE}
        half: dict[int, tuple[Bound, Bound]] = {self.root: (FREE, FREE)}  # at the left, the right
        outward = {self.root: 0}  # -1 if the node is in a subtree at the left, 1 at the right
        for v in self.order:
            left, straight, right = self.sides(v, outward[v])
            self.left_of[v], self.straight[v], self.right_of[v] = left, straight, right
            for side, subtrees in ((0, left), (1, right)):
                whole = half[v][side]
                for w in subtrees:
                    near = self._beside(v, w, whole)
                    far = whole if w == subtrees[-1] else near
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
        """The bound of a subtree at ``w`` that must stay on its own side of the bar of ``v``."""
        return (v, bound[1]) if self.way[w] > 0 else (bound[0], v)

    def heights(self) -> None:
        """Find the layers: longest paths from the top.

        Then nodes that are no sources are lowered to just above what follows them.
        """
        order = Directed(self.order)
        for w in self.order[1:]:
            order.add_edge(*self.ends(w))
            ceiling, floor = self.bound[w]
            if ceiling >= 0:
                order.add_edge(ceiling, w)
            if floor >= 0:
                order.add_edge(w, floor)
        ordered = order.ordered()
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
        """Offsets from the leaves to the root, then columns from the root outwards."""
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
        """The contour of a node's subtree; sets the offsets of those that hang on the node."""
        straight = sorted(self.straight[v], key=lambda w: -self.size[w])
        total = contours.pop(straight[0]) if straight else {}
        for w in straight:
            self.offset[w] = 0.0
        for w in straight[1:]:
            join(total, contours.pop(w), 0.0)
        join(total, self._own(v), 0.0)
        left, right, apart = self.left_of[v], self.right_of[v], self.forest.apart
        # Subtrees that hang the other way pass the columns of the nodes further in.
        if self.mixed[v] and (left or right):
            w = v
            while w != self.root and w in self.straight[self.inner[w]]:
                w = self.inner[w]
                join(total, self._own(w), 0.0)
        for i in range(max(len(left), len(right))):
            pair: list[tuple[int, Contour]] = []
            if i < len(left):
                subtree = contours.pop(left[i])
                pair.append((left[i], subtree))
                self.offset[left[i]] = -snap(max(separation(subtree, total, apart), 0.5))
            if i < len(right):
                subtree = contours.pop(right[i])
                pair.append((right[i], subtree))
                self.offset[right[i]] = snap(max(separation(total, subtree, apart), 0.5))
            if len(pair) == 2:
                (a, one), (b, two) = pair
                room = self.offset[b] - self.offset[a]
                further = snap(max(separation(one, two, apart) - room, 0.0) / 2)
                self.offset[a] -= further
                self.offset[b] += further
            for w, subtree in pair:
                reach = self.offset[w]
                join(total, subtree, reach)
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
