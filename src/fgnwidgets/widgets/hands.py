"""Changes of a living graph by hand: dragged beliefs and matrices, undo and redo.

Vocabulary
    moment   evidence and matrices at one time, to which ``undo`` goes back
    hand     the name of a gesture, such as one drag; its changes are undone together
    wish     what the page asks for beyond setting a trait: ``{"ask": "undo"}``, a dragged bar, ...
             With ``{"all": [...]}`` come again those without an answer; each is granted once
    soft     evidence as likelihoods, of which only the ratios matter
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import traitlets

from fgnwidgets.border.queries import propagate
from fgnwidgets.draw.names import state_labels
from fgnwidgets.engine.arrays import Array
from fgnwidgets.engine.graph import NormalGraph

from .answering import Answering
from .entry import edited
from .history import History
from .lock import LOCK
from .observed import Cells, as_table, from_codes

SUREST = 0.999
"""The largest belief that can be dragged: from 1 it could not be dragged back."""

MOST_WISHES = 1000
"""How many of the last wishes are remembered; a page sends again what it has no answer to."""

Moment = tuple[Cells, Any]


class Hands(Answering):
    """The part of a living graph that changes evidence and matrices, and undoes changes."""

    wish = traitlets.Dict().tag(sync=True)

    graph: NormalGraph
    evidence: Any
    theta: Any
    _history: History[Moment]
    _present: Moment = ({}, None)
    _hand = _last_hand = ""
    _with_code = False
    _granted: deque[Any] | None = None  # the numbers of the last wishes

    def undo(self) -> None:
        """Take back the last change of evidence or matrices, if there is one."""
        self._walk(back=True)

    def redo(self) -> None:
        """Make the change again that :meth:`undo` took back last."""
        self._walk(back=False)

    def forget(self) -> None:
        """Begin a new history, so that earlier changes cannot be undone."""
        self._history = History()
        self._present, self._last_hand = (self.evidence, self.theta), ""

    def soften(self, variable: str, state: int, belief: float) -> None:
        """Put soft evidence on a variable so that the belief in one state becomes ``belief``.

        It replaces the evidence on the variable, but keeps the ratios between its other states.
        Raises ``ValueError`` if the rest of the evidence makes the state impossible or certain.
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
        """Set one entry of a matrix; the others of its row are scaled so that it sums to one."""
        with LOCK:
            if matrix not in self.theta:
                raise ValueError(f"matrix is {matrix!r}: expected one of {', '.join(self.theta)}")
            self.theta = {**self.theta, matrix: edited(self.theta[matrix], row, column, value)}

    def _walk(self, *, back: bool) -> None:
        def go(moment: Moment) -> None:
            self._hand = ""
            evidence, theta = moment
            self.offer(evidence=evidence, **({} if theta is self.theta else {"theta": theta}))

        with LOCK:
            if self._history.walk(self._present, go, back=back):
                self._show()

    def _remember(self) -> None:
        """Note a change of evidence or matrices; the changes of one gesture are noted as one."""
        now = (self.evidence, self.theta)
        if all(one is two for one, two in zip(now, self._present, strict=True)):
            return
        if not self._hand or self._hand != self._last_hand:
            self._history.changed(self._present)
        self._present, self._last_hand = now, self._hand

    def _observed(self, variable: str, cell: Any) -> None:
        """Set the evidence on a variable: the index of a state, likelihoods, or None."""
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
        if self._granted is None:
            self._granted = deque(maxlen=MOST_WISHES)
        refused: list[Exception] = []
        for wish in change["new"].get("all", [change["new"]]):
            number = wish.get("number")
            if number is not None and number in self._granted:
                continue
            self._granted.append(number)
            try:
                self._grant_one(dict(wish))
            except Exception as error:  # those that came after it are granted all the same
                refused.append(error)
        if refused:
            raise refused[-1]

    def _grant_one(self, wish: dict[str, Any]) -> None:
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
