"""``theta``: the matrices of a graph, a plain mapping from their names to arrays.

Vocabulary
    theta      name of a source or block -> ``(..., M_X, M_Y)``, row-stochastic; a source's one row
    relabel    to number a variable's states in another order: another theta, the same model
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.arrays import Array, Index, read_matrix, row_normalize
from ..engine.branches import Branch, Part
from ..engine.graph import Graph, NormalGraph, as_normal
from ..readers import read_array, read_count, read_generator, shown, wrong
from ..tables import aligned_matrix, has_names

Theta = Mapping[str, ArrayLike]
"""Matrices by name; also a ``Run``, which stands for its ``best_theta``."""


def read_theta(graph: Graph, theta: Theta) -> dict[str, Array]:
    """Every matrix of the graph, checked, as ``(..., M_X, M_Y)``.

    A prior may be given as a vector, and the matrix of several parents with an axis per parent. The
    rows and columns of a data frame are put in order by the states that they are called after.
    Raises ``ValueError`` for a name, a shape or a row that does not fit.
    """
    form = as_normal(graph)
    known = read_some(form, theta)
    missing = [name for name in form.matrices if name not in known]
    if missing:
        raise ValueError(
            f"theta has no matrix {missing[0]!r}: the graph has {', '.join(form.matrices)}"
        )
    shapes = {name: m.shape[:-2] for name, m in known.items()}
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        odd = {f"theta[{name!r}]": batch for name, batch in shapes.items() if batch}
        raise ValueError(
            f"the batch axes of theta do not agree: {odd}; expected one shape for all"
        ) from None
    return known


def read_some(graph: NormalGraph, theta: Any) -> dict[str, Array]:
    """:func:`read_theta` where not every matrix has to be there."""
    theta = getattr(theta, "best_theta", theta)
    if not isinstance(theta, Mapping):
        raise ValueError(
            f"theta is {shown(theta)}: expected a mapping from the names of matrices to arrays, "
            f"with {', '.join(graph.matrices)}"
        )
    for name in theta:
        if name not in graph.matrices:
            raise ValueError(
                f"theta[{name!r}] is no matrix of the graph: it has {', '.join(graph.matrices)}"
            )
    return {name: _read(graph, name, matrix) for name, matrix in theta.items()}


def uniform_theta(graph: Graph) -> dict[str, Array]:
    """Every matrix with uniform rows: step (0) of ML and KL (sections 3.1, 3.2)."""
    form = as_normal(graph)
    _refuse_too_large(form)
    return {name: np.full(shape, 1 / shape[1]) for name, shape in form.matrices.items()}


def random_theta(
    graph: Graph, rng: np.random.Generator, batch: Sequence[int] = ()
) -> dict[str, Array]:
    """Every matrix random: uniform numbers in [0, 1), rows normalised."""
    form = as_normal(graph)
    read_generator(rng)
    if isinstance(batch, str | bytes) or not isinstance(batch, Sequence):
        raise wrong("batch", batch, "a sequence of sizes, such as (10,)")
    axes = tuple(read_count(size, "batch", 1) for size in batch)
    _refuse_too_large(form, math.prod(axes))
    return {
        name: row_normalize(rng.random((*axes, *shape))) for name, shape in form.matrices.items()
    }


def memory() -> float:
    """The bytes that the machine has; infinite where it does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return math.inf


def _refuse_too_large(graph: NormalGraph, models: int = 1) -> None:
    """Name the largest matrix where all of them are more than the machine can hold."""
    cells = {name: rows * size for name, (rows, size) in graph.matrices.items()}
    needed = 8.0 * models * sum(cells.values())
    if needed > memory():
        largest = max(cells, key=cells.__getitem__)
        parents, own = family_of(graph, largest)
        raise MemoryError(
            f"the matrices would need {needed / 1e9:.3g} GB, the machine has "
            f"{memory() / 1e9:.3g} GB: theta[{largest!r}] alone holds {cells[largest]:,} numbers, "
            f"{' x '.join(f'{v.size:,} of {v.variable}' for v in (*parents, own))}; take fewer "
            "parents or states"
        )


