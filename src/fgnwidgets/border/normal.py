"""The nodes of a Bayesian graph's normal form (section 2.1, figures 2 to 5).

Names follow the paper: source ``"S"``, block ``"Y2|S1,S2"``, product branch ``"(S1,S2)"``.

Vocabulary
    use       where a variable goes: to a child, or to the product space of some children's parents
    family    the parents of a child, in the order of its matrix's rows
    replica   a branch of a variable around its diverter
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..engine.branches import Branch
from ..engine.nodes import Block, Diverter, Expand, Node, Source

if TYPE_CHECKING:
    from .bayes import BayesGraph


def family_name(name: str, parents: Sequence[str]) -> str:
    """What the block of a variable is called, and its matrix where no other name was given."""
    return f"{name}|{','.join(parents)}" if parents else name


def node_name(bayes: BayesGraph, variable: str) -> str:
    """What the source or block of a variable of this graph is called."""
    return family_name(variable, bayes.parents[variable])


def build_nodes(bayes: BayesGraph, *, separate: bool) -> list[Node]:
    """The nodes of the normal form, in the order of the variables."""
    uses: dict[str, dict[tuple[str, ...], None]] = {name: {} for name in bayes.variables}
    families: dict[tuple[str, ...], list[str]] = {}
    for child, parents in bayes.parents.items():
        joined = len(parents) > 1 and not separate
        if joined:
            families.setdefault(parents, []).append(child)
        for parent in parents:
            uses[parent][parents if joined else (child,)] = None
    out: dict[tuple[str, tuple[str, ...]], Branch] = {}  # (variable, its use) -> the branch for it
    around: dict[str, tuple[list[Branch], list[Branch]]] = {}
    for name, branch in bayes.variables.items():
        several = max(1, len(bayes.parents[name])) if separate else 1
        around[name] = _, starts = replicas(branch, several, max(1, len(uses[name])))
        out.update(((name, use), start) for use, start in zip(uses[name], starts, strict=False))
    nodes: list[Node] = []
    product_of: dict[str, Branch] = {}
    products: list[Node] = []
    for family, children in families.items():
        sizes = tuple(bayes.variables[parent].size for parent in family)
        whole = Branch(f"({','.join(family)})", math.prod(sizes))
        inputs, outputs = replicas(whole, len(family), len(children))
        product_of.update(zip(children, outputs, strict=True))
        for axis, (parent, y) in enumerate(zip(family, inputs, strict=True)):
            products.append(Expand(f"{y.name}|{parent}", out[parent, family], y, sizes, axis))
        products.append(Diverter(f"{whole.name}=", inputs, outputs))
    for name, matrix in bayes.theta.items():  # given variables have none: open tails at each use
        parents, learn, (ends, starts) = bayes.parents[name], name not in bayes.fixed, around[name]
        if not parents:
            nodes.append(Source(name, ends[0], matrix, learn))
        elif len(ends) > 1:
            for parent, y in zip(parents, ends, strict=True):
                nodes.append(Block(f"{name}|{parent}", out[parent, (name,)], y, learn=learn))
        else:
            x = product_of[name] if name in product_of else out[parents[0], (name,)]
            nodes.append(Block(node_name(bayes, name), x, ends[0], matrix, learn))
        if ends != starts:
            nodes.append(Diverter(f"{name}=", ends, starts))
    return [*nodes, *products]


def replicas(branch: Branch, into: int, uses: int) -> tuple[list[Branch], list[Branch]]:
    """The branches around a variable's diverter: those that its blocks end on, and its uses.

    With one of each there is no diverter, and both are the branch itself.
    """
    if into == uses == 1:
        return [branch], [branch]
    first = 0 if into == 1 else 1
    made = [branch.replica(first + k) for k in range(into + uses)]
    if uses == 1:  # what several blocks make together goes by the variable's name
        made[-1] = branch
    return made[:into], made[into:]
