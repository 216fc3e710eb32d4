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
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..algebra.arrays import Array, column_sums, i_max, row_sums, times, top_values
from ..arguments import read_array, read_choice, read_kind, read_number, read_word, shown, wrong

DELTA = 1e-6
"""The small positive constant of VIT and VAR that keeps every row of counts above zero."""

TIES = ("first", "random")
"""The choice of VIT among several maximal values: the first, or any."""

SEED_DIGITS = 9
"""The decimals of a matrix that decide what random ties draw."""

EMPTY = ("refill", "keep")
"""A row without samples is filled by delta (of VIT, where b has maxima), or keeps its value."""

TINY = np.array(1e-290)  # an array: a float is converted in every call
"""Nothing smaller is divided by: the quotient would overflow."""

GIVEN = ("theta", "f", "b", "weight", "n_it")
"""Arguments of every rule, so that no constant may have their names."""

Counting = Callable[..., Array]
"""``step(theta, f, b, weight, **constants)``, counts ``(..., M_X, M_Y)``."""

Learned = tuple[Array, Array, Array]
"""The data of a block: ``f``, ``b`` and ``weight``."""


@dataclass(frozen=True)
class Rule:
    """A learning rule: its name, its step, and what it takes.

    ``iterates``        whether ``n_it`` steps are taken on the same messages (Nit, section 7.1)
    ``constants``       what the step takes by name, with its default
    ``pseudo_counts``   what is added once to every count of a matrix, with its default
    ``choices``         the values that a constant may have, where it is a word
    ``fills``           the pseudo-counts that give a row without samples its value: with the
                        constant ``empty="keep"`` they are for the other rows alone

    ``Rule("mine", step)`` can be given wherever ``"ml"`` can: ``step(theta, f, b, weight)`` gets
    parts of the samples, ``f`` (..., M_X, N); its counts (..., M_X, M_Y) are added up.
    """

    name: str
    step: Counting
    iterates: bool = False
    constants: Mapping[str, Any] = field(default_factory=dict)
    pseudo_counts: Mapping[str, float] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fills: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        prefix = f"rule {read_word(self.name, 'the name of a rule')!r}: "
        read_kind(self.step, f"{prefix}step", Callable, "a function")
        read_kind(self.iterates, f"{prefix}iterates", bool, "True or False")
        said = "a mapping from names to defaults"
        for what in ("constants", "pseudo_counts", "choices"):
            given = read_kind(getattr(self, what), f"{prefix}{what}", Mapping, said)
            if not all(isinstance(name, str) and name.isidentifier() for name in given):
                raise wrong(f"{prefix}{what}", given, said)
        for name, value in self.pseudo_counts.items():
            read_number(value, f"{prefix}pseudo_counts[{name!r}]")
        for name in self.takes:
            if name in GIVEN or self.takes.count(name) > 1:
                raise ValueError(f"{prefix}two things are called {name!r}: expected another name")
        for name, words in self.choices.items():
            listed = isinstance(words, tuple | list) and all(isinstance(w, str) for w in words)
            if not listed or self.constants.get(name) not in words:
                said = "words, with the default of that constant"
                raise wrong(f"{prefix}choices[{name!r}]", words, said)

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
    e_x, e_y = (i_max(f), i_max(b)) if ties == "first" else any_maximum(theta, f, b)
    if empty == "refill":
        e_x = e_x + delta
    return times(e_x, ((e_y + delta) * weight).swapaxes(-1, -2))


def var_step(theta: Array, f: Array, b: Array, weight: Array, *, empty: str) -> Array:
    """``sum_n L f b^T`` (section 4.1, equation 27); pseudo-counts are added to it by ``empty``."""
    return times(f, (b * weight).swapaxes(-1, -2))


