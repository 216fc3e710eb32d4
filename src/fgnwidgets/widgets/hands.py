"""What a hand does to a living graph: beliefs and matrices that are dragged, undo and redo.

Vocabulary
    moment   evidence and matrices at one time: what ``undo`` goes back to
    hand     names a gesture, such as one drag, whose changes are undone as one
    wish     what the page asks for that is no value of a trait: undo, a dragged bar, a typed cell
    soft     evidence as likelihoods, of which only the ratios move a belief
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import traitlets

from fgnwidgets.border.queries import propagate
from fgnwidgets.draw.names import state_labels
from fgnwidgets.engine.arrays import Array
from fgnwidgets.engine.graph import NormalGraph

from .answering import Answering
from .history import History
from .lock import LOCK
from .observed import Cells, as_table, from_codes

SUREST = 0.999
"""As far as a dragged belief goes: certainty is observed, and could not be dragged back."""

Moment = tuple[Cells, Any]


class Hands(Answering):
    """The part of a living graph that changes evidence and matrices, and takes changes back."""

    wish = traitlets.Dict().tag(sync=True)

    graph: NormalGraph
    evidence: Any
    theta: Any
    _history: History[Moment]
    _present: Moment = ({}, None)
    _hand = _last_hand = ""
    _with_code = False

    def undo(self) -> None:
        """Take back the last change of evidence or matrices; nothing where there was none."""
        self._walk(back=True)

    def redo(self) -> None:
        """Make again what :meth:`undo` took back last."""
        self._walk(back=False)

    def forget(self) -> None:
        """Begin a new history: nothing of before is undone."""
        self._history = History()
        self._present, self._last_hand = (self.evidence, self.theta), ""

    def soften(self, variable: str, state: int, belief: float) -> None:
        """Soft evidence that brings the belief in a state to ``belief``, others keep their ratios.

        It replaces the evidence on the variable. Raises ``ValueError`` for a state that is
        impossible, or that is certain, whatever is said of the variable.
        """
        with LOCK:
            cells = dict(self.evidence)
            before = cells.pop(variable, None)
            rest = propagate(self.graph, self.theta, as_table(self.graph, cells))
            p = rest[variable].p[:, 0]
            known = np.array(before) if isinstance(before, list) else np.ones(len(p))
            states = state_labels(self.graph, self.graph.branch(variable))
            try:
                cells[variable] = softened(p, known, state, belief)
            except ValueError as error:
                raise ValueError(f"{variable} = {states[state]} {error}") from None
            self.evidence = cells

    def edit(self, matrix: str, row: int, column: int, value: float) -> None:
        """Set one entry of a matrix; the others of its row are scaled, so that it sums to one."""
        with LOCK:
            if matrix not in self.theta:
                raise ValueError(f"matrix is {matrix!r}: expected one of {', '.join(self.theta)}")
            self.theta = {**self.theta, matrix: edited(self.theta[matrix], row, column, value)}

    def _walk(self, *, back: bool) -> None:
        with LOCK:
            here, there = self._history.step(back)
            if not here:
                return
            self._hand = ""
            kept = here[:-1], [*there, self._present]
            evidence, theta = here[-1]
            self.offer(evidence=evidence, **({} if theta is self.theta else {"theta": theta}))
            here[:], there[:] = kept
            self._show()

    def _remember(self) -> None:
        """Note evidence and matrices as they are now; those of one gesture replace each other."""
        now = (self.evidence, self.theta)
        if all(one is two for one, two in zip(now, self._present, strict=True)):
            return
        if not self._hand or self._hand != self._last_hand:
            self._history.changed(self._present)
        self._present, self._last_hand = now, self._hand

    def _observed(self, variable: str, cell: Any) -> None:
        """The page's code of a state, or likelihoods, or None for nothing observed."""
        cells = dict(self.evidence)
        if cell is None:
            cells.pop(variable, None)
        else:
            cells |= from_codes(self.graph, {variable: cell})
        self.evidence = cells

    def _code_wanted(self) -> None:
        self._with_code = True

    @traitlets.observe("wish")
    def _grant(self, change: Mapping[str, Any]) -> None:
        wish = dict(change["new"])
        what = wish.pop("ask", None)
        wish.pop("number", None)
        acts: dict[str, Callable[..., None]] = {
            "undo": self.undo,
            "redo": self.redo,
            "soften": self.soften,
            "edit": self.edit,
        }
        acts |= {"observe": self._observed, "code": self._code_wanted}
        if what in acts:
            try:
                self._hand = wish.pop("hand", "")
                acts[what](**wish)
            finally:
                self._hand = ""
        elif what is not None:
            raise ValueError(f"the page asks for {what!r}: expected {', '.join(acts)}")


def softened(p: Array, known: Array, state: int, belief: float) -> list[float]:
    """Likelihoods under which beliefs ``p`` become ``belief`` at ``state``; the largest is one.

    ``known`` are likelihoods of before, whose ratios between the other states stay. Raises
    ``ValueError`` where no likelihood can do it.
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


def edited(matrix: Array, row: int, column: int, value: float) -> Array:
    """The matrix with one entry set to ``value``, between 0 and 1, and its row a distribution.

    The others share what is left as they did; equally where they had nothing. Raises ``ValueError``
    for what is no number between 0 and 1, or a place outside the matrix.
    """
    rows, columns = matrix.shape
    if not (0 <= row < rows and 0 <= column < columns):
        raise ValueError(f"({row}, {column}) lies outside the matrix, which is {rows} by {columns}")
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{value!r} is no probability: expected a number from 0 to 1")
    if columns == 1 and value != 1:
        raise ValueError("a row with one entry is always 1")
    made = np.array(matrix, dtype=float)
    others = np.arange(columns) != column
    left = made[row, others].sum()
    share = made[row, others] / left if left > 0 else np.full(columns - 1, 1 / max(columns - 1, 1))
    made[row, others] = np.round(share * (1 - value), 12)  # no digits that nobody typed
    made[row, column] = value
    return made
