"""One block by itself: its rules and its likelihood on given messages (sections 3.1 to 4.1, 5, 6).

``f`` enters at the block's input X, ``b`` at its output Y, a column for each sample, proportional
to distributions. All arguments may have batch axes in front.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.arrays import Array
from ..arguments import read_array, read_batch, read_count, read_matrix, read_weight
from .rules import DELTA, EMPTY, TIES, Learned, Rule, Update, configure, read_rule

COLUMNS = 8192
"""Columns that are worked on together: few calls, and arrays that stay in cache."""

SMALL, LARGE = 1e-60, 1e60
"""Messages whose largest values are beyond these are scaled first: products of three are floats."""

BY_COLUMN = {"ml": (True, True), "kl": (True, False), "vit": (True, True), "var": (False, False)}
"""True where the counts of a rule do not depend on the scale of a column of ``f``, and of ``b``."""


class _Extreme(ArithmeticError):
    """Some messages or weights are near the ends of what floats hold."""


def ml(
    theta: ArrayLike,
    f: ArrayLike,
    b: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    alpha: ArrayLike = 0.0,
) -> Array:
    """One step of maximum likelihood learning (section 3.1, equations 9 and 13).

    ``theta_lm <- theta_lm * sum_n L[n] f_l[n] b_m[n] / (f[n]^T theta b[n])``, rows normalised. The
    row factor of the paper's step (1) cancels in step (2). Never lowers
    ``sum_n L[n] log(f[n]^T theta b[n])``, by equations 33 to 37. ``alpha >= 0`` adds
    pseudo-counts, the Dirichlet prior of equation 24 (section 4.1); a scalar or ``(M_X, M_Y)``.
    """
    return [*iterate("ml", theta, f, b, weight, alpha=alpha)][-1]


def kl(theta: ArrayLike, f: ArrayLike, b: ArrayLike, weight: ArrayLike | None = None) -> Array:
    """One step of minimum divergence learning (section 3.2, equations 15 and 17).

    ``theta_lm <- theta_lm * sum_n L[n] f_l[n] b_m[n] / (theta^T f[n])_m``, rows normalised. Lowers
    the average divergence from the backward message to the forward one, KL(b_Y || f_Y).
    """
    return [*iterate("kl", theta, f, b, weight)][-1]


def vit(
    theta: ArrayLike,
    f: ArrayLike,
    b: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    delta: float = DELTA,
    ties: str = TIES[0],
    empty: str = EMPTY[0],
) -> Array:
    """The Viterbi-like count (section 3.3): each message is replaced by a one at its maximum.

    ``theta <- sum_n L[n] (I_Max(f[n]) + delta)(I_Max(b[n]) + delta)^T``, rows normalised. Equal
    values within a relative 1e-9 are a tie: the first of them wins, or with ``ties="random"`` any.
    A row that no sample reaches becomes the average of the others' counts, as delta reaches it
    from all samples; with ``empty="keep"`` it stays as it is.
    """
    return [*iterate("vit", theta, f, b, weight, delta=delta, ties=ties, empty=empty)][-1]


def var(
    theta: ArrayLike,
    f: ArrayLike,
    b: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    delta: float = DELTA,
    alpha: ArrayLike = 0.0,
    empty: str = EMPTY[0],
) -> Array:
    """The variational count of soft scores (section 4.1, equations 25 and 27).

    ``theta <- alpha + delta + sum_n L[n] f[n] b[n]^T``, rows normalised: the mode of the Dirichlet
    approximation with prior ``alpha`` (a scalar or ``(M_X, M_Y)``, 0 by default).
    With ``empty="keep"`` a row of which every message is zero is not filled with delta.
    """
    return [*iterate("var", theta, f, b, weight, delta=delta, alpha=alpha, empty=empty)][-1]


def iterate(
    rule: str | Rule,
    theta: ArrayLike,
    f: ArrayLike,
    b: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    n_it: int = 1,
    **constants: Any,
) -> Iterator[Array]:
    """Yield theta and its ``n_it`` successors under one rule on fixed messages (sections 5, 6).

    ``rule`` is "ml", "kl", "vit", "var" or a :class:`Rule`, ``constants`` those that it takes, None
    a default. VIT and VAR do not depend on theta, so their first step is their last word.
    """
    chosen = read_rule(rule)
    steps = read_count(n_it, "n_it")
    matrix, data = _read(theta, f, b, weight, summed=False)
    given = {name: value for name, value in constants.items() if value is not None}
    update = configure(chosen, given, matrix.shape[-2:])

    def after(here: Array, n: int) -> Array:
        nonlocal data, update
        if n and not chosen.iterates:
            return here
        ours = chosen.name in BY_COLUMN
        try:
            parts = _chunks(here, data, checked=n > 0, moderate=ours)
            counts = [update.counts(here, part) for part in parts]
        except _Extreme:
            data, update = _scaled(chosen, here, data, update)
            counts = [update.counts(here, part) for part in _chunks(here, data, checked=True)]
        return update.matrix(sum(counts[1:], counts[0]), here)

    return accumulate(range(steps), after, initial=matrix)


def block_loglik(
    theta: ArrayLike, f: ArrayLike, b: ArrayLike, weight: ArrayLike | None = None
) -> Array:
    """``sum_n L[n] log(f[n]^T theta b[n])``, ``(...)``: what theta moves (section 3, equation 8).

    A sample of weight zero counts nothing; one that is impossible makes the sum ``-inf``.
    """
    matrix, data = _read(theta, f, b, weight)
    total: Array | float = 0.0
    for fx, by, w in _chunks(matrix, data):
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            q = ((matrix.swapaxes(-1, -2) @ fx) * by).sum(axis=-2)
            logs = np.log(q)
            if not (q.min() > SMALL and q.max() < np.inf):
                scaled, e = _by_power(fx)
                other, more = _by_power(by)
                logs = np.log(((matrix.swapaxes(-1, -2) @ scaled) * other).sum(axis=-2))
                logs = logs + math.log(2) * (e + more)[..., 0, :]
        total = total + (np.where(w[0] > 0, logs, 0.0) * w[0]).sum(axis=-1)
    return np.asarray(total)


def _by_power(v: Array, *, whole: bool = False) -> tuple[Array, Any]:
    """Columns, or a whole array, with a largest value between a half and one, and the power of two
    that was taken out. That is exact."""
    e = np.frexp(v.max() if whole else v.max(axis=-2, keepdims=True))[1]
    return np.ldexp(v, -e), e


def _scaled(rule: Rule, theta: Array, data: Learned, update: Update) -> tuple[Learned, Update]:
    """The same problem of one of the paper's rules in numbers whose products are floats.

    What the counts do not depend on is taken out, of each column; the rest is taken out of all
    columns, and of pseudo-counts, together.
    """
    for _ in _chunks(theta, data):
        pass  # all of it is checked
    f, b, weight = data
    by_f, by_b = BY_COLUMN[rule.name]
    f, e_f = _by_power(f, whole=not by_f)
    b, e_b = _by_power(b, whole=not by_b)
    power = (0 if by_f else int(e_f)) + (0 if by_b else int(e_b))
    priors = [p for p in (update.prior, update.where_counted) if p is not None]
    sizes = [power + int(np.frexp(weight.max())[1])]
    sizes += [int(np.frexp(np.max(p))[1]) + update.halved for p in priors]
    whole = max(sizes)  # the power of two of the largest of all counts

    def less(prior: float | Array | None) -> Any:
        return None if prior is None else np.ldexp(prior, update.halved - whole)

    fields = {"prior": less(update.prior), "where_counted": less(update.where_counted), "halved": 0}
    return (f, b, np.ldexp(weight, power - whole)), replace(update, **fields)


def _chunks(
    theta: Array, data: Learned, *, checked: bool = False, moderate: bool = False
) -> Iterator[Learned]:
    """The data in chunks of columns, checked as they pass: what is large is read once.

    Raises :class:`_Extreme` at what is not ``moderate``, where that is asked.
    """
    f, b, weight = data
    size = min(COLUMNS, 1_000_000 // (theta.shape[-2] * theta.shape[-1]))
    size = max(256, size // max(1, math.prod(theta.shape[:-2])))
    for at in range(0, f.shape[-1], size):
        cut = slice(at, at + size)
        part = f[..., cut], b[..., cut], weight[..., cut]
        for name, v in () if checked else zip("fb", part, strict=False):
            least, most = v.min(), v.max()
            if not (most < np.inf and (least > 0 or (least == 0 and v.any(axis=-2).all()))):
                raise ValueError(
                    f"{name} holds a negative or non-finite value, or a column of zeros: "
                    "expected columns proportional to distributions"
                )
            small = least < SMALL and v.max(axis=-2).min() < SMALL
            if moderate and (most > LARGE or small):
                raise _Extreme
        if moderate and not checked and weight.strides[-1]:
            most = part[2].max()
            if most > LARGE or 0 < most < SMALL:
                raise _Extreme
        yield part


def _read(
    theta: ArrayLike, f: ArrayLike, b: ArrayLike, weight: ArrayLike | None, *, summed: bool = True
) -> tuple[Array, Learned]:
    """The arguments as arrays of agreeing shapes; the values of messages are checked in chunks."""
    t, fx, by = (
        v if type(v) is np.ndarray and v.dtype == np.float64 else read_array(v, name)
        for name, v in (("theta", theta), ("f", f), ("b", b))
    )
    n = fx.shape[-1] if fx.ndim else 0
    ends = [(size, n) for size in t.shape[-2:]]  # what enters at X, and at Y
    if not n or t.ndim < 2 or [fx.shape[-2:], by.shape[-2:]] != ends:
        raise ValueError(
            f"theta, f and b have the shapes {t.shape}, {fx.shape}, {by.shape}, which do not agree "
            "or hold no samples: expected (..., M_X, M_Y), (..., M_X, N) and (..., M_Y, N) with "
            "one N >= 1"
        )
    read_matrix(t, "theta", t.shape[-2:])
    read_batch({"theta": t, "f": fx, "b": by})
    weights = read_weight(weight, fx.shape[-1], summed=summed)
    return t, (
        fx,
        by,
        np.broadcast_to(1.0, (1, fx.shape[-1])) if weights is None else weights[None],
    )
