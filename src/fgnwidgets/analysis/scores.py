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
    return square - _Untied.of(posed, weight, theta, known).mixed(), gradient


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


@dataclass(frozen=True, eq=False)
class _Untied:
    """The same problem with a matrix of its own for every use.

    ``theta``   the matrix of each use
    ``uses``    for each, the name of its matrix in the run, and its node in the graph without ties
    """

    posed: Clamped
    weight: Array
    theta: Mapping[str, Array]
    known: Entries
    uses: Mapping[str, tuple[str, Node]]

    @classmethod
    def of(
        cls, posed: Clamped, weight: Array, theta: Mapping[str, Array], known: Entries
    ) -> _Untied:
        """The problem of some matrices, by the names they have in the run."""
        uses: dict[str, tuple[str, Node]] = {}
        nodes = []
        for node in posed.graph.nodes:
            if node.theta in known.free:
                use = f"use {node.name}"
                own: Node = replace(node, theta=use)  # type: ignore[type-var]
                uses[use] = node.theta, own
                node = own
            nodes.append(node)
        base = {**theta, **{use: theta[name] for use, (name, _) in uses.items()}}
        untied = clamp_with_shortcut(posed.graph.like(nodes), posed.evidence)
        return cls(untied, weight, base, known, uses)

    def mixed(self) -> Array:
        """``sum_n w[n] P_ab / P``, ``(E, E)``; zero for two entries of the same use."""
        mixed = np.zeros((self.known.count, self.known.count))
        unmoved = {use: self._scores(use) for use in self.uses}
        for use, (name, _) in self.uses.items():
            rows = self._moved(use)
            for other, (other_name, _) in self.uses.items():
                if other != use:
                    change = rows[other] - unmoved[other]
                    a, b = self.known.starts[name], self.known.starts[other_name]
                    mixed[a : a + len(change), b : b + change[0].size] += change.reshape(
                        len(change), -1
                    )
        return (mixed + mixed.T) / 2

    def _scores(self, use: str) -> Array:
        """The scores of a use, summed with the weights of the rows, ``(M_X, M_Y)``."""
        total: Array = np.zeros_like(self.theta[use])
        for found in flows(self.posed, self.theta):
            f, b = at_node(found, self.uses[use][1], found.cut.stop - found.cut.start)
            pairs = f @ (b * (self.weight[found.cut] / _total(f, b, self.theta[use]))).T
            total = total + pairs.reshape(total.shape)
        return total

    def _moved(self, use: str) -> dict[str, Array]:
        """The derivatives of P in the entries of all other uses, over P as it was, and summed.

        They are ``(M_X M_Y, ...)``: for each entry of ``use``, after 1 was added to it.
        """
        rows, columns = self.theta[use].shape
        batch = rows * columns
        step = np.eye(batch).reshape(batch, rows, columns)
        moved = {**self.theta, use: self.theta[use] + step}
        total = {other: np.zeros((batch, *self.theta[other].shape)) for other in self.uses}
        for found in flows(self.posed, moved, batch):
            n = found.cut.stop - found.cut.start
            # The messages at a block do not depend on its own matrix. So these are the scores at
            # ``theta``, and P after the step is P (1 + score).
            f, b = (v if v.ndim == 2 else v[0] for v in at_node(found, self.uses[use][1], n))
            score = (f[:, None] * b / _total(f, b, self.theta[use])).reshape(batch, 1, n)
            for other, (_, node) in self.uses.items():
                if other != use:
                    f, b = at_node(found, node, n)
                    ratio = (1 + score) * self.weight[found.cut] / _total(f, b, moved[other])
                    total[other] += (f @ (b * ratio).swapaxes(-1, -2)).reshape(total[other].shape)
        return total
