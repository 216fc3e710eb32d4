"""The four learning rules of one block, and rules of a reader's own (sections 3.1 to 4.1).

A rule sees only what reaches its block:

    ``theta``    ``(..., M_X, M_Y)``  the conditional probability matrix P(Y|X), row-stochastic
    ``f``        ``(..., M_X, N)``    forward messages at the input X, a column per sample
    ``b``        ``(..., M_Y, N)``    backward messages at the output Y
    ``weight``   ``(..., 1, N)``      the learning mask L[n]; any weight >= 0, so counts too

Its ``step`` returns counts ``(..., M_X, M_Y)``, a sum over the samples. All else is done here once
for every rule: pseudo-counts are added, rows are normalised, a row that got nothing keeps its
value, and counts that are none are refused. ML and KL are iterated; VIT and VAR count once. When
both messages are delta functions all four count co-occurrences (section 5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, column_sums, i_max, read_matrix, row_sums, times
from .readers import read_array, read_count, read_number, shown

DELTA = 1e-6
"""The small positive constant of VIT and VAR that keeps every row of counts above zero."""

TINY = np.array(1e-290)  # an array: a float is converted in every call
"""Nothing smaller is divided by: the quotient would overflow."""

MAX_CHUNK = 8192
"""Columns of long data that are worked on together: few calls, and arrays that stay in cache."""

Step = Callable[..., Array]
"""``step(theta, f, b, weight, **constants)``, counts ``(..., M_X, M_Y)``."""

Learned = tuple[Array, Array, Array]
"""What a block learns from: ``f``, ``b`` and ``weight``."""


@dataclass(frozen=True)
class Rule:
    """A learning rule: its name, its step, and what it takes.

    ``iterates``        whether ``n_it`` steps are taken on the same messages (Nit, section 7.1)
    ``constants``       what the step takes by name, with its default
    ``pseudo_counts``   what is added to every count of a matrix once, with its default

    ``Rule("mine", step)`` can be given wherever ``"ml"`` can. The step adds over samples: it is
    called on parts of them, and its counts are added up.
    """

    name: str
    step: Step
    iterates: bool = False
    constants: Mapping[str, Any] = field(default_factory=dict)
    pseudo_counts: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"a rule's name is {shown(self.name)}: expected a string, not empty")
        if not callable(self.step):
            raise ValueError(f"rule {self.name!r}: step is {shown(self.step)}, expected a function")
        if not isinstance(self.iterates, bool):
            raise ValueError(
                f"rule {self.name!r}: iterates is {shown(self.iterates)}, expected True or False"
            )
        for what in ("constants", "pseudo_counts"):
            given = getattr(self, what)
            if not isinstance(given, Mapping) or not all(
                isinstance(k, str) and k.isidentifier() for k in given
            ):
                raise ValueError(
                    f"rule {self.name!r}: {what} is {shown(given)}, expected a mapping from names "
                    "to defaults"
                )
        for name, value in self.pseudo_counts.items():
            read_number(value, f"rule {self.name!r}: pseudo_counts[{name!r}]")

    def __hash__(self) -> int:
        return hash((self.name, self.step))


def ml_step(theta: Array, f: Array, b: Array, weight: Array) -> Array:
    """``theta * sum_n L f b^T / (f^T theta b)`` (section 3.1): the expected counts of EM."""
    # f^T theta b; where it is 0, theta is 0 wherever f and b are not: 0/0 adds 0
    q = np.maximum(column_sums(times(theta.swapaxes(-1, -2), f) * b), TINY)
    return theta * times(f, (b * (weight / q)).swapaxes(-1, -2))


def kl_step(theta: Array, f: Array, b: Array, weight: Array) -> Array:
    """``theta * sum_n L f (b / theta^T f)^T`` (section 3.2)."""
    ratio = b / np.maximum(times(theta.swapaxes(-1, -2), f), TINY)
    return theta * times(f, (ratio * weight).swapaxes(-1, -2))


def vit_step(theta: Array, f: Array, b: Array, weight: Array, *, delta: float) -> Array:
    """``sum_n L (I_Max(f) + delta)(I_Max(b) + delta)^T`` (section 3.3)."""
    return times(i_max(f) + delta, ((i_max(b) + delta) * weight).swapaxes(-1, -2))


def var_step(theta: Array, f: Array, b: Array, weight: Array) -> Array:
    """``sum_n L f b^T`` (section 4.1); delta and alpha are added as pseudo-counts."""
    return times(f, (b * weight).swapaxes(-1, -2))


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        rule.name: rule
        for rule in (
            Rule("ml", ml_step, iterates=True, pseudo_counts={"alpha": 0.0}),
            Rule("kl", kl_step, iterates=True),
            Rule("vit", vit_step, constants={"delta": DELTA}),
            Rule("var", var_step, pseudo_counts={"delta": DELTA, "alpha": 0.0}),
        )
    }
)
"""The paper's four rules by name. Everything that lists rules reads this."""


