"""Loops merged away: a tree of product variables that holds every family (section 2.1).

Vocabulary
    family    a variable with its parents, the axes of its matrix
    region    some variables as one product variable, in the order of the graph; before a block, in
              the order of its matrix
    cluster   a region that holds a family; neighbours in the tree are one within the other
    shares    a family whose cluster holds other variables: no branch leads to its block alone
    price     the largest product space, and the bytes of all messages of one sample

A family that shares its cluster is a :class:`Family`, which meets the cluster's whole message; one
that divides the tree stays a block with a branch on each side. Each use of a given variable is a
copy of its own, so it joins nothing.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

import numpy as np

from .arrays import Array, Index
from .graph import NormalGraph
from .nodes import Block, Branch, Diverter, Expand, Link, Messages, Node, Port, Ring, Source

Region = tuple[str, ...]
Tree = dict[Region, set[Region]]
"""The neighbours of every region."""


class Described(Protocol):
    """What is read of a Bayesian graph."""

    @property
    def variables(self) -> Mapping[str, Branch]: ...
    @property
    def parents(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def theta(self) -> Mapping[str, str]: ...
    @property
    def fixed(self) -> frozenset[str]: ...
    @property
    def given(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Marginal(Link):
    """The shaded block from a product space ``x`` to the product ``y`` of some of its variables.

    ``sizes`` are those of all the variables of ``x``, ``axes`` say which of them ``y`` keeps.
    """

    name: str
    x: Branch
    y: Branch
    sizes: tuple[int, ...]
    axes: tuple[int, ...]

    def send(
        self, to: Sequence[Port], f: Messages, b: Messages, theta: Messages, ring: Ring
    ) -> list[Array]:
        """Forward a sum over the other variables; backward every configuration gets its part's."""
        return [
            _kept(f[self.x.name], self.sizes, self.axes, ring)
            if forward
            else _widened(b[self.y.name], self.sizes, self.axes)
            for _, forward in to
        ]

    def keeps(self, forward: bool) -> bool:
        return forward


@dataclass(frozen=True)
class Family(Node):
    """A conditional probability matrix on a cluster ``y`` that it shares with other variables.

    ``sizes`` are those of the cluster's variables, ``axes`` the places of the parents and then of
    the child among them.
    """

    shares: ClassVar[bool] = True
    name: str
    y: Branch
    sizes: tuple[int, ...]
    axes: tuple[int, ...]
    theta: str = ""
    learn: bool = True

    @property
    def inputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return ()

    @property
    def outputs(self) -> tuple[Branch, ...]:  # type: ignore[override]
        return (self.y,)

    @property
    def shape(self) -> tuple[int, int]:
        *rows, size = (self.sizes[axis] for axis in self.axes)
        return math.prod(rows), size

    def send(
        self, to: Sequence[Port], f: Messages, b: Messages, theta: Messages, ring: Ring
    ) -> list[Array]:
        """Every configuration of the cluster gets its cell of the matrix."""
        matrix = theta[self.theta]
        cells = matrix.reshape(*matrix.shape[:-2], -1, 1)
        return [_widened(cells, self.sizes, self.axes)]

    def joint(self, f: Messages, b: Messages, ring: Ring) -> Array:
        """What the rest says of the family's variables together: the others are summed out."""
        return _kept(b[self.y.name], self.sizes, self.axes, ring)

    def weigh(self, values: Mapping[str, Index], theta: Messages) -> Array | float:
        at = np.unravel_index(values[self.y.name], self.sizes)
        *rows, column = (at[axis] for axis in self.axes)
        shape = [self.sizes[axis] for axis in self.axes[:-1]]
        row = np.ravel_multi_index(rows, shape) if rows else 0
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(theta[self.theta][row, column]))


def _kept(v: Array, sizes: Sequence[int], axes: Sequence[int], ring: Ring) -> Array:
    """From a product space to the product of some of its variables, in the order of ``axes``."""
    ordered = sorted(axes)
    some = ring.marginal(v, sizes, ordered)
    if ordered == list(axes):
        return some
    grid = some.reshape(*v.shape[:-2], *(sizes[axis] for axis in ordered), v.shape[-1])
    return _moved(grid, v.ndim - 2, [ordered.index(axis) for axis in axes]).reshape(some.shape)


