"""Evidence that contradicts itself: which cells do, and the message about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fgnwidgets.data.evidence import ImpossibleEvidence
from fgnwidgets.graphs.normal_graph import NormalGraph
from fgnwidgets.inference.queries import propagate

from .observed import Cells, as_table, to_codes
from .scene import said


def explained(
    graph: NormalGraph, theta: Mapping[str, Any], cells: Cells
) -> tuple[str, tuple[str, ...]]:
    """A message about evidence that contradicts itself, and its variables; or ``("", ())``."""
    conflict = contradiction(graph, theta, cells)
    if not conflict:
        return "", ()
    what = " and ".join(said(graph, to_codes(graph, {name: cells[name] for name in conflict})))
    together = "cannot be true together" if len(conflict) > 1 else "is impossible here"
    return f"{what} {together}. The beliefs are those of before: undo (Ctrl+Z).", conflict


def contradiction(graph: NormalGraph, theta: Mapping[str, Any], cells: Cells) -> tuple[str, ...]:
    """A smallest set of variables whose evidence cannot all be true; empty if there is none.

    Among several such sets, one of cells that were observed last is preferred.
    """
    if _possible(graph, theta, cells):
        return ()
    kept = dict(cells)
    for name in cells:
        rest = {other: cell for other, cell in kept.items() if other != name}
        if not _possible(graph, theta, rest):
            kept = rest
    return tuple(kept)


def _possible(graph: NormalGraph, theta: Mapping[str, Any], cells: Cells) -> bool:
    try:
        propagate(graph, theta, as_table(graph, cells))
    except ImpossibleEvidence:
        return False
    return True
