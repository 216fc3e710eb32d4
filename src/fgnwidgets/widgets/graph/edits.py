"""The document of a living graph, and its edits: functions from a document to a new one.

Vocabulary
    document   graph, matrices, evidence, and what of it is looked at: form, schedule, round, part
    soft       evidence as likelihoods, of which only the ratios matter
    cell       evidence on one variable as a page sends it: the index of a state, likelihoods, None
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from fgnwidgets.algebra.arrays import Array
from fgnwidgets.draw.names import state_labels
from fgnwidgets.graphs.normal_graph import NormalGraph
from fgnwidgets.inference.messages import Messages
from fgnwidgets.inference.queries import propagate

from .entry import edited, typed_row
from .observed import Cells, as_table, from_codes, read_cells, to_codes

SUREST = 0.999
"""The largest belief that can be dragged: from 1 it could not be dragged back."""


class Answering(Protocol):
    """A document with matrices and evidence, as these edits know it: that of a graph, of an editor.

    ``reads``           the graph whose states evidence is checked against
    ``observing``       the document with other evidence, and a variable selected, if one is named
    ``with_matrix``     the document with one matrix in place of another of its name
    """

    @property
    def reads(self) -> NormalGraph: ...
    @property
    def theta(self) -> Mapping[str, Array]: ...
    @property
    def evidence(self) -> Mapping[str, Any]: ...
    @property
    def codes(self) -> dict[str, Any]: ...
    def has(self, variable: str) -> None: ...
    def observing(self, cells: Cells, variable: str = "") -> Self: ...
    def with_matrix(self, name: str, matrix: Array) -> Self: ...


Answers = TypeVar("Answers", bound=Answering)


@dataclass(frozen=True, eq=False)
class Pinned:
    """Beliefs of one moment: variable -> ``(M,)``, and the evidence of then in words."""

    beliefs: Mapping[str, Array]
    words: str


@dataclass(frozen=True, eq=False)
class GraphDocument:
    """All that a living graph shows.

    ``own`` are messages in place of those of a schedule, ``pinned`` the beliefs that stay as pale
    bars, ``target`` the variable of which all others say what they would tell, and ``origin`` the
    cell of a matrix, (name, row, column), whose rows of the table are listed.
    """

    graph: NormalGraph
    theta: Mapping[str, Array]
    evidence: Cells
    form: str = "normal"
    schedule: str = "two sweeps"
    start: int | None = None
    round: int = 0
    selected: str | None = None
    own: Messages | None = None
    pinned: Pinned | None = None
    target: str | None = None
    origin: tuple[str, int, int] | None = None

    def has(self, variable: str) -> None:
        """Raise ``ValueError`` unless the graph has this variable."""
        if variable not in self.graph.variables:
            known = ", ".join(self.graph.variables)
            raise ValueError(f"variable is {variable!r}: expected one of {known}")

    @property
    def reads(self) -> NormalGraph:
        return self.graph

    @property
    def codes(self) -> dict[str, Any]:
        """The evidence as a page has it."""
        return to_codes(self.graph, self.evidence)

    def observing(self, cells: Cells, variable: str = "") -> GraphDocument:
        selected = f"variable:{variable}" if variable else self.selected
        return replace(self, evidence=read_cells(self.graph, cells), selected=selected)

    def with_matrix(self, name: str, matrix: Array) -> GraphDocument:
        return replace(self, theta={**self.theta, name: matrix})


def observe(doc: Answers, variable: str, cell: Any) -> Answers:
    """Evidence on a variable in place of that which it has; the variable is selected."""
    doc.has(variable)
    size = doc.reads.branch(variable).size
    if isinstance(cell, int) and not 0 <= cell < size:
        raise ValueError(f"state is {cell}: {variable} has {size} states")
    cells = dict(doc.evidence)
    if cell is None:
        cells.pop(variable, None)
    else:
        cells |= from_codes(doc.reads, {variable: cell})
    return doc.observing(cells, variable)


def toggle(doc: Answers, variable: str, state: int) -> Answers:
    """Observe a state, or nothing where it is observed already."""
    return observe(doc, variable, None if doc.codes.get(variable) == state else state)


def cycle(doc: GraphDocument, variable: str) -> GraphDocument:
    """None, the first state, ..., the last one, none; from likelihoods to none."""
    doc.has(variable)
    now = doc.codes.get(variable)
    if now is None:
        return observe(doc, variable, 0)
    ahead = isinstance(now, int) and now + 1 < doc.graph.branch(variable).size
    return observe(doc, variable, now + 1 if ahead else None)


def soften(doc: GraphDocument, variable: str, state: int, belief: float) -> GraphDocument:
    """Soft evidence on a variable so that the belief in one state becomes ``belief``.

    It replaces the evidence on the variable, but keeps the ratios between its other states. Raises
    ``ValueError`` if the rest of the evidence makes the state impossible or certain.
    """
    p, known = _without(doc, variable)
    states = state_labels(doc.graph, doc.graph.branch(variable))
    if not 0 <= state < len(states):
        raise ValueError(f"state is {state}: {variable} has {len(states)} states")
    try:
        cell = softened(p, known, state, belief)
    except ValueError as error:
        raise ValueError(f"{variable} = {states[state]} {error}") from None
    cells = {**doc.evidence, variable: cell}
    return replace(doc, evidence=read_cells(doc.graph, cells))


def nudge(doc: GraphDocument, variable: str, state: int, by: float) -> GraphDocument:
    """The same by a step: the belief in one state becomes larger or smaller by ``by``."""
    p, known = _without(doc, variable)
    cell = doc.codes.get(variable)
    if isinstance(cell, int):
        known = (np.arange(len(p)) == cell).astype(float)
    if not (known * p).any():  # its own evidence is impossible: the hand begins without it
        known = np.ones(len(p))
    now = float((known * p)[state] / (known * p).sum())
    return soften(doc, variable, state, round(now + by, 4))


def edit(doc: Answers, matrix: str, row: int, column: int, value: float) -> Answers:
    """One entry of a matrix; the others of its row are scaled so that it sums to one."""
    return doc.with_matrix(matrix, edited(_known(doc, matrix), row, column, value))


def step(doc: Answers, matrix: str, row: int, column: int, by: float) -> Answers:
    """The same by a step, kept from 0 to 1."""
    known = _known(doc, matrix)
    if not (0 <= row < known.shape[0] and 0 <= column < known.shape[1]):
        return edit(doc, matrix, row, column, 0.0)  # which refuses the place
    value = round(float(known[row, column]) + by, 4)
    return edit(doc, matrix, row, column, min(max(value, 0.0), 1.0))


def type_row(
    doc: Answers, matrix: str, row: int, typed: Mapping[str, Any], begun: Answers
) -> Answers:
    """A row of which some cells were typed (column -> text), in one visit that began at ``begun``.

    What was typed stays; the other cells share the rest in the proportions that they had then.
    """
    before = begun if matrix in begun.theta else doc
    cells = {int(column): text for column, text in typed.items()}
    made = np.array(_known(doc, matrix), dtype=float)
    made[row : row + 1] = typed_row(_known(before, matrix), row, cells)[row : row + 1]
    return doc.with_matrix(matrix, made)


def softened(p: Array, known: Array, state: int, belief: float) -> list[float]:
    """Likelihoods ``(M,)`` that make the belief in ``state`` ``belief``; the largest is one.

    ``p`` are the beliefs without evidence on the variable, ``known`` its likelihoods so far, whose
    ratios between the other states are kept. Raises ``ValueError`` if no likelihoods can do it.
    """
    wanted = min(max(float(belief), 1 - SUREST), SUREST)
    others = np.arange(len(p)) != state
    rest = float((known * p)[others].sum())
    if rest <= 0:
        known, rest = np.ones(len(p)), float(p[others].sum())
    if not p[state] > 0:
        raise ValueError("is impossible here, so no likelihood makes it more probable")
    if not rest > 0:
        raise ValueError("is certain here, so no likelihood makes it less probable")
    made = np.where(others, known, wanted / (1 - wanted) * rest / p[state])
    return [float(f"{v:.6g}") for v in made / made.max()]


def _without(doc: GraphDocument, variable: str) -> tuple[Array, Array]:
    """The beliefs without the evidence on a variable, and its likelihoods so far, both ``(M,)``."""
    doc.has(variable)
    cells = dict(doc.evidence)
    before = cells.pop(variable, None)
    rest = propagate(doc.graph, doc.theta, as_table(doc.graph, cells))
    p: Array = rest[variable].p[:, 0]
    return p, np.array(before) if isinstance(before, list) else np.ones(len(p))


def _known(doc: Answering, matrix: str) -> Array:
    if matrix not in doc.theta:
        raise ValueError(f"matrix is {matrix!r}: expected one of {', '.join(doc.theta)}")
    return doc.theta[matrix]