@dataclass(frozen=True)
class Update:
    """A rule with the constants of one matrix: the M-step of a block.

    What the paper's four return from proper messages needs no check, a sixth of their time.
    """

    rule: Rule
    constants: Mapping[str, Any]
    prior: float | Array | None

    @cached_property
    def trusted(self) -> bool:
        return RULES.get(self.rule.name) is self.rule

    def counts(self, theta: Array, learned: Learned) -> Array:
        """The counts of some samples, checked.

        Where ``b`` speaks of input and output together, the matrix is one row of all their pairs.
        """
        if learned[1].shape[-2] != theta.shape[-1]:
            row = theta.reshape(*theta.shape[:-2], 1, -1)
            return self.counts(row, learned).reshape(theta.shape)
        counts = self.rule.step(theta, *learned, **self.constants)
        if self.trusted or (
            isinstance(counts, np.ndarray)
            and counts.dtype == np.float64
            and counts.shape[-2:] == theta.shape[-2:]
            and np.minimum.reduce(counts, None) >= 0  # NaN is not
        ):
            return counts
        raise ValueError(_bad_counts(self.rule.name, counts, theta))

    def matrix(self, counts: Array, theta: Array) -> Array:
        """The matrix that counts make; a row that got nothing keeps its value."""
        if self.prior is not None:
            counts = counts + self.prior
        sums = row_sums(counts)
        if np.count_nonzero(sums) == sums.size:
            if self.trusted or sums.max() < np.inf:
                new: Array = counts / sums
                return new
        if not sums.max() < np.inf:
            raise ValueError(_bad_counts(self.rule.name, counts, theta))
        empty = ~(sums > 0)
        return np.where(empty, theta, counts / np.where(empty, 1.0, sums))


def _bad_counts(name: str, counts: Any, theta: Array) -> str:
    shape = f"(..., {theta.shape[-2]}, {theta.shape[-1]})"
    found = shown(counts)
    if isinstance(counts, np.ndarray):
        found = f"an array of shape {counts.shape}"
        if counts.shape[-2:] == theta.shape[-2:] and counts.dtype.kind in "buif":
            found = f"counts that hold {counts[~((counts >= 0) & (counts < np.inf))].ravel()[:1]}"
    return f"rule {name!r} returned {found}: expected finite counts >= 0 of shape {shape}"


def read_rule(rule: str | Rule) -> Rule:
    """A rule by its name, or one of a reader's own."""
    if isinstance(rule, Rule):
        return rule
    if isinstance(rule, str) and rule in RULES:
        return RULES[rule]
    raise ValueError(
        f"rule is {shown(rule)}: expected one of {', '.join(map(repr, RULES))}, or a Rule"
    )


def configure(
    rule: Rule, given: Mapping[str, Any], shape: tuple[int, int], matrix: str = ""
) -> Update:
    """The M-step of one matrix: a rule with its constants, checked.

    A value of None stands for the default; pseudo-counts may be a mapping by matrix.
    """
    takes = (*rule.constants, *rule.pseudo_counts)
    for name, value in given.items():
        if value is not None and name not in takes:
            known = ", ".join(takes) or "none"
            raise ValueError(
                f"{name} is {shown(value)} with rule {rule.name!r}, which does not take it: its "
                f"constants are {known}"
            )
    constants = {}
    for name, default in rule.constants.items():
        value = given.get(name)
        number = isinstance(default, float)
        constants[name] = (
            default if value is None else read_number(value, name) if number else value
        )
    prior: float | Array | None = None
    for name, default in rule.pseudo_counts.items():
        value = given.get(name)
        if isinstance(value, Mapping):
            value = value.get(matrix)
        own = default if value is None else _read_pseudo_counts(value, name, shape)
        if np.any(own):
            prior = own if prior is None else prior + own
    return Update(rule, constants, prior)


def _read_pseudo_counts(value: ArrayLike, name: str, shape: tuple[int, int]) -> float | Array:
    a = read_array(value, name)
    if a.ndim == 0:
        return float(a)
    if a.shape != shape:
        raise ValueError(f"{name} has shape {a.shape}: expected a number or the matrix's {shape}")
    return a


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
    return _one_step("ml", theta, f, b, weight, alpha=alpha)


