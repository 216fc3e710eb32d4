"""Places for the nodes of a directed forest: each tree is placed by itself, then all on shelves.

Vocabulary
    root    the node from which a tree is placed (``subtrees``): the best of a few
    shelf   a row of trees side by side, with their tops at one height
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ..graphs.normal_graph import NormalGraph
from .contours import SEPARATION
from .subtrees import Forest
from .tree import Tree


@dataclass(frozen=True)
class Places:
    """Centres of the nodes, inner ends of edges (``subtrees``), size of the drawing."""

    x: list[float]
    y: list[float]
    inner: dict[tuple[int, int], int]
    width: float
    height: float


def place(forest: Forest) -> Places:
    """Place every tree of the forest, and set the trees side by side on shelves."""
    parts = (sorted(nodes) for nodes in forest.graph.parts())
    return _shelves(forest, [_best(forest, nodes) for nodes in parts])


def parents_in_order(graph: NormalGraph, index: Mapping[str, int]) -> list[list[int]]:
    """The nodes that make the parents of each child, in the order in which it names them."""
    makers = {b.variable: index[n.name] for n in graph.nodes if not n.copies for b in n.outputs}
    found = []
    for diverter in (node for node in graph.nodes if node.copies):
        tails = [graph.tails[b.name] for b in diverter.inputs if b.name in graph.tails]
        parents = [b.variable for tail in tails for b in tail.inputs]
        found.append([makers[name] for name in parents if name in makers])
    return [family for family in found if len(family) > 1]


def _best(forest: Forest, nodes: list[int]) -> Tree:
    """The tree placed from the best of a few roots.

    Sources are tried, and nodes with several parents. From such a node what hangs on each side of
    it is balanced.
    """
    above = {v: len(forest.graph.pred[v]) for v in nodes}
    roots = [v for v in nodes if not above[v]]
    if len(roots) > 1:
        merging = sorted((v for v in nodes if above[v] > 1), key=lambda v: -above[v])
        roots = [*merging[:8], *roots[:4]] if len(nodes) < 1000 else merging[:1]
    return min((Tree(forest, root) for root in roots), key=lambda tree: tree.cost)


def _shelves(forest: Forest, trees: list[Tree]) -> Places:
    """Trees side by side, a new shelf begun when one gets wider than suits the area of all."""
    sizes = [(tree.right - tree.left + SEPARATION, tree.depth + 1.0) for tree in trees]
    area = sum(w * h for w, h in sizes)
    limit = max(*(w for w, _ in sizes), 1.5 * math.sqrt(area), 8.0)
    x, y = [0.0] * len(forest.boxes), [0.0] * len(forest.boxes)
    inner: dict[tuple[int, int], int] = {}
    left = top = width = height = 0.0
    for tree, (w, h) in zip(trees, sizes, strict=True):
        if left and left + w > limit + 1e-9:
            left, top = 0.0, height + SEPARATION
        for v in tree.order:
            x[v] = left + tree.x[v] - tree.left
            y[v] = top + tree.y[v]
            if v != tree.root:
                inner[tree.ends(v)] = tree.inner[v]
        left += w
        width, height = max(width, left - SEPARATION), max(height, top + h)
    return Places(x, y, inner, width, height - 1.0)
