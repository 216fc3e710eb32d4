"""A rule and its constants as a user names them (sections 3.1 to 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.arrays import Array
from ..engine.rules import RULES, Rule, Update
from ..readers import read_array, read_number, shown, wrong


def read_rule(rule: str | Rule) -> Rule:
    """A rule by its name, or one of a reader's own."""
    if isinstance(rule, Rule):
        return rule
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
    return Update(rule, constants, prior, where_counted)


def _read_pseudo_counts(value: ArrayLike, name: str, shape: tuple[int, int]) -> float | Array:
    a = read_array(value, name)
    if a.ndim == 0:
        return float(a)
    if a.shape != shape:
        raise ValueError(f"{name} has shape {a.shape}: expected a number or the matrix's {shape}")
    return a
