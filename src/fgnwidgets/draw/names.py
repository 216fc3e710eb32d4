"""Names as the paper writes them: ``S1(2)`` becomes an S with index 1 and superscript (2).

Only names of one letter and digits, as the paper's are, become mathematics. All other names of
variables and states are text, and shown exactly as they were written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from ..graphs.branches import Branch
from ..graphs.normal_graph import NormalGraph

_SYMBOL = re.compile(r"([A-Za-z])(\d*)(\[\w\])?")
_REPLICA = re.compile(r"(.+)\((\d+)\)")
_WIDE, _NARROW = "MW@%mw", "fijlrtI.,:;|!'()[] "  # characters much wider or narrower than others


def maths(name: str) -> str:
    """A name in matplotlib's markup: of a branch, of a variable, or from :func:`matrix_label`."""
    tex = _tex(name)
    if tex is not None:
        return f"${tex}$"
    replica = _REPLICA.fullmatch(name)
    if replica:
        return f"{plain(replica[1])}$^{{({replica[2]})}}$"
    return plain(name)


def message(letter: str, name: str) -> str:
    """The symbol of a message in matplotlib's markup: ``f`` or ``b`` with its branch as index."""
    return f"${letter}_{{{_tex(name) or ''}}}$".replace("_{}", "")


def plain(text: object) -> str:
    """Text on one line that matplotlib shows as it is, even with dollar signs."""
    return " ".join(str(text).split()).replace("$", r"\$")


def matrix_label(theta: str, node: str, *, source: bool) -> str:
    """The label of a source or block: its prior or matrix.

    "" for a long name that only repeats those of the branches.
    """
    if source:
        return f"π {shortened(theta, 10)}"
    if theta == node:
        return f"P({theta})" if _tex(theta) and length(theta) < 12 else ""
    return shortened(theta, 12)


def number(value: float) -> str:
    """A probability as every graph writes it: three decimals, and 0 and 1 only where it is so.

    ``"0"`` and ``"1"`` are exact. What would round to them is ``"<0.001"`` and ``">0.999"``: so a
    reader sees what is impossible and what is only improbable. Cards, panels, notes and still
    pictures all write numbers in this way, and ``number`` of ``js/core/elements.js`` does the same.
    """
    if value in (0, 1):
        return str(int(value))
    if 0 < value < 0.0005:
        return "<0.001"
    return ">0.999" if 0.9995 <= value < 1 else f"{value:.3f}"


def name_parts(artist: Any, names: Sequence[str | Sequence[str]]) -> None:
    """Name the bars of a container, or the cells of a mesh row by row, for the labs.

    A part may have several names, its own first, such as a configuration and the states in it. In a
    lab a click on a part highlights all parts, on all axes, that have its own name among theirs.
    """
    artist.part_names = [[name] if isinstance(name, str) else list(name) for name in names]


def length(name: str) -> float:
    """An estimate from above of a drawn name's width, in font sizes."""
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
        return rf"\pi_{{{name[2:]}}}"  # not _tex: an index of an index is too small to read
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
    """Names as TeX in the places of a format; None if one of them is not made of symbols."""
    parts = [_tex(name) for name in names]
    return None if None in parts else form.format(*parts)


def state_labels(graph: NormalGraph, branch: Branch) -> tuple[str, ...]:
    """The labels of a branch's states; of a product space, those of its variables: ``"a, b"``."""
    product = graph.variable_of[branch.name] in graph.products and not branch.states
    return tuple(
        ", ".join(map(str, state)) if product and isinstance(state, tuple) else str(state)
        for state in graph.states(branch.name)
    )
