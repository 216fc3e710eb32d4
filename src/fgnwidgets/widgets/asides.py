"""The toggles of a lab that show numbers, code or files above its picture."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets

from .lock import LOCK

TIPS = {
    "numbers": "What the picture shows, in numbers",
    "code": "The lines of Python that give the same figure without the lab",
    "files": "Download the data and the picture",
}


class Asides:
    """Toggles of which at most one is pressed, and the text of the pressed one.

    ``contents`` maps each toggle to a function that returns its text as HTML; it is called only
    while the toggle is pressed.
    """

    def __init__(self, contents: Mapping[str, Callable[[], str]]) -> None:
        self._contents = dict(contents)
        self._toggles = {
            key: ipywidgets.ToggleButton(
                description=key, tooltip=TIPS[key], layout={"width": "auto"}
            )
            for key in contents
        }
        for toggle in self._toggles.values():
            toggle.observe(self._toggled, "value")
        self.toggles = ipywidgets.HBox(list(self._toggles.values()))
        self.text = ipywidgets.HTML(layout={"margin": "0", "max_width": "100%"})

    def open(self, key: str | None) -> None:
        """Press the toggle ``key``; with None, none of them."""
        for name, toggle in self._toggles.items():
            toggle.value = name == key

    def refresh(self) -> None:
        """Make the text of the pressed toggle anew."""
        with LOCK:
            pressed = [key for key, toggle in self._toggles.items() if toggle.value]
            self.text.value = self._contents[pressed[0]]() if pressed else ""

    def _toggled(self, change: Any) -> None:
        with LOCK:
            if change["new"]:
                for toggle in self._toggles.values():
                    toggle.value = toggle is change["owner"]
            self.refresh()


def preformatted(text: str) -> str:
    """Text as HTML that keeps its lines and spaces."""
    return f"<pre>{html.escape(text)}</pre>"
