"""First and second derivatives of log P(row) in the entries of the matrices, from the messages
(section 3).

Vocabulary
    entry        one number of a learned matrix; a vector of length E holds the entries of all
    score        the derivative of log P(row) in an entry, ``f_x b_y / f^T theta b`` at its block
    coordinate   a direction that keeps the sum of a row: one entry grows as much as the largest
                 entry of the row, its reference, shrinks

First derivatives are exact; second ones are differences of them over small steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.arrays import Array, Index, Mask
from ..algebra.semirings import Logs
from ..arguments import refuse_beyond_memory
from ..data.evidence import Evidence
from ..graphs.nodes import Node
from ..graphs.normal_graph import as_normal
from ..inference.propagation import Chunk, Clamped, clamp, propagate_chunks
from ..learning.run import Run
from ..loops.families import Family, joint_message
from ..progress import progress_bar

TINY = 1e-290
"""P(row) is at least this, so that nothing is divided by zero."""

Pairs = tuple[Index, Index]
"""Coordinates: the entry that grows, and the one that shrinks as much."""

NARROW = 32
"""Numbers of a model up to which as many samples go together as anywhere; of more, fewer."""

STEP = 3e-5
"""The step of differences, relative to an entry: their error is about its square."""

LEAST = 1e-9
"""No step is shorter: rounding would be larger than the difference."""

TOGETHER = 32
"""Entries whose steps are models of one batch."""


@dataclass(frozen=True, eq=False)
class Entries:
    """The entries of the learned matrices in one vector.

    ``free[name]`` ``(M_X, M_Y)`` says which can move.
    """

    free: Mapping[str, Mask]

    @cached_property
    def starts(self) -> dict[str, int]:
        """The index of each matrix's first entry in the vector."""
        sizes = [free.size for free in self.free.values()]
        return dict(zip(self.free, np.cumsum([0, *sizes[:-1]]).tolist(), strict=True))

    @property
    def count(self) -> int:
        """The length E of the vector."""
        return sum(free.size for free in self.free.values())

    def by_name(self, vector: Array) -> dict[str, Array]:
        """A vector ``(..., E)`` as arrays ``(..., M_X, M_Y)`` by matrix."""
        return {
            name: vector[..., at : at + self.free[name].size].reshape(
                *vector.shape[:-1], *self.free[name].shape
            )
            for name, at in self.starts.items()
        }

    def flat(self, theta: Mapping[str, NDArray[Any]]) -> Array:
        """Arrays ``(M_X, M_Y)`` by matrix as one vector ``(E,)``."""
        return np.concatenate([np.zeros(0), *(theta[name].ravel() for name in self.free)])

    def pairs(self, theta: Mapping[str, Array], moves: Mapping[str, Mask] | None = None) -> Pairs:
        """The coordinates as indices ``(n_free,)``: of the entry that grows, and its reference.

        ``moves`` narrows what can move.
        """
        grows, shrinks = list[Index](), list[Index]()
        for name, free in self.free.items():
            allowed = free if moves is None else free & moves[name]
            for x, row in enumerate(allowed):
                at = np.flatnonzero(row)
                if len(at) > 1:
                    reference = at[np.argmax(theta[name][x, at])]
                    start = self.starts[name] + x * free.shape[1]
                    grows.append(start + at[at != reference])
                    shrinks.append(np.full(len(at) - 1, start + reference))
        none = np.zeros(0, dtype=np.intp)
        return np.concatenate([none, *grows]), np.concatenate([none, *shrinks])

    def coordinates(
        self, theta: Mapping[str, Array], moves: Mapping[str, Mask] | None = None
    ) -> Array:
        """The coordinates as columns, ``(E, n_free)``; ``moves`` narrows what can move."""
        grows, shrinks = self.pairs(theta, moves)
        columns = np.zeros((self.count, len(grows)))
        columns[grows, np.arange(len(grows))] = 1.0
        columns[shrinks, np.arange(len(grows))] = -1.0
        return columns


def clamped_rows(run: Run, rows: Evidence | None = None) -> Clamped:
    """The run's graph with its rows, or with ``rows``, as evidence."""
    return clamp(as_normal(run.graph), run.rows if rows is None else rows)


