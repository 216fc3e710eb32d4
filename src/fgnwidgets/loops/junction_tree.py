"""Loops merged away: a tree of product variables that holds every family (section 2.1).

Vocabulary
    family    a variable with its parents, the axes of its matrix
    clique    some variables as one product variable, in the order of the graph; before a block, in
              the order of its matrix
    cluster   a clique that holds a family; neighbours in the tree are one within the other
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
from typing import Any

from ..graphs.branches import Branch, replicas
from ..graphs.directed import DirectedGraph, node_name
from ..graphs.nodes import Block, Diverter, Expand, Marginal, Node, Source
from ..graphs.normal_graph import Axis, NormalGraph
from .elimination import Clique, clique_tree, contract, link, remove
from .families import Family


class MergedGraph(NormalGraph):
    """A Bayesian graph as a forest of product variables: all goes by the original names.

    ``bayes`` is the graph as it was; ``map`` says which cluster holds the matrices of which
    families, ``price`` what the largest product space is and how many bytes a sample takes.
    """

    bayes: Any
    """The :class:`BayesGraph`, which stands above."""
    _members: Mapping[str, Clique]

    def __init__(
        self, nodes: Iterable[Node], bayes: DirectedGraph, members: Mapping[str, Clique]
    ) -> None:
        object.__setattr__(self, "bayes", bayes)
        object.__setattr__(self, "_members", dict(members))
        super().__init__(nodes)

    def __reduce__(self) -> tuple[Any, ...]:
        return MergedGraph, (self.nodes, self.bayes, self._members)

    def with_nodes(self, nodes: Iterable[Node]) -> NormalGraph:
        return MergedGraph(nodes, self.bayes, self._members)

    def family(self, node: Node) -> tuple[tuple[str, ...], str]:
        child = self._child[node.name]
        return self.bayes.parents[child], child

    def axes(self, node: Node, stop: str = "") -> tuple[list[Axis], list[Axis]]:
        parents, child = self.family(node)
        size = {name: branch.size for name, branch in self.bayes.variables.items()}
        return [(name, size[name]) for name in parents], [(child, size[child])]

    @cached_property
    def _child(self) -> Mapping[str, str]:
        """The variable that each source or block, on a clique or not, has the matrix of."""
        return {node_name(self.bayes, name): name for name in self.bayes.theta}

    @cached_property
    def variables(self) -> Mapping[str, tuple[str, ...]]:
        branches = super().variables
        order = (*self.bayes.variables, *branches)
        return MappingProxyType({name: branches[name] for name in order if name in branches})

    @cached_property
    def products(self) -> Mapping[str, tuple[str, ...]]:
        return MappingProxyType({k: v for k, v in self._members.items() if k in self.variables})

    @cached_property
    def map(self) -> Mapping[str, tuple[str, ...]]:
        """The families of each cluster: by product variable, the names of their nodes."""
        held: dict[str, list[str]] = {}
        for node in self.nodes:
            if node.theta:
                at = self.variable_of[(*node.inputs, *node.outputs)[0].name]
                held.setdefault(at, []).append(node.name)
        return MappingProxyType({at: tuple(names) for at, names in held.items()})

    @cached_property
    def price(self) -> tuple[str, int, int]:
        """The name of the largest product space, its values, and the bytes of a sample."""
        largest = max(self.branches.values(), key=lambda branch: branch.size)
        return largest.variable, largest.size, 16 * sum(b.size for b in self.branches.values())

    @cached_property
    def below(self) -> Mapping[str, tuple[str, ...]]:
        """By node with a matrix, the variables whose evidence teaches it.

        They are the variable itself, its descendants, and products of them: branches do not say it.
        """
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
    """The cluster tree of a graph: its cliques from an elimination order, its nodes from them."""

    def __init__(self, bayes: DirectedGraph) -> None:
        self.bayes = bayes
        self.atoms = dict(bayes.variables)  # with the copies of given variables: the branch of each
        self.families: dict[str, Clique] = {}  # by child, its parents that are not given
        self.rows: dict[str, Clique] = {}  # by child, all of them: copies of the given
        uses = Counter(parent for parents in bayes.parents.values() for parent in parents)
        copies = {v: iter(replicas(bayes.variables[v], 1, uses[v])[1]) for v in bayes.given}
        for child in bayes.theta:
            parents = bayes.parents[child]
            branches = [next(copies[p]) if p in copies else bayes.variables[p] for p in parents]
            self.atoms.update((branch.name, branch) for branch in branches)
            self.rows[child] = tuple(branch.name for branch in branches)
            self.families[child] = tuple(p for p in parents if p not in copies)
        order = {name: k for k, name in enumerate(bayes.variables)}
        self.place = {name: order[branch.variable] for name, branch in self.atoms.items()}
        self.size = {name: branch.size for name, branch in self.atoms.items()}
        self.tree = clique_tree(self.families, self.size, self._clique)
        self.used: set[Clique] = set()  # what a block's rows stand for
        self.ends: dict[Clique, list[tuple[int, bool]]] = {}  # (planned node, whether it leaves it)
        self.plans: list[tuple[Callable[..., Node], tuple[Clique, ...]]] = []

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
            _name(clique): tuple(self.atoms[name].variable for name in clique)
            for clique in self.ends
            if len(clique) > 1
        }
        return MergedGraph(self._made(), self.bayes, members)

    def _place_families(self) -> None:
        """Every family as a block between two cliques where it divides the tree, else in one."""
        blocks = set()
        for name in self.families:
            if self._cut_out(name):
                blocks.add(name)
        home = self._homes(name for name in self.families if name not in blocks)
        contract(self.tree, self.used | set(home.values()), self._rank)
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

    def _cut_out(self, name: str) -> bool:
        """Take a family's clique out of the tree where nothing else joins its child to the rest.

        What was beside it then stands beside its rows, and the family can be a block between these
        and the child. False where it cannot.
        """
        core, rows = self.families[name], self.rows[name]
        if core:
            family = self._clique((*core, name))
            near = self.tree.get(family, {family}) - {(name,)}
            if family in self.used or not all(set(clique) <= set(core) for clique in near):
                return False
            remove(self.tree, family)
            for clique in near:
                link(self.tree, rows, clique)
        if rows:
            self.tree.setdefault(rows, set())
            self.used.add(rows)
        return True

    def _homes(self, names: Iterable[str]) -> dict[str, Clique]:
        """The smallest clique that holds each of these families."""
        holders: dict[str, list[Clique]] = {name: [] for name in self.atoms}
        for clique in self.tree:
            for name in clique:
                holders[name].append(clique)
        home: dict[str, Clique] = {}
        for name in names:
            family = self._clique((*self.families[name], name))
            around = (r for r in holders[name] if set(family) <= set(r))
            home[name] = min(around, key=lambda r: math.prod(self.size[v] for v in r))
            copies = [atom for atom in self.rows[name] if self.atoms[atom].given]
            if copies:  # in a clique of its own, so that no other grows
                link(self.tree, family, home[name])
                home[name] = self._clique((*family, *copies))
                link(self.tree, home[name], family)
        return home

    def _plan(self, make: Callable[..., Node], name: str, *cliques: Clique, **own: Any) -> None:
        """A node on some cliques, the last of which it ends on; its branches come later."""
        for clique in cliques:
            self.ends.setdefault(clique, []).append((len(self.plans), clique == cliques[-1]))
        self.plans.append((partial(make, name, **own), cliques))

    def _made(self) -> Iterable[Node]:
        branches: dict[tuple[int, Clique], Branch] = {}
        diverters = []
        for clique, ends in self.ends.items():
            size = math.prod(self._sizes(clique))
            whole = self.atoms[clique[0]] if len(clique) == 1 else Branch(_name(clique), size)
            ends.sort(key=lambda end: not end[1])  # what ends here goes into the diverter
            around = [whole.replica(k) for k in range(len(ends))] if len(ends) > 1 else [whole]
            if len(ends) > 1:
                into = sum(end for _, end in ends)
                diverters.append(Diverter(f"{_name(clique)}=", around[:into], around[into:]))
            branches.update(((n, clique), b) for (n, _), b in zip(ends, around, strict=True))
        for n, (make, cliques) in enumerate(self.plans):
            yield make(*(branches[n, clique] for clique in cliques))
        yield from diverters

    def _rank(self, clique: Clique) -> tuple[int, bool]:
        """Larger for a clique that others are projected from, also in another order."""
        return len(clique), clique == self._clique(clique)

    def _sizes(self, clique: Clique) -> tuple[int, ...]:
        return tuple(self.size[name] for name in clique)

    def _clique(self, names: Iterable[str]) -> Clique:
        return tuple(sorted(names, key=self.place.__getitem__))


def _name(clique: Clique) -> str:
    return clique[0] if len(clique) == 1 else f"({','.join(clique)})"
