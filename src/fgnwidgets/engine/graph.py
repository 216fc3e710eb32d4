"""Normal graphs: a circuit of sources, SISO blocks and diverters without loops (section 2.1).

Vocabulary
    open       a branch that has no tail or no head; evidence enters there
    variable   a branch, or the replicas that diverters join
    product    a variable whose values are the configurations of others (Appendix A)

A graph is a description: it holds sizes and names, and no other numbers. It is frozen and hashable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cached_property, partial
from itertools import count, product
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar

from ..readers import listing, read_flag, shown, wrong
from .branches import Branch, GraphError, Label, Port
from .nodes import Diverter, Node

Key = TypeVar("Key")
Value = TypeVar("Value")


class LoopError(GraphError):
    """An undirected loop, with the branches and the variables on it."""

    def __init__(self, branches: tuple[Branch, ...]) -> None:
        super().__init__(branches)
        self.branches = tuple(b.name for b in branches)
        self.variables = tuple(dict.fromkeys(b.variable for b in branches))

    def __str__(self) -> str:
        return (
            f"the branches {', '.join(self.branches)} form a loop: messages are exact only on "
            "graphs without loops; merge variables of the loop into one product variable"
        )


class Graph:
    """What every entry point takes: a normal graph, or what has one as its normal form."""

    def normal_form(self) -> NormalGraph:
        """The factor graph in normal form; of a normal graph, itself."""
        raise NotImplementedError


def as_normal(graph: Graph) -> NormalGraph:
    """The normal form of either kind of graph; ``TypeError`` for anything else."""
    if isinstance(graph, Graph):
        return graph.normal_form()
    raise TypeError(f"graph is a {type(graph).__name__}: expected a BayesGraph or a NormalGraph")


class Place(NamedTuple):
    """A node in the tree: its branch towards the root, and the node before it on that way."""

    node: Node
    up: Branch
    before: Node | None


@dataclass(frozen=True, init=False, repr=False)
class NormalGraph(Graph):
    """A forest of nodes joined by branches; the branches are those that the nodes name.

    With ``loops=True``, for teaching, it may have loops, and ``loop`` names the branches of one:
    it can be drawn and traced by flooding, and all that is exact refuses it. Raises
    :class:`GraphError` for a loop (with the branches on it), for a branch with two tails or two
    heads, for names used twice and for sizes that disagree.
    """

    nodes: tuple[Node, ...]
    loop: ClassVar[tuple[str, ...]]
    _nodes: ClassVar[Mapping[str, Node]]
    _splits: ClassVar[dict[tuple[str, ...], NormalGraph]]

    def __init__(self, nodes: Iterable[Node], *, loops: bool = False) -> None:
        if not isinstance(nodes, Iterable):
            raise wrong("nodes", nodes, "a sequence of nodes", GraphError)
        read_flag(loops, "loops", GraphError)
        known: dict[str, Node] = {}
        for node in nodes:
            if not isinstance(node, Node):
                raise GraphError(f"{shown(node)} is no node: expected Source, Block, Diverter, ...")
            if not is_dataclass(node):
                raise GraphError(
                    f"node {node.name!r}: its class {type(node).__name__} is no dataclass, from "
                    "which its branches are read: write @dataclass(frozen=True) above the class"
                )
            if node.name in known:
                raise GraphError(f"two nodes are called {node.name!r}: each needs its own name")
            known[node.name] = node
        if not known:
            raise GraphError("the graph has no nodes")
        self.__dict__.update(nodes=tuple(known.values()), _nodes=known, _splits={}, loop=())
        # Each of these refuses what is no graph as it is made.
        _ = self.branches, self.tails, self.heads, self.given, self.matrices
        try:
            _ = self.tree
        except LoopError as error:
            if not loops:
                raise
            self.__dict__["loop"] = error.branches

    def __hash__(self) -> int:
        return hash(tuple(self._nodes))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(NormalGraph, loops=bool(self.loop)), (self.nodes,)

    def __repr__(self) -> str:
        names = list(self.variables)
        few = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        return f"NormalGraph({len(names)} variables: {few}; {len(self.matrices)} matrices)"

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
    def given(self) -> Mapping[str, tuple[str, ...]]:
        """The variables that are always observed, each with its open tails."""
        for name, node in self.tails.items():
            if self.branches[name].given:
                raise GraphError(
                    f"branch {name!r} is given and leaves {node.name!r}: a given variable has no "
                    "distribution of its own, so its tail stays open"
                )
        return _grouped((b.variable, b.name) for b in self.branches.values() if b.given)

    @cached_property
    def variables(self) -> Mapping[str, tuple[str, ...]]:
        """Each variable with its branches: one, or the replicas around its diverters.

        It is called what its branches say; where hand-made replicas disagree, as the diverter.
        """
        joined = {name: [name] for name in self.branches}
        diverters = ([name for name, _ in node.ports] for node in self.nodes if node.copies)
        for equal in (*diverters, *self.given.values()):
            together = [name for branch in equal for name in joined[branch]]
            joined.update((name, together) for name in together)
        named: dict[str, tuple[str, ...]] = {}
        for replicas in _grouped((id(joined[name]), name) for name in self.branches).values():
            said = {self.branches[b].variable for b in replicas}
            name = said.pop() if len(said) == 1 else self.diverter_of[replicas[0]].name
            if name in named:
                raise GraphError(
                    f"two variables are called {name!r}: branches {named[name]}, {replicas}"
                )
            named[name] = replicas
        return MappingProxyType(named)

    @cached_property
    def variable_of(self) -> Mapping[str, str]:
        """The variable that each branch belongs to."""
        return MappingProxyType({b: v for v, branches in self.variables.items() for b in branches})

    @cached_property
    def products(self) -> Mapping[str, tuple[str, ...]]:
        """The product spaces of which all axes are joined, each with their variables in order."""
        at = self.variable_of
        parts = [node.part for node in self.nodes if node.part]
        found = {}
        for whole, own in _grouped((at[part.whole.name], part) for part in parts).items():
            axes = {part.axis: at[part.member.name] for part in own}
            if len(axes) == len(own[0].sizes):
                found[whole] = tuple(axes[axis] for axis in sorted(axes))
        return MappingProxyType(found)

    def states(self, name: str) -> tuple[Label, ...]:
        """The states of a variable: labels, tuples of its members' states, or 0, 1, ... ."""
        branch = self.branch(name)
        if branch.states:
            return branch.states
        members = self.products.get(self.variable_of[branch.name])
        return tuple(product(*map(self.states, members)) if members else range(branch.size))

    @cached_property
    def users(self) -> Mapping[str, tuple[Node, ...]]:
        """Every matrix with the sources and blocks that have it: one, or several that are tied."""
        return _grouped((node.theta, node) for node in self.nodes if node.theta)

    @cached_property
    def matrices(self) -> Mapping[str, tuple[int, int]]:
        """The shape ``(M_X, M_Y)`` of every matrix that ``theta`` must hold, by its name."""
        for name, nodes in self.users.items():
            one, *others = dict.fromkeys(node.shape for node in nodes)
            if others:
                raise GraphError(
                    f"theta[{name!r}] is shared by nodes of shapes {one} and {others[0]}"
                )
        return MappingProxyType({name: nodes[0].shape for name, nodes in self.users.items()})

    @cached_property
    def learnable(self) -> Mapping[str, tuple[Node, ...]]:
        """The matrices to learn, each with its tied sources and blocks."""
        found = {name: nodes for name, nodes in self.users.items() if all(n.learn for n in nodes)}
        return MappingProxyType(found)

    def branch(self, name: str) -> Branch:
        """The branch of that name, or the first branch of the variable of that name."""
        if isinstance(name, str):
            if name in self.branches:
                return self.branches[name]
            if name in self.variables:
                return self.branches[self.variables[name][0]]
        raise GraphError(
            f"no variable or branch {shown(name)}: the variables are {listing(self.variables)}"
        )

    def node(self, name: str) -> Node:
        """The node of that name."""
        if isinstance(name, str) and name in self._nodes:
            return self._nodes[name]
        raise GraphError(f"no node {shown(name)}: the nodes are {', '.join(self._nodes)}")

    def neighbours(self, node: Node) -> Iterable[tuple[Branch, Node]]:
        """The nodes at the other ends of a node's branches, with these branches."""
        sides = ((node.inputs, self.tails), (node.outputs, self.heads))
        return ((b, ends[b.name]) for side, ends in sides for b in side if b.name in ends)

    @cached_property
    def tree(self) -> Mapping[str, Place]:
        """Every node from the roots outwards; a root is a branch, of a source where there is one.

        Raises :class:`LoopError` where a node can be reached in two ways.
        """
        found: dict[str, Place] = {}
        for start in sorted(self.nodes, key=lambda node: bool(node.inputs)):
            if start.name in found:
                continue
            root = (*start.outputs, *start.inputs)[0]
            found[start.name] = Place(start, root, None)
            for here in (order := [start]):  # grows as it is walked through
                for branch, other in self.neighbours(here):
                    if other.name not in found:
                        found[other.name] = Place(other, branch, here)
                        order.append(other)
                    elif branch != found[here.name].up or other is here:
                        raise LoopError(_loop(found, here, other, branch))
        return MappingProxyType(found)

    @cached_property
    def diameter(self) -> int:
        """Rounds that flooding needs: the longest chain of messages that depend on each other."""
        longest: dict[Port, int] = {}  # the chain that ends with each message
        places = list(self.tree.values())
        for upwards, order in ((True, places[::-1]), (False, places)):
            for node, up, _ in order:
                into = {port: longest.get((port[0], not port[1]), 0) for port in node.ports}
                *_, second, first = sorted((0, 0, *into.values()))
                for port, own in into.items():
                    if (port[0] == up.name) is upwards:
                        longest[port] = 1 + (second if own == first else first)
        return max(longest.values())

    def split(self, *names: str) -> NormalGraph:
        """The graph with a T-junction, an open branch, on each of these variables (figure 6).

        The diverter of a variable gets one more output; where there is none, the branch is cut in
        two replicas, ``X(0)`` and ``X(1)``, with a diverter between and ``X(2)`` open. The same
        matrices serve, and a second call is free.
        """
        variables = tuple(dict.fromkeys(self.variable_of[self.branch(name).name] for name in names))
        if not variables:
            return self
        if variables not in self._splits:
            self._splits[variables] = self.like(self._with_junctions(variables))
        return self._splits[variables]

    def like(self, nodes: Iterable[Node]) -> NormalGraph:
        """A graph of the same kind with other nodes."""
        return NormalGraph(nodes, loops=bool(self.loop))

    def normal_form(self) -> NormalGraph:
        return self

    @property
    def families(self) -> NormalGraph:
        """The graph with a block for every matrix: itself, or what a cluster tree was made of."""
        return self

    @property
    def below(self) -> Mapping[str, tuple[str, ...]]:
        """By node, the variables whose evidence teaches it, where branches do not say it all."""
        return MappingProxyType({})

    def _with_junctions(self, variables: Iterable[str]) -> Iterable[Node]:
        cut: dict[str, tuple[Branch, Branch]] = {}  # a branch -> what leaves its tail, enters head
        nodes, added = dict(self._nodes), []
        for variable in variables:
            branch = self.branches[self.variables[variable][0]]
            names = (f"{variable}({n})" for n in count() if f"{variable}({n})" not in self.branches)
            made = (Branch(name, branch.size, branch.states, variable) for name in names)
            old = self.diverter_of.get(branch.name)
            if old is not None:
                nodes[old.name] = Diverter(old.name, old.inputs, (*old.outputs, next(made)))
            else:
                cut[branch.name] = into, out = next(made), next(made)
                added.append(Diverter(f"{variable}=", [into], [out, next(made)]))
        return (*(node.moved(cut) for node in nodes.values()), *added)

    @cached_property
    def diverter_of(self) -> Mapping[str, Node]:
        """A diverter that each branch is joined to, for the branches that have one."""
        diverters = [node for node in self.nodes if node.copies]
        return {b.name: d for d in reversed(diverters) for b in (*d.inputs, *d.outputs)}

    def _ends(self, side: str, verb: str) -> Mapping[str, Node]:
        ends: dict[str, Node] = {}
        for node in self.nodes:
            for branch in getattr(node, side):
                if branch.name in ends:
                    raise GraphError(
                        f"branch {branch.name!r} {verb} two nodes ({ends[branch.name].name!r}, "
                        f"{node.name!r}): a variable with several children needs a Diverter, or "
                        "build the graph with BayesGraph(...).normal_form()"
                    )
                ends[branch.name] = node
        return MappingProxyType(ends)


def _loop(
    tree: Mapping[str, Place], node: Node, other: Node, closing: Branch
) -> tuple[Branch, ...]:
    """The branches of the loop that ``closing`` makes between two nodes of a tree."""

    def way(at: Node | None) -> Iterator[Branch]:  # up to the first node
        while at and (place := tree[at.name]).before:
            yield place.up
            at = place.before

    one, two = dict.fromkeys(way(node)), dict.fromkeys(way(other))  # both: above the loop
    return (*(b for b in reversed(one) if b not in two), closing, *(b for b in two if b not in one))


def _grouped(pairs: Iterable[tuple[Key, Value]]) -> Mapping[Key, tuple[Value, ...]]:
    """The values of each key, in their order."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return MappingProxyType({key: tuple(values) for key, values in found.items()})
