"""Distributions and row-stochastic matrices are plain arrays (section 2).

Vocabulary
    message        ``(..., M, N)``: a column per sample, ``M`` values of the variable
    matrix         ``(..., M_X, M_Y)``: row ``i`` is the distribution of ``Y`` given ``X = i``
    product space  the configurations of ``X1, ..., XD`` in C order: the first varies slowest
    ``sizes``      ``(M1, ..., MD)``; ``axis`` says which of the variables, counted from 0
    ``...``        any number of batch axes: restarts, seeds, grid points
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..readers import read_array, read_count, read_number, wrong

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Arrays = Mapping[str, Array]
"""Arrays by name: matrices, or the messages of one direction by branch."""

ROW_SUM_TOLERANCE = 1e-8
"""How far a row of a matrix may be from one; typed decimals pass, 0.3 + 0.3 + 0.3 does not."""

TINY_WORK = 1024
"""Products with so few multiplications cost no more than the call."""

DOT_SIZE = 4096
"""Arrays with fewer cells are multiplied by ``dot``."""

TIE_TOLERANCE = 1e-9
"""Values this close to the maximum, relatively, count as equal to it."""


def times(a: Array, b: Array) -> Array:
    """``a @ b``; small ones by ``dot``, in half the time (it would copy slices of large ones)."""
    if b.size < DOT_SIZE and a.ndim + b.ndim == 4:  # no batch: each has two axes at least
        return a.dot(b)  # type: ignore[no-any-return]
    return a @ b


def column_sums(v: Array) -> Array:
    """The sum of each column of ``(..., M, N)``, as ``(..., 1, N)`` or, of tiny ones, in every row.

    A product with ones takes half the time of ``add.reduce`` on small arrays, and dividing by what
    need not broadcast half of that by what must.
    """
    if v.ndim == 2 and v.size < DOT_SIZE:
        return _ones(len(v), v.size).dot(v)  # type: ignore[no-any-return]
    return _ones(v.shape[-2], v.size) @ v


def row_sums(v: Array) -> Array:
    """The sum of each row of ``(..., M_X, M_Y)``, as ``(..., M_X, 1)`` or in every column."""
    if v.ndim == 2:
        return v.dot(_ones(v.shape[-1], v.size).T)  # type: ignore[no-any-return]
    return v @ _ones(v.shape[-1], v.size).T


@lru_cache(maxsize=1024)
def _ones(size: int, cells: int) -> Array:
    """Ones that sum over an axis of ``size`` in an array of so many cells."""
    ones = np.ones((size if size * cells <= TINY_WORK else 1, size))
    ones.flags.writeable = False
    return ones


def normalize(messages: ArrayLike) -> Array:
    """Scale every column of ``(..., M, N)`` messages to sum to one.

    Raises ``ValueError`` where a column is negative, not finite or all zero.
    """
    v = read_array(messages, "messages")
    if v.ndim < 2 or not v.shape[-2]:
        raise ValueError(
            f"messages have shape {v.shape}: expected (..., M, N), a column per sample with one "
            "value at least; one vector v is v[:, None]"
        )
    return _scaled(v, -2, "messages: column")


def row_normalize(matrix: ArrayLike) -> Array:
    """Scale every row of a ``(..., M_X, M_Y)`` matrix to sum to one: step (2) of ML and KL.

    Raises ``ValueError`` where a row is negative, not finite or all zero.
    """
    m = read_array(matrix, "matrix")
    if m.ndim < 1:
        raise ValueError("matrix is a single number: expected (..., M_X, M_Y)")
    return _scaled(m, -1, "matrix: row")


def _scaled(v: Array, axis: int, line: str) -> Array:
    sums = v.sum(axis=axis, keepdims=True)
    if (sums <= 0).any():
        at = int(np.flatnonzero(sums.ravel() <= 0)[0])
        raise ValueError(f"{line} {at} is all zero, so no distribution is proportional to it")
    return np.asarray(v / sums)


def sharpen(u: ArrayLike, exponent: float) -> Array:
    """Raise ``(..., M, N)`` distributions to a power and normalise: ``u .^ exponent`` (section 6).

    An exponent of 1 changes nothing, a large one comes close to delta functions, 0 gives uniform
    columns.
    """
    v = normalize(u)  # relative to the largest value no power underflows
    return normalize((v / v.max(axis=-2, keepdims=True)) ** read_number(exponent, "exponent"))


def uniform(size: int) -> Array:
    """The uniform distribution over ``size`` values, as a message, ``(size, 1)``."""
    return np.full((size, 1), 1.0 / size)


def top_values(v: Array) -> NDArray[np.bool_]:
    """Which values of each column are the maximum, up to :data:`TIE_TOLERANCE`."""
    return np.asarray(v >= v.max(axis=-2, keepdims=True) * (1 - TIE_TOLERANCE))


def i_max(v: Array) -> Array:
    """The paper's ``I_Max`` (section 3.3): one at the first maximum of each column, else zero.

    Ties are common in VIT, and rounding must not decide them, or results would differ by machine.
    """
    first = top_values(v).argmax(axis=-2)[..., None, :]
    return np.asarray(np.arange(v.shape[-2])[:, None] == first, np.float64)


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
    sizes: Sequence[int], axis: int, own: str = "", kind: type[ValueError] = ValueError
) -> tuple[int, ...]:
    """The sizes of a product space, checked with ``axis``; errors begin with ``own``."""
    listed = sizes.tolist() if isinstance(sizes, np.ndarray) else sizes
    if isinstance(listed, str | bytes) or not isinstance(listed, Sequence) or not listed:
        raise wrong(f"{own}sizes", sizes, "a sequence of whole numbers", kind)
    known = tuple(read_count(size, f"{own}sizes: one of them", 1, kind) for size in listed)
    if read_count(axis, f"{own}axis", 0, kind) >= len(known):
        raise wrong(f"{own}axis", axis, f"0 to {len(known) - 1} for sizes {known}", kind)
    return known


def read_matrix(matrix: ArrayLike, name: str, shape: tuple[int, int]) -> Array:
    """A row-stochastic ``(..., M_X, M_Y)`` array, checked; ``name`` is what errors call it."""
    m = read_array(matrix, name)
    if m.shape[-2:] != shape:
        raise ValueError(f"{name} has shape {m.shape}: expected (..., {shape[0]}, {shape[1]})")
    sums = m.sum(axis=-1)
    off = np.abs(sums - 1) > ROW_SUM_TOLERANCE
    if off.any():
        at = tuple(int(i) for i in np.argwhere(off)[0])
        raise ValueError(
            f"{name}: row {at[-1]} sums to {sums[at]:.10g}, expected 1: "
            "row_normalize(matrix) scales the rows"
        )
    return m
