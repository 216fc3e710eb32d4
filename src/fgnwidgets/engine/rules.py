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

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, read_matrix
from .steps import (
    ITERATIVE,
    NO_PRIOR,
    ONE,
    STEPS,
    Chunks,
    Step,
    in_chunks,
    kl_step,
    ml_step,
    var_step,
    vit_step,
)

DELTA = 1e-6
"""The small positive constant of VIT and VAR that keeps every row of counts above zero."""


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
    if isinstance(alpha, float) and alpha == 0:
        return NO_PRIOR
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
