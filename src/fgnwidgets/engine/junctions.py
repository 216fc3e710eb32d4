"""T-junctions: a diverter in a variable, with one more open branch (section 2.2, figure 6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from .nodes import Block, Branch, Diverter, Expand, Node, Project, Source


def with_junctions(
    nodes: Sequence[Node],
    places: Mapping[str, tuple[Branch, Diverter | None]],
    taken: Collection[str],
) -> tuple[Node, ...]:
    """The nodes of a graph with one more open branch on each of some variables.

    ``places`` holds a branch of each variable, and a diverter of it if it has one; ``taken`` are
    the names that no new branch may have.
    """
    renamed: dict[tuple[str, str], Branch] = {}  # (branch, "tail" or "head") -> its replica
    added: list[Diverter] = []
    grown: dict[str, Diverter] = {}
    for variable, (branch, old) in places.items():
        free = (n for n in range(len(taken) + 3) if f"{variable}({n})" not in taken)
        if old is not None:
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

    changed: list[Node] = []
    for node in nodes:
        match node:
            case Source(name, y, theta, learn):
                changed.append(Source(name, tail(y), theta, learn))
            case Block(name, x, y, theta, learn):
                changed.append(Block(name, head(x), tail(y), theta, learn))
            case Expand(name, x, y, sizes, axis):
                changed.append(Expand(name, head(x), tail(y), sizes, axis))
            case Project(name, x, y, sizes, axis):
                changed.append(Project(name, head(x), tail(y), sizes, axis))
            case Diverter(name):
                changed.append(grown.get(name, node))
    return (*changed, *added)
