"""Regions of a graph: sets of variables from an elimination order, in a tree (section 2.1).

Vocabulary
    clique      some variables that become one product variable
    cluster     a variable and its neighbours, when its turn to be eliminated comes
    separator   what is left of a cluster; the tree joins cliques that are within one another
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Clique = tuple[str, ...]
CliqueTree = dict[Clique, set[Clique]]
"""The neighbours of every clique."""


def clique_tree(
    families: Mapping[str, Sequence[str]],
    size: Mapping[str, int],
    ordered: Callable[[Iterable[str]], Clique],
) -> CliqueTree:
    """The cliques of a graph and their neighbours, each within or around the other.

    Eliminating a variable makes a cluster of it and its neighbours; what is left of the cluster is
    the separator towards the cluster of that one of them which is eliminated next.
    """
    clique = {name: ordered(members) for name, members in _eliminated(families, size)}
    turn = {name: k for k, name in enumerate(clique)}
    tree: CliqueTree = {cluster: set() for cluster in clique.values()}
    for name, cluster in clique.items():
        rest = tuple(v for v in cluster if v != name)
        if rest:
            link(tree, cluster, rest)
            link(tree, rest, clique[min(rest, key=turn.__getitem__)])
    contract(tree, {ordered((*parents, name)) for name, parents in families.items()}, len)
    largest_first = sorted(tree, key=lambda r: math.prod(size[v] for v in r))[::-1]
    smallest = {name: cluster for cluster in largest_first for name in cluster}  # the last stays
    for name in families:
        if (name,) not in tree:
            link(tree, (name,), smallest[name])
    return tree


def _eliminated(
    families: Mapping[str, Sequence[str]], size: Mapping[str, int]
) -> Iterable[tuple[str, set[str]]]:
    """Every variable with its neighbours when its turn comes: fewest new links first (min-fill)."""
    near: dict[str, set[str]] = {name: set() for name in families}
    for child, parents in families.items():
        for name in (family := {child, *parents}):
            near[name] |= family - {name}

    place = {name: k for k, name in enumerate(families)}

    def cost(name: str) -> tuple[int, int, int, str]:
        around = near[name]
        missing = sum(len(around - near[v]) - 1 for v in around)
        return missing, math.prod(size[v] for v in {name, *around}), place[name], name

    costs = {name: cost(name) for name in families}
    heap = sorted(costs.values())
    while heap:
        cheapest = heapq.heappop(heap)
        name = cheapest[-1]
        if costs.get(name) != cheapest:
            continue  # gone, or its cost has changed since
        around = near.pop(name)
        del costs[name]
        yield name, {name, *around}
        for v in around:
            near[v] |= around
            near[v] -= {name, v}
        for w in {w for v in around for w in near[v]} | around:
            new = cost(w)
            if new != costs[w]:
                costs[w] = new
                heapq.heappush(heap, new)


def link(tree: CliqueTree, one: Clique, other: Clique) -> None:
    if one != other:
        tree.setdefault(one, set()).add(other)
        tree.setdefault(other, set()).add(one)


def remove(tree: CliqueTree, clique: Clique) -> set[Clique]:
    near = tree.pop(clique)
    for other in near:
        tree[other].discard(clique)
    return near


def contract(tree: CliqueTree, used: set[Clique], rank: Callable[[Clique], Any]) -> None:
    """Leave out cliques within one other that nothing needs: at the rim, or around one more."""
    waiting = [clique for clique in tree if len(clique) > 1 and clique not in used]
    while waiting:
        clique = waiting.pop()
        near = tree.get(clique, set())
        inner = [r for r in near if rank(r) < rank(clique)]
        if clique in tree and len(near) - len(inner) == 1 and len(inner) < 2:
            ends = remove(tree, clique)
            if len(ends) == 2:
                link(tree, *ends)
            waiting += [r for r in ends if len(r) > 1 and r not in used]
