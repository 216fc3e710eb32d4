"""Other semirings: where probabilities underflow, or the most probable is asked for (section 2).

Vocabulary
    LOGS      sums of probabilities by their logarithms: slower, and no ratio is too small for them
    MAXIMA    logarithms with the maximum in place of the sum: the most probable configuration
    WATCHED   :data:`SUMS` that say where a product lost digits
"""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .arrays import Array
from .nodes import Sums

SMALLEST = 1e-280
"""A product below this may have lost digits (see :class:`Watched`)."""

FLOOR = 1e-140
"""What a message from :data:`LOGS` holds at least where it is not zero: products of two survive."""


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

    def holds(self, v: Array) -> bool:
        return bool((v < np.inf).all())  # NaN is not

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


WATCHED = Watched()
LOGS = Logs(np.logaddexp)
MAXIMA = Logs(np.maximum)
