"""Derivatives of log P(row) in the entries of the matrices, exact, from messages (section 3).

Vocabulary
    entry        one number of a learned matrix; all of them stand in one vector of length E
    use          a source or block; tied ones have their matrix in common
    score        the derivative of a row's log P in an entry, ``f_x b_y / f^T theta b`` at its block
    coordinate   a direction that keeps the sum of a row: an entry grows as its reference shrinks

P(row) is linear in the matrix of each use by itself, so a step of any length gives an exact second
derivative: nothing here is a small difference of large numbers, but for chains of many tied steps.
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

MANY = 150
"""Of more uses than this, pairs of them would take too long: scores are differenced instead."""

STEP = 1e-5
"""Of these differences: what they leave out is of its square, what they round off 1e-11."""


@dataclass(frozen=True, eq=False)
class Entries:
    """Which entries of which matrices can move: ``free[name]`` is ``(M_X, M_Y)``."""

    free: Mapping[str, NDArray[np.bool_]]

    @cached_property
    def starts(self) -> dict[str, int]:
        """Where the entries of each matrix begin in the vector."""
        sizes = [free.size for free in self.free.values()]
        return dict(zip(self.free, np.cumsum([0, *sizes[:-1]]).tolist(), strict=True))

    @property
    def count(self) -> int:
        return sum(free.size for free in self.free.values())

    def by_name(self, vector: Array) -> dict[str, Array]:
        """A vector ``(..., E)`` as arrays of the matrices' shapes."""
        return {
            name: vector[..., at : at + self.free[name].size].reshape(
                *vector.shape[:-1], *self.free[name].shape
            )
            for name, at in self.starts.items()
        }

    def flat(self, theta: Mapping[str, NDArray[Any]]) -> Array:
        """Matrices ``(M_X, M_Y)`` as one vector ``(E,)``."""
        return np.concatenate([np.zeros(0), *(theta[name].ravel() for name in self.free)])

    def coordinates(
        self, theta: Mapping[str, Array], moves: Mapping[str, NDArray[np.bool_]] | None = None
    ) -> Array:
        """The coordinates as columns, ``(E, n_free)``; each row's reference is its largest entry.

        ``moves`` narrows the entries that can move.
        """
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


def entries(run: Run) -> Entries:
    """The entries of a run's matrices."""
    return Entries(run.free)


def clamped(run: Run, rows: Evidence | None = None) -> Clamped:
    """The run's graph with its rows, or other ones, at the open branches."""
    return clamp_with_shortcut(as_normal(run.graph), run.rows if rows is None else rows)


def scores(
    posed: Clamped, theta: Mapping[str, Array], known: Entries
) -> Iterator[tuple[Flow, Array]]:
    """The scores of all rows piece by piece, ``(n, E)``, with the messages that they come from."""
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
    """What reaches a source or block, ``(..., M, n)``; a source's forward message is one.

    A family that shares its cluster is as a source of all its cells, ``(..., M_X M_Y, n)``.
    """
    f = found.f[node.inputs[0].name] if node.inputs else found.ring.encode(np.ones((1, n)))
    b = found.b[node.outputs[0].name]
    if node.shares:
        b = node.joint(found.f, found.b, found.ring)
    wide = (np.broadcast_to(v, (*v.shape[:-1], n)) for v in (f, b))
    f, b = (found.ring.decode(v) for v in wide)
    return f, b


def _total(f: Array, b: Array, theta: Array) -> Array:
    """``f^T theta b``, ``(..., 1, n)``."""
    theta = theta.reshape(*theta.shape[:-2], f.shape[-2], b.shape[-2])
    total = ((theta.swapaxes(-1, -2) @ f) * b).sum(axis=-2, keepdims=True)
    positive: Array = np.maximum(total, TINY)
    return positive


def information(
    posed: Clamped, weight: Array, theta: Mapping[str, Array], known: Entries
) -> tuple[Array, Array]:
    """Minus the second derivatives of ``loglik`` in the entries, ``(E, E)``, and the first.

    ``-sum_n w[n] (P_ab / P - s_a s_b)``: the mixed derivative ``P_ab`` of two uses comes from the
    messages with one more at entry ``a`` of one use, since P is linear in it.
    """
    if sum(len(posed.graph.users[name]) for name in known.free) > MANY:
        return _differenced(posed, weight, theta, known), _gradient(posed, weight, theta, known)
    gradient = np.zeros(known.count)
    square = np.zeros((known.count, known.count))
    for found, score in scores(posed, theta, known):
        weighted = score * weight[found.cut, None]
        gradient += weighted.sum(axis=0)
        square += score.T @ weighted
    loose, uses = _untied(posed, known)
    base = dict(theta)
    base.update((use, theta[name]) for use, (name, _) in uses.items())
    still = {use: _pairs(loose, weight, base, use, node) for use, (_, node) in uses.items()}
    mixed = np.zeros_like(square)
    for use, (name, _) in uses.items():
        at = known.starts[name]
        here = _mixed(loose, weight, base, use, uses, known, still)
        mixed[at : at + len(here)] += here
    return square - (mixed + mixed.T) / 2, gradient


def _differenced(
    posed: Clamped, weight: Array, theta: Mapping[str, Array], known: Entries
) -> Array:
    """The same from small steps in every entry, of long chains whose steps are tied."""
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
"""By use, the matrix that it has in the run, and its node in the graph where none are tied."""


def _untied(posed: Clamped, known: Entries) -> tuple[Clamped, Uses]:
    """The same graph with a matrix of its own for every use."""
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
    """``sum_n w[n]`` times the scores of a use, ``(M_X, M_Y)``."""
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
    """``sum_n w[n] P_ab / P`` for the entries a of a use and all b; zero within the use itself."""
    rows, columns = base[use].shape
    batch = rows * columns
    moved = {**base, use: base[use] + np.eye(batch).reshape(batch, rows, columns)}
    result = np.zeros((batch, known.count))
    for found in flows(posed, moved, batch):
        n = found.cut.stop - found.cut.start
        # What reaches a block does not depend on its own matrix: these are the model's own scores,
        # and P with the step is P (1 + score).
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
