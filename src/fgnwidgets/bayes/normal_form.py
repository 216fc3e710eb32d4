"""The nodes of a Bayesian graph's normal form (section 2.1, figures 2 to 5).

Names follow the paper: source ``"S"``, block ``"Y2|S1,S2"``, product branch ``"(S1,S2)"``.

Vocabulary
    use       where a variable goes: to a child, or to the product space of some children's parents
    family    the parents of a child, in the order of its matrix's rows
    space     the product of some parents, in the order in which they were first named; children
              with the same parents in another order see it through a shaded block that permutes it
    replica   a branch of a variable around its diverter
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..graphs.branches import Branch, replicas
from ..graphs.directed import DirectedGraph, node_name
from ..graphs.nodes import Block, Diverter, Expand, Marginal, Node, Source


def build_nodes(graph: DirectedGraph, *, separate: bool) -> list[Node]:
    """The nodes of the normal form, in the order of the variables."""
    uses: dict[str, dict[tuple[str, ...], None]] = {name: {} for name in graph.variables}
    named: dict[frozenset[str], tuple[str, ...]] = {}  # the space of some parents
    spaces: dict[tuple[str, ...], dict[tuple[str, ...], list[str]]] = {}  # children, by the order
    for child, parents in graph.parents.items():
        joined = len(parents) > 1 and not separate
        space = named.setdefault(frozenset(parents), parents) if joined else (child,)
        if joined:
            spaces.setdefault(space, {}).setdefault(parents, []).append(child)
        for parent in parents:
            uses[parent][space] = None
    out: dict[tuple[str, tuple[str, ...]], Branch] = {}  # (variable, its use) -> the branch for it
    around: dict[str, tuple[list[Branch], list[Branch]]] = {}
    for name, branch in graph.variables.items():
        several = max(1, len(graph.parents[name])) if separate else 1
        around[name] = _, starts = replicas(branch, several, max(1, len(uses[name])))
        out.update(((name, use), start) for use, start in zip(uses[name], starts, strict=False))
    nodes: list[Node] = []
    product_of: dict[str, Branch] = {}
    products: list[Node] = []
    for space, orders in spaces.items():
        sizes = tuple(graph.variables[parent].size for parent in space)
        whole = _product(space, sizes)
        children = orders.pop(space)
        inputs, outputs = replicas(whole, len(space), len(children) + len(orders))
        product_of.update(zip(children, outputs, strict=False))
        for axis, (parent, y) in enumerate(zip(space, inputs, strict=True)):
            products.append(Expand(f"{y.name}|{parent}", out[parent, space], y, sizes, axis))
        products.append(Diverter(f"{whole.name}=", inputs, outputs))
        for x, (order, others) in zip(outputs[len(children) :], orders.items(), strict=True):
            view, axes = _product(order, sizes), tuple(space.index(parent) for parent in order)
            (y,), seen = replicas(view, 1, len(others))
            product_of.update(zip(others, seen, strict=True))
            products.append(Marginal(f"{view.name}<{whole.name}", x, y, sizes, axes))
            if len(others) > 1:
                products.append(Diverter(f"{view.name}=", [y], seen))
    for name, matrix in graph.theta.items():  # given variables have none: open tails at each use
        parents, learn, (ends, starts) = graph.parents[name], name not in graph.fixed, around[name]
        if not parents:
            nodes.append(Source(name, ends[0], matrix, learn))
        elif len(ends) > 1:
            for parent, y in zip(parents, ends, strict=True):
                nodes.append(Block(f"{name}|{parent}", out[parent, (name,)], y, learn=learn))
        else:
            x = product_of[name] if name in product_of else out[parents[0], (name,)]
            nodes.append(Block(node_name(graph, name), x, ends[0], matrix, learn))
        if ends != starts:
            nodes.append(Diverter(f"{name}=", ends, starts))
    return [*nodes, *products]


def _product(names: Sequence[str], sizes: Sequence[int]) -> Branch:
    """The branch of a product space."""
    return Branch(f"({','.join(names)})", math.prod(sizes))