def relabel(graph: Graph, theta: Theta, variable: str, order: Sequence[int]) -> dict[str, Array]:
    """The same model with the states of one variable in another order.

    State ``k`` of the result is state ``order[k]`` of ``theta``. Likelihoods and the posteriors of
    all other variables stay as they are. Hidden states have no order of their own: use this to
    compare runs, for example by decreasing prior. A variable whose states have labels is refused:
    its matrices would then say something else of them.
    """
    form = as_normal(graph)
    branch = form.branch(variable)
    if branch.states:
        raise ValueError(
            f"{variable!r} has the states {branch.states}: another order would give them each "
            "other's rows. Relabel hidden variables, or write the states in another order in the "
            "graph"
        )
    at = np.empty(0, dtype=np.intp)
    if isinstance(order, Sequence | np.ndarray) and not isinstance(order, str):
        at = np.array([read_count(k, "order") for k in order], dtype=np.intp)
    if sorted(at.tolist()) != [*range(branch.size)]:
        raise wrong("order", order, f"a permutation of 0 to {branch.size - 1}")
    own = form.variable_of[branch.name]
    if own in form.products:
        raise ValueError(f"{own!r} is a product space, numbered by its variables: relabel those")
    known = read_theta(form, theta)
    changed: dict[str, Array] = {}
    blocks = form.families
    orders = _orders(blocks, own, at)
    for node in (node for node in blocks.nodes if node.theta):
        name, matrix = node.theta, known[node.theta]
        for axis, ends in ((-1, node.outputs), (-2, node.inputs)):
            for moved in (orders.get(blocks.variable_of[end.name]) for end in ends):
                matrix = matrix if moved is None else np.take(matrix, moved, axis=axis)
        if not np.array_equal(changed.setdefault(name, matrix), matrix):
            raise ValueError(f"theta[{name!r}] is tied: {variable!r} cannot be relabelled alone")
    return {**known, **changed}


def _orders(graph: NormalGraph, variable: str, order: Index) -> dict[str, Index]:
    """The new order of a variable's states, and of every product space that it is a part of."""
    parts: dict[str, list[Part]] = {}  # by variable, its places in product spaces
    for part in (node.part for node in graph.nodes if node.part is not None):
        parts.setdefault(graph.variable_of[part.member.name], []).append(part)
    orders = {variable: order}
    for here in (reached := [variable]):  # grows: a product may be a part of another one
        for _, branch, sizes, axis in parts.get(here, ()):
            whole = graph.variable_of[branch.name]
            cells = np.arange(math.prod(sizes)).reshape(sizes)
            orders[whole] = np.take(cells, orders[here], axis=axis).ravel()
            reached.append(whole)
    return orders


def _read(graph: NormalGraph, name: str, matrix: Any) -> Array:
    rows, size = graph.matrices[name]
    given = read_array(by_states(graph, name, matrix, "theta"), f"theta[{name!r}]")
    if given.ndim == 1 and rows == 1:
        given = given[None]
    if given.shape[-2:] != (rows, size):
        blocks = graph.families
        axes = _parent_axes(blocks, name)
        if not axes or given.shape[-len(axes) - 1 :] != (*axes, size):
            raise ValueError(_shape_message(blocks, name, given.shape, axes))
        given = given.reshape(*given.shape[: -len(axes) - 1], rows, size)
    return read_matrix(given, f"theta[{name!r}]", (rows, size))


def by_states(graph: NormalGraph, name: str, matrix: Any, what: str) -> Any:
    """A data frame or series in the order of the states that it names; an array as it is."""
    if not has_names(matrix):
        return matrix
    parents, own = family_of(graph, name)
    return aligned_matrix(matrix, parents, own, f"{what}[{name!r}]")


def family_of(graph: NormalGraph, name: str) -> tuple[list[Branch], Branch]:
    """The variables of a matrix's rows, the first varying slowest, and that of its columns."""
    graph = graph.families
    node = graph.users[name][0]
    rows = [graph.variable_of[x.name] for x in node.inputs]
    parents = [member for v in rows for member in graph.products.get(v, (v,))]
    return [graph.branch(v) for v in parents], node.outputs[0]


def _parent_axes(graph: NormalGraph, name: str) -> tuple[int, ...]:
    """The sizes of the parents behind a block's product space, if it has one."""
    inside = {graph.variable_of[x.name] for x in graph.users[name][0].inputs}
    parts = (node.part for node in graph.nodes)
    return next((p.sizes for p in parts if p and graph.variable_of[p.whole.name] in inside), ())


def _shape_message(
    graph: NormalGraph, name: str, shape: tuple[int, ...], axes: tuple[int, ...]
) -> str:
    node, (rows, size) = graph.users[name][0], graph.matrices[name]
    ends = (*node.inputs, *node.outputs)
    what = " and ".join(f"{branch.variable} has {branch.size} values" for branch in ends)
    also = f" or (..., {', '.join(map(str, (*axes, size)))})" if axes else ""
    return f"theta[{name!r}] has shape {shape}: {what}, so (..., {rows}, {size}){also} was expected"
