"""Semirings: how messages are multiplied and summed.

Vocabulary
    SUM_PRODUCT       probabilities, as in the paper
    GUARDED           the same, which notices where a product is too small for a float
    LOG_SUM_PRODUCT   by logarithms: slower, and no ratio is too small for them
    MAX_PRODUCT       logarithms, with the maximum for the sum: the most probable configuration
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate
from typing import ClassVar

import numpy as np

from .arrays import Array, Arrays, Mask, column_sums, times
from .products import around


class SumProduct:
    """Probabilities: block ``theta^T f`` and ``theta b``, diverter ``f1 * f2 * ...``."""

    multiply: Callable[[Array, Array], Array] = staticmethod(operator.mul)
    together: ClassVar[int] = 8
    """Scales that are multiplied before a logarithm is taken: none is larger than its branch."""

    def encode(self, v: Array) -> Array:
        """A matrix or message of probabilities as this semiring holds it."""
        return v

    def decode(self, v: Array) -> Array:
        """A message of this semiring as probabilities."""
        return v

    def encode_all(self, arrays: Arrays) -> Arrays:
        """Matrices or messages of probabilities by name as this semiring holds them."""
        return arrays

    def decode_all(self, arrays: Arrays) -> Arrays:
        """Messages of this semiring by name as probabilities."""
        return arrays

    def holds(self, v: Array) -> bool:
        """True if these are numbers of this semiring: finite and not negative."""
        return bool(((v >= 0) & (v < np.inf)).all())

    def total(self, v: Array, axis: int) -> Array:
        """The sum over an axis."""
        return np.asarray(v.sum(axis=axis))

    def apply(self, matrix: Array, v: Array) -> Array:
        """Through a block: its matrix times ``b_Y``, or transposed times ``f_X`` (section 2)."""
        return times(matrix, v)

    def project(self, v: Array, sizes: Sequence[int], axis: int) -> Array:
        """From a product space to one of its variables: a sum over the others (equation 30)."""
        grid = v.reshape(*v.shape[:-2], *around(sizes, axis), v.shape[-1])
        return self.total(self.total(grid, -2), -3)

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
        products = []
        for i in wanted:
            if i == 0:
                products.append(after[-1])
            elif i == last:
                products.append(before[-1])
            else:
                products.append(self.multiply(before[i - 1], after[last - i - 1]))
        return products

    def normalized(self, v: Array) -> tuple[Array, Array]:
        """Columns scaled to sum to one, and the scale that was taken out."""
        scale = column_sums(v)
        return v / scale, scale

    def inner(self, f: Array, b: Array) -> Array:
        """``sum_m f_m b_m``, a scale: how well two messages agree."""
        return column_sums(self.multiply(f, b))

    def log(self, scales: Sequence[Array]) -> Array:
        """The log of a product of scales, ``(..., N)``; -inf where :attr:`together` are too small.

        A logarithm costs as much as ten products.
        """
        rows, size = [scale[..., 0, :] for scale in scales], self.together
        logs = [np.log(reduce(operator.mul, rows[k : k + size])) for k in range(0, len(rows), size)]
        return sum(logs[1:], logs[0])


SUM_PRODUCT = SumProduct()


SMALLEST = 1e-280
"""A product below this may have lost digits."""


FLOOR = 1e-140
"""The least value of a message from :data:`LOG_SUM_PRODUCT` that is not zero: a product of two
such numbers is still a float."""


class Logs(SumProduct):
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

    def encode_all(self, arrays: Arrays) -> Arrays:
        return {name: self.encode(v) for name, v in arrays.items()}

    def decode_all(self, arrays: Arrays) -> Arrays:
        return {name: self.decode(v) for name, v in arrays.items()}

    def holds(self, v: Array) -> bool:
        return bool((v < np.inf).all())  # NaN is not

    def total(self, v: Array, axis: int) -> Array:
        return np.asarray(self.add.reduce(v, axis=axis))

    def apply(self, matrix: Array, v: Array) -> Array:
        return self.total(matrix[..., None] + v[..., None, :, :], -2)

    def normalized(self, v: Array) -> tuple[Array, Array]:
        scale = self.total(v, -2)[..., None, :]
        return v - scale, scale

    def inner(self, f: Array, b: Array) -> Array:
        return self.total(f + b, -2)[..., None, :]

    def log(self, scales: Sequence[Array]) -> Array:
        return np.asarray(sum(scale[..., 0, :] for scale in scales))


class Underflow(ArithmeticError):
    """A product of messages is smaller than a float can hold."""


class Guarded(SumProduct):
    """A fast path: :class:`SumProduct` that raise :class:`Underflow` where a product lost digits.

    It costs twice as much as :data:`SUM_PRODUCT` and a fifth of :data:`LOG_SUM_PRODUCT`: long
    evidence is carried by it.
    """

    together = 1

    def apply(self, matrix: Array, v: Array) -> Array:
        return _guarded(super().apply(matrix, v), lambda: (matrix > 0) @ (v > 0))

    @staticmethod
    def multiply(one: Array, two: Array) -> Array:
        return _guarded(one * two, lambda: (one > 0) & (two > 0))


def _guarded(v: Array, positive: Callable[[], Mask]) -> Array:
    if not np.minimum.reduce(v, axis=None) >= SMALLEST and ((v < SMALLEST) & positive()).any():
        raise Underflow
    return v


GUARDED = Guarded()


LOG_SUM_PRODUCT = Logs(np.logaddexp)


MAX_PRODUCT = Logs(np.maximum)