def kl(theta: ArrayLike, f: ArrayLike, b: ArrayLike, weight: ArrayLike | None = None) -> Array:
    """One step of minimum divergence learning (section 3.2).

    ``theta_lm <- theta_lm * sum_n L[n] f_l[n] b_m[n] / (theta^T f[n])_m``, rows normalised. Lowers
    the average divergence from the backward message to the forward one, KL(b_Y || f_Y).
    """
    return _one_step("kl", theta, f, b, weight)


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
    return _one_step("vit", theta, f, b, weight, delta=delta)


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
    return _one_step("var", theta, f, b, weight, delta=delta, alpha=alpha)


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

    ``rule`` is "ml", "kl", "vit", "var" or a :class:`Rule`, ``constants`` those that it takes. VIT
    and VAR do not depend on theta, so their first step is their last word.
    """
    known = read_rule(rule)
    steps = read_count(n_it, "n_it")
    matrix, data = _read(theta, f, b, weight)
    update = configure(known, constants, _shape(matrix))

    def matrices() -> Iterator[Array]:
        here = matrix
        yield here
        for n in range(steps):
            if n == 0 or known.iterates:
                here = _updated(update, here, data)
            yield here

    return matrices()


def _one_step(
    rule: str, theta: ArrayLike, f: ArrayLike, b: ArrayLike, weight: Any, **constants: Any
) -> Array:
    matrix, data = _read(theta, f, b, weight)
    return _updated(configure(RULES[rule], constants, _shape(matrix)), matrix, data)


def _updated(update: Update, theta: Array, data: Learned) -> Array:
    counts = [update.counts(theta, part) for part in _checked(theta, data)]
    return update.matrix(sum(counts[1:], counts[0]), theta)


def _checked(theta: Array, data: Learned) -> Iterator[Learned]:
    """The data in chunks of columns, each checked as it passes: it is read from memory once."""
    f, b, weight = data
    n = f.shape[-1]
    size = min(MAX_CHUNK, 1_000_000 // (theta.shape[-2] * theta.shape[-1]))
    size = max(256, size // max(1, math.prod(theta.shape[:-2])))
    for at in range(0, n, size):
        cut = slice(at, at + size)
        part = f[..., cut], b[..., cut], weight[..., cut]
        for name, v in zip("fb", part, strict=False):
            sums = np.add.reduce(v, axis=-2)
            if not (v.min() >= 0 and sums.min() > 0 and sums.max() < np.inf):
                raise ValueError(
                    f"{name} holds a negative or non-finite value, or a column of zeros: "
                    "expected columns proportional to distributions"
                )
        yield part


def read_block(
    theta: ArrayLike, f: ArrayLike, b: ArrayLike, weight: ArrayLike | None
) -> tuple[Array, Array, Array, Array]:
    """The arguments of a rule as arrays of agreeing shapes; the values of messages unchecked."""
    given = [
        v if isinstance(v, np.ndarray) and v.dtype == np.float64 else read_array(v, name)
        for name, v in (("theta", theta), ("f", f), ("b", b))
    ]
    t, fx, by = given
    if t.ndim < 2 or fx.ndim < 2 or by.ndim < 2:
        raise ValueError(
            f"theta, f, b have shapes {t.shape}, {fx.shape}, {by.shape}: expected "
            "(..., M_X, M_Y), (..., M_X, N), (..., M_Y, N)"
        )
    if fx.shape[-2:] != (t.shape[-2], by.shape[-1]) or by.shape[-2] != t.shape[-1]:
        raise ValueError(
            f"theta {t.shape}, f {fx.shape} and b {by.shape} do not agree: expected f (..., "
            f"{t.shape[-2]}, N) and b (..., {t.shape[-1]}, N) with one N"
        )
    if fx.shape[-1] == 0:
        raise ValueError("f and b hold no samples: at least one column is needed to learn")
    read_matrix(t, "theta", _shape(t))
    try:
        np.broadcast_shapes(t.shape[:-2], fx.shape[:-2], by.shape[:-2])
    except ValueError:
        raise ValueError(
            f"theta {t.shape}, f {fx.shape} and b {by.shape} have batch axes that do not agree"
        ) from None
    weights = read_weight(weight, fx.shape[-1])
    return t, fx, by, (np.ones((1, fx.shape[-1])) if weights is None else weights[None])


def _read(
    theta: ArrayLike, f: ArrayLike, b: ArrayLike, weight: ArrayLike | None
) -> tuple[Array, Learned]:
    t, fx, by, w = read_block(theta, f, b, weight)
    return t, (fx, by, w)


def read_weight(
    weight: ArrayLike | None, n: int, name: str = "weight", restarts: int = 0
) -> Array | None:
    """The learning mask L[n], checked: ``n`` finite numbers >= 0 that are not all zero.

    With ``restarts`` it may also be ``(restarts, n)``: a row for each.
    """
    if weight is None:
        return None
    w = read_array(weight, name)
    rows = f", or ({restarts}, {n}), a row for each restart" if restarts else ""
    if w.shape != (n,) and (not restarts or w.shape != (restarts, n)):
        raise ValueError(
            f"{name} has shape {w.shape}: expected ({n},), one number per sample{rows}"
        )
    if not w.any(axis=-1).all():
        raise ValueError(f"{name} is zero for every sample: at least one must count")
    return w


def _shape(theta: Array) -> tuple[int, int]:
    return theta.shape[-2], theta.shape[-1]
