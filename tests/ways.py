"""The ways through an E-step: two sweeps, and what replaces them where evidence is hard."""

import pytest

from fgnwidgets.learning import observed

WAYS = {
    "plain": {"TAKEN": False},
    "dense": {"FEW": 0},  # the fast path, on small tables too
    "index": {"FEW": 0, "DENSE": 0, "SMALL": 0, "NARROW": 0},  # and as it is on large tables
}


def go(way: str, patch: pytest.MonkeyPatch) -> None:
    for name, value in WAYS[way].items():
        patch.setattr(observed, name, value)
