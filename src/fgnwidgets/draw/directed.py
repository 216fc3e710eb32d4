"""A directed graph of whole numbers, with the little that a layout asks of it.

A page of a living graph carries all of Python's files, so the layout imports no other library.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping


class Directed:
    """Nodes with those before them (``pred``) and those after them (``succ``), in their order."""

    def __init__(self, nodes: Iterable[int] = (), edges: Iterable[tuple[int, int]] = ()) -> None:
        self._pred: dict[int, dict[int, None]] = {}
        self._succ: dict[int, dict[int, None]] = {}
        for node in nodes:
            self._add(node)
        for tail, head in edges:
            self.add_edge(tail, head)

    @property
    def pred(self) -> Mapping[int, Mapping[int, None]]:
        """Node -> the nodes with an edge to it."""
        return self._pred

    @property
    def succ(self) -> Mapping[int, Mapping[int, None]]:
        """Node -> the nodes to which it has an edge."""
        return self._succ

    def add_edge(self, tail: int, head: int) -> None:
        """An edge, with its ends where they are new; one that is there already changes nothing."""
        self._add(tail)
        self._add(head)
        self._succ[tail][head] = None
        self._pred[head][tail] = None

    def parts(self) -> Iterator[set[int]]:
        """The nodes of each connected part, whatever the ways of its edges."""
        seen: set[int] = set()
        for first in self._succ:
            if first in seen:
                continue
            part = {first}
            for node in (waiting := [first]):
                for other in (*self._succ[node], *self._pred[node]):
                    if other not in part:
                        part.add(other)
                        waiting.append(other)
            seen |= part
            yield part

    def ordered(self) -> list[int]:
        """The nodes, each after all before it. Raises ``ValueError`` if edges form a circle."""
        missing = {node: len(before) for node, before in self._pred.items()}
        made = [node for node, count in missing.items() if not count]
        for node in made:
            for other in self._succ[node]:
                missing[other] -= 1
                if not missing[other]:
                    made.append(other)
        if len(made) < len(missing):
            raise ValueError("edges form a circle: expected none")
        return made

    def _add(self, node: int) -> None:
        self._pred.setdefault(node, {})
        self._succ.setdefault(node, {})


def is_forest(edges: Iterable[tuple[Hashable, Hashable]]) -> bool:
    """True if edges, whatever their ways, form no loop; two between the same ends count as one."""
    above: dict[Hashable, Hashable] = {}

    def top(node: Hashable) -> Hashable:
        while node in above:
            node = above[node]
        return node

    for one, two in {frozenset(edge): edge for edge in edges}.values():
        a, b = top(one), top(two)
        if a == b:
            return False
        above[a] = b
    return True
