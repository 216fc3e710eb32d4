"""Semirings: how messages are multiplied and summed (section 2).

Vocabulary
    SUMS     probabilities: products and sums, as the paper writes them
    LOGS     the same on logarithms: slower, and no ratio is too small to be held
    MAXIMA   logarithms with the maximum in place of the sum: the most probable configuration
    scale    what normalising takes out of a column, a sample's message; scales make up the
             likelihood
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from .arrays import Array, around, column_sums, times

SMALLEST = 1e-280
"""A product below this may have lost digits (see :class:`Watched`)."""

FLOOR = 1e-140
"""What a message from :data:`LOGS` holds at least where it is not zero: products of two survive."""


class Sums:
    """Probabilities: block ``theta^T f`` and ``theta b``, diverter ``f1 * f2 * ...``."""

    multiply: Callable[[Array, Array], Array] = staticmethod(operator.mul)

    def encode(self, v: Array) -> Array:
        """A matrix or message of probabilities as this semiring holds it."""
        return v

    def decode(self, v: Array) -> Array:
        """A message of this semiring as probabilities."""
        return v

    def total(self, v: Array, axis: int) -> Array:
        """The sum over an axis."""
        return np.asarray(v.sum(axis=axis))

    def through(self, theta: Array, f: Array) -> Array:
        """Forward through a block: ``f_Y = theta^T f_X`` (section 2)."""
        return times(theta.swapaxes(-1, -2), f)

    def back_through(self, theta: Array, b: Array) -> Array:
        """Backward through a block: ``b_X = theta b_Y`` (section 2)."""
        return times(theta, b)

    def project(self, v: Array, sizes: Sequence[int], axis: int) -> Array:
        """From a product space to one of its variables: a sum over the others (Appendix A)."""
        grid = v.reshape(*v.shape[:-2], *around(sizes, axis), v.shape[-1])
        return self.total(self.total(grid, -2), -3)

    def marginal(self, v: Array, sizes: Sequence[int], axes: Sequence[int]) -> Array:
        """From a product space to the product of some of its variables, in their order."""
        grid = v.reshape(*v.shape[:-2], *sizes, v.shape[-1])
        for axis in range(len(sizes)):
            if axis not in axes:  # the axes after it keep their places from the end
                grid = self.total(grid, axis - len(sizes) - 1)
        return grid.reshape(*v.shape[:-2], -1, v.shape[-1])

    def others(self, vectors: Sequence[Array], wanted: Sequence[int]) -> list[Array]:
        """At a diverter: for each wanted port, the product of what enters at all the others.

        Prefix and suffix products: nothing is divided, so zeros are safe. ``wanted`` ascends.
        """
        last = len(vectors) - 1
        if last == 0:  # a single port: an empty product says nothing, for any number of values
            shape = (1, 1) if vectors[0] is None else vectors[0].shape
            return [self.encode(np.ones(shape))]
        before = list(accumulate(vectors[: wanted[-1]], self.multiply))
        after = list(accumulate(vectors[: wanted[0] : -1], self.multiply))
        return [
            after[last - 1]
            if i == 0
            else before[i - 1]
            if i == last
            else self.multiply(before[i - 1], after[last - i - 1])
            for i in wanted
        ]

    def normalized(self, v: Array) -> tuple[Array, Array]:
        """Columns scaled to sum to one, and the scale that was taken out."""
        scale = column_sums(v)
        return v / scale, scale

    def log(self, scale: Array) -> Array:
        """The log of scales, ``(..., N)``."""
        logs: Array = np.log(scale[..., 0, :])
        return logs

    def overlap(self, f: Array, b: Array) -> Array:
        """``log sum_m f_m b_m``, ``(..., N)``: how well two messages agree."""
        return self.log(column_sums(self.multiply(f, b)))


class Logs(Sums):
    """Logarithms; ``add`` is the sum of two of them."""

    multiply = staticmethod(operator.add)

    def __init__(self, add: np.ufunc) -> None:
        self.add = add

    def encode(self, v: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(v))

    def decode(self, v: Array) -> Array:
        """Probabilities; what a float cannot hold stands at :data:`FLOOR`, zeros stay zeros."""
        return np.where(v > -np.inf, np.maximum(np.exp(v), FLOOR), 0.0)

    def total(self, v: Array, axis: int) -> Array:
        return np.asarray(self.add.reduce(v, axis=axis))

    def through(self, theta: Array, f: Array) -> Array:
        return self.total(theta[..., :, :, None] + f[..., :, None, :], -3)

    def back_through(self, theta: Array, b: Array) -> Array:
        return self.total(theta[..., :, :, None] + b[..., None, :, :], -2)

    def normalized(self, v: Array) -> tuple[Array, Array]:
        scale = self.total(v, -2)[..., None, :]
        return v - scale, scale

    def log(self, scale: Array) -> Array:
        return np.asarray(scale[..., 0, :])

    def overlap(self, f: Array, b: Array) -> Array:
        return self.total(f + b, -2)


class Underflow(ArithmeticError):
    """A product of messages is smaller than a float can hold."""


class Watched(Sums):
    """A fast path: :class:`Sums` that raise :class:`Underflow` where a product lost digits.

    It costs twice as much as :data:`SUMS`, a fifth of :data:`LOGS`, and is exact where nothing is
    raised. Long evidence, such as a chain of 1,000 observations, is carried by it.
    """

    def through(self, theta: Array, f: Array) -> Array:
        back = theta.swapaxes(-1, -2)
        return _watched(super().through(theta, f), lambda: (back > 0) @ (f > 0))

    def back_through(self, theta: Array, b: Array) -> Array:
        return _watched(super().back_through(theta, b), lambda: (theta > 0) @ (b > 0))

    @staticmethod
    def multiply(one: Array, two: Array) -> Array:
        return _watched(one * two, lambda: (one > 0) & (two > 0))


def _watched(v: Array, positive: Callable[[], NDArray[np.bool_]]) -> Array:
    if not np.minimum.reduce(v, axis=None) >= SMALLEST and ((v < SMALLEST) & positive()).any():
        raise Underflow
    return v


SUMS = Sums()
WATCHED = Watched()
LOGS = Logs(np.logaddexp)
MAXIMA = Logs(np.maximum)