def _widened(v: Array, sizes: Sequence[int], axes: Sequence[int]) -> Array:
    """Back: every configuration of the product space gets what its part has."""
    batch, n = v.shape[:-2], v.shape[-1]
    grid = v.reshape(*batch, *(sizes[axis] for axis in axes), n)
    grid = _moved(grid, len(batch), [int(k) for k in np.argsort(axes)])
    own = (size if axis in axes else 1 for axis, size in enumerate(sizes))
    grid = grid.reshape(*batch, *own, n)
    return np.broadcast_to(grid, (*batch, *sizes, n)).reshape(*batch, -1, n)


def _moved(grid: Array, first: int, order: Sequence[int]) -> Array:
    """The axes of the variables, which begin at ``first``, in another order."""
    return grid.transpose(*range(first), *(first + k for k in order), grid.ndim - 1)


class MergedGraph(NormalGraph):
    """A Bayesian graph as a forest of product variables: all goes by the original names.

    ``bayes`` is the graph as it was; ``map`` says which cluster holds the matrices of which
    families, ``price`` what the largest product space is and how many bytes a sample takes.
    """

    bayes: Any
    _members: Mapping[str, Region]

    def __init__(self, nodes: Iterable[Node], bayes: Any, members: Mapping[str, Region]) -> None:
        object.__setattr__(self, "bayes", bayes)
        object.__setattr__(self, "_members", dict(members))
        super().__init__(nodes)

    def __reduce__(self) -> tuple[Any, ...]:
        return MergedGraph, (self.nodes, self.bayes, self._members)

    def like(self, nodes: Iterable[Node]) -> NormalGraph:
        return MergedGraph(nodes, self.bayes, self._members)

    @cached_property
    def variables(self) -> Mapping[str, tuple[str, ...]]:
        found = NormalGraph.variables.func(self)  # type: ignore[attr-defined]
        return MappingProxyType(
            {v: found[v] for v in (*self.bayes.variables, *found) if v in found}
        )

    @cached_property
    def products(self) -> Mapping[str, tuple[str, ...]]:
        return MappingProxyType({k: v for k, v in self._members.items() if k in self.variables})

    @cached_property
    def map(self) -> Mapping[str, tuple[str, ...]]:
        """Which families each cluster holds: by product variable, the names of their nodes."""
        found: dict[str, list[str]] = {}
        for node in self.nodes:
            if node.theta:
                at = self.variable_of[(*node.inputs, *node.outputs)[0].name]
                found.setdefault(at, []).append(node.name)
        return MappingProxyType({at: tuple(names) for at, names in found.items()})

    @cached_property
    def price(self) -> tuple[str, int, int]:
        """The name of the largest product space, its values, and the bytes of a sample."""
        largest = max(self.branches.values(), key=lambda branch: branch.size)
        return largest.variable, largest.size, 16 * sum(b.size for b in self.branches.values())

    @cached_property
    def below(self) -> Mapping[str, tuple[str, ...]]:
        """By node with a matrix, the variable itself, its descendants, and products of them."""
        children: dict[str, list[str]] = {name: [] for name in self.bayes.variables}
        for child, parents in self.bayes.parents.items():
            for parent in parents:
                children[parent].append(child)
        found = {}
        for name in self.bayes.theta:
            down = dict.fromkeys([name])
            for here in (order := [name]):  # grows as it is walked through
                order += [child for child in children[here] if child not in down]
                down.update(dict.fromkeys(children[here]))
            over = [whole for whole, ps in self.products.items() if not down.keys().isdisjoint(ps)]
            found[node_name(self.bayes, name)] = (*down, *over)
        return MappingProxyType(found)


def node_name(bayes: Described, variable: str) -> str:
    """What the source or block of a variable is called."""
    parents = bayes.parents[variable]
    return f"{variable}|{','.join(parents)}" if parents else variable


def merge(bayes: Described) -> MergedGraph:
    """The cluster tree of a graph: its regions from an elimination order, its nodes from them."""
    return _Builder(bayes).graph()


def region_tree(families: Mapping[str, Sequence[str]], size: Mapping[str, int]) -> Tree:
    """The regions of a graph and their neighbours, each within or around the other.

    Eliminating a variable makes a cluster of it and its neighbours; what is left of the cluster is
    the separator towards the cluster of that one of them which is eliminated next.
    """
    place = {name: k for k, name in enumerate(families)}
    clusters = list(_eliminated(families, size))
    turn = {name: k for k, (name, _) in enumerate(clusters)}
    region = {name: tuple(sorted(members, key=place.__getitem__)) for name, members in clusters}
    tree: Tree = {cluster: set() for cluster in region.values()}
    for name, cluster in region.items():
        rest = tuple(v for v in cluster if v != name)
        if rest:
            _link(tree, cluster, rest)
            _link(tree, rest, region[min(rest, key=turn.__getitem__)])
    held = {tuple(sorted((*ps, v), key=place.__getitem__)) for v, ps in families.items()}
    _contract(tree, held, len)
    smallest: dict[str, Region] = {}
    for cluster in sorted(tree, key=lambda r: math.prod(size[v] for v in r)):
        for name in cluster:
            smallest.setdefault(name, cluster)
    for name in families:
        if (name,) not in tree:
            _link(tree, (name,), smallest[name])
    return tree


