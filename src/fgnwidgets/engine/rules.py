"""The four learning rules of one block, and rules of a reader's own (sections 3.1 to 4.1).

A rule sees only what reaches its block:

    ``theta``    ``(..., M_X, M_Y)``  the conditional probability matrix P(Y|X), row-stochastic
    ``f``        ``(..., M_X, N)``    forward messages at the input X, a column per sample
    ``b``        ``(..., M_Y, N)``    backward messages at the output Y
    ``weight``   ``(..., 1, N)``      the learning mask L[n]; any weight >= 0, so counts too

Its step returns counts ``(..., M_X, M_Y)``, a sum over the samples; :class:`Update` does what is
the same for every rule: it adds pseudo-counts and normalises rows. When both messages are delta
functions, all four rules count co-occurrences (section 5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from ..readers import read_kind, read_number, read_word, wrong
from .arrays import Array, column_sums, i_max, row_sums, times, top_values

DELTA = 1e-6
"""The small positive constant of VIT and VAR that keeps every row of counts above zero."""

TIES = ("first", "random")
"""Which of several maximal values VIT takes: the first, or any."""

EMPTY = ("refill", "keep")
"""A row without samples is filled by delta (of VIT, where b has maxima), or keeps its value."""

TINY = np.array(1e-290)  # an array: a float is converted in every call
"""Nothing smaller is divided by: the quotient would overflow."""

GIVEN = ("theta", "f", "b", "weight", "n_it")
"""What is given with every rule, so that no constant may be called so."""

Counting = Callable[..., Array]
"""``step(theta, f, b, weight, **constants)``, counts ``(..., M_X, M_Y)``."""

Learned = tuple[Array, Array, Array]
"""What a block learns from: ``f``, ``b`` and ``weight``."""


@dataclass(frozen=True)
class Rule:
    """A learning rule: its name, its step, and what it takes.

    ``iterates``        whether ``n_it`` steps are taken on the same messages (Nit, section 7.1)
    ``constants``       what the step takes by name, with its default
    ``pseudo_counts``   what is added once to every count of a matrix, with its default
    ``choices``         the values that a constant may have, where it is a word

    ``Rule("mine", step)`` can be given wherever ``"ml"`` can: ``step(theta, f, b, weight)`` gets
    parts of the samples, ``f`` (..., M_X, N); its counts (..., M_X, M_Y) are added up.
    """

    name: str
    step: Counting
    iterates: bool = False
    constants: Mapping[str, Any] = field(default_factory=dict)
    pseudo_counts: Mapping[str, float] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = f"rule {read_word(self.name, 'the name of a rule')!r}: "
        read_kind(self.step, f"{own}step", Callable, "a function")
        read_kind(self.iterates, f"{own}iterates", bool, "True or False")
        said = "a mapping from names to defaults"
        for what in ("constants", "pseudo_counts", "choices"):
            given = read_kind(getattr(self, what), f"{own}{what}", Mapping, said)
            if not all(isinstance(name, str) and name.isidentifier() for name in given):
                raise wrong(f"{own}{what}", given, said)
        for name, value in self.pseudo_counts.items():
            read_number(value, f"{own}pseudo_counts[{name!r}]")
        for name in self.takes:
            if name in GIVEN or self.takes.count(name) > 1:
                raise ValueError(f"{own}two things are called {name!r}: expected another name")
        for name, words in self.choices.items():
            listed = isinstance(words, tuple | list) and all(isinstance(w, str) for w in words)
            if not listed or self.constants.get(name) not in words:
                said = "words, with the default of that constant"
                raise wrong(f"{own}choices[{name!r}]", words, said)

    def __hash__(self) -> int:
        return hash((self.name, self.step))

    @property
    def takes(self) -> tuple[str, ...]:
        """The names of its constants and pseudo-counts."""
        return (*self.constants, *self.pseudo_counts)


def ml_step(theta: Array, f: Array, b: Array, weight: Array) -> Array:
    """``theta * sum_n L f b^T / (f^T theta b)`` (section 3.1, equation 13): the counts of EM."""
    # f^T theta b; where it is 0, theta is 0 wherever f and b are not: 0/0 adds 0
    q = np.maximum(column_sums(times(theta.swapaxes(-1, -2), f) * b), TINY)
    return theta * times(f, (b * (weight / q)).swapaxes(-1, -2))


def kl_step(theta: Array, f: Array, b: Array, weight: Array) -> Array:
    """``theta * sum_n L f (b / theta^T f)^T``: down in equation 15 (section 3.2)."""
    ratio = b / np.maximum(times(theta.swapaxes(-1, -2), f), TINY)
    return theta * times(f, (ratio * weight).swapaxes(-1, -2))


def vit_step(
    theta: Array, f: Array, b: Array, weight: Array, *, delta: float, ties: str, empty: str
) -> Array:
    """``sum_n L (I_Max(f) + delta)(I_Max(b) + delta)^T`` (section 3.3).

    With ``empty="keep"`` the first delta is left out: a row that no sample reached gets nothing.
    """
    e_x, e_y = (i_max(f), i_max(b)) if ties == "first" else _any_maximum(theta, f, b)
    if empty == "refill":
        e_x = e_x + delta
    return times(e_x, ((e_y + delta) * weight).swapaxes(-1, -2))


def var_step(theta: Array, f: Array, b: Array, weight: Array, *, empty: str) -> Array:
    """``sum_n L f b^T`` (section 4.1, equation 27); pseudo-counts are added to it by ``empty``."""
    return times(f, (b * weight).swapaxes(-1, -2))


def _any_maximum(theta: Array, f: Array, b: Array) -> tuple[Array, Array]:
    """:func:`i_max` of both messages, with any of several equal values."""
    size, n = f.shape[-2] + b.shape[-2], f.shape[-1]
    each = [  # drawn by the bytes of its matrix: no restart depends on those beside it
        np.random.default_rng(np.frombuffer(matrix.tobytes(), np.uint32)).random((size, n))
        for matrix in theta.reshape(-1, *theta.shape[-2:])
    ]
    luck = np.reshape(each, (*theta.shape[:-2], size, n))
    sides = (f, luck[..., : f.shape[-2], :]), (b, luck[..., f.shape[-2] :, :])
    e_x, e_y = (i_max(np.where(top_values(v), 1 + drawn, 0.0)) for v, drawn in sides)
    return e_x, e_y


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        rule.name: rule
        for rule in (
            Rule("ml", ml_step, iterates=True, pseudo_counts={"alpha": 0.0}),
            Rule("kl", kl_step, iterates=True),
            Rule(
                "vit",
                vit_step,
                constants={"delta": DELTA, "ties": TIES[0], "empty": EMPTY[0]},
                choices={"ties": TIES, "empty": EMPTY},
            ),
            Rule(
                "var",
                var_step,
                constants={"empty": EMPTY[0]},
                pseudo_counts={"delta": DELTA, "alpha": 0.0},
                choices={"empty": EMPTY},
            ),
        )
    }
)
"""The paper's four rules by name. Everything that lists rules reads this."""


