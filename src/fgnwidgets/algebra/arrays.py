"""Distributions and row-stochastic matrices are plain arrays (section 2).

Vocabulary
    message   ``(..., M, N)``: a column per sample, ``M`` values of the variable
    matrix    ``(..., M_X, M_Y)``: row ``i`` is the distribution of ``Y`` given ``X = i``
    ``...``   any number of batch axes: restarts, seeds, grid points
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]
Label = Hashable
Arrays = Mapping[str, Array]
"""Arrays by name: matrices, or the messages of one direction by branch."""


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
    return times(_ones(v.shape[-2], v.size), v)


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


def summed(v: Array, axis: int = -2) -> tuple[Array, Array, Array | float]:
    """Values, their sums over an axis, and the log of what was taken out of both before.

    It is 0 but where a sum is more than a float holds: there the values are scaled first.
    """
    with np.errstate(over="ignore"):
        sums = v.sum(axis=axis, keepdims=True)
    if not sums.size or sums.max() < np.inf:
        return v, sums, 0.0
    top = np.where(sums < np.inf, 1.0, v.max(axis=axis, keepdims=True))
    v = v / top
    return v, v.sum(axis=axis, keepdims=True), np.log(top)


def uniform(size: int) -> Array:
    """The uniform distribution over ``size`` values, as a message, ``(size, 1)``."""
    return np.full((size, 1), 1.0 / size)


def top_values(v: Array) -> Mask:
    """True where a value is the maximum of its column, up to :data:`TIE_TOLERANCE`."""
    return np.asarray(v >= v.max(axis=-2, keepdims=True) * (1 - TIE_TOLERANCE))


def i_max(v: Array) -> Array:
    """The paper's ``I_Max`` (section 3.3): one at the first maximum of each column, else zero.

    Ties are common in VIT, and rounding must not decide them, or results would differ by machine.
    """
    first = top_values(v).argmax(axis=-2)[..., None, :]
    return np.asarray(np.arange(v.shape[-2])[:, None] == first, np.float64)


KEPT = 256_000_000
"""Bytes of freed memory that the process keeps for the next arrays."""


@lru_cache(maxsize=1)
def keep_memory() -> None:
    """Let the allocator keep what is freed: the system gives out every page anew, with zeros in it.

    With ten restarts of some thousand rows that took more than half of the time
    (``benchmarks/beside_c.py pages``). It is known of glibc; elsewhere nothing happens.
    """
    import ctypes  # late: only who learns needs it

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    trim_threshold, mmap_threshold, largest = -1, -3, 32 * 2**20  # as malloc.h has them
    mallopt(mmap_threshold, largest)
    mallopt(trim_threshold, KEPT)
