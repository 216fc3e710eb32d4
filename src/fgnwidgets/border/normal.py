"""The nodes of a Bayesian graph's normal form (section 2.1, figures 2 to 5).

Vocabulary
    use       where a variable goes: to a child, or to the product space of some children's parents
    family    the parents of a child, in the order of its matrix's rows
    replica   a branch of a variable around its diverter
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

from ..engine.branches import Branch
from ..engine.nodes import Block, Diverter, Expand, Node, Source


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


def family_name(name: str, parents: Sequence[str]) -> str:
    """What the block of a variable is called, and its matrix where no other name was given."""
    return f"{name}|{','.join(parents)}" if parents else name


def node_name(bayes: Described, variable: str) -> str:
    """What the source or block of a variable of this graph is called."""
    return family_name(variable, bayes.parents[variable])


def build_nodes(bayes: Described, *, separate: bool) -> list[Node]:
    """The nodes of the normal form, in the order of the variables."""
    uses: dict[str, list[tuple[str, ...]]] = {name: [] for name in bayes.variables}
    families: dict[tuple[str, ...], list[str]] = {}
    for child, parents in bayes.parents.items():
        merged = len(parents) > 1 and not separate
        if merged:
            families.setdefault(parents, []).append(child)
        for parent in parents:
            use = parents if merged else (child,)
            if not merged or use not in uses[parent]:
                uses[parent].append(use)
    out: dict[tuple[str, tuple[str, ...]], Branch] = {}  # (variable, its use) -> the branch for it
    nodes: list[Node] = []
    diverters: dict[str, Diverter] = {}
    into: dict[str, list[Branch]] = {}  # the branches on which a variable's blocks end
    for name, branch in bayes.variables.items():
        several = max(1, len(bayes.parents[name])) if separate else 1
        branches = _replicas(branch, several, max(1, len(uses[name])))
        if branch.given:  # no diverter: an open tail at each use
            branches = branches[-len(uses[name]) :]
            out.update(((name, use), b) for use, b in zip(uses[name], branches, strict=True))
            continue
        into[name] = branches[:several]
        for use, replica in zip(uses[name], branches[-max(1, len(uses[name])) :], strict=False):
            out[name, use] = replica
        if len(branches) > 1:
            diverters[name] = Diverter(f"{name}=", branches[:several], branches[several:])
    products = {family: _product(bayes, family, len(kids)) for family, kids in families.items()}
    product_of = {
        child: branch
        for family, kids in families.items()
        for child, branch in zip(kids, products[family][1], strict=True)
    }
    for name, parents in bayes.parents.items():
        learn = name not in bayes.fixed
        if name in bayes.given:
            continue
        if not parents:
            nodes.append(Source(name, into[name][0], bayes.theta[name], learn))
        elif separate and len(parents) > 1:
            for parent, y in zip(parents, into[name], strict=True):
                nodes.append(Block(f"{name}|{parent}", out[parent, (name,)], y, learn=learn))
        else:
            x = out[parents[0], (name,)] if len(parents) == 1 else product_of[name]
            block = family_name(name, parents)
            nodes.append(Block(block, x, into[name][0], bayes.theta[name], learn))
        if name in diverters:
            nodes.append(diverters[name])
    for family, (inputs, outputs) in products.items():
        sizes = tuple(bayes.variables[p].size for p in family)
        for axis, (parent, y) in enumerate(zip(family, inputs, strict=True)):
            nodes.append(Expand(f"{y.name}|{parent}", out[parent, family], y, sizes, axis))
        nodes.append(Diverter(f"({','.join(family)})=", inputs, outputs))
    return nodes


def _replicas(branch: Branch, into: int, uses: int) -> list[Branch]:
    """The branches of a variable: those that its blocks end on, then those that it is used by."""
    if into == uses == 1:
        return [branch]
    if into <= 1:
        return [branch.replica(k) for k in range(uses + 1)]
    inputs = [branch.replica(k + 1) for k in range(into)]
    if uses == 1:
        return [*inputs, branch]
    return [*inputs, *(branch.replica(into + k + 1) for k in range(uses))]


def _product(
    bayes: Described, family: tuple[str, ...], children: int
) -> tuple[list[Branch], list[Branch]]:
    """The branches around the diverter of a product space: from its parents, and to its blocks."""
    whole = Branch(f"({','.join(family)})", math.prod(bayes.variables[p].size for p in family))
    branches = _replicas(whole, len(family), children)
    return branches[: len(family)], branches[len(family) :]
