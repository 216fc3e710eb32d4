"""First and second derivatives of log P(row) in the entries of the matrices, from the messages
(section 3).

Vocabulary
    entry        one number of a learned matrix; a vector of length E holds the entries of all
    use          a source or block that uses a matrix; tied matrices have several uses
    score        the derivative of log P(row) in an entry, ``f_x b_y / f^T theta b`` at its block
    coordinate   a direction that keeps the sum of a row: one entry grows as much as the largest
                 entry of the row, its reference, shrinks

P(row) is linear in the matrix of each use, so its difference over a step of any length is an exact
derivative. Only for chains of many tied steps are scores differenced over small steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..border.chains import clamp_with_shortcut
from ..border.run import Run
from ..engine.arrays import Array
from ..engine.graph import as_normal
from ..engine.messages import Evidence
from ..engine.nodes import Node
from ..engine.propagate import Clamped, Flow, flows

TINY = 1e-290
"""P(row) is at least this, so that nothing is divided by zero."""

MANY = 150
"""With more uses than this, all pairs of them would take too long: scores are differenced."""

STEP = 1e-5
"""The step of these differences: their error is about its square, their rounding about 1e-11."""


@dataclass(frozen=True, eq=False)
class Entries:
    """The entries of the learned matrices in one vector.

    ``free[name]`` ``(M_X, M_Y)`` says which can move.
    """

    free: Mapping[str, NDArray[np.bool_]]

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

    def coordinates(
        self, theta: Mapping[str, Array], moves: Mapping[str, NDArray[np.bool_]] | None = None
    ) -> Array:
        """The coordinates as columns, ``(E, n_free)``; ``moves`` narrows what can move."""
        columns = []
        for name, free in self.free.items():
            allowed = free if moves is None else free & moves[name]
            for x, row in enumerate(allowed):
                at = np.flatnonzero(row)
                if len(at) < 2:
                    continue
                reference = at[np.argmax(theta[name][x, at])]
                for y in at[at != reference]:
                    column = np.zeros(self.count)
                    start = self.starts[name] + x * free.shape[1]
                    column[start + y], column[start + reference] = 1.0, -1.0
                    columns.append(column)
        return np.stack(columns, axis=-1) if columns else np.zeros((self.count, 0))


def clamped(run: Run, rows: Evidence | None = None) -> Clamped:
    """The run's graph with its rows, or with ``rows``, as evidence."""
    return clamp_with_shortcut(as_normal(run.graph), run.rows if rows is None else rows)


def scores(
    posed: Clamped, theta: Mapping[str, Array], known: Entries
) -> Iterator[tuple[Flow, Array]]:
    """The messages and the scores ``(n, E)`` of all rows, piece by piece."""
    for found in flows(posed, theta):
        n = found.cut.stop - found.cut.start
        score = np.zeros((n, known.count))
        for name, at in known.starts.items():
            for node in posed.graph.users[name]:
                f, b = at_node(found, node, n)
                joint = f[:, None] * b / _total(f, b, theta[name])
                score[:, at : at + known.free[name].size] += joint.reshape(-1, n).T
        yield found, score


def at_node(found: Flow, node: Node, n: int) -> tuple[Array, Array]:
    """The messages that reach a source or block: ``f`` ``(..., M_X, n)``, ``b`` ``(..., M_Y, n)``.

    A source's ``f`` is one. A family inside a cluster of a merged graph is taken for a source of
    all its cells: ``b`` is ``(..., M_X M_Y, n)``.
    """
    f = found.f[node.inputs[0].name] if node.inputs else found.ring.encode(np.ones((1, n)))
    b = found.b[node.outputs[0].name]
    if node.shares:
        b = node.joint(found.f, found.b, found.ring)
    wide = (np.broadcast_to(v, (*v.shape[:-1], n)) for v in (f, b))
    f, b = (found.ring.decode(v) for v in wide)
    return f, b


def _total(f: Array, b: Array, theta: Array) -> Array:
    """``f^T theta b``, ``(..., 1, n)``, at least ``TINY``."""
    theta = theta.reshape(*theta.shape[:-2], f.shape[-2], b.shape[-2])
    total = ((theta.swapaxes(-1, -2) @ f) * b).sum(axis=-2, keepdims=True)
    positive: Array = np.maximum(total, TINY)
    return positive