def any_maximum(theta: Array, f: Array, b: Array) -> tuple[Array, Array]:
    """:func:`i_max` of both messages, with any of several equal values.

    The values of a matrix are the seed of its draw, so that no restart depends on those beside it.
    They are rounded to :data:`SEED_DIGITS` decimals: the last bits of a matrix are not the same on
    every machine.
    """
    size, n = f.shape[-2] + b.shape[-2], f.shape[-1]
    each = [
        np.random.default_rng(np.frombuffer(matrix.tobytes(), np.uint32)).random((size, n))
        for matrix in np.round(theta, SEED_DIGITS).reshape(-1, *theta.shape[-2:])
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
                fills=("delta",),
            ),
        )
    }
)
"""The paper's four rules by name. Everything that lists rules reads this."""

PAPERS = (ml_step, kl_step, vit_step, var_step)
"""The steps whose counts are not checked; those of any other rule are, in ``RULES`` or not."""


@dataclass(frozen=True)
class Update:
    """The M-step of one matrix: a rule with its constants, and ``prior``, its pseudo-counts.

    ``halved`` is how often counts are halved before pseudo-counts are added, which are so already:
    sums of very large ones are more than a float holds, and a matrix has no scale.
    """

    rule: Rule
    constants: Mapping[str, Any]
    prior: float | Array | None
    where_counted: float | Array | None = None  # pseudo-counts of rows that got something
    halved: int = 0

    def counts(self, theta: Array, learned: Learned) -> Array:
        """The counts of some samples, ``(..., M_X, M_Y)``."""
        return self.rule.step(theta, *learned, **self.constants)

    def matrix(self, counts: Array, theta: Array) -> Array:
        """The matrix that counts make; a row that got nothing keeps its value."""
        if self.prior is not None or self.where_counted is not None:
            counts = self._with_pseudo_counts(counts)
        sums = row_sums(counts)
        if np.count_nonzero(sums) == sums.size:
            return np.asarray(counts / sums)
        empty = ~(sums > 0)
        return np.where(empty, theta, counts / np.where(empty, 1.0, sums))

    def _with_pseudo_counts(self, counts: Array) -> Array:
        if self.halved:
            counts = np.ldexp(counts, -self.halved)
        if self.where_counted is not None:
            counts = counts + np.where(row_sums(counts) > 0, self.where_counted, 0.0)
        return counts if self.prior is None else counts + self.prior


class Settings(NamedTuple):
    """What a restart learns by: a rule, its M-step of every learned matrix, and its Nit."""

    rule: Rule
    updates: Mapping[str, Update]
    n_it: int


LARGE = 900
"""Pseudo-counts of more binary digits than this are halved: their sums must be floats."""


def read_rule(rule: str | Rule) -> Rule:
    """A rule by its name, or one of a reader's own, which has another name."""
    if isinstance(rule, str) and rule in RULES:
        return RULES[rule]
    if isinstance(rule, Rule):
        return _own_rule(rule)
    raise wrong("rule", rule, f"one of {', '.join(map(repr, RULES))}, or a Rule")


def _own_rule(rule: Rule) -> Rule:
    """A reader's own rule; ours is itself again where another process sent it."""
    ours = RULES.get(rule.name, rule)
    if ours != rule:
        raise ValueError(
            f"rule {rule.name!r} is one of yours and called as one of ours: expected another "
            "name, as results are told apart by it"
        )
    return ours


def configure(
    rule: Rule, chosen: Mapping[str, Any], shape: tuple[int, int], matrix: str = ""
) -> Update:
    """The M-step of one matrix of that ``shape``: a rule with its constants, checked.

    Pseudo-counts may be a mapping from matrices where ``matrix`` is the name of this one.
    """
    for name, value in chosen.items():
        if name not in rule.takes:
            raise _not_taken(rule, name, value)
    constants = _constants(rule, chosen) if rule.constants else {}
    taken = rule if rule.step in PAPERS else replace(rule, step=checked(rule))
    asked = [name for name, default in rule.pseudo_counts.items() if default or name in chosen]
    if not asked:
        return Update(taken, constants, None)
    priors = {name: _pseudo_counts(rule, name, chosen, shape, matrix) for name in asked}
    return _adding(taken, constants, priors)


