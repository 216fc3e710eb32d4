"""The claims ledger: what the paper states from its experiments, each as a check over many runs.

Every claim has our wording, its section, and settings; ``measure()`` runs it in a few seconds. A
disagreement is not an error of the paper: it does not print all its settings, and some of its
statements need a condition that our settings make visible.
"""

from __future__ import annotations

from . import block, deeper_graph, hidden_variable
from .ledger import (
    ALWAYS,
    FAILS,
    HOLDS,
    MOSTLY,
    STRICT,
    UNDECIDED,
    Claim,
    Finding,
    Measured,
    Setting,
    Sweep,
)
from .text import summary, text

__all__ = [
    "ALWAYS",
    "FAILS",
    "HOLDS",
    "MOSTLY",
    "STRICT",
    "UNDECIDED",
    "Claim",
    "Finding",
    "Measured",
    "Setting",
    "Sweep",
    "claim",
    "ledger",
    "summary",
    "text",
]


def ledger() -> tuple[Claim, ...]:
    """All claims, in the order of the paper; nothing is computed yet."""
    return (*block.CLAIMS, *hidden_variable.CLAIMS, *deeper_graph.CLAIMS)


def claim(name: str) -> Claim:
    """The claim of that name."""
    found = {c.name: c for c in ledger()}
    if name not in found:
        raise ValueError(f"no claim {name!r}: the claims are {', '.join(found)}")
    return found[name]
