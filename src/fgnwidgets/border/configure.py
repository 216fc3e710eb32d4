"""A rule and its constants as a user names them (sections 3.1 to 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.arrays import Array
from ..engine.rules import RULES, Counting, Rule, Update
from ..readers import read_array, read_number, shown, wrong


def read_rule(rule: str | Rule) -> Rule:
    """A rule by its name, or one of a reader's own, which has another name."""
    if isinstance(rule, Rule):
        known = RULES.get(rule.name, rule)
        if known != rule:
            raise ValueError(
                f"rule {rule.name!r} is one of yours and called as one of ours: expected another "
                "name, as results are told apart by it"
            )
        return known  # ours is itself again where another process sent it
    if isinstance(rule, str) and rule in RULES:
        return RULES[rule]
    raise wrong("rule", rule, f"one of {', '.join(map(repr, RULES))}, or a Rule")


def configure(
    rule: Rule, given: Mapping[str, Any], shape: tuple[int, int], matrix: str = ""
) -> Update:
    """The M-step of one matrix of that ``shape``: a rule with its constants, checked.

    None stands for the default; pseudo-counts may be a mapping from matrices where ``matrix`` is
    the name of this one.
    """
    for name, value in given.items():
        if value is not None and name not in rule.takes:
            others = " and ".join(repr(r.name) for r in RULES.values() if name in r.takes)
            whose = f"only {others} take it; " if others else ""
            raise ValueError(
                f"{name} is {shown(value)} with rule {rule.name!r}: {whose}expected "
                f"{', '.join(rule.takes) or 'no constants'}"
            )
    chosen = {name: value for name, value in given.items() if value is not None}
    constants = {**rule.constants, **{k: v for k, v in chosen.items() if k in rule.constants}}
    for name, default in rule.constants.items():
        if name in rule.choices:
            if not isinstance(constants[name], str) or constants[name] not in rule.choices[name]:
                raise wrong(name, constants[name], " or ".join(map(repr, rule.choices[name])))
        elif isinstance(default, float):
            constants[name] = read_number(constants[name], name)
        elif isinstance(default, int) and not isinstance(default, bool):
            read_number(constants[name], name)  # which stays as it is given: it may count
    prior: float | Array | None = None
    where_counted: float | Array | None = None
    for name, default in rule.pseudo_counts.items():
        value = chosen.get(name, default)
        if isinstance(value, Mapping) and matrix:
            value = value.get(matrix, default)
        own = _read_pseudo_counts(value, name, shape)
        if np.any(own) and name == "delta" and constants.get("empty") == "keep":
            where_counted = own
        elif np.any(own):
            prior = own if prior is None else prior + own
    own_step = None if RULES.get(rule.name) is rule else checked(rule)
    return Update(rule, constants, prior, where_counted, own_step)


def _read_pseudo_counts(value: ArrayLike, name: str, shape: tuple[int, int]) -> float | Array:
    if isinstance(value, bool | np.bool_):
        raise wrong(name, value, "a number >= 0")
    a = read_array(value, name)
    if a.ndim == 0:
        return float(a)
    if a.shape != shape:
        raise ValueError(f"{name} has shape {a.shape}: expected a number or the matrix's {shape}")
    return a


def checked(rule: Rule) -> Counting:
    """The step of a rule of a reader's own: what is no counts is refused by the rule's name.

    The paper's four are not checked, which would be a sixth of their time.
    """

    def step(theta: Array, f: Array, b: Array, weight: Array, **constants: Any) -> Array:
        seen = [v.view() for v in (theta, f, b, weight)]
        for v in seen:
            v.flags.writeable = False  # others read them after it
        try:
            counts = rule.step(*seen, **constants)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise ValueError(
                f"rule {rule.name!r}: its step failed ({type(error).__name__}: {error}); expected "
                f"step({', '.join(('theta', 'f', 'b', 'weight', *constants))}) to return counts, "
                "and to leave what it is given as it is"
            ) from error
        batch = np.broadcast_shapes(*(v.shape[:-2] for v in seen))
        return _read_counts(rule, counts, theta.shape[-2:], batch)

    return step


def _read_counts(rule: Rule, counts: Any, shape: tuple[int, ...], batch: tuple[int, ...]) -> Array:
    """Finite numbers >= 0 of a matrix's shape, with the batch axes of what was counted or less."""
    found = ""  # words come last: to write out an array takes ten times as long as a step
    if isinstance(counts, np.ndarray):
        own = counts.shape[:-2]
        fits = counts.shape[-2:] == shape and len(own) <= len(batch)
        fits &= all(n in (1, m) for n, m in zip(own[::-1], batch[::-1], strict=False))
        if fits and counts.dtype.kind in "buif" and not isinstance(counts, np.ma.MaskedArray):
            array: Array = np.asarray(counts, dtype=np.float64)
            with np.errstate(over="ignore", invalid="ignore"):
                total = array.sum()
            if total < np.inf and np.minimum.reduce(array, None) >= 0:  # NaN is not
                return array
            bad = array[~((array >= 0) & (array < np.inf))]
            found = f"counts that hold {bad[0]}" if bad.size else "counts too large to be added up"
        else:
            found = f"{type(counts).__name__} {counts.dtype} of shape {counts.shape}"
    raise ValueError(
        f"rule {rule.name!r} returned {found or shown(counts)}: expected finite counts >= 0 of "
        f"shape (..., {shape[0]}, {shape[1]})"
    )
