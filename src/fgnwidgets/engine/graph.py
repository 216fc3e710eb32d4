"""Normal graphs: a circuit of sources, SISO blocks and diverters without loops (section 2.1).

Vocabulary
    node       a source, block, diverter, expand or project (``nodes``)
    open       a branch that has no tail or no head; evidence enters there
    variable   a branch, or the replicas that diverters join
    split      a T-junction: a diverter put into a branch, with one more open branch (figure 6)

A graph is a description: it holds sizes and names, and no other numbers. It is frozen and hashable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from .junctions import with_junctions
from .nodes import Block, Branch, Diverter, GraphError, Node, Source
from .walks import longest_wait, refuse_loops


@dataclass(frozen=True, init=False, repr=False)
class NormalGraph:
    """A forest of nodes joined by branches; the branches are those that the nodes name.

    Raises :class:`GraphError` for an undirected loop (with the branches on it), for a branch with
    two tails or two heads, for names used twice and for sizes that disagree.
    """

    nodes: tuple[Node, ...]

    def __init__(self, nodes: Iterable[Node]) -> None:
        object.__setattr__(self, "nodes", tuple(nodes))
        if not self.nodes:
            raise GraphError("the graph has no nodes")
        for node in self.nodes:
            if not isinstance(node, Node):
                raise GraphError(f"{node!r} is no node: expected Source, Block, Diverter, ...")
        names = [node.name for node in self.nodes]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise GraphError(f"two nodes are called {twice!r}: every node needs its own name")
        _ = self.branches, self.tails, self.heads, self.matrices  # each checks what it reads
        refuse_loops(self.nodes, self.neighbours)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[NormalGraph], tuple[tuple[Node, ...]]]:
        return NormalGraph, (self.nodes,)

    def __repr__(self) -> str:
        names = list(self.variables)
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        return f"NormalGraph({len(names)} variables: {shown}; {len(self.matrices)} matrices)"

    @cached_property
    def _hash(self) -> int:
        return hash(self.nodes)

    @cached_property
    def branches(self) -> Mapping[str, Branch]:
        """Every branch by its name, in the order in which the nodes name them."""
        found: dict[str, Branch] = {}
        for node in self.nodes:
            for branch in (*node.inputs, *node.outputs):
                known = found.setdefault(branch.name, branch)
                if known != branch:
                    raise GraphError(
                        f"branch {branch.name!r} is described in two ways, {known} and {branch}"
                    )
        return MappingProxyType(found)

    @cached_property
    def tails(self) -> Mapping[str, Node]:
        """The node that each branch leaves; an open tail is absent."""
        return self._ends("outputs", "leaves")

    @cached_property
    def heads(self) -> Mapping[str, Node]:
        """The node that each branch enters; an open head is absent."""
        return self._ends("inputs", "enters")

    @cached_property
    def open_branches(self) -> tuple[str, ...]:
        """Branches with one end free: evidence enters there."""
        return tuple(b for b in self.branches if b not in self.heads or b not in self.tails)

    @cached_property
    def variables(self) -> Mapping[str, tuple[str, ...]]:
        """Each variable with its branches: one, or the replicas around its diverters.

        A variable is called what its branches say; where hand-made replicas disagree, it takes
        the name of the diverter.
        """
        group = {name: name for name in self.branches}

        def root(name: str) -> str:
            while group[name] != name:
                group[name] = group[group[name]]
                name = group[name]
            return name

        for node in self.nodes:
            if isinstance(node, Diverter):
                first, *rest = (*node.inputs, *node.outputs)
                for branch in rest:
                    group[root(branch.name)] = root(first.name)
        members: dict[str, list[str]] = {}
        for name in self.branches:
            members.setdefault(root(name), []).append(name)
        named: dict[str, tuple[str, ...]] = {}
        for replicas in members.values():
            said = {self.branches[b].variable for b in replicas}
            name = said.pop() if len(said) == 1 else self.diverter_of[replicas[0]].name
            if name in named:
                raise GraphError(
                    f"two variables are called {name!r}: branches {named[name]}, {replicas}"
                )
            named[name] = tuple(replicas)
        return MappingProxyType(named)

    @cached_property
    def variable_of(self) -> Mapping[str, str]:
        """The variable that each branch belongs to."""
        return MappingProxyType({b: v for v, branches in self.variables.items() for b in branches})

    @cached_property
    def matrices(self) -> Mapping[str, tuple[int, int]]:
        """The shape ``(M_X, M_Y)`` of every matrix that ``theta`` must hold, by its name."""
        shapes: dict[str, tuple[int, int]] = {}
        for node in self.nodes:
            if isinstance(node, Source | Block):
                known = shapes.setdefault(node.theta, node.shape)
                if known != node.shape:
                    raise GraphError(
                        f"theta[{node.theta!r}] is shared by nodes of shapes {known} and "
                        f"{node.shape}"
                    )
        return MappingProxyType(shapes)

    @cached_property
    def learnable(self) -> Mapping[str, tuple[Source | Block, ...]]:
        """The matrices to learn, each with its tied sources and blocks."""
        users: dict[str, list[Source | Block]] = {}
        for node in self.nodes:
            if isinstance(node, Source | Block):
                users.setdefault(node.theta, []).append(node)
        return MappingProxyType(
            {name: tuple(nodes) for name, nodes in users.items() if all(n.learn for n in nodes)}
        )

    def branch(self, name: str) -> Branch:
        """The branch of that name, or the first branch of the variable of that name."""
        if name in self.branches:
            return self.branches[name]
        if name in self.variables:
            return self.branches[self.variables[name][0]]
        raise GraphError(
            f"no variable or branch {name!r}: the variables are {', '.join(self.variables)}"
        )

    def node(self, name: str) -> Node:
        """The node of that name."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise GraphError(f"no node {name!r}: the nodes are {', '.join(n.name for n in self.nodes)}")

    def neighbours(self, node: Node) -> Iterable[tuple[Branch, Node]]:
        """The nodes at the other ends of a node's branches, with these branches."""
        for branch in node.inputs:
            if branch.name in self.tails:
                yield branch, self.tails[branch.name]
        for branch in node.outputs:
            if branch.name in self.heads:
                yield branch, self.heads[branch.name]

    @cached_property
    def diameter(self) -> int:
        """Rounds that flooding needs: the longest chain of messages that depend on each other."""
        return longest_wait(self.nodes, self.neighbours)

    def split(self, *names: str) -> NormalGraph:
        """The graph with a T-junction on each of these variables or branches (figure 6).

        A variable that has a diverter already gets one more open output there; another one is cut
        in two replicas, ``X(0)`` and ``X(1)``, with a diverter between and ``X(2)`` open. Nothing
        else changes, and the same matrices serve. The result is kept: a second call is free.
        """
        variables = tuple(dict.fromkeys(self.variable_of[self.branch(name).name] for name in names))
        if not variables:
            return self
        if variables not in self._splits:
            firsts = {v: self.branches[self.variables[v][0]] for v in variables}
            places = {v: (b, self.diverter_of.get(b.name)) for v, b in firsts.items()}
            nodes = with_junctions(self.nodes, places, self.branches)
            self._splits[variables] = NormalGraph(nodes)
        return self._splits[variables]

    @cached_property
    def _splits(self) -> dict[tuple[str, ...], NormalGraph]:
        return {}

    @cached_property
    def diverter_of(self) -> Mapping[str, Diverter]:
        """A diverter that each branch is joined to, for the branches that have one."""
        diverters = [node for node in self.nodes if isinstance(node, Diverter)]
        return {b.name: d for d in reversed(diverters) for b in (*d.inputs, *d.outputs)}

    def _ends(self, side: str, verb: str) -> Mapping[str, Node]:
        ends: dict[str, Node] = {}
        for node in self.nodes:
            branches: tuple[Branch, ...] = getattr(node, side)
            for branch in branches:
                other = ends.setdefault(branch.name, node)
                if other is not node or branches.count(branch) > 1:
                    raise GraphError(
                        f"branch {branch.name!r} {verb} two nodes ({other.name!r}, "
                        f"{node.name!r}): a "
                        "variable with several children needs a Diverter, or build the graph with "
                        "BayesGraph(...).normal_form()"
                    )
        return MappingProxyType(ends)
