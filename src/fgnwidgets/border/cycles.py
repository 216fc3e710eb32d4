"""Cycles of a directed graph, given by the parents of every variable (section 2).

Vocabulary
    directed cycle   a variable that is its own ancestor: no graph of probabilities at all
    loop             a cycle that ignores the arrows: a graph, but messages on it are not exact

Children that have the same several parents hang on one product space, and close no loop.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping

Parents = Mapping[str, tuple[str, ...]]


def directed_cycle(parents: Parents) -> tuple[str, ...]:
    """A directed cycle ``(A, ..., A)`` along the arrows; empty if there is none."""
    waiting = {name: len(ps) for name, ps in parents.items()}
    children: dict[str, list[str]] = {name: [] for name in parents}
    for name, ps in parents.items():
        for parent in ps:
            children[parent].append(name)
    free = [name for name, count in waiting.items() if not count]
    for name in free:  # grows as it is walked through
        for child in children[name]:
            waiting[child] -= 1
            if not waiting[child]:
                free.append(child)
    left = [name for name, count in waiting.items() if count]
    if not left:
        return ()
    way = [left[0]]
    while way[-1] not in way[:-1]:  # every variable that is left has a parent that is left
        way.append(next(p for p in parents[way[-1]] if waiting[p]))
    return tuple(reversed(way[way.index(way[-1]) :]))


def undirected_loop(parents: Parents, given: Collection[str] = ()) -> tuple[str, ...]:
    """The variables on a loop, in its order; empty if there is none.

    Where it passes through a product space, the children of that space are on it too. A given
    variable is on none: what it hands to one child says nothing to another.
    """
    links: dict[Hashable, list[Hashable]] = {name: [] for name in parents}
    for child, ps in parents.items():
        hub: Hashable = ps if len(ps) > 1 else None
        if hub is not None and hub not in links:
            links[hub] = []
            for parent in ps:
                if parent not in given:
                    links[hub].append(parent)
                    links[parent].append(hub)
        for end in [hub] if hub is not None else ps:
            if end in given:
                continue
            links[end].append(child)
            links[child].append(end)
    came: dict[Hashable, Hashable] = {}
    for start in links:
        if start in came:
            continue
        came[start] = None
        for here in (order := [start]):
            for other in links[here]:
                if other == came[here]:
                    continue
                if other in came:
                    return _named(_way(came, here, other), parents)
                came[other] = here
                order.append(other)
    return ()


def _way(came: Mapping[Hashable, Hashable], one: Hashable, other: Hashable) -> list[Hashable]:
    """From one to the other through the tree, the edge between them closes the loop."""

    def up(here: Hashable) -> list[Hashable]:
        way = [here]
        while came[way[-1]] is not None:
            way.append(came[way[-1]])
        return way

    first, second = up(one), up(other)
    while len(first) > 1 and len(second) > 1 and first[-2] == second[-2]:
        first.pop()
        second.pop()
    return [*first, *reversed(second[:-1])]


def _named(loop: list[Hashable], parents: Parents) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for k, place in enumerate(loop):
        if isinstance(place, str):
            names[place] = None
            continue
        between = {loop[k - 1], loop[(k + 1) % len(loop)]}
        for child, ps in parents.items():
            if ps == place and between <= set(ps):
                names[child] = None
    return tuple(names)
