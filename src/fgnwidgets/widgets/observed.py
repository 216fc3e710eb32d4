"""Evidence on one sample, as a reader writes it and as the page sends it.

Vocabulary
    cells   variable -> label of a state (its index where there are none), or a likelihood vector
    codes   the same with an index for every state: all that the page knows
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fgnwidgets.border.evidence import read_evidence
from fgnwidgets.engine.branches import Branch
from fgnwidgets.engine.graph import NormalGraph

Cells = dict[str, Any]


def read_cells(graph: NormalGraph, given: Mapping[str, Any]) -> Cells:
    """Evidence on one sample in its plain form; what says nothing is left out.

    Raises ``ValueError`` for an unknown variable or state, and for more than one sample.
    """
    known = read_evidence(graph, as_table(graph, given))
    if known.n != 1:
        raise ValueError(
            f"evidence holds {known.n} samples: a view shows one, such as table.iloc[[0]]"
        )
    cells: Cells = {}
    for name in known.variables:
        branch = graph.branch(name)
        if name in known.vectors:
            values = known.vectors[name][:, 0]
            if (values != 1).any():
                cells[name] = values.tolist()
        elif known.codes[name][0] >= 0:
            code = int(known.codes[name][0])
            cells[name] = branch.states[code] if branch.states else code
    return cells


def as_table(graph: NormalGraph, cells: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the engine reads: there a flat vector would be a column of as many samples."""
    return {name: _as_column(graph, name, cell) for name, cell in cells.items()} or None


def to_codes(graph: NormalGraph, cells: Mapping[str, Any]) -> dict[str, int | list[float]]:
    """What the page is sent."""
    return {name: _code(graph.branch(name), cell) for name, cell in cells.items()}


def from_codes(graph: NormalGraph, codes: Mapping[str, Any]) -> Cells:
    """What the page sends: an index names a state, whatever its label is."""
    cells: Cells = {}
    for name, code in codes.items():
        states = graph.branch(name).states
        cells[name] = states[code] if states and isinstance(code, int) else code
    return cells


def _code(branch: Branch, cell: Any) -> int | list[float]:
    if isinstance(cell, list):
        return cell
    return branch.states.index(cell) if branch.states else int(cell)


def _as_column(graph: NormalGraph, name: str, cell: Any) -> Any:
    """A flat likelihood vector is one cell here, since a view has one sample."""
    if not isinstance(cell, list | tuple | np.ndarray):
        return cell
    known = name in graph.branches or name in graph.variables
    if not known or not all(isinstance(v, int | float | np.number) for v in cell):
        return cell
    branch = graph.branch(name)
    is_label = isinstance(cell, tuple) and cell in branch.states
    return cell if is_label or len(cell) != branch.size else np.array([cell], dtype=float)
