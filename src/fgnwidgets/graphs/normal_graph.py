"""Normal graphs: a circuit of sources, SISO blocks and diverters without loops (section 2.1).

Vocabulary
    open       a branch that has no tail or no head; evidence enters there
    variable   a branch, or the replicas that diverters join
    product    a variable whose values are the configurations of others (Appendix A)

A graph is a description: it holds sizes and names, and no other numbers. It is frozen and hashable.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from functools import cached_property, partial
from graphlib import TopologicalSorter
from itertools import count, product
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from ..algebra.arrays import Label
from ..arguments import listing, read_flag, shown, wrong
from .branches import Branch, GraphError, Port, set_fields
from .nodes import Diverter, Node

Axis = tuple[str, int]
"""A variable with its size."""

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
    """The type that entry points take: a normal graph, or what has one as its normal form."""

    def normal_form(self) -> NormalGraph:
        """The factor graph in normal form; of a normal graph, itself."""
        raise NotImplementedError

    @cached_property
    def form(self) -> NormalGraph:
        """The normal form that every question to the graph goes by."""
        return self.normal_form()


def as_normal(graph: Graph) -> NormalGraph:
    """The normal form of either kind of graph; ``TypeError`` for anything else."""
    if isinstance(graph, Graph):
        return graph.form
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
    branches: Mapping[str, Branch] = field(compare=False)
    """Every branch by its name, in the order in which the nodes name them."""
    tails: Mapping[str, Node] = field(compare=False)
    """The node that each branch leaves; an open tail is absent."""
    heads: Mapping[str, Node] = field(compare=False)
    """The node that each branch enters; an open head is absent."""
    loop: tuple[str, ...] = field(compare=False)
    _nodes: Mapping[str, Node] = field(compare=False)
    _splits: dict[tuple[str, ...], NormalGraph] = field(compare=False)

    def __init__(self, nodes: Iterable[Node], *, loops: bool = False) -> None:
        if not isinstance(nodes, Iterable):
            raise wrong("nodes", nodes, "a sequence of nodes", GraphError)
        read_flag(loops, "loops", GraphError)
        by_name: dict[str, Node] = {}
        for node in nodes:
            if not isinstance(node, Node):
                raise GraphError(f"{shown(node)} is no node: expected Source, Block, Diverter, ...")
            if not is_dataclass(node):
                raise GraphError(
                    f"node {node.name!r}: its class {type(node).__name__} is no dataclass, from "
                    "which its branches are read: write @dataclass(frozen=True) above the class"
                )
            if node.name in by_name:
                raise GraphError(f"two nodes are called {node.name!r}: each needs its own name")
            by_name[node.name] = node
        if not by_name:
            raise GraphError("the graph has no nodes")
        branches = _branches(by_name.values())
        ends = (
            _ends(by_name.values(), "outputs", "leaves"),
            _ends(by_name.values(), "inputs", "enters"),
        )
        set_fields(
            self,
            nodes=tuple(by_name.values()),
            branches=MappingProxyType(branches),
            tails=MappingProxyType(ends[0]),
            heads=MappingProxyType(ends[1]),
            loop=(),
            _nodes=by_name,
            _splits={},
        )
        self._check_given()
        self._check_tied()
        try:
            set_fields(self, tree=MappingProxyType(self._tree()))
        except LoopError as error:
            if not loops:
                raise
            set_fields(self, loop=error.branches)

    def __hash__(self) -> int:
        return hash(tuple(self._nodes))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(NormalGraph, loops=bool(self.loop)), (self.nodes,)

    def __repr__(self) -> str:
        names = list(self.variables)
        few = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        return f"NormalGraph({len(names)} variables: {few}; {len(self.matrices)} matrices)"

    @cached_property
    def largest(self) -> int:
        """The number of values of the branch that has most."""
        return max(branch.size for branch in self.branches.values())

    @cached_property
    def open_branches(self) -> tuple[str, ...]:
        """Branches with one end free: evidence enters there."""
        return tuple(b for b in self.branches if b not in self.heads or b not in self.tails)

    @cached_property
    def given(self) -> Mapping[str, tuple[str, ...]]:
        """The variables that are always observed, each with its open tails."""
        return _grouped((b.variable, b.name) for b in self.branches.values() if b.given)

    def _check_given(self) -> None:
        for name, node in self.tails.items():
            if self.branches[name].given:
                raise GraphError(
                    f"branch {name!r} is given and leaves {node.name!r}: a given variable has no "
                    "distribution of its own, so its tail stays open"
                )

    @cached_property
    def variables(self) -> Mapping[str, tuple[str, ...]]:
        """Each variable with its branches: one, or the replicas around its diverters.

        It is called what its branches say; where hand-made replicas disagree, as the diverter.
        """
        diverters = ([name for name, _ in node.ports] for node in self.nodes if node.copies)
        around: dict[str, list[int]] = {name: [] for name in self.branches}
        for k, equal in enumerate((*diverters, *self.given.values())):
            for name in equal:
                around[name].append(k)
        named: dict[str, tuple[str, ...]] = {}
        for replicas in joined(around.items()):
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
        spaces = {}
        for whole, own in _grouped((at[part.whole.name], part) for part in parts).items():
            axes = {part.axis: at[part.member.name] for part in own}
            if len(axes) == len(own[0].sizes):
                spaces[whole] = tuple(axes[axis] for axis in sorted(axes))
        for node in (node for node in self.nodes if node.kept):
            members = spaces.get(at[node.inputs[0].name], ())
            if members and len(node.kept) > 1:  # the space itself in another order, or a part of it
                spaces[at[node.outputs[0].name]] = tuple(members[axis] for axis in node.kept)
        return MappingProxyType(spaces)

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
        return MappingProxyType({name: nodes[0].shape for name, nodes in self.users.items()})

    def _check_tied(self) -> None:
        for name, nodes in self.users.items():
            one, *others = dict.fromkeys(node.shape for node in nodes)
            if others:
                raise GraphError(
                    f"theta[{name!r}] is shared by nodes of shapes {one} and {others[0]}"
                )

    @cached_property
    def learnable(self) -> Mapping[str, tuple[Node, ...]]:
        """The matrices to learn, each with its tied sources and blocks."""
        learned = {name: nodes for name, nodes in self.users.items() if all(n.learn for n in nodes)}
        return MappingProxyType(learned)

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
        return MappingProxyType(self._tree())

    def _tree(self) -> dict[str, Place]:
        places: dict[str, Place] = {}
        for start in sorted(self.nodes, key=lambda node: bool(node.inputs)):
            if start.name in places:
                continue
            root = (*start.outputs, *start.inputs)[0]
            places[start.name] = Place(start, root, None)
            for here in (order := [start]):  # grows as it is walked through
                for branch, other in self.neighbours(here):
                    if other.name not in places:
                        places[other.name] = Place(other, branch, here)
                        order.append(other)
                    elif branch != places[here.name].up or other is here:
                        raise LoopError(_loop(places, here, other, branch))
        return places

    @cached_property
    def from_below(self) -> tuple[Node, ...]:
        """Every node after those that its outputs enter."""
        after = {
            node.name: [self.heads[y.name].name for y in node.outputs if y.name in self.heads]
            for node in self.nodes
        }
        return tuple(self._nodes[name] for name in TopologicalSorter(after).static_order())

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
            self._splits[variables] = self.with_nodes(self._with_junctions(variables))
        return self._splits[variables]

    def with_nodes(self, nodes: Iterable[Node]) -> NormalGraph:
        """A graph of the same kind with other nodes."""
        return NormalGraph(nodes, loops=bool(self.loop))

    def normal_form(self) -> NormalGraph:
        return self

    @property
    def form(self) -> NormalGraph:
        return self

    def family(self, node: Node) -> tuple[tuple[str, ...], str]:
        """The parents and the child of a source or block: the variables of its matrix."""
        own = self._nodes[node.name]
        rows = (self.variable_of[x.name] for x in own.inputs)
        parents = tuple(v for name in rows for v in self.products.get(name, (name,)))
        return parents, self.variable_of[own.outputs[0].name]

    def axes(self, node: Node, stop: str = "") -> tuple[list[Axis], list[Axis]]:
        """The axes of the rows of a matrix, and of its columns: variables with their sizes.

        Those of a product space are its variables; one that nothing joins has no name, and ``stop``
        is a space that is not looked into.
        """
        own = self._nodes[node.name]
        rows = [axis for x in own.inputs for axis in self._axes(x, stop)]
        return rows, [axis for y in own.outputs for axis in self._axes(y, stop)]

    def _axes(self, branch: Branch, stop: str) -> list[Axis]:
        variable = self.variable_of[branch.name]
        ends = [
            side.get(name) for name in self.variables[variable] for side in (self.tails, self.heads)
        ]
        nodes = [node for node in ends if node is not None]
        parts = {p.axis: p for node in nodes if (p := node.part) and self._is(p.whole, variable)}
        views = (node for node in nodes if node.kept and self._is(node.outputs[0], variable))
        view = next(views, None)
        if variable == stop or not (view or parts):
            return [(variable, branch.size)]
        if view is not None:  # each axis of the other order is one variable
            whole = self._axes(view.inputs[0], stop)
            return [whole[axis] for axis in view.kept]
        axes: list[Axis] = []
        for axis, size in enumerate(next(iter(parts.values())).sizes):
            axes += self._axes(parts[axis].member, stop) if axis in parts else [("", size)]
        return axes

    def _is(self, branch: Branch, variable: str) -> bool:
        return self.variable_of[branch.name] == variable

    def _with_junctions(self, variables: Iterable[str]) -> Iterable[Node]:
        cut: dict[str, tuple[Branch, Branch]] = {}  # a branch -> what leaves its tail, enters head
        nodes, added = dict(self._nodes), []
        for variable in variables:
            branch = self.branches[self.variables[variable][0]]
            names = (f"{variable}({n})" for n in count() if f"{variable}({n})" not in self.branches)
            made = (replace(branch, name=name, given=False) for name in names)
            old = self.diverter_of.get(branch.name)
            if old is not None:
                nodes[old.name] = Diverter(old.name, old.inputs, (*old.outputs, next(made)))
            else:
                cut[branch.name] = into, out = next(made), next(made)
                added.append(Diverter(f"{variable}=", [into], [out, next(made)]))
        return (*(node.rewired(cut) for node in nodes.values()), *added)

    @cached_property
    def diverter_of(self) -> Mapping[str, Node]:
        """A diverter that each branch is joined to, for the branches that have one."""
        diverters = [node for node in self.nodes if node.copies]
        return {b.name: d for d in reversed(diverters) for b in (*d.inputs, *d.outputs)}


def _branches(nodes: Iterable[Node]) -> dict[str, Branch]:
    """The branches that nodes name; one that is described in two ways is refused."""
    branches: dict[str, Branch] = {}
    for node in nodes:
        for branch in (*node.inputs, *node.outputs):
            first = branches.setdefault(branch.name, branch)
            if first != branch:
                raise GraphError(
                    f"branch {branch.name!r} is described in two ways, {first} and {branch}"
                )
    return branches


def _ends(nodes: Iterable[Node], side: str, verb: str) -> dict[str, Node]:
    """By branch, the node that has it on one side; a second one is refused."""
    ends: dict[str, Node] = {}
    for node in nodes:
        for branch in getattr(node, side):
            if branch.name in ends:
                raise GraphError(
                    f"branch {branch.name!r} {verb} two nodes ({ends[branch.name].name!r}, "
                    f"{node.name!r}): a variable with several children needs a Diverter, or "
                    "build the graph with BayesGraph(...).normal_form()"
                )
            ends[branch.name] = node
    return ends


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
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return MappingProxyType({key: tuple(values) for key, values in groups.items()})


def joined(said: Iterable[tuple[str, Iterable[Hashable]]]) -> list[tuple[str, ...]]:
    """Names in groups, in their order: two that have a key in common are in one."""
    leader: dict[str, str] = {}

    def first(name: str) -> str:
        while leader[name] != name:
            leader[name] = name = leader[leader[name]]
        return name

    owner: dict[Hashable, str] = {}
    for name, keys in said:
        leader[name] = name
        for key in keys:
            leader[first(name)] = first(owner.setdefault(key, name))
    return [*_grouped((first(name), name) for name in leader).values()]
