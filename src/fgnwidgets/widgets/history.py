"""Undo and redo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

State = TypeVar("State")


class History(Generic[State]):
    """The states before the present one, and those that were undone."""

    def __init__(self) -> None:
        self.past: list[State] = []
        self.future: list[State] = []

    def changed(self, before: State) -> None:
        """Note that ``before`` was replaced by a new state; states that were undone are gone."""
        self.past.append(before)
        self.future.clear()

    def walk(self, present: State, go: Callable[[State], None], *, back: bool) -> bool:
        """Undo (``back``) or redo: call ``go`` with the state to go to; False if there is none.

        ``go`` may note the change by :meth:`changed`, which has no effect here.
        """
        source, target = (self.past, self.future) if back else (self.future, self.past)
        if not source:
            return False
        rest, known = source[:-1], [*target, present]
        go(source[-1])
        source[:], target[:] = rest, known
        return True