def _adding(rule: Rule, constants: Mapping[str, Any], priors: Mapping[str, Array]) -> Update:
    """The M-step of a rule that adds pseudo-counts, halved as often as their sum needs."""
    keeps = constants.get("empty") == "keep"
    where_counted = [prior for name, prior in priors.items() if keeps and name in rule.fills]
    everywhere = [prior for name, prior in priors.items() if not (keeps and name in rule.fills)]
    largest = max(float(prior.max()) for prior in priors.values())
    halved = max(0, int(np.frexp(largest)[1]) - LARGE)
    return Update(
        rule, constants, _added(everywhere, halved), _added(where_counted, halved), halved
    )


def _not_taken(rule: Rule, name: str, value: Any) -> ValueError:
    others = " and ".join(repr(r.name) for r in RULES.values() if name in r.takes)
    whose = f"only {others} take it; " if others else ""
    return ValueError(
        f"{name} is {shown(value)} with rule {rule.name!r}: {whose}expected "
        f"{', '.join(rule.takes) or 'no constants'}"
    )


def _constants(rule: Rule, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The constants of a rule's step, each as it was chosen or by default."""
    constants = {name: chosen.get(name, default) for name, default in rule.constants.items()}
    for name, default in rule.constants.items():
        if name in rule.choices:
            read_choice(constants[name], name, rule.choices[name])
        elif isinstance(default, int | float) and not isinstance(default, bool):
            number = read_number(constants[name], name)
            if isinstance(default, float):  # an integer stays as it is given: it may count
                constants[name] = number
    return constants


def _pseudo_counts(
    rule: Rule, name: str, chosen: Mapping[str, Any], shape: tuple[int, int], matrix: str
) -> Array:
    """Pseudo-counts of one matrix, a number or ``(M_X, M_Y)``."""
    default = rule.pseudo_counts[name]
    value = chosen.get(name, default)
    if isinstance(value, Mapping) and matrix:
        value = value.get(matrix, default)
    if isinstance(value, bool | np.bool_):
        raise wrong(name, value, "a number >= 0")
    counts = read_array(value, name)
    if counts.shape not in ((), shape):
        raise ValueError(
            f"{name} has shape {counts.shape}: expected a number or the matrix's {shape}"
        )
    return counts


def _added(priors: list[Array], halved: int) -> float | Array | None:
    """The sum of pseudo-counts, a number or a matrix, each halved so often; None of nothing."""
    if not any(prior.any() for prior in priors):
        return None
    total: Array = sum((np.ldexp(prior, -halved) for prior in priors), start=np.zeros(()))
    return total if total.ndim else float(total)


def checked(rule: Rule) -> Counting:
    """The step of any other rule than the paper's: what is no counts is refused by its name.

    The paper's four are not checked, which would be a sixth of their time.
    """

    def step(theta: Array, f: Array, b: Array, weight: Array, **constants: Any) -> Array:
        seen = [v.view() for v in (theta, f, b, weight)]
        for v in seen:
            v.flags.writeable = False  # others read them after it
        whole = (*np.broadcast_shapes(*(v.shape[:-2] for v in seen)), *theta.shape[-2:])
        try:
            returned = rule.step(*seen, **constants)
            if not isinstance(returned, np.ndarray) or isinstance(returned, np.ma.MaskedArray):
                raise TypeError(f"what it returned is a {type(returned).__name__}, no array")
            counts = read_array(returned, "what it returned")
            ends = zip(counts.shape[::-1], whole[::-1], strict=False)  # batch axes as they, or less
            fits = counts.shape[-2:] == whole[-2:] and counts.ndim <= len(whole)
            if not fits or not all(n in (1, m) for n, m in ends):
                raise ValueError(f"what it returned has shape {counts.shape}")
            with np.errstate(over="ignore"):
                if counts.sum() == np.inf:
                    raise ValueError("what it returned is too large to be added up")
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise ValueError(
                f"rule {rule.name!r}: its step failed ({type(error).__name__}: {error}); expected "
                f"step({', '.join(('theta', 'f', 'b', 'weight', *constants))}) to return finite "
                f"counts >= 0 of shape (..., {whole[-2]}, {whole[-1]}), and to leave what it is "
                "given as it is"
            ) from error
        return counts

    return step