def _eliminated(
    families: Mapping[str, Sequence[str]], size: Mapping[str, int]
) -> Iterable[tuple[str, set[str]]]:
    """Every variable with its neighbours when its turn comes: fewest new links first (min-fill)."""
    near: dict[str, set[str]] = {name: set() for name in families}
    for child, parents in families.items():
        for name in (family := {child, *parents}):
            near[name] |= family - {name}

    def cost(name: str) -> tuple[int, int]:
        around = near[name]
        missing = sum(len(around - near[v]) - 1 for v in around)
        return missing, math.prod(size[v] for v in around) * size[name]

    order = {name: k for k, name in enumerate(families)}
    known = {name: cost(name) for name in families}
    heap = [(*known[name], order[name], name) for name in families]
    heapq.heapify(heap)
    while heap:
        *found, _, name = heapq.heappop(heap)
        if known.get(name) != tuple(found):
            continue  # gone, or its cost has changed since
        around = near.pop(name)
        del known[name]
        yield name, {name, *around}
        for v in around:
            near[v] |= around
            near[v] -= {name, v}
        for w in {w for v in around for w in near[v]} | around:
            new = cost(w)
            if new != known[w]:
                known[w] = new
                heapq.heappush(heap, (*new, order[w], w))


def _link(tree: Tree, one: Region, other: Region) -> None:
    if one != other:
        tree.setdefault(one, set()).add(other)
        tree.setdefault(other, set()).add(one)


def _remove(tree: Tree, region: Region) -> set[Region]:
    near = tree.pop(region)
    for other in near:
        tree[other].discard(region)
    return near


def _contract(tree: Tree, used: set[Region], rank: Callable[[Region], Any]) -> None:
    """Leave out regions within one other that nothing needs: at the rim, or around one more."""
    waiting = [region for region in tree if len(region) > 1 and region not in used]
    while waiting:
        region = waiting.pop()
        near = tree.get(region, set())
        inner = [r for r in near if rank(r) < rank(region)]
        if region in tree and len(near) - len(inner) == 1 and len(inner) < 2:
            ends = _remove(tree, region)
            if len(ends) == 2:
                _link(tree, *ends)
            waiting += [r for r in ends if len(r) > 1 and r not in used]


