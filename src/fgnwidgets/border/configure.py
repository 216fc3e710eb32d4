"""A rule and its constants as a user names them (sections 3.1 to 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..engine.arrays import Array
from ..engine.rules import RULES, Counting, Rule, Update
from ..readers import read_array, read_choice, read_number, shown, wrong


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
            read_choice(constants[name], name, rule.choices[name])
        elif isinstance(default, int | float) and not isinstance(default, bool):
            number = read_number(constants[name], name)
            if isinstance(default, float):  # an integer stays as it is given: it may count
                constants[name] = number
    prior: dict[bool, Any] = {}  # by whether they are for rows alone that got something
    for name, default in rule.pseudo_counts.items():
        value = chosen.get(name, default)
        if isinstance(value, Mapping) and matrix:
            value = value.get(matrix, default)
        if isinstance(value, bool | np.bool_):
            raise wrong(name, value, "a number >= 0")
        own = read_array(value, name)
        if own.shape not in ((), shape):
            raise ValueError(
                f"{name} has shape {own.shape}: expected a number or the matrix's {shape}"
            )
        if own.any():
            there = name == "delta" and constants.get("empty") == "keep"
            prior[there] = prior.get(there, 0.0) + (own if own.ndim else float(own))
    own_step = None if RULES.get(rule.name) is rule else checked(rule)
    return Update(rule, constants, prior.get(False), prior.get(True), own_step)


def checked(rule: Rule) -> Counting:
    """The step of a rule of a reader's own: what is no counts is refused by the rule's name.

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
