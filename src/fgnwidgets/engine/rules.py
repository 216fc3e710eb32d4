"""The four learning rules of one block (sections 3.1, 3.2, 3.3 and 4.1).

A rule sees only what reaches its block, and returns a new matrix:

    ``theta``    ``(..., M_X, M_Y)``  the conditional probability matrix P(Y|X), row-stochastic
    ``f``        ``(..., M_X, N)``    forward messages at the input X, a column per sample
    ``b``        ``(..., M_Y, N)``    backward messages at the output Y
    ``weight``   ``(N,)``             the learning mask L[n]; any weight >= 0, so counts too

ML and KL take one multiplicative step and are iterated; VIT and VAR count once. When both messages
are delta functions all four count co-occurrences (section 5). A row that received no weight keeps
its value. Long data is worked through in chunks of columns that stay in cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, i_max, read_matrix, times

DELTA = 1e-6
"""The small positive constant of VIT and VAR that keeps every row of counts above zero."""

TINY = 1e-290
"""Nothing smaller is divided by: the quotient would overflow."""

MIN_CHUNK, MAX_CHUNK = 256, 16384
"""Columns that are worked on together: few calls, and arrays that stay in cache."""

ONE = 1.0
"""The weight of samples that all count the same."""

NO_PRIOR = 0.0
"""The constant of a rule that adds nothing."""

Chunks = Iterable[tuple[Array, Array, "Array | float"]]
"""Columns of f and b, with their weights or :data:`ONE`."""

Step = Callable[[Array, Chunks, "float | Array"], Array]
"""From theta, messages and the constant of a rule to a new theta, nothing checked."""


def ml(
    theta: ArrayLike,
    f: ArrayLike,
    b: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    alpha: ArrayLike = 0.0,
) -> Array:
    """One step of maximum likelihood learning (section 3.1).

    ``theta_lm <- theta_lm * sum_n L[n] f_l[n] b_m[n] / (f[n]^T theta b[n])``, rows normalised. The
    row factor of the paper's step (1) cancels in step (2). Never lowers
    ``sum_n L[n] log(f[n]^T theta b[n])``. ``alpha >= 0`` adds pseudo-counts, the Dirichlet prior of
    section 4.1; a scalar or ``(M_X, M_Y)``.
    """
    data = _read(theta, f, b, weight)
    return ml_step(data.theta, data.chunks(), read_alpha(alpha, data.theta.shape[-2:]))


def kl(theta: ArrayLike, f: ArrayLike, b: ArrayLike, weight: ArrayLike | None = None) -> Array:
    """One step of minimum divergence learning (section 3.2).

    ``theta_lm <- theta_lm * sum_n L[n] f_l[n] b_m[n] / (theta^T f[n])_m``, rows normalised. Lowers
    the average divergence from the backward message to the forward one, KL(b_Y || f_Y).
    """
    data = _read(theta, f, b, weight)
    return kl_step(data.theta, data.chunks(), NO_PRIOR)


def vit(
    theta: ArrayLike,
    f: ArrayLike,
    b: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    delta: float = DELTA,
) -> Array:
    """The Viterbi-like count (section 3.3): each message is replaced by a one at its maximum.

    ``theta <- sum_n L[n] (I_Max(f[n]) + delta)(I_Max(b[n]) + delta)^T``, rows normalised. Equal
    values within a relative 1e-9 are a tie, and the first of them wins.
    """
    data = _read(theta, f, b, weight)
    return vit_step(data.theta, data.chunks(), _read_delta(delta))


def var(
    theta: ArrayLike,
    f: ArrayLike,
    b: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    delta: float = DELTA,
    alpha: ArrayLike = 0.0,
) -> Array:
    """The variational count of soft scores (section 4.1).

    ``theta <- alpha + delta + sum_n L[n] f[n] b[n]^T``, rows normalised: the mode of the Dirichlet
    approximation with prior ``alpha`` (a scalar or ``(M_X, M_Y)``, 0 by default).
    """
    data = _read(theta, f, b, weight)
    prior = _read_delta(delta) + read_alpha(alpha, data.theta.shape[-2:])
    return var_step(data.theta, data.chunks(), prior)


def iterate(
    rule: str,
    theta: ArrayLike,
    f: ArrayLike,
    b: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    n_it: int = 1,
    alpha: ArrayLike = 0.0,
    delta: float = DELTA,
) -> Iterator[Array]:
    """Yield theta and its ``n_it`` successors under one rule on fixed messages (sections 5, 6).

    ``rule`` is "ml", "kl", "vit" or "var". VIT and VAR do not depend on theta, so their first step
    is their last word.
    """
    data = _read(theta, f, b, weight)
    step, extra = configure(rule, alpha, delta, data.theta.shape[-2:])
    matrix = data.theta
    yield matrix
    for n in range(n_it):
        if n == 0 or rule in ITERATIVE:
            matrix = step(matrix, data.chunks(), extra)
        yield matrix


def ml_step(theta: Array, chunks: Chunks, alpha: float | Array) -> Array:
    """:func:`ml` on messages in chunks."""
    back = theta.swapaxes(-1, -2)
    counts = []
    for f, b, weight in chunks:
        q = np.add.reduce(times(back, f) * b, axis=-2, keepdims=True)  # f^T theta b, per sample
        q = np.maximum(q, TINY)  # where q is 0, theta is 0 wherever f and b are not: 0/0 adds 0
        counts.append(times(f, (b * (weight / q)).swapaxes(-1, -2)))
    return _row_normalized(theta * sum(counts), alpha, theta)


def kl_step(theta: Array, chunks: Chunks, _: float | Array) -> Array:
    """:func:`kl` on messages in chunks."""
    back = theta.swapaxes(-1, -2)
    counts = []
    for f, b, weight in chunks:
        ratio = b / np.maximum(back @ f, TINY)
        counts.append(f @ (ratio if weight is ONE else ratio * weight).swapaxes(-1, -2))
    return _row_normalized(theta * sum(counts), NO_PRIOR, theta)


def vit_step(theta: Array, chunks: Chunks, delta: float | Array) -> Array:
    """:func:`vit` on messages in chunks."""
    counts = []
    for f, b, weight in chunks:
        ex, ey = i_max(f) + delta, i_max(b) + delta
        counts.append(ex @ (ey * weight).swapaxes(-1, -2))
    return _row_normalized(np.asarray(sum(counts)), NO_PRIOR, theta)


def var_step(theta: Array, chunks: Chunks, extra: float | Array) -> Array:
    """:func:`var` on messages in chunks; ``extra`` is delta plus alpha."""
    counts = [f @ (b if weight is ONE else b * weight).swapaxes(-1, -2) for f, b, weight in chunks]
    return _row_normalized(np.asarray(sum(counts)), extra, theta)


def in_chunks(theta: Array, f: Array, b: Array, weight: Array | float) -> Chunks:
    """Blocks of columns that stay in cache, with the weights of each."""
    n = max(f.shape[-1], b.shape[-1], 1 if isinstance(weight, float) else len(weight))
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


STEPS: Mapping[str, Step] = MappingProxyType(
    {"ml": ml_step, "kl": kl_step, "vit": vit_step, "var": var_step}
)
ITERATIVE = ("ml", "kl")


def configure(
    rule: str, alpha: ArrayLike, delta: float, shape: tuple[int, ...]
) -> tuple[Step, float | Array]:
    """The step of a rule by its name, and the constant that it adds to a matrix of ``shape``."""
    if rule not in STEPS:
        raise ValueError(f"rule is {rule!r}: expected one of {', '.join(map(repr, STEPS))}")
    extra = read_alpha(alpha, shape)
    if rule in ("kl", "vit") and np.any(np.asarray(extra) > 0):
        raise ValueError(f"alpha is {alpha!r} with rule {rule!r}: only 'ml' and 'var' take a prior")
    if rule == "vit":
        extra = _read_delta(delta)
    elif rule == "var":
        extra = extra + _read_delta(delta)
    return STEPS[rule], extra


def read_alpha(alpha: ArrayLike, shape: tuple[int, ...]) -> float | Array:
    """Pseudo-counts, checked: a number or an array that broadcasts to a matrix of ``shape``."""
    a = np.asarray(alpha, dtype=np.float64)
    if not (np.all(a >= 0) and np.all(a < np.inf)):
        raise ValueError(f"alpha is {alpha!r}: expected finite pseudo-counts >= 0")
    if a.ndim == 0:
        return float(a) or NO_PRIOR
    if a.shape != shape:
        raise ValueError(f"alpha has shape {a.shape}: expected a number or the matrix's {shape}")
    return a


def read_weight(weight: ArrayLike | None, n: int, name: str = "weight") -> Array | None:
    """The learning mask L[n], checked: ``n`` finite numbers >= 0 that are not all zero."""
    if weight is None:
        return None
    w = np.asarray(weight, dtype=np.float64)
    if w.shape != (n,):
        raise ValueError(f"{name} has shape {w.shape}: expected ({n},), one number per sample")
    if not (np.all(w >= 0) and np.all(w < np.inf)):
        bad = int(np.flatnonzero(~((w >= 0) & (w < np.inf)))[0])
        raise ValueError(f"{name}[{bad}] is {w[bad]}: expected finite numbers >= 0")
    if not w.any():
        raise ValueError(f"{name} is zero for every sample: at least one must count")
    return w


def _row_normalized(counts: Array, extra: float | Array, theta: Array) -> Array:
    if extra is not NO_PRIOR:
        counts = counts + extra
    sums = np.add.reduce(counts, axis=-1, keepdims=True)
    if np.count_nonzero(sums) == sums.size:  # counts are never negative
        return counts / sums
    empty = ~(sums > 0)  # no sample reached this row: it keeps its value
    return np.where(empty, theta, counts / np.where(empty, 1.0, sums))


@dataclass(frozen=True)
class _Data:
    theta: Array
    f: Array
    b: Array
    weight: Array | float

    def chunks(self) -> Chunks:
        """:func:`in_chunks`, each checked as it passes: the data is read from memory once."""
        for f, b, weight in in_chunks(self.theta, self.f, self.b, self.weight):
            for name, v in (("f", f), ("b", b)):
                sums = np.add.reduce(v, axis=-2)
                if not (v.min() >= 0 and sums.min() > 0 and sums.max() < np.inf):
                    raise ValueError(
                        f"{name} holds a negative or non-finite value, or a column of zeros: "
                        "expected columns proportional to distributions"
                    )
            yield f, b, weight


def _read(theta: ArrayLike, f: ArrayLike, b: ArrayLike, weight: ArrayLike | None) -> _Data:
    """The arguments of a rule as arrays of agreeing shapes."""
    t = np.asarray(theta, dtype=np.float64)
    fx, by = np.asarray(f, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if t.ndim < 2 or fx.ndim < 2 or by.ndim < 2:
        shapes = f"{t.shape}, {fx.shape}, {by.shape}"
        raise ValueError(
            f"theta, f, b have shapes {shapes}: expected (..., M_X, M_Y), (..., M_X, N), (..., "
            "M_Y, N)"
        )
    if fx.shape[-2:] != (t.shape[-2], by.shape[-1]) or by.shape[-2] != t.shape[-1]:
        raise ValueError(
            f"theta {t.shape}, f {fx.shape} and b {by.shape} do not agree: expected f (..., "
            f"{t.shape[-2]}, N) and b (..., {t.shape[-1]}, N) with one N"
        )
    if fx.shape[-1] == 0:
        raise ValueError("f and b hold no samples: at least one column is needed to learn")
    read_matrix(t, "theta", t.shape[-2:])
    weights = read_weight(weight, fx.shape[-1])
    return _Data(t, fx, by, ONE if weights is None else weights)


def _read_delta(delta: float) -> float:
    if not (np.isfinite(delta) and delta >= 0):
        raise ValueError(f"delta is {delta!r}: expected a small finite number >= 0")
    return float(delta)
