"""Names as the paper sets them: ``S1(2)`` is an S with index 1 and superscript (2).

Only names made of single letters and digits, like the paper's, become mathematics. What users call
their variables and states is text, shown character by character as they wrote it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from ..engine.branches import Branch
from ..engine.graph import NormalGraph

_SYMBOL = re.compile(r"([A-Za-z])(\d*)(\[\w\])?")
_REPLICA = re.compile(r"(.+)\((\d+)\)")
_WIDE, _NARROW = "MW@%mw", "fijlrtI.,:;|!'()[] "


def maths(name: str) -> str:
    """A name for matplotlib: of a branch, a variable, or what :func:`matrix_label` gives."""
    tex = _tex(name)
    if tex is not None:
        return f"${tex}$"
    replica = _REPLICA.fullmatch(name)
    if replica:
        return f"{plain(replica[1])}$^{{({replica[2]})}}$"
    return plain(name)


def message(letter: str, name: str) -> str:
    """The name of a message, ``f`` or ``b`` with its branch as an index."""
    return f"${letter}_{{{_tex(name) or ''}}}$".replace("_{}", "")


def plain(text: object) -> str:
    """Text that matplotlib shows as it is, on one line: no dollar sign opens mathematics."""
    return " ".join(str(text).split()).replace("$", r"\$")


def matrix_label(theta: str, node: str, *, source: bool) -> str:
    """What stands beside a source or block: its prior or matrix.

    Nothing where the names of its branches say as much, and would be long to repeat.
    """
    if source:
        return f"π {shortened(theta, 10)}"
    if theta == node:
        return f"P({theta})" if _tex(theta) and length(theta) < 12 else ""
    return shortened(theta, 12)


def name_parts(artist: Any, names: Sequence[str | Sequence[str]]) -> None:
    """Say what the bars of a container, or the cells of a mesh row by row, are called.

    A part may have several names, its own first, such as a configuration and the states in it. In a
    lab a click on one part singles out all that share its name, on every axes.
    """
    artist.part_names = [[name] if isinstance(name, str) else list(name) for name in names]


def length(name: str) -> float:
    """How wide a name is when it is drawn, in units of its font size; rather more than less."""
    small = re.search(r"\(\d+\)$", name)
    total = sum(_width(c) for c in name[: small.start() if small else None])
    return total + 0.5 * len(small.group() if small else "")


def shortened(text: str, most: float) -> str:
    """The text, or its beginning and an ellipsis if it would be wider than ``most`` font sizes."""
    if length(text) <= most:
        return text
    while text and length(text) > most - 1:
        text = text[:-1]
    return text + "…"


def _width(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF" or character in _WIDE:
        return 1.02
    return 0.42 if character in _NARROW else 0.72 if character.isupper() else 0.65


def _tex(name: str) -> str | None:
    """The name as TeX, None if it is not made of symbols."""
    symbol = _SYMBOL.fullmatch(name)
    if symbol:
        return symbol[1] + (f"_{{{symbol[2]}}}" if symbol[2] else "") + (symbol[3] or "")
    replica = _REPLICA.fullmatch(name)
    if replica:
        return _joined("{}" + f"^{{{{({replica[2]})}}}}", replica[1])
    if name.startswith("π ") and _SYMBOL.fullmatch(name[2:]):
        return rf"\pi_{{{name[2:]}}}"  # flat: an index of an index cannot be read
    if name.startswith("P(") and name.endswith(")"):
        return _joined("P({})", name[2:-1])
    if "|" in name:
        y, x = name.split("|", 1)
        return _joined(r"{}\,|\,{}", y, x)
    if name.startswith("(") and name.endswith(")") and name.count(")") == 1:
        return _joined("({})", name[1:-1])
    if "," in name:
        return _joined("{}" * (name.count(",") + 1), *name.split(","))
    return None


def _joined(form: str, *names: str) -> str | None:
    parts = [_tex(name) for name in names]
    return None if None in parts else form.format(*parts)


def state_labels(graph: NormalGraph, branch: Branch) -> tuple[str, ...]:
    """The labels of a branch's states; of a product space, those of its variables: ``"a, b"``."""
    product = graph.variable_of[branch.name] in graph.products and not branch.states
    return tuple(
        ", ".join(map(str, state)) if product and isinstance(state, tuple) else str(state)
        for state in graph.states(branch.name)
    )
