"""What was there before each change, and what was taken back: undo and redo."""

from __future__ import annotations

from typing import Generic, TypeVar

State = TypeVar("State")


class History(Generic[State]):
    """States before and after the present one; a new change forgets what was taken back."""

    def __init__(self) -> None:
        self.past: list[State] = []
        self.future: list[State] = []

    def changed(self, before: State) -> None:
        """The present state has followed ``before``."""
        self.past.append(before)
        self.future.clear()

    def step(self, back: bool) -> tuple[list[State], list[State]]:
        """The two lists to walk from and to: the first one's last is the state to go to."""
        return (self.past, self.future) if back else (self.future, self.past)