def information(
    posed: Clamped, weight: Array, theta: Mapping[str, Array], known: Entries
) -> tuple[Array, Array]:
    """Minus the second derivatives of ``loglik``, ``(E, E)``, and the first ones, ``(E,)``.

    The former are ``sum_n w[n] (s_a s_b - P_ab / P)`` with the scores s. P is linear in the matrix
    of each use. So the mixed derivative ``P_ab`` of two uses is the change of the derivative in
    ``b`` when 1 is added to the entry ``a``.
    """
    if sum(len(posed.graph.users[name]) for name in known.free) > MANY:
        return _differenced(posed, weight, theta, known), _gradient(posed, weight, theta, known)
    gradient = np.zeros(known.count)
    square = np.zeros((known.count, known.count))
    for found, score in scores(posed, theta, known):
        weighted = score * weight[found.cut, None]
        gradient += weighted.sum(axis=0)
        square += score.T @ weighted
    untied, uses = _untied(posed, known)
    base = dict(theta)
    base.update((use, theta[name]) for use, (name, _) in uses.items())
    still = {use: _pairs(untied, weight, base, use, node) for use, (_, node) in uses.items()}
    mixed = np.zeros_like(square)
    for use, (name, _) in uses.items():
        at = known.starts[name]
        here = _mixed(untied, weight, base, use, uses, known, still)
        mixed[at : at + len(here)] += here
    return square - (mixed + mixed.T) / 2, gradient


def _differenced(
    posed: Clamped, weight: Array, theta: Mapping[str, Array], known: Entries
) -> Array:
    """The same second derivatives from small steps in every entry, for long tied chains."""
    bent = np.zeros((known.count, known.count))
    for name, at in known.starts.items():
        for place, value in np.ndenumerate(theta[name]):
            ends = []
            low = STEP if value > STEP else 0.0  # no step goes below 0
            for step in (STEP, -low):
                moved = theta[name].copy()
                moved[place] += step
                ends.append(_gradient(posed, weight, {**theta, name: moved}, known))
            row = at + int(np.ravel_multi_index(place, theta[name].shape))
            bent[row] = (ends[1] - ends[0]) / (STEP + low)
    return (bent + bent.T) / 2


def _gradient(posed: Clamped, weight: Array, theta: Mapping[str, Array], known: Entries) -> Array:
    """The first derivatives of ``loglik``, ``(E,)``."""
    pieces = (weight[found.cut] @ score for found, score in scores(posed, theta, known))
    return np.asarray(sum(pieces, np.zeros(known.count)))


Uses = Mapping[str, tuple[str, Node]]
"""For each use, the name of its matrix in the run, and its node in the graph without ties."""


def _untied(posed: Clamped, known: Entries) -> tuple[Clamped, Uses]:
    """The same problem with a matrix of its own for every use."""
    uses: dict[str, tuple[str, Node]] = {}
    nodes = []
    for node in posed.graph.nodes:
        if node.theta in known.free:
            use = f"use {node.name}"
            own: Node = replace(node, theta=use)  # type: ignore[type-var]
            uses[use] = node.theta, own
            node = own
        nodes.append(node)
    return clamp_with_shortcut(posed.graph.like(nodes), posed.evidence), uses


def _pairs(
    posed: Clamped, weight: Array, theta: Mapping[str, Array], use: str, node: Node
) -> Array:
    """The scores of a use, summed with the weights of the rows, ``(M_X, M_Y)``."""
    total: Array = np.zeros_like(theta[use])
    for found in flows(posed, theta):
        f, b = at_node(found, node, found.cut.stop - found.cut.start)
        pairs = f @ (b * (weight[found.cut] / _total(f, b, theta[use]))).T
        total = total + pairs.reshape(total.shape)
    return total


def _mixed(
    posed: Clamped,
    weight: Array,
    base: Mapping[str, Array],
    use: str,
    uses: Uses,
    known: Entries,
    still: Mapping[str, Array],
) -> Array:
    """``sum_n w[n] P_ab / P`` for the entries a of a use and all entries b, ``(M_X M_Y, E)``.

    It is zero for two entries of the same use. ``still`` holds the sums of :func:`_pairs`.
    """
    rows, columns = base[use].shape
    batch = rows * columns
    moved = {**base, use: base[use] + np.eye(batch).reshape(batch, rows, columns)}
    result = np.zeros((batch, known.count))
    for found in flows(posed, moved, batch):
        n = found.cut.stop - found.cut.start
        # The messages at a block do not depend on its own matrix. So these are the scores at
        # ``base``, and P after the step is P (1 + score).
        f, b = (v if v.ndim == 2 else v[0] for v in at_node(found, uses[use][1], n))
        score = (f[:, None] * b / _total(f, b, base[use])).reshape(batch, 1, n)
        for other, (name, node) in uses.items():
            if other != use:
                fx, by = at_node(found, node, n)
                ratio = (1 + score) * weight[found.cut] / _total(fx, by, moved[other])
                pairs = fx @ (by * ratio).swapaxes(-1, -2)
                at = known.starts[name]
                result[:, at : at + pairs[0].size] += pairs.reshape(batch, -1)
    for other, (name, _) in uses.items():
        if other != use:
            at = known.starts[name]
            result[:, at : at + still[other].size] -= still[other].ravel()
    return result