class _Builder:
    """The nodes of a cluster tree, region by region."""

    def __init__(self, bayes: Described) -> None:
        self.bayes = bayes
        self.atoms = dict(bayes.variables)  # with the copies of given variables: the branch of each
        self.families: dict[str, tuple[str, ...]] = {}
        self.copies: dict[str, tuple[str, ...]] = {}  # by child, its own copies of given parents
        self.row_atoms: dict[str, tuple[str, ...]] = {}  # parents as the matrix has them
        used = {name: sum(name in ps for ps in bayes.parents.values()) for name in bayes.given}
        turn = dict.fromkeys(bayes.given, 0)
        self.place = {name: k for k, name in enumerate(bayes.variables)}
        for child, parents in bayes.parents.items():
            if child in bayes.given:
                continue
            names = []
            for parent in parents:
                branch = bayes.variables[parent]
                if parent in turn:
                    turn[parent] += 1
                    branch = branch.replica(turn[parent]) if used[parent] > 1 else branch
                    self.atoms[branch.name] = branch
                    self.place[branch.name] = self.place[parent]
                names.append(branch.name)
            self.row_atoms[child] = tuple(names)
            self.copies[child] = tuple(name for name in names if self.atoms[name].given)
            self.families[child] = tuple(p for p in parents if p not in bayes.given)
        self.size = {name: branch.size for name, branch in self.atoms.items()}
        self.tree = region_tree(self.families, self.size)
        self.ends: dict[Region, list[tuple[int, bool]]] = {}  # (planned node, whether it leaves it)
        self.plans: list[tuple[Callable[..., Node], tuple[Region, ...]]] = []

    def graph(self) -> MergedGraph:
        self._place_families()
        for whole in sorted(self.tree):
            for part in sorted(self.tree[whole]):
                if self._rank(part) < self._rank(whole):
                    axes = tuple(whole.index(name) for name in part)
                    name = f"{_name(part)}<{_name(whole)}"
                    make: Callable[..., Node] = partial(
                        Marginal, name, sizes=self._sizes(whole), axes=axes
                    )
                    self._plan(make, whole, part)
            for axis, name in enumerate(whole if len(whole) > 1 else ()):
                if self.atoms[name].given:
                    make = partial(Expand, f"{_name(whole)}|{name}", sizes=self._sizes(whole))
                    self._plan(partial(make, axis=axis), (name,), whole)
        members = {
            _name(region): tuple(self.atoms[name].variable for name in region)
            for region in self.ends
            if len(region) > 1
        }
        return MergedGraph(self._made(), self.bayes, members)

    def _place_families(self) -> None:
        """Every family as a block between two regions where it divides the tree, else in one."""
        rows_of: dict[str, Region] = {}
        taken: set[Region] = set()
        for name, core in self.families.items():
            family = self._region(*core, name)
            near = self.tree.get(family, set()) - {(name,)}
            if core and (family in taken or not all(set(r) <= set(core) for r in near)):
                continue
            if core and family not in self.tree:
                continue
            rows = rows_of[name] = self.row_atoms[name]  # in the order of the matrix
            if core:
                _remove(self.tree, family)
            for other in near if core else ():
                _link(self.tree, rows, other)
            if rows:
                self.tree.setdefault(rows, set())
                taken.add(rows)
        holders: dict[str, list[Region]] = {name: [] for name in self.atoms}
        for region in self.tree:
            for name in region:
                holders[name].append(region)
        home: dict[str, Region] = {}
        for name, core in self.families.items():
            if name not in rows_of:
                family = self._region(*core, name)
                around = (r for r in holders[name] if set(family) <= set(r))
                home[name] = min(around, key=lambda r: math.prod(self.size[v] for v in r))
                if self.copies[name]:  # in a region of its own, so that no other grows
                    _link(self.tree, family, home[name])
                    home[name] = self._region(*family, *self.copies[name])
                    _link(self.tree, home[name], family)
        _contract(self.tree, taken | set(home.values()), self._rank)
        for name, matrix in self.bayes.theta.items():
            learn, node = name not in self.bayes.fixed, node_name(self.bayes, name)
            if name in home:
                axes = tuple(home[name].index(v) for v in (*self.row_atoms[name], name))
                make: Callable[..., Node] = partial(
                    Family, node, sizes=self._sizes(home[name]), axes=axes
                )
                self._plan(partial(make, theta=matrix, learn=learn), home[name])
            elif rows_of[name]:
                make = partial(Block, node, theta=matrix, learn=learn)
                self._plan(make, rows_of[name], (name,))
            else:
                self._plan(partial(Source, node, theta=matrix, learn=learn), (name,))

    def _plan(self, make: Callable[..., Node], *regions: Region) -> None:
        """A node on some regions, the last of which it ends on; its branches come later."""
        for region in regions:
            self.ends.setdefault(region, []).append((len(self.plans), region == regions[-1]))
        self.plans.append((make, regions))

    def _made(self) -> Iterable[Node]:
        branches: dict[tuple[int, Region], Branch] = {}
        diverters = []
        for region, ends in self.ends.items():
            whole = self.atoms.get(region[0]) if len(region) == 1 else None
            whole = whole or Branch(_name(region), math.prod(self.size[v] for v in region))
            ends.sort(key=lambda end: not end[1])  # what ends here goes into the diverter
            own = [whole]
            if len(ends) > 1:
                own = [whole.replica(k) for k in range(len(ends))]
                into = sum(end for _, end in ends)
                diverters.append(Diverter(f"{_name(region)}=", own[:into], own[into:]))
            branches.update(((n, region), b) for (n, _), b in zip(ends, own, strict=True))
        for n, (make, regions) in enumerate(self.plans):
            yield make(*(branches[n, region] for region in regions))
        yield from diverters

    def _rank(self, region: Region) -> tuple[int, bool]:
        """What a smaller region is projected from has a larger one, also in another order."""
        return len(region), region == self._region(*region)

    def _sizes(self, region: Region) -> tuple[int, ...]:
        return tuple(self.size[name] for name in region)

    def _region(self, *names: str) -> Region:
        return tuple(sorted(names, key=self.place.__getitem__))


def _name(region: Region) -> str:
    return region[0] if len(region) == 1 else f"({','.join(region)})"
