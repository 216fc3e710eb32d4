"""The information of every variable on a target, on a living graph (``informative``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fgnwidgets.analysis.informative import Informative, informative
from fgnwidgets.graphs.normal_graph import NormalGraph

from .observed import Cells, as_table

LEAST = 0.0005
"""Bits below this are written ``<0.001 bits``."""


@dataclass(frozen=True, eq=False)
class Asking:
    """The answer for a target: what to say of it, and ``found``, or None if there is none."""

    target: str
    words: str
    found: Informative | None = None

    def mark(self, parts: list[dict[str, Any]]) -> None:
        """Write on every card what its variable would tell, and on lines and blocks how strong."""
        found = self.found
        for part in parts:
            if part.get("variable") == self.target:
                part["note"] = part["note"] or "target"
        if found is None:
            return
        most = max(found.strength.values(), default=0.0)
        for part in parts:
            variable = str(part.get("variable"))
            if variable in found.bits:
                part["tells"] = _told(found, variable)
                part["name"] += f"; {part['tells']['why']}"
            arrows = _arrows_of(part, found.strength)
            if arrows:
                strongest = max(arrows.values())
                part["strength"] = round(strongest / most, 3) if most > 0 else 0.0
                said = ", ".join(f"{a} to {b} {bits(v)}" for (a, b), v in arrows.items())
                part["name"] += f"; strength: {said}"


def ask(graph: NormalGraph, theta: Mapping[str, Any], cells: Cells, target: str) -> Asking:
    """The information of each variable without a state on ``target``, given the evidence."""
    try:
        found = informative(graph, theta, as_table(graph, cells), target)
    except ValueError:  # it is observed, or the evidence cannot be true
        seen = "is observed: nothing is left to ask" if target in cells else "has no answer now"
        return Asking(target, f"{target} {seen}.")
    first = next((name for name, value in found.bits.items() if value >= LEAST), None)
    unknown = f"{target}: {bits(found.entropy)} unknown"
    if first is None:
        return Asking(target, f"{unknown}; nothing else tells of it.", found)
    return Asking(target, f"{unknown}; {first} would tell most: {bits(found.bits[first])}.", found)


def bits(value: float) -> str:
    """An amount of information as text, ``0.213 bits``."""
    amount = "0" if value <= 0 else "<0.001" if value < LEAST else f"{value:.3f}"
    return f"{amount} bits"


def _told(found: Informative, name: str) -> dict[str, Any]:
    share = found.share[name]
    share = 0.0 if np.isnan(share) else float(share)
    percent = f"{100 * share:.0f} %" if share >= 0.005 or share == 0 else "<1 %"
    why = (
        f"observing {name} is expected to tell {bits(found.bits[name])} of {found.target}, "
        f"{percent} of what is unknown"
    )
    return {
        "text": f"{bits(found.bits[name])} · {percent}",
        "share": round(share, 4),
        "why": why,
    }


def _arrows_of(
    part: Mapping[str, Any], strength: Mapping[tuple[str, str], float]
) -> dict[tuple[str, str], float]:
    """The arrows that a line or a block stands for, each with its strength."""
    if part["id"].startswith("edge:"):
        pair = tuple(part["id"].removeprefix("edge:").split("->"))
        return {pair: strength[pair]} if pair in strength else {}
    child = part.get("about") if part.get("given", [""]) != [""] else None
    return {pair: value for pair, value in strength.items() if pair[1] == child}
