"""Walks over the nodes of a graph: its loops, and its longest chain of messages (section 2.2).

No walk recurses: a chain may have thousands of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from .nodes import Branch, GraphError, Node

Neighbours = Callable[[Node], Iterable[tuple[Branch, Node]]]
"""The nodes at the other ends of a node's branches, with these branches."""


class LoopError(GraphError):
    """An undirected loop, with the branches and the variables on it."""

    def __init__(self, branches: tuple[Branch, ...]) -> None:
        self.branches = tuple(b.name for b in branches)
        self.variables = tuple(dict.fromkeys(b.variable for b in branches))
        super().__init__(
            f"the branches {', '.join(self.branches)} form a loop: messages are exact only on "
            "graphs without loops; merge variables of the loop into one product variable"
        )


def refuse_loops(nodes: Sequence[Node], neighbours: Neighbours) -> None:
    """Raise :class:`LoopError` for the first loop that a walk from every node meets."""
    seen: set[str] = set()
    for start in nodes:
        if start.name in seen:
            continue
        came: dict[str, tuple[str, Branch]] = {}  # node -> the node and branch before it
        seen.add(start.name)
        stack: list[tuple[Node, Branch | None]] = [(start, None)]
        while stack:
            node, up = stack.pop()
            for branch, other in neighbours(node):
                if branch is up or (up is not None and branch.name == up.name):
                    continue
                if other.name in seen:
                    raise LoopError(_loop(came, node.name, other.name, branch))
                seen.add(other.name)
                came[other.name] = (node.name, branch)
                stack.append((other, branch))


def longest_wait(nodes: Sequence[Node], neighbours: Neighbours) -> int:
    """The rounds of the longest chain of messages that depend on each other, in a forest."""
    from_node: dict[tuple[str, str], int] = {}  # (node, branch it sends on) -> rounds
    order: list[tuple[Node, Branch | None]] = []
    seen: set[str] = set()
    for start in nodes:
        stack: list[tuple[Node, Branch | None]] = [] if start.name in seen else [(start, None)]
        seen.add(start.name)
        while stack:
            node, up = stack.pop()
            order.append((node, up))
            for branch, other in neighbours(node):
                if other.name not in seen:
                    seen.add(other.name)
                    stack.append((other, branch))
    ports = {n.name: [b.name for b in (*n.inputs, *n.outputs)] for n in nodes}
    far_end: dict[tuple[str, str], str] = {
        (n.name, b.name): other.name for n in nodes for b, other in neighbours(n)
    }

    def waits(node: str, branch: str) -> int:
        return from_node.get((far_end.get((node, branch), ""), branch), 0)

    for node, up in reversed(order):  # towards the root
        if up is not None:
            below = (waits(node.name, b) for b in ports[node.name] if b != up.name)
            from_node[node.name, up.name] = 1 + max(below, default=0)
    for node, up in order:  # and away from it: the largest wait of all ports but one
        waiting = sorted(((waits(node.name, b), b) for b in ports[node.name]), reverse=True)
        for b in ports[node.name]:
            if up is None or b != up.name:
                others = next((w for w, other in waiting if other != b), 0)
                from_node[node.name, b] = 1 + others
    return max(from_node.values())


def _loop(
    came: Mapping[str, tuple[str, Branch]], node: str, other: str, closing: Branch
) -> tuple[Branch, ...]:
    """The branches of the loop that ``closing`` makes between two nodes of a tree."""

    def way(name: str) -> list[Branch]:  # up to the root
        steps = []
        while name in came:
            name, branch = came[name]
            steps.append(branch)
        return steps

    one, two = way(node), way(other)
    common = {b.name for b in one} & {b.name for b in two}
    loop = [*one, closing, *reversed(two)]
    return tuple(dict.fromkeys(b for b in loop if b.name not in common))
