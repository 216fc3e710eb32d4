"""A widget whose page asks: whatever comes in is answered, and a fault becomes a line of words.

Vocabulary
    asked   while values of the page come in: their faults go to the status line
    fault   what went wrong with the last thing that was asked for; empty if nothing did
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import anywidget

from .lock import LOCK


class Answering(anywidget.AnyWidget):
    """Takes in what a page asks for: all of it, or nothing and a fault; then ``_show`` answers."""

    _asked = False
    _fault = ""

    def __setattr__(self, name: str, value: Any) -> None:
        # traitlets suspends its checks while a message of the page is taken in, in another thread.
        with LOCK:
            super().__setattr__(name, value)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take in what the page asks for, and answer with a scene, whatever happens."""
        self._answer(sync_data, lambda: super(Answering, self).set_state(sync_data))

    def offer(self, **values: Any) -> None:
        """Set traits as a page does, all at once: what does not fit is said, and nothing raises."""

        def take() -> None:
            with self.hold_trait_notifications():
                for name, value in values.items():
                    setattr(self, name, value)

        self._answer(values, take)

    def _answer(self, names: Iterable[str], take: Callable[[], None]) -> None:
        with LOCK:
            if self._asked:  # a part of a larger question, which is answered as a whole
                take()
                return
            before = {name: self._trait_values.get(name) for name in names if self.has_trait(name)}
            self._asked, self._fault = True, ""
            try:
                take()
            except Exception as error:  # a callback's error would vanish in a log
                self._fault = str(error)
                self._trait_values.update(before)  # what is checked last may be set already
            finally:
                self._asked = False
            self._show()

    def _show(self) -> None:
        raise NotImplementedError
