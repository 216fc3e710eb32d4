"""``theta``: the matrices of a graph, a plain mapping from their names to arrays.

Vocabulary
    theta      name of a source or block -> ``(..., M_X, M_Y)``, row-stochastic; a source's one row
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.arrays import Array, Label
from ..algebra.distributions import row_normalize
from ..arguments import (
    memory,
    read_array,
    read_batch,
    read_count,
    read_generator,
    read_kind,
    refuse_rows,
    wrong,
)
from ..data import aligned_matrix, has_names
from ..data.names import key_of
from .branches import Branch
from .families import slices
from .normal_graph import Graph, NormalGraph, as_normal

Theta = Mapping[str, ArrayLike]
"""Matrices by name; also a ``Run``, which stands for its ``best_theta``."""


def read_theta(graph: Graph, theta: Theta) -> dict[str, Array]:
    """Every matrix of the graph, checked, as ``(..., M_X, M_Y)``.

    A prior may be given as a vector, and the matrix of several parents with an axis per parent. The
    rows and columns of a data frame are put in order by the states that they are called after.
    """
    form = as_normal(graph)
    matrices = read_some(form, theta)
    missing = [name for name in form.matrices if name not in matrices]
    if missing:
        raise ValueError(
            f"theta has no matrix {missing[0]!r}: the graph has {', '.join(form.matrices)}"
        )
    read_batch({f"theta[{name!r}]": matrix for name, matrix in matrices.items()})
    return matrices


def read_some(graph: NormalGraph, theta: Any) -> dict[str, Array]:
    """:func:`read_theta` where not every matrix has to be there."""
    names = ", ".join(graph.matrices)
    expected = f"a mapping from the names of matrices to arrays, with {names}"
    theta = read_kind(getattr(theta, "best_theta", theta), "theta", Mapping, expected)
    for name in theta:
        if name not in graph.matrices:
            raise ValueError(f"theta[{name!r}] is no matrix of the graph: it has {names}")
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


def _refuse_too_large(graph: NormalGraph, models: int = 1) -> None:
    """Name the largest matrix where all of them are more than the machine can hold."""
    cells = {name: rows * size for name, (rows, size) in graph.matrices.items()}
    needed = 8.0 * models * sum(cells.values())
    if needed > memory():
        largest = max(cells, key=cells.__getitem__)
        parents, child = family_of(graph, largest)
        raise MemoryError(
            f"the matrices would need {needed / 1e9:.3g} GB, the machine has "
            f"{memory() / 1e9:.3g} GB: theta[{largest!r}] alone holds {cells[largest]:,} numbers, "
            f"{' x '.join(f'{v.size:,} of {v.variable}' for v in (*parents, child))}; take fewer "
            "parents or states"
        )


def relabel(
    graph: Graph,
    theta: Theta,
    variable: str,
    order: Sequence[int | Label],
    *,
    hidden: bool | None = None,
) -> dict[str, Array]:
    """The same model with the states of one hidden variable in another order.

    State ``k`` of the result is state ``order[k]`` of ``theta``: it gets that state's rows, columns
    and share. ``order`` holds the numbers of states, or their names where they have names. Names
    stay where they are: ``relabel(graph, run, "Kind", ["healthy", "ill"])`` of a variable with the
    states ``["ill", "healthy"]`` calls "ill" what was called "healthy" before, and the reverse.

    The states ``S1``, ``S2``, ... of a chain share their matrices, so they have one order:
    ``relabel(graph, run, "S", order)``.

    Hidden states have no order of their own. Learning from random starts finds them in any order,
    and their names say nothing until somebody has looked at the matrices. Use this to give them
    the names that fit, or to compare runs, for example by decreasing prior.

    The states of an observed variable are those of its table, and another order would give them
    each other's rows. So ``ValueError`` is raised for a variable that ``theta``, where it is a run,
    has observed. Matrices by themselves do not say what was observed: where the states have names,
    ``hidden=True`` says that they are no data.
    """
    form = as_normal(graph)
    read_kind(hidden, "hidden", bool | None, "True, False or None")
    members: tuple[str, ...] = (variable,)
    if isinstance(variable, str) and variable not in form.variables:
        members = slices(form, form.variables).get(variable, members)
    branch = form.branch(members[0])
    members = tuple(form.variable_of[form.branch(name).name] for name in members)
    rows = getattr(theta, "rows", None)
    if rows is not None:
        seen = {form.variable_of[form.branch(name).name] for name in rows.variables}
        if not seen.isdisjoint(members):
            raise ValueError(
                f"{variable!r} was observed: its states are those of the table, and another order "
                "would give them each other's rows. Order the states in the graph"
            )
    elif branch.states and hidden is not True:
        raise ValueError(
            f"{variable!r} has the states {branch.states}: if they are those of a table, another "
            "order would give them each other's rows, so order the states in the graph. If they "
            "are names of hidden states, say hidden=True, or give the run, which knows it"
        )
    at = _read_order(order, branch)
    if members[0] in form.products:
        raise ValueError(
            f"{members[0]!r} is a product space, numbered by its variables: relabel those"
        )
    return reordered(form, read_theta(form, theta), members, at)


def _read_order(order: Any, branch: Branch) -> list[int]:
    """A permutation of a variable's states, by their numbers or by their names."""
    at: list[int] = []
    listed = isinstance(order, Sequence | np.ndarray) and not isinstance(order, str)
    names = [*order] if listed and branch.states else []
    codes = {key_of(state): k for k, state in enumerate(branch.states)}
    if names and all(isinstance(v, Hashable) and key_of(v) in codes for v in names):
        at = [codes[key_of(name)] for name in names]
    elif listed and not any(isinstance(name, str) for name in names):
        at = [read_count(k, "order") for k in order]
    if sorted(at) != [*range(branch.size)]:
        also = f", or of the states {branch.states}" if branch.states else ""
        raise wrong("order", order, f"a permutation of 0 to {branch.size - 1}{also}")
    return at


