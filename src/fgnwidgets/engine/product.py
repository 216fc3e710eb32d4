"""Product-space matrices (Appendix A): from several variables to their product and back.

Vocabulary
    product space   the configurations of ``X1, ..., XD`` in C order: the first varies slowest
    ``sizes``       ``(M1, ..., MD)``
    ``axis``        which of the variables, counted from 0
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .arrays import Array


def product_to_variable(sizes: Sequence[int], axis: int) -> Array:
    """``P(X_k | X_1 ... X_D) = 1 (x) ... (x) I (x) ... (x) 1``, shape ``(M1*...*MD, M_k)``.

    Row-stochastic with a single one per row (Appendix A, first set of matrices).
    """
    before, size, after = around(sizes, axis)
    return np.kron(np.ones((before, 1)), np.kron(np.eye(size), np.ones((after, 1))))


def variable_to_product(sizes: Sequence[int], axis: int) -> Array:
    """``P((X_1 ... X_D)^(k) | X_k)``, shape ``(M_k, M1*...*MD)``: the transpose, rows normalised.

    Each row is uniform over the configurations that agree with the variable (Appendix A, second
    set of matrices); the diverter resolves what is left open.
    """
    _, size, _ = around(sizes, axis)
    return product_to_variable(sizes, axis).T * (size / math.prod(sizes))


def around(sizes: Sequence[int], axis: int) -> tuple[int, int, int]:
    """``(A, M_k, C)``: the product of the sizes before ``axis``, its own, and of those after.

    A product-space message ``(A * M_k * C, N)`` reshaped to ``(A, M_k, C, N)`` shows the variable
    on an axis of its own.
    """
    if not 0 <= axis < len(sizes):
        raise ValueError(f"axis is {axis}: expected 0 to {len(sizes) - 1} for sizes {tuple(sizes)}")
    return math.prod(sizes[:axis]), sizes[axis], math.prod(sizes[axis + 1 :])
