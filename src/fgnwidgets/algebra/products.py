"""Product spaces: messages on the configurations of several variables (Appendix A).

Vocabulary
    product space  the configurations of ``X1, ..., XD`` in C order: the first varies slowest
    ``sizes``      ``(M1, ..., MD)``; ``axis`` says which of the variables, counted from 0
    ``axes``       places of some variables among those of a product space
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..arguments import read_count, wrong
from .arrays import Array

Total = Callable[[Array, int], Array]
"""The sum over an axis, as a semiring takes it."""


def product_to_variable(sizes: Sequence[int], axis: int) -> Array:
    """``P(X_k | X_1 ... X_D) = 1 (x) ... (x) I (x) ... (x) 1``, shape ``(M1*...*MD, M_k)``.

    Row-stochastic with a single one per row (Appendix A, equation 30).
    """
    return np.array(expand(np.eye(read_sizes(sizes, axis)[axis]), sizes, axis))


def variable_to_product(sizes: Sequence[int], axis: int) -> Array:
    """``P((X_1 ... X_D)^(k) | X_k)``, shape ``(M_k, M1*...*MD)``: the transpose, rows normalised.

    Each row is uniform over the configurations that agree with it (Appendix A, equation 31).
    """
    size = read_sizes(sizes, axis)[axis]
    return product_to_variable(sizes, axis).T * (size / math.prod(sizes))


def around(sizes: Sequence[int], axis: int) -> tuple[int, int, int]:
    """``(A, M_k, C)``: a product-space message in this shape has the variable on its own axis."""
    return math.prod(sizes[:axis]), sizes[axis], math.prod(sizes[axis + 1 :])


def expand(v: Array, sizes: Sequence[int], axis: int) -> Array:
    """From a variable to its product space, the constant factor left out (equation 31)."""
    before, size, after = around(sizes, axis)
    grid = v[..., None, :, None, :]
    whole = np.broadcast_to(grid, (*v.shape[:-2], before, size, after, v.shape[-1]))
    return whole.reshape(*v.shape[:-2], before * size * after, v.shape[-1])


def read_sizes(
    sizes: Sequence[int], axis: int, prefix: str = "", error: type[ValueError] = ValueError
) -> tuple[int, ...]:
    """The sizes of a product space, checked with ``axis``; errors begin with ``own``."""
    listed = sizes.tolist() if isinstance(sizes, np.ndarray) else sizes
    if isinstance(listed, str | bytes) or not isinstance(listed, Sequence) or not listed:
        raise wrong(f"{prefix}sizes", sizes, "a sequence of whole numbers", error)
    checked = tuple(read_count(size, f"{prefix}sizes: one of them", 1, error) for size in listed)
    if read_count(axis, f"{prefix}axis", 0, error) >= len(checked):
        raise wrong(f"{prefix}axis", axis, f"0 to {len(checked) - 1} for sizes {checked}", error)
    return checked


def marginal(v: Array, sizes: Sequence[int], axes: Sequence[int], total: Total) -> Array:
    """From a product space to the product of some of its variables, in the order of ``axes``."""
    grid = v.reshape(*v.shape[:-2], *sizes, v.shape[-1]).transpose(_order(v.ndim, sizes, axes))
    for _ in range(len(sizes) - len(axes)):
        grid = total(grid, v.ndim - 2)
    return grid.reshape(*v.shape[:-2], -1, v.shape[-1])


def widened(v: Array, sizes: Sequence[int], axes: Sequence[int]) -> Array:
    """Back: every configuration of the product space gets what its part has."""
    shape = (*(1,) * (len(sizes) - len(axes)), *(sizes[axis] for axis in axes))
    grid = v.reshape(*v.shape[:-2], *shape, v.shape[-1])
    grid = grid.transpose(np.argsort(_order(v.ndim, sizes, axes)))
    whole = np.broadcast_to(grid, (*v.shape[:-2], *sizes, v.shape[-1]))
    return whole.reshape(*v.shape[:-2], -1, v.shape[-1])


def _order(ndim: int, sizes: Sequence[int], axes: Sequence[int]) -> list[int]:
    """The axes of a grid of messages that have ``ndim``: those of ``axes`` after the others."""
    first, rest = ndim - 2, [axis for axis in range(len(sizes)) if axis not in axes]
    return [*range(first), *(first + axis for axis in (*rest, *axes)), first + len(sizes)]
