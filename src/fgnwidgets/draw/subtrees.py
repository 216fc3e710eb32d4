"""The subtrees of a tree of a forest, seen from a root: which part hangs where.

The root is any node of the tree, with edges to it and from it. So from an inner node some subtrees
hang above it and others below it.

Vocabulary
    inner, outer   the end of an edge that is nearer to the root, and the other end
    way            of a node: 1 if it is below its inner node, -1 if it is above
    subtree        an outer node and all that is further out; named by that node
    outward        of a node: -1 in a subtree at the left of the root, 1 at the right, else 0
    straight       a subtree in the column of its inner node; others are at the left or the right
    chain          a subtree that does not branch
    fan            the subtrees below a node that are chains, if there are many of them
    mixed          a subtree with edges of both ways, so that some of it may pass its inner node

All steps are loops over one order of the nodes, so that a chain of thousands needs no recursion.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .contours import SEPARATION, Room
from .directed import Directed

FEW = 3
"""Least number of subtrees of a fan in one row."""


@dataclass(frozen=True)
class Forest:
    """A forest to be placed: nodes 0, 1, ..., whose edges point down from tail to head.

    ``boxes``     the room of each node
    ``margins``   the room of each edge's line with its label
    ``slant``     bars shorter than this are drawn as slanting lines, and need no room
    ``asides``    nodes that hang at a side, so that another subtree can go straight on
    ``rows``      over how many rows, one below the other, the subtrees of a fan are dealt
    ``families``  the nodes of a child's parents, which are to stand in this order
    ``apart``     the least distance between two subtrees
    """

    graph: Directed
    boxes: Sequence[Room]
    margins: Mapping[tuple[int, int], Room]
    slant: float = 0.0
    asides: frozenset[int] = frozenset()
    rows: int = 1
    families: Sequence[Sequence[int]] = ()
    apart: float = SEPARATION


class Subtrees:
    """The subtrees of one tree, seen from one root.

    ``order``           the nodes from the root outwards
    ``inner``, ``way``  of each node
    ``size``            of each subtree, the number of its nodes
    ``mixed``, ``chain``  True for a subtree that is mixed, or a chain
    ``lower``           how many layers further down a subtree of a fan begins, set by ``sides``
    """

    def __init__(self, forest: Forest, root: int) -> None:
        self.forest, self.root = forest, root
        self.up, self.down = forest.graph.pred, forest.graph.succ
        self.lower: dict[int, int] = {}
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

    def sides(self, v: int, outward: int) -> tuple[list[int], list[int], list[int]]:
        """The subtrees of a node at the left, straight on, and at the right.

        Parents stand in the order in which the node has them, whatever the root is.
        """
        straight: list[int] = []
        left: list[list[int]] = []
        right: list[list[int]] = []
        for way, around in ((1, self.down[v]), (-1, self.up[v])):
            inner, subtrees = self.inner[v], [w for w in around if w != self.inner[v]]
            cut = list(around).index(inner) if way < 0 and inner in around else -1
            if way > 0:
                subtrees = self._mixed_outside(self._dealt(subtrees), outward)
            if inner not in around and subtrees:  # else the middle is the line to the inner node
                middle = self._middle(subtrees)
                if middle is not None:
                    straight.append(subtrees.pop(middle))
                    cut = middle if way < 0 else -1
            if cut < 0:
                cut = len(subtrees) // 2 + (len(subtrees) % 2 if outward < 0 else 0)
            left.append(subtrees[:cut][::-1])
            right.append(subtrees[cut:])
        return self._mixed_last(left), straight, self._mixed_last(right)

    def _mixed_last(self, sides: list[list[int]]) -> list[int]:
        """The subtrees below and above a bar in one list, so that a mixed one is outermost."""
        sides = sorted(filter(None, sides), key=lambda subtrees: self.mixed[subtrees[-1]])
        return [w for subtrees in sides for w in subtrees]

    def _dealt(self, subtrees: list[int]) -> list[int]:
        """The subtrees with those of a fan dealt to rows; a row is full before the next one begins.

        Lines to lower rows pass at the left of the higher subtrees, so that the names at the right
        of lines are not in their way.
        """
        asides = self.forest.asides
        fan = [w for w in subtrees if self.chain[w] and not self.mixed[w] and w not in asides]
        rows = min(self.forest.rows, len(fan) // FEW)
        if rows < 2:
            return subtrees
        across = math.ceil(len(fan) / rows)
        depth = max(self.size[w] for w in fan)
        self.lower.update({w: k // across * depth for k, w in enumerate(fan)})
        dealt = [w for k in range(across) for w in reversed(fan[k::across])]
        return [*dealt, *(w for w in subtrees if w not in dealt)]

    def _mixed_outside(self, subtrees: list[int], outward: int) -> list[int]:
        """The subtrees from left to right, mixed ones outside of those that keep to one way."""
        pure = [w for w in subtrees if not self.mixed[w]]
        mixed = [w for w in subtrees if self.mixed[w]]
        if not pure or not mixed:
            return subtrees
        first = [
            w for w in mixed if outward < 0 or (not outward and subtrees.index(w) < len(pure) / 2)
        ]
        return [*first, *pure, *(w for w in mixed if w not in first)]

    def _middle(self, subtrees: list[int]) -> int | None:
        """The index of the subtree that goes straight on, if any.

        It is the only one that is not aside, the middle one, or one that outweighs all others.
        """
        rest = [w for w in subtrees if w not in self.forest.asides]
        if len(rest) == 1:
            return subtrees.index(rest[0])
        if len(subtrees) % 2:
            return len(subtrees) // 2
        heaviest = max(subtrees, key=lambda w: self.size[w])
        others = max(self.size[w] for w in subtrees if w != heaviest)
        if self.size[heaviest] > 2 * others and not self.mixed[heaviest]:
            return subtrees.index(heaviest)
        return None
