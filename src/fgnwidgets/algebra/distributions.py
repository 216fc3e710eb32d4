"""Messages and matrices whose columns or rows are distributions (sections 2 and 6)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import read_array, read_number
from .arrays import Array, summed


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
    v, sums, _ = summed(v, axis)
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