def scores(
    clamped: Clamped, theta: Mapping[str, Array], entries: Entries
) -> Iterator[tuple[Chunk, Array]]:
    """The messages and the scores ``(n, E)`` of all rows, piece by piece."""
    for chunk in propagate_chunks(clamped, theta, max(1, entries.count // NARROW)):
        n = chunk.cut.stop - chunk.cut.start
        score = np.zeros((n, entries.count))
        for name, at in entries.starts.items():
            for node in clamped.graph.users[name]:
                f, b = at_node(chunk, node, n)
                joint = f[:, None] * b / _total(f, b, theta[name])
                score[:, at : at + entries.free[name].size] += joint.reshape(-1, n).T
        yield chunk, score


def at_node(chunk: Chunk, node: Node, n: int) -> tuple[Array, Array]:
    """The messages that reach a source or block: ``f`` ``(..., M_X, n)``, ``b`` ``(..., M_Y, n)``.

    A source's ``f`` is one. A family inside a cluster of a merged graph is taken for a source of
    all its cells: ``b`` is ``(..., M_X M_Y, n)``.
    """
    f = chunk.f[node.inputs[0].name] if node.inputs else chunk.semiring.encode(np.ones((1, n)))
    b = chunk.b[node.outputs[0].name]
    if isinstance(node, Family):
        b = joint_message(node, chunk.f, chunk.b, chunk.semiring)
    wide = (np.broadcast_to(v, (*v.shape[:-1], n)) for v in (f, b))
    f, b = (chunk.semiring.decode(v) for v in wide)
    return f, b


def relative(chunk: Chunk, node: Node, theta: Array) -> Array:
    """The scores ``f_x b_y / f^T theta b`` at one source or block, ``(M_X, M_Y, n)``.

    They are exact however small P(row) is; times ``theta`` they are P(x, y | row). NaN where a row
    is impossible.
    """
    semiring, n = chunk.semiring, chunk.cut.stop - chunk.cut.start
    both = joint_message(node, chunk.f, chunk.b, semiring)
    with np.errstate(invalid="ignore", divide="ignore"):
        cells = semiring.encode(theta).reshape(-1, 1)
        if isinstance(semiring, Logs):
            total = semiring.total(both + cells, -2)[..., None, :]
            score = np.where(total > -np.inf, np.exp(both - total), np.nan)
        else:
            total = (both * cells).sum(axis=-2, keepdims=True)
            score = np.where(total > 0, both / total, np.nan)
    return np.broadcast_to(score.reshape(*theta.shape, -1), (*theta.shape, n))


def _total(f: Array, b: Array, theta: Array) -> Array:
    """``f^T theta b``, ``(..., 1, n)``, at least ``TINY``."""
    theta = theta.reshape(*theta.shape[:-2], f.shape[-2], b.shape[-2])
    total = ((theta.swapaxes(-1, -2) @ f) * b).sum(axis=-2, keepdims=True)
    positive: Array = np.maximum(total, TINY)
    return positive


def information(
    clamped: Clamped,
    weight: Array,
    theta: Mapping[str, Array],
    numbers: Entries,
    progress: bool | None = None,
) -> tuple[Array, Array]:
    """Minus the second derivatives of ``loglik``, ``(E, E)``, and the first ones, ``(E,)``.

    The first derivatives are exact, and the second ones are their differences over a small step to
    each side of every entry, relative to it: their error is about 1e-9 of their size. ``progress``
    is as in ``fit``: a bar where it takes more than half a second.

    Raises ``MemoryError`` where E times E numbers are more than the machine can hold.
    """
    refuse_beyond_memory(
        3 * 8.0 * numbers.count**2,
        f"the second derivatives in {numbers.count:,} numbers",
        "bootstrap(run) needs none of them, and fewer variables have fewer",
    )
    bent = np.zeros((numbers.count, numbers.count))
    tick = progress_bar(numbers.count, progress, "number")
    for name, at in numbers.starts.items():
        values = theta[name].ravel()
        for first in range(0, values.size, TOGETHER):
            entries = np.arange(first, min(first + TOGETHER, values.size))
            up = np.maximum(STEP * values[entries], LEAST)
            down = np.where(values[entries] > up, up, 0.0)  # no step goes below 0
            moved = np.tile(values, (2 * len(entries), 1))
            moved[np.arange(len(moved)), np.tile(entries, 2)] += np.concatenate([up, -down])
            batch = {**theta, name: moved.reshape(-1, *theta[name].shape)}
            above, below = np.split(_gradient(clamped, weight, batch, numbers), 2)
            bent[at + entries] = (below - above) / (up + down)[:, None]
            tick(at + int(entries[-1]) + 1)
    tick(-1)
    return (bent + bent.T) / 2, _gradient(clamped, weight, theta, numbers)


def _gradient(
    clamped: Clamped, weight: Array, theta: Mapping[str, Array], entries: Entries
) -> Array:
    """The first derivatives of ``loglik``, ``(..., E)``: ``sum_n w f b^T / (f^T theta b)``.

    The uses of a tied matrix add up.
    """
    models = np.broadcast_shapes(*(theta[name].shape[:-2] for name in entries.free))
    total = np.zeros((*models, entries.count))
    for chunk in propagate_chunks(clamped, theta, max(1, math.prod(models))):
        n = chunk.cut.stop - chunk.cut.start
        for name, at in entries.starts.items():
            for node in clamped.graph.users[name]:
                f, b = at_node(chunk, node, n)
                scaled = b * (weight[chunk.cut] / _total(f, b, theta[name]))
                each = f @ scaled.swapaxes(-1, -2)
                cells = each.reshape(*each.shape[:-2], -1)
                total[..., at : at + cells.shape[-1]] += cells
    return total
