"""The steps of the four rules on messages in chunks, nothing checked (sections 3.1 to 4.1).

Vocabulary
    chunk    columns of ``f`` and ``b`` with their weights: few calls, and arrays that stay in cache
    step     from theta, chunks and the constant of a rule to a new theta
    counts   what a step adds up, ``(..., M_X, M_Y)``, before its rows are normalised
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

import numpy as np

from .arrays import Array, column_sums, i_max, row_sums, times

TINY = np.array(1e-290)  # an array: a float is converted in every call
"""Nothing smaller is divided by: the quotient would overflow."""

MIN_CHUNK, MAX_CHUNK = 256, 8192
"""Columns that are worked on together: few calls, and arrays that stay in cache."""

ONE = 1.0
"""The weight of samples that all count the same."""

NO_PRIOR = 0.0
"""The constant of a rule that adds nothing."""

Chunks = Iterable[tuple[Array, Array, "Array | float"]]
"""Columns of f and b, with their weights or :data:`ONE`."""

Step = Callable[[Array, Chunks, "float | Array"], Array]
"""From theta, chunks and the constant of a rule to a new theta."""


def ml_step(theta: Array, chunks: Chunks, alpha: float | Array) -> Array:
    """``theta * sum_n L f b^T / (f^T theta b)``, rows normalised (section 3.1)."""
    back = theta.swapaxes(-1, -2)
    counts = []
    for f, b, weight in chunks:
        # f^T theta b; where it is 0, theta is 0 wherever f and b are not: 0/0 adds 0
        q = np.maximum(column_sums(times(back, f) * b), TINY)
        counts.append(times(f, (b * (weight / q)).swapaxes(-1, -2)))
    return _row_normalized(theta * _added(counts), alpha, theta)


def kl_step(theta: Array, chunks: Chunks, _: float | Array) -> Array:
    """``theta * sum_n L f (b / theta^T f)^T``, rows normalised (section 3.2)."""
    back = theta.swapaxes(-1, -2)
    counts = []
    for f, b, weight in chunks:
        ratio = b / np.maximum(times(back, f), TINY)
        weighed = ratio if weight is ONE else ratio * weight
        counts.append(times(f, weighed.swapaxes(-1, -2)))
    return _row_normalized(theta * _added(counts), NO_PRIOR, theta)


def vit_step(theta: Array, chunks: Chunks, delta: float | Array) -> Array:
    """``sum_n L (I_Max(f) + delta)(I_Max(b) + delta)^T``, rows normalised (section 3.3)."""
    counts = []
    for f, b, weight in chunks:
        ex, ey = i_max(f) + delta, i_max(b) + delta
        counts.append(times(ex, (ey * weight).swapaxes(-1, -2)))
    return _row_normalized(_added(counts), NO_PRIOR, theta)


def var_step(theta: Array, chunks: Chunks, extra: float | Array) -> Array:
    """``extra + sum_n L f b^T``, rows normalised (section 4.1); ``extra`` is delta plus alpha."""
    counts = []
    for f, b, weight in chunks:
        weighed = b if weight is ONE else b * weight
        counts.append(times(f, weighed.swapaxes(-1, -2)))
    return _row_normalized(_added(counts), extra, theta)


def in_chunks(theta: Array, f: Array, b: Array, weight: Array | float) -> Chunks:
    """Blocks of columns that stay in cache, with the weights of each."""
    n = max(f.shape[-1], b.shape[-1], 1 if weight is ONE else np.size(weight))
    if f.shape[-1] != n:  # a message without evidence behind it is the same for every sample
        f = np.broadcast_to(f, (*f.shape[:-1], n))
    if b.shape[-1] != n:
        b = np.broadcast_to(b, (*b.shape[:-1], n))
    if n <= MIN_CHUNK:
        return ((f, b, weight),)
    size = min(MAX_CHUNK, 1_000_000 // (theta.shape[-2] * theta.shape[-1]))
    size = max(MIN_CHUNK, size // math.prod(theta.shape[:-2]))
    cuts = (slice(at, at + size) for at in range(0, n, size))
    return (
        (f[..., cut], b[..., cut], weight[cut] if isinstance(weight, np.ndarray) else weight)
        for cut in cuts
    )


def _added(counts: list[Array]) -> Array:
    """The sum over the chunks, of which there is mostly one."""
    return sum(counts[1:], counts[0])


def _row_normalized(counts: Array, extra: float | Array, theta: Array) -> Array:
    if extra is not NO_PRIOR:
        counts = counts + extra
    sums = row_sums(counts)
    if np.count_nonzero(sums) == sums.size:  # counts are never negative
        return counts / sums
    empty = ~(sums > 0)  # no sample reached this row: it keeps its value
    return np.where(empty, theta, counts / np.where(empty, 1.0, sums))


STEPS: Mapping[str, Step] = MappingProxyType(
    {"ml": ml_step, "kl": kl_step, "vit": vit_step, "var": var_step}
)
ITERATIVE = ("ml", "kl")
