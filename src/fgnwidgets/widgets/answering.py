"""A widget that answers everything its page asks for; an error becomes a message on the page.

Vocabulary
    asked   True while values from the page are taken in
    fault   the message of the last error that they caused, or ""
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import anywidget

from .lock import LOCK


class Answering(anywidget.AnyWidget):
    """Takes in all values that a page sends, or none of them; then ``_show`` answers the page."""

    _asked = False
    _fault = ""

    def __setattr__(self, name: str, value: Any) -> None:
        # While another thread takes in a message, traitlets checks no values: so wait for it.
        with LOCK:
            super().__setattr__(name, value)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take in values from the page, and answer with a scene even if they are refused."""
        self._answer(sync_data, lambda: super(Answering, self).set_state(sync_data))

    def offer(self, **values: Any) -> None:
        """Set traits together as a page does: an error becomes the fault, and nothing is raised."""

        def take() -> None:
            with self.hold_trait_notifications():
                for name, value in values.items():
                    setattr(self, name, value)

        self._answer(values, take)

    def _answer(self, names: Iterable[str], take: Callable[[], None]) -> None:
        with LOCK:
            if self._asked:  # called while values are taken in, which are answered together
                take()
                return
            before = {name: self._trait_values.get(name) for name in names if self.has_trait(name)}
            self._asked, self._fault = True, ""
            try:
                take()
            except Exception as error:  # raised in a callback, it would be seen only in a log
                self._fault = str(error)
                self._trait_values.update(before)  # values before the refused one were set already
            finally:
                self._asked = False
            self._show()

    def _show(self) -> None:
        """Send the page its answer."""
        raise NotImplementedError