@dataclass(frozen=True)
class Update:
    """The M-step of one matrix: a rule with its constants, and ``prior``, its pseudo-counts."""

    rule: Rule
    constants: Mapping[str, Any]
    prior: float | Array | None
    where_counted: float | Array | None = None  # pseudo-counts of rows that got something

    def counts(self, theta: Array, learned: Learned) -> Array:
        """The counts of some samples, ``(..., M_X, M_Y)``.

        Where ``b`` speaks of input and output together, the matrix is one row of all their pairs.
        """
        if learned[1].shape[-2] != theta.shape[-1]:
            row = theta.reshape(*theta.shape[:-2], 1, -1)
            return self.counts(row, learned).reshape(theta.shape)
        return self.rule.step(theta, *learned, **self.constants)

    def matrix(self, counts: Array, theta: Array) -> Array:
        """The matrix that counts make; a row that got nothing keeps its value."""
        if self.where_counted is not None:
            counts = counts + np.where(row_sums(counts) > 0, self.where_counted, 0.0)
        if self.prior is not None:
            counts = counts + self.prior
        sums = row_sums(counts)
        if np.count_nonzero(sums) == sums.size:
            return np.asarray(counts / sums)
        empty = ~(sums > 0)
        return np.where(empty, theta, counts / np.where(empty, 1.0, sums))
