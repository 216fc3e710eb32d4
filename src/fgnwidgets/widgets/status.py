"""The line of a lab that says how it went, for eyes and for screen readers."""

from __future__ import annotations

import html

import ipywidgets


class Status(ipywidgets.HTML):  # type: ignore[misc]
    """One line; a live region, so that a screen reader says what changes in it."""

    def __init__(self) -> None:
        super().__init__(layout={"flex": "1 1 130px", "margin": "0"})
        self.add_class("fgn-lab-status")

    def say(self, text: str) -> None:
        self.value = f'<div role="status">{html.escape(text)}</div>'

    def complain(self, error: Exception) -> None:
        """An error in one readable line; the kind of error only where it is not the usual one."""
        text = " ".join(str(error).split())
        if not isinstance(error, ValueError) or not text:
            text = f"{type(error).__name__}: {text}".rstrip(": ")
        self.value = f'<div role="status" class="fgn-error">{html.escape(text)}</div>'
