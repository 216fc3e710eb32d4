"""The message equations of section 2, and messages as values.

Vocabulary
    forward    ``f``: what a branch's tail side says of its variable, ``(..., M, N)``
    backward   ``b``: what its head side says
    belief     ``p``, proportional to ``f * b``: all that is known of the variable
    scale      the sum that a message had before it was normalised, ``(..., 1, N)``; nothing is lost
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from .arrays import Array, times
from .graph import NormalGraph
from .nodes import Block, Source
from .product import around

SMALL = 1e-200
"""A product of messages below this is worked out again with exponents of its own."""


def through(theta: Array, f: Array) -> Array:
    """Forward through a block: ``f_Y = theta^T f_X``, not normalised (section 2)."""
    return times(theta.swapaxes(-1, -2), f)


def back_through(theta: Array, b: Array) -> Array:
    """Backward through a block: ``b_X = theta b_Y``, not normalised (section 2)."""
    return times(theta, b)


def expand(f: Array, sizes: Sequence[int], axis: int) -> Array:
    """Forward from a variable to its product space, the constant factor left out (Appendix A)."""
    before, size, after = around(sizes, axis)
    grid = f[..., None, :, None, :]
    whole = np.broadcast_to(grid, (*f.shape[:-2], before, size, after, f.shape[-1]))
    return whole.reshape(*f.shape[:-2], before * size * after, f.shape[-1])


def project(v: Array, sizes: Sequence[int], axis: int) -> Array:
    """From a product space to one of its variables: a sum over the others (Appendix A)."""
    before, size, after = around(sizes, axis)
    grid = v.reshape(*v.shape[:-2], before, size, after, v.shape[-1])
    total: Array = grid.sum(axis=(-4, -2))
    return total


def multiply_others(vectors: Sequence[Array], wanted: Sequence[int]) -> list[Array]:
    """At a diverter: for each wanted port, the product of what enters at all others (section 2).

    Prefix and suffix products: nothing is divided, so zeros are safe. ``wanted`` is ascending.
    """
    last = len(vectors) - 1
    if last == 0:  # a single port: an empty product says nothing
        return [np.ones_like(vectors[0]) for _ in wanted]
    before = list(accumulate(vectors[: wanted[-1]], operator.mul))  # of the first i + 1 ports
    after = list(accumulate(vectors[: wanted[0] : -1], operator.mul))  # of the last i + 1 ports
    return [
        after[last - 1]
        if i == 0
        else before[i - 1]
        if i == last
        else before[i - 1] * after[last - i - 1]
        for i in wanted
    ]


def multiply_others_safely(
    vectors: Sequence[Array], wanted: Sequence[int]
) -> list[tuple[Array, Array]]:
    """:func:`multiply_others` that cannot underflow: ``(product, log of what was taken out)``.

    Mantissas and exponents are multiplied apart; the largest exponent of a column is taken out.
    What would still underflow is held at the smallest normal number: only a true zero is zero.
    """
    parts = [np.frexp(v) for v in vectors]
    mantissas = [_renormalized(*part) for part in parts]
    shape = np.broadcast_shapes(*(v.shape for v in vectors))
    one = (np.ones(shape), np.zeros(shape))
    before, after = [one], [one]
    for i in range(len(vectors) - 1):
        before.append(_times(before[-1], mantissas[i]))
        after.append(_times(after[-1], mantissas[-1 - i]))
    results = []
    for i in wanted:
        mantissa, exponent = _times(before[i], after[len(vectors) - 1 - i])
        top = np.where(mantissa > 0, exponent, -np.inf).max(axis=-2, keepdims=True)
        top = np.where(np.isfinite(top), top, 0.0)
        shift = np.maximum(exponent - top, -1021).astype(np.int64)
        results.append((np.ldexp(mantissa, shift), top * np.log(2.0)))
    return results


def _renormalized(mantissa: Array, exponent: Array) -> tuple[Array, Array]:
    again, more = np.frexp(mantissa)
    return again, exponent + more.astype(np.float64)


def _times(one: tuple[Array, Array], two: tuple[Array, Array]) -> tuple[Array, Array]:
    return _renormalized(one[0] * two[0], one[1] + two[1])


@dataclass(frozen=True, eq=False)
class Belief:
    """The two messages of one branch, ``(..., M, N)``, each column summing to one."""

    name: str
    f: Array
    b: Array
    states: tuple[object, ...] = ()

    @cached_property
    def p(self) -> Array:
        """``p`` proportional to ``f * b`` (section 2), ``(..., M, N)``, normalised."""
        product = self.f * self.b
        total = product.sum(axis=-2, keepdims=True)
        if not total.min() > SMALL:  # so small that its digits are lost: scale each factor first
            product = (self.f / self.f.max(axis=-2, keepdims=True)) * self.b
            product = product / product.max(axis=-2, keepdims=True)
            total = product.sum(axis=-2, keepdims=True)
        belief: Array = product / total
        return belief

    def __repr__(self) -> str:
        size, n = np.broadcast_shapes(self.f.shape, self.b.shape)[-2:]
        return f"Belief({self.name!r}, {size} values, {n} samples)"


@dataclass(frozen=True, eq=False)
class Messages(Mapping[str, Belief]):
    """All messages of a graph at one moment: ``messages["X"].f``, ``.b`` and ``.p``.

    Names are those of branches, or of variables (their first branch: ``.p`` is the same on all).
    ``graph`` is the graph that they belong to, with the T-junctions that evidence asked for.
    ``loglik`` is the exact log P(evidence) per sample, ``(..., N)``, once the messages are final;
    None in the middle of a schedule.
    """

    graph: NormalGraph
    theta: Mapping[str, Array]
    f: Mapping[str, Array]
    b: Mapping[str, Array]
    n: int
    loglik: Array | None = None

    def __getitem__(self, name: str) -> Belief:
        branch = self.graph.branch(name)
        return Belief(
            name, self._wide(self.f[branch.name]), self._wide(self.b[branch.name]), branch.states
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.graph.branches)

    def __len__(self) -> int:
        return len(self.graph.branches)

    def __contains__(self, name: object) -> bool:
        return name in self.graph.branches or name in self.graph.variables

    def at_block(self, name: str) -> tuple[Array, Array]:
        """What reaches a source or block: ``f`` at its input and ``b`` at its output.

        A source has no input: its ``f`` is one, ``(1, N)`` (section 3).
        """
        node = self.graph.node(name)
        if isinstance(node, Source):
            return np.ones((1, self.n)), self._wide(self.b[node.y.name])
        if isinstance(node, Block):
            return self._wide(self.f[node.x.name]), self._wide(self.b[node.y.name])
        raise ValueError(f"node {name!r} is a {type(node).__name__}: expected a source or a block")

    def pair(self, name: str) -> Array:
        """P(X, Y | evidence) at a block, ``(..., M_X, M_Y, N)``: ``f_X theta b_Y``, normalised."""
        f, b = self.at_block(name)
        node = self.graph.node(name)
        assert isinstance(node, Source | Block)
        theta = self.theta[node.theta]
        joint = f[..., :, None, :] * theta[..., :, :, None] * b[..., None, :, :]
        total: Array = joint.sum(axis=(-3, -2), keepdims=True)
        return joint / total

    def __repr__(self) -> str:
        return f"Messages({len(self.graph.branches)} branches, {self.n} samples)"

    def _wide(self, v: Array) -> Array:
        """A view with a column per sample: a message that no evidence reaches has only one."""
        view = v.view() if v.shape[-1] == self.n else np.broadcast_to(v, (*v.shape[:-1], self.n))
        view.flags.writeable = False
        return view
