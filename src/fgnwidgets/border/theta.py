"""``theta``: the matrices of a graph, a plain mapping from their names to arrays.

Vocabulary
    theta      name of a source or block -> ``(..., M_X, M_Y)``, row-stochastic; a source's one row
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.arrays import Array, read_matrix, row_normalize
from ..engine.branches import Branch
from ..engine.graph import Graph, NormalGraph, as_normal
from ..readers import read_array, read_batch, read_count, read_generator, read_kind, wrong
from ..tables import aligned_matrix, has_names

Theta = Mapping[str, ArrayLike]
"""Matrices by name; also a ``Run``, which stands for its ``best_theta``."""


def read_theta(graph: Graph, theta: Theta) -> dict[str, Array]:
    """Every matrix of the graph, checked, as ``(..., M_X, M_Y)``.

    A prior may be given as a vector, and the matrix of several parents with an axis per parent. The
    rows and columns of a data frame are put in order by the states that they are called after.
    """
    form = as_normal(graph)
    known = read_some(form, theta)
    missing = [name for name in form.matrices if name not in known]
    if missing:
        raise ValueError(
            f"theta has no matrix {missing[0]!r}: the graph has {', '.join(form.matrices)}"
        )
    read_batch({f"theta[{name!r}]": matrix for name, matrix in known.items()})
    return known


def read_some(graph: NormalGraph, theta: Any) -> dict[str, Array]:
    """:func:`read_theta` where not every matrix has to be there."""
    known = ", ".join(graph.matrices)
    expected = f"a mapping from the names of matrices to arrays, with {known}"
    theta = read_kind(getattr(theta, "best_theta", theta), "theta", Mapping, expected)
    for name in theta:
        if name not in graph.matrices:
            raise ValueError(f"theta[{name!r}] is no matrix of the graph: it has {known}")
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

    State ``k`` of the result is state ``order[k]`` of ``theta``. Hidden states have no order of
    their own: use this to compare runs, for example by decreasing prior. A variable whose states
    have labels is refused: its matrices would then say something else of them.
    """
    form = as_normal(graph)
    branch = form.branch(variable)
    if branch.states:
        raise ValueError(
            f"{variable!r} has the states {branch.states}: another order would give them each "
            "other's rows. Relabel hidden variables, or order the states in the graph"
        )
    at = []
    if isinstance(order, Sequence | np.ndarray) and not isinstance(order, str):
        at = [read_count(k, "order") for k in order]
    if sorted(at) != [*range(branch.size)]:
        raise wrong("order", order, f"a permutation of 0 to {branch.size - 1}")
    own = form.variable_of[branch.name]
    if own in form.products:
        raise ValueError(f"{own!r} is a product space, numbered by its variables: relabel those")
    known = read_theta(form, theta)
    changed: dict[str, Array] = {}
    blocks = form.families
    for node in (node for node in blocks.nodes if node.theta):
        name, matrix = node.theta, known[node.theta]
        axes = [axis for end in (*node.inputs, *node.outputs) for axis in _axes(blocks, end, own)]
        grid = matrix.reshape(*matrix.shape[:-2], *(size for _, size in axes))
        for place, (member, _) in enumerate(axes, -len(axes)):
            grid = np.take(grid, at, axis=place) if member == own else grid
        matrix = grid.reshape(matrix.shape)
        if not np.array_equal(changed.setdefault(name, matrix), matrix):
            raise ValueError(f"theta[{name!r}] is tied: {variable!r} cannot be relabelled alone")
    return {**known, **changed}


def _axes(graph: NormalGraph, branch: Branch, stop: str = "") -> list[tuple[str, int]]:
    """The variables behind a branch, with their sizes: of a product space, those of its axes.

    An axis that nothing joins has no name; ``stop`` is a variable that is not looked into.
    """
    own = graph.variable_of[branch.name]
    ends = [side.get(name) for name in graph.variables[own] for side in (graph.tails, graph.heads)]
    joined = [node.part for node in ends if node is not None and node.part is not None]
    parts = {part.axis: part for part in joined if graph.variable_of[part.whole.name] == own}
    if not parts or own == stop:
        return [(own, branch.size)]
    found = []
    for axis, size in enumerate(next(iter(parts.values())).sizes):
        found += _axes(graph, parts[axis].member, stop) if axis in parts else [("", size)]
    return found


def _read(graph: NormalGraph, name: str, matrix: Any) -> Array:
    what, (rows, size) = f"theta[{name!r}]", graph.matrices[name]
    given = read_array(by_states(graph, name, matrix, "theta"), what)
    if given.ndim == 1 and rows == 1:
        given = given[None]
    if given.shape[-2:] != (rows, size):
        blocks = graph.families
        node = blocks.users[name][0]
        axes = [m for x in node.inputs for _, m in _axes(blocks, x)]
        if not axes or given.shape[-len(axes) - 1 :] != (*axes, size):
            ends = (*node.inputs, *node.outputs)
            says = " and ".join(f"{branch.variable} has {branch.size} values" for branch in ends)
            also = f" or (..., {', '.join(map(str, (*axes, size)))})" if len(axes) > 1 else ""
            raise ValueError(
                f"{what} has shape {given.shape}: {says}, so (..., {rows}, {size}){also} was "
                "expected"
            )
        given = given.reshape(*given.shape[: -len(axes) - 1], rows, size)
    return read_matrix(given, what, (rows, size))


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
