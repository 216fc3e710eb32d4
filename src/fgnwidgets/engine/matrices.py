"""``theta``: the matrices of a graph, a plain mapping from their names to arrays.

Vocabulary
    theta      name of a source or block -> ``(..., M_X, M_Y)``, row-stochastic; a source's one row
    relabel    to number a variable's states in another order: another theta, the same model
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, Index, random_matrix, read_matrix
from .bayes import BayesGraph, as_normal
from .graph import NormalGraph
from .nodes import Block, Expand, Project, Source


def read_theta(graph: NormalGraph | BayesGraph, theta: Mapping[str, ArrayLike]) -> dict[str, Array]:
    """Every matrix of the graph, checked, as ``(..., M_X, M_Y)``.

    A prior may be given as a vector, and the matrix of several parents with an axis per parent.
    Raises ``ValueError`` for a name, a shape or a row that does not fit.
    """
    form = as_normal(graph)
    missing = [name for name in form.matrices if name not in theta]
    if missing:
        raise ValueError(
            f"theta has no matrix {missing[0]!r}: the graph has {', '.join(form.matrices)}"
        )
    return read_some(form, theta)


def read_some(graph: NormalGraph, theta: Mapping[str, ArrayLike]) -> dict[str, Array]:
    """:func:`read_theta` where not every matrix has to be there."""
    for name in theta:
        if name not in graph.matrices:
            raise ValueError(
                f"theta[{name!r}] is no matrix of the graph: it has {', '.join(graph.matrices)}"
            )
    return {name: _read(graph, name, matrix) for name, matrix in theta.items()}


def uniform_theta(graph: NormalGraph | BayesGraph) -> dict[str, Array]:
    """Every matrix with uniform rows: step (0) of ML and KL (sections 3.1, 3.2)."""
    return {name: np.full(shape, 1 / shape[1]) for name, shape in as_normal(graph).matrices.items()}


def random_theta(
    graph: NormalGraph | BayesGraph, rng: np.random.Generator, batch: Sequence[int] = ()
) -> dict[str, Array]:
    """Every matrix random: uniform numbers in [0, 1), rows normalised."""
    shapes = as_normal(graph).matrices
    return {name: random_matrix(rng, (*batch, *shape)) for name, shape in shapes.items()}


def relabel(
    graph: NormalGraph | BayesGraph,
    theta: Mapping[str, ArrayLike],
    variable: str,
    order: Sequence[int],
) -> dict[str, Array]:
    """The same model with the states of one variable in another order.

    State ``k`` of the result is state ``order[k]`` of ``theta``. Likelihoods and the posteriors of
    all other variables stay as they are. Hidden states have no order of their own: use this to
    compare runs, for example by decreasing prior.
    """
    form = as_normal(graph)
    branch = form.branch(variable)
    at = np.asarray(order, dtype=np.intp)
    if sorted(at.tolist()) != list(range(branch.size)):
        raise ValueError(
            f"order is {list(order)}: expected a permutation of 0 to {branch.size - 1}"
        )
    orders = _orders(form, form.variable_of[branch.name], at)
    known = read_theta(form, theta)
    changed: dict[str, Array] = {}
    for node in form.nodes:
        if not isinstance(node, Source | Block):
            continue
        matrix = known[node.theta][..., orders.get(form.variable_of[node.y.name], slice(None))]
        if isinstance(node, Block):
            matrix = matrix[..., orders.get(form.variable_of[node.x.name], slice(None)), :]
        if not np.array_equal(changed.setdefault(node.theta, matrix), matrix):
            raise ValueError(
                f"theta[{node.theta!r}] is tied: {variable!r} cannot be relabelled alone"
            )
    return {**known, **changed}


def _orders(graph: NormalGraph, variable: str, order: Index) -> dict[str, Index]:
    """The new order of a variable's states, and of every product space that it is a part of."""
    orders = {variable: order}
    shaded = [node for node in graph.nodes if isinstance(node, Expand | Project)]
    for _ in shaded:  # a product may be a part of another one
        for node in shaded:
            ends = (node.x, node.y) if isinstance(node, Expand) else (node.y, node.x)
            part, whole = (graph.variable_of[end.name] for end in ends)
            if whole == variable:
                raise ValueError(
                    f"{variable!r} is a product space, numbered by its variables: relabel those"
                )
            if part in orders:
                cells = np.arange(math.prod(node.sizes)).reshape(node.sizes)
                orders[whole] = np.take(cells, orders[part], axis=node.axis).ravel()
    return orders


def _read(graph: NormalGraph, name: str, matrix: ArrayLike) -> Array:
    rows, size = graph.matrices[name]
    try:
        given = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"theta[{name!r}] is not an array of numbers: found {matrix!r}") from None
    if given.ndim == 1 and rows == 1:
        given = given[None]
    if given.shape[-2:] != (rows, size):
        axes = _parent_axes(graph, name)
        if not axes or given.shape[-len(axes) - 1 :] != (*axes, size):
            raise ValueError(_shape_message(graph, name, given.shape, axes))
        given = given.reshape(*given.shape[: -len(axes) - 1], rows, size)
    return read_matrix(given, f"theta[{name!r}]", (rows, size))


def _parent_axes(graph: NormalGraph, name: str) -> tuple[int, ...]:
    """The sizes of the parents behind a block's product space, if it has one."""
    node = next(n for n in graph.nodes if isinstance(n, Source | Block) and n.theta == name)
    if isinstance(node, Source):
        return ()
    inside = set(graph.variables[graph.variable_of[node.x.name]])
    for other in graph.nodes:
        if isinstance(other, Expand) and other.y.name in inside:
            return other.sizes
    return ()


def _shape_message(
    graph: NormalGraph, name: str, shape: tuple[int, ...], axes: tuple[int, ...]
) -> str:
    node = next(n for n in graph.nodes if isinstance(n, Source | Block) and n.theta == name)
    rows, size = node.shape
    what = f"{node.y.variable} has {size} values"
    if isinstance(node, Block):
        what = f"{node.x.variable} has {node.x.size} values and {what}"
    also = f" or (..., {', '.join(map(str, (*axes, size)))})" if axes else ""
    return f"theta[{name!r}] has shape {shape}: {what}, so (..., {rows}, {size}){also} was expected"