def reordered(
    graph: Graph, theta: Mapping[str, Array], variables: Sequence[str], at: Sequence[int]
) -> dict[str, Array]:
    """The matrices of :func:`relabel`, of one hidden variable or of the slices of one."""
    form = as_normal(graph)
    changed: dict[str, Array] = {}
    for node in (node for node in form.nodes if node.theta):
        name, matrix = node.theta, theta[node.theta]
        rows, columns = form.axes(node, stop=variables[0])
        axes = [*rows, *columns]
        grid = matrix.reshape(*matrix.shape[:-2], *(size for _, size in axes))
        for place, (member, _) in enumerate(axes, -len(axes)):
            grid = np.take(grid, at, axis=place) if member in variables else grid
        matrix = grid.reshape(matrix.shape)
        if not np.array_equal(changed.setdefault(name, matrix), matrix):
            raise ValueError(
                f"theta[{name!r}] is tied: {variables[0]!r} cannot be relabelled alone"
            )
    return {**theta, **changed}


def _read(graph: NormalGraph, name: str, matrix: Any) -> Array:
    what, shape = f"theta[{name!r}]", graph.matrices[name]
    if not isinstance(matrix, np.ndarray):
        matrix = by_states(graph, name, matrix, "theta")
    given = read_array(matrix, what)
    if given.shape[-2:] != shape:
        given = _as_rows(graph, name, given)
    refuse_rows(given, what)
    return given


def _as_rows(graph: NormalGraph, name: str, given: Array) -> Array:
    """A vector as the one row of a prior, and an axis for each parent as rows, ``(..., rows, M)``.

    Raises ``ValueError`` for any other shape.
    """
    rows, size = graph.matrices[name]
    if given.shape == (size,) and rows == 1:
        return given[None]
    node = graph.users[name][0]
    axes = [m for _, m in graph.axes(node)[0]]
    if axes and given.shape[-len(axes) - 1 :] == (*axes, size):
        return given.reshape(*given.shape[: -len(axes) - 1], rows, size)
    parents, child = graph.family(node)
    ends = [(child, size)]
    if parents:
        ends.insert(0, (parents[0] if len(parents) == 1 else f"({','.join(parents)})", rows))
    says = " and ".join(f"{variable} has {values} values" for variable, values in ends)
    also = f" or (..., {', '.join(map(str, (*axes, size)))})" if len(axes) > 1 else ""
    shape = (1, *given.shape) if given.ndim == 1 and rows == 1 else given.shape
    raise ValueError(
        f"theta[{name!r}] has shape {shape}: {says}, so (..., {rows}, {size}){also} was expected"
    )


def by_states(graph: NormalGraph, name: str, matrix: Any, what: str) -> Any:
    """A data frame or series in the order of the states that it names; an array as it is."""
    if isinstance(matrix, np.ndarray) or not has_names(matrix):
        return matrix
    parents, child = family_of(graph, name)
    return aligned_matrix(matrix, parents, child, f"{what}[{name!r}]")


def family_of(graph: NormalGraph, name: str) -> tuple[list[Branch], Branch]:
    """The variables of a matrix's rows, the first varying slowest, and that of its columns."""
    parents, child = graph.family(graph.users[name][0])
    return [graph.branch(v) for v in parents], graph.branch(child)
