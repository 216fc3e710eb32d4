"""Loops merged away: a tree of product variables that holds every family (section 2.1).

Vocabulary
    family    a variable with its parents, the axes of its matrix
    region    some variables as one product variable, in the order of the graph; before a block, in
              the order of its matrix
    cluster   a region that holds a family; neighbours in the tree are one within the other
    shares    a family whose cluster holds other variables: no branch leads to its block alone

A family that divides the tree stays a block with a branch on each side. Each use of a given
variable is a copy of its own, so it joins nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from graphlib import TopologicalSorter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..engine.branches import Branch
from ..engine.graph import NormalGraph
from ..engine.nodes import Block, Diverter, Expand, Node, Source
from .clusters import Family, Marginal
from .normal import node_name, replicas
from .regions import Region, contract, link, region_tree, remove

if TYPE_CHECKING:
    from .bayes import BayesGraph


class MergedGraph(NormalGraph):
    """A Bayesian graph as a forest of product variables: all goes by the original names.

    ``bayes`` is the graph as it was; ``map`` says which cluster holds the matrices of which
    families, ``price`` what the largest product space is and how many bytes a sample takes.
    """

    bayes: BayesGraph
    _members: Mapping[str, Region]

    def __init__(
        self, nodes: Iterable[Node], bayes: BayesGraph, members: Mapping[str, Region]
    ) -> None:
        object.__setattr__(self, "bayes", bayes)
        object.__setattr__(self, "_members", dict(members))
        super().__init__(nodes)

    def __reduce__(self) -> tuple[Any, ...]:
        return MergedGraph, (self.nodes, self.bayes, self._members)

    def like(self, nodes: Iterable[Node]) -> NormalGraph:
        return MergedGraph(nodes, self.bayes, self._members)

    @property
    def families(self) -> NormalGraph:
        return self.bayes.normal_form(loops=True)

    @cached_property
    def variables(self) -> Mapping[str, tuple[str, ...]]:
        found = super().variables
        order = (*self.bayes.variables, *found)
        return MappingProxyType({name: found[name] for name in order if name in found})

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
        parents = self.bayes.parents
        down = {name: {name: None} for name in parents}
        for name in reversed([*TopologicalSorter(parents).static_order()]):  # children come first
            for parent in parents[name]:
                down[parent] |= down[name]
        found = {}
        for name in self.bayes.theta:
            over = (v for v, parts in self.products.items() if down[name].keys() & set(parts))
            found[node_name(self.bayes, name)] = (*down[name], *over)
        return MappingProxyType(found)


class ClusterTree:
    """The cluster tree of a graph: its regions from an elimination order, its nodes from them."""

    def __init__(self, bayes: BayesGraph) -> None:
        self.bayes = bayes
        self.atoms = dict(bayes.variables)  # with the copies of given variables: the branch of each
        self.families: dict[str, Region] = {}  # by child, its parents that are not given
        self.rows: dict[str, Region] = {}  # by child, all of them: copies of the given
        uses = Counter(parent for parents in bayes.parents.values() for parent in parents)
        copies = {v: iter(replicas(bayes.variables[v], 1, uses[v])[1]) for v in bayes.given}
        for child in bayes.theta:
            parents = bayes.parents[child]
            own = [next(copies[p]) if p in copies else bayes.variables[p] for p in parents]
            self.atoms.update((branch.name, branch) for branch in own)
            self.rows[child] = tuple(branch.name for branch in own)
            self.families[child] = tuple(p for p in parents if p not in copies)
        order = {name: k for k, name in enumerate(bayes.variables)}
        self.place = {name: order[branch.variable] for name, branch in self.atoms.items()}
        self.size = {name: branch.size for name, branch in self.atoms.items()}
        self.tree = region_tree(self.families, self.size, self._region)
        self.ends: dict[Region, list[tuple[int, bool]]] = {}  # (planned node, whether it leaves it)
        self.plans: list[tuple[Callable[..., Node], tuple[Region, ...]]] = []

    def graph(self) -> MergedGraph:
        self._place_families()
        for whole in sorted(self.tree):
            sizes = self._sizes(whole)
            for part in sorted(self.tree[whole]):
                if self._rank(part) < self._rank(whole):
                    axes = tuple(whole.index(name) for name in part)
                    name = f"{_name(part)}<{_name(whole)}"
                    self._plan(Marginal, name, whole, part, sizes=sizes, axes=axes)
            for axis, atom in enumerate(whole if len(whole) > 1 else ()):
                if self.atoms[atom].given:
                    name = f"{_name(whole)}|{atom}"
                    self._plan(Expand, name, (atom,), whole, sizes=sizes, axis=axis)
        members = {
            _name(region): tuple(self.atoms[name].variable for name in region)
            for region in self.ends
            if len(region) > 1
        }
        return MergedGraph(self._made(), self.bayes, members)

    def _place_families(self) -> None:
        """Every family as a block between two regions where it divides the tree, else in one."""
        dividing: set[str] = set()
        taken: set[Region] = set()
        for name, core in self.families.items():
            rows, family = self.rows[name], self._region((*core, name))
            if core:
                near = self.tree.get(family, {family}) - {(name,)}
                if family in taken or not all(set(region) <= set(core) for region in near):
                    continue
                remove(self.tree, family)
                for region in near:
                    link(self.tree, rows, region)
            dividing.add(name)
            if rows:
                self.tree.setdefault(rows, set())
                taken.add(rows)
        holders: dict[str, list[Region]] = {name: [] for name in self.atoms}
        for region in self.tree:
            for name in region:
                holders[name].append(region)
        home: dict[str, Region] = {}
        for name, core in self.families.items():
            if name not in dividing:
                family = self._region((*core, name))
                around = (r for r in holders[name] if set(family) <= set(r))
                home[name] = min(around, key=lambda r: math.prod(self.size[v] for v in r))
                copies = [atom for atom in self.rows[name] if self.atoms[atom].given]
                if copies:  # in a region of its own, so that no other grows
                    link(self.tree, family, home[name])
                    home[name] = self._region((*family, *copies))
                    link(self.tree, home[name], family)
        contract(self.tree, taken | set(home.values()), self._rank)
        for name, matrix in self.bayes.theta.items():
            node, rows = node_name(self.bayes, name), self.rows[name]
            own = {"theta": matrix, "learn": name not in self.bayes.fixed}
            if name in home:
                axes = tuple(home[name].index(atom) for atom in (*rows, name))
                own |= {"sizes": self._sizes(home[name]), "axes": axes}
                self._plan(Family, node, home[name], **own)
            elif rows:
                self._plan(Block, node, rows, (name,), **own)
            else:
                self._plan(Source, node, (name,), **own)

    def _plan(self, make: Callable[..., Node], name: str, *regions: Region, **own: Any) -> None:
        """A node on some regions, the last of which it ends on; its branches come later."""
        for region in regions:
            self.ends.setdefault(region, []).append((len(self.plans), region == regions[-1]))
        self.plans.append((partial(make, name, **own), regions))

    def _made(self) -> Iterable[Node]:
        branches: dict[tuple[int, Region], Branch] = {}
        diverters = []
        for region, ends in self.ends.items():
            size = math.prod(self._sizes(region))
            whole = self.atoms[region[0]] if len(region) == 1 else Branch(_name(region), size)
            ends.sort(key=lambda end: not end[1])  # what ends here goes into the diverter
            around = [whole.replica(k) for k in range(len(ends))] if len(ends) > 1 else [whole]
            if len(ends) > 1:
                into = sum(end for _, end in ends)
                diverters.append(Diverter(f"{_name(region)}=", around[:into], around[into:]))
            branches.update(((n, region), b) for (n, _), b in zip(ends, around, strict=True))
        for n, (make, regions) in enumerate(self.plans):
            yield make(*(branches[n, region] for region in regions))
        yield from diverters

    def _rank(self, region: Region) -> tuple[int, bool]:
        """What a smaller region is projected from has a larger one, also in another order."""
        return len(region), region == self._region(region)

    def _sizes(self, region: Region) -> tuple[int, ...]:
        return tuple(self.size[name] for name in region)

    def _region(self, names: Iterable[str]) -> Region:
        return tuple(sorted(names, key=self.place.__getitem__))


def _name(region: Region) -> str:
    return region[0] if len(region) == 1 else f"({','.join(region)})"
