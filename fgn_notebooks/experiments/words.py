"""Text in results: numbers, tables, intervals, and the names of rules.

Vocabulary
    rules       the four learning rules, in the order of the paper
    reference   a random matrix, the paper's "ref"
    facts       the main numbers of a figure as a text table
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np

import fgnwidgets
from fgnwidgets import BayesGraph, NormalGraph, Rule

Graph = BayesGraph | NormalGraph
Rules = str | Rule | Sequence[str | Rule]
Value = TypeVar("Value")

PAPERS = ("ml", "kl", "vit", "var")
"""The paper's rules, where a figure or a table is about these."""

RULES = tuple(fgnwidgets.RULES)
"""All rules, where one may be chosen."""

NAMES = {**{name: name.upper() for name in RULES}, "reference": "random"}


def read_rules(rules: Rules, own: Sequence[Rule] = ()) -> tuple[Rule, ...]:
    """One rule or several, each once: the paper's in its order, then others.

    ``own`` are rules that may be given by name, as the paper's may. Raises ``ValueError`` for no
    rule, for unknown names, and for two different rules of one name.
    """
    asked = (rules,) if isinstance(rules, str | Rule) else tuple(rules)
    known = {**fgnwidgets.RULES, **{rule.name: rule for rule in own}}
    if unknown := [rule for rule in asked if not isinstance(rule, Rule) and rule not in known]:
        raise ValueError(f"rules holds {unknown[0]!r}: expected some of {', '.join(known)}")
    if not asked:
        raise ValueError(f"rules is empty: expected some of {', '.join(known)}")
    found = {rule if isinstance(rule, Rule) else known[rule]: None for rule in asked}
    names = [rule.name for rule in found]
    if double := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"rules holds two rules of the name {min(double)!r}: expected one")
    places = {name: k for k, name in enumerate(known)}
    return tuple(sorted(found, key=lambda rule: places.get(rule.name, len(places))))


def said(rule: str) -> str:
    """The name of a rule in a text: the paper's in capitals, others as they are."""
    return NAMES.get(rule, rule)


def number(value: float | None, digits: int = 2) -> str:
    """A number with fixed decimals, never ``-0.0``; a dash for None and NaN.

    What is not zero is not written as zero: ``<0.01``, ``>-0.01``.
    """
    if value is None or not np.isfinite(value):
        return "-" if value is None or np.isnan(value) else ("inf" if value > 0 else "-inf")
    rounded = round(float(value), digits) + 0.0
    if rounded == 0 and value != 0:
        return f"{'<' if value > 0 else '>-'}{10.0**-digits:.{digits}f}"
    return f"{rounded:.{digits}f}"


def text_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as text, the first column left-aligned and the others right-aligned."""
    lines = [tuple(header), *(tuple(row) for row in rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def wilson(successes: float, trials: float, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval for a frequency, at 95 % by default."""
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"{successes} of {trials}: expected 0 <= successes <= trials, trials > 0")
    share = successes / trials
    centre = share + z * z / (2 * trials)
    half = z * np.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    scale = 1 + z * z / trials
    low, high = float((centre - half) / scale), float((centre + half) / scale)
    return max(low, 0.0) if successes else 0.0, min(high, 1.0) if successes < trials else 1.0


def heard(call: Callable[[], Value]) -> tuple[Value, str]:
    """The result of ``call()``, and the first warning that it gave, or an empty text."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        value = call()
    return value, str(told[0].message) if told else ""


def both_or_neither(graph: Graph | None, data: object) -> Graph | None:
    """``graph``. Raises ``ValueError`` unless both or none of graph and data are given."""
    if (graph is None) != (data is None):
        raise ValueError("graph and data come together: expected both or neither")
    return graph
