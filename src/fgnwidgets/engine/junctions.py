"""T-junctions: a diverter in a variable, with one more open branch (section 2.2, figure 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .nodes import Block, Branch, Diverter, Expand, Node, Project, Source

if TYPE_CHECKING:
    from .graph import NormalGraph


def with_junctions(graph: NormalGraph, variables: tuple[str, ...]) -> tuple[Node, ...]:
    """The nodes of the graph with one more open branch on each of these variables."""
    renamed: dict[tuple[str, str], Branch] = {}  # (branch, "tail" or "head") -> its replica
    added: list[Diverter] = []
    grown: dict[str, Diverter] = {}
    for variable in variables:
        branch = graph.branches[graph.variables[variable][0]]
        free = (
            n for n in range(len(graph.branches) + 3) if f"{variable}({n})" not in graph.branches
        )
        if branch.name in graph.diverter_of:
            old = graph.diverter_of[branch.name]
            port = Branch(f"{variable}({next(free)})", branch.size, branch.states, variable)
            grown[old.name] = Diverter(old.name, old.inputs, (*old.outputs, port))
        else:
            into, out, port = (
                Branch(f"{variable}({next(free)})", branch.size, branch.states, variable)
                for _ in range(3)
            )
            added.append(Diverter(f"{variable}=", [into], [out, port]))
            renamed[branch.name, "tail"], renamed[branch.name, "head"] = into, out

    def tail(b: Branch) -> Branch:  # as the node that the branch leaves names it
        return renamed.get((b.name, "tail"), b)

    def head(b: Branch) -> Branch:
        return renamed.get((b.name, "head"), b)

    nodes: list[Node] = []
    for node in graph.nodes:
        match node:
            case Source(name, y, theta, learn):
                nodes.append(Source(name, tail(y), theta, learn))
            case Block(name, x, y, theta, learn):
                nodes.append(Block(name, head(x), tail(y), theta, learn))
            case Expand(name, x, y, sizes, axis):
                nodes.append(Expand(name, head(x), tail(y), sizes, axis))
            case Project(name, x, y, sizes, axis):
                nodes.append(Project(name, head(x), tail(y), sizes, axis))
            case Diverter(name):
                nodes.append(grown.get(name, node))
    return (*nodes, *added)
