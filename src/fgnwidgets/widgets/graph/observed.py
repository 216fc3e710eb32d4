"""Evidence on one sample, as a user writes it and as the page sends it.

Vocabulary
    cells   variable -> label of a state (its index if there are no labels), or likelihood vector
    codes   the same with the index of the state in place of its label, as the page has it
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fgnwidgets.graphs.branches import Branch
from fgnwidgets.graphs.normal_graph import NormalGraph
from fgnwidgets.inference.evidence import read_evidence

Cells = dict[str, Any]


def read_cells(graph: NormalGraph, given: Mapping[str, Any]) -> Cells:
    """Evidence on one sample as cells, without missing ones.

    Raises ``ValueError`` for an unknown variable or state, and for more than one sample.
    """
    known = read_evidence(graph, as_table(graph, given))
    if known.n != 1:
        raise ValueError(
            f"evidence holds {known.n} samples: a view shows one, such as table.iloc[[0]]"
        )
    cells: Cells = {}
    order = list(given)  # a branch may stand for its variable: such a one comes last
    own = sorted(known.variables, key=lambda v: order.index(v) if v in order else len(order))
    for name in own:
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
    """Cells as a table, in which a likelihood vector must be a row of an array."""
    return {name: _as_column(graph, name, cell) for name, cell in cells.items()} or None


def to_codes(graph: NormalGraph, cells: Mapping[str, Any]) -> dict[str, int | list[float]]:
    """Cells as codes."""
    return {name: _code(graph.branch(name), cell) for name, cell in cells.items()}


def from_codes(graph: NormalGraph, codes: Mapping[str, Any]) -> Cells:
    """Codes as cells."""
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
    """A cell as a column; a list of numbers is one likelihood vector, not one cell per number."""
    if not isinstance(cell, list | tuple | np.ndarray):
        return cell
    known = name in graph.branches or name in graph.variables
    if not known or not all(isinstance(v, int | float | np.number) for v in cell):
        return cell
    branch = graph.branch(name)
    is_label = isinstance(cell, tuple) and cell in branch.states
    return cell if is_label or len(cell) != branch.size else np.array([cell], dtype=float)
