"""The status line of a lab, which screen readers speak."""

from __future__ import annotations

import html

import ipywidgets


class Status(ipywidgets.HTML):  # type: ignore[misc]
    """One line of text; as a live region, so that screen readers speak its changes."""

    def __init__(self) -> None:
        super().__init__(layout={"flex": "1 1 130px", "margin": "0"})
        self.add_class("fgn-lab-status")

    def say(self, text: str) -> None:
        """Show a text."""
        self.value = f'<div role="status">{html.escape(text)}</div>'

    def complain(self, error: Exception) -> None:
        """Show an error on one line; its type is left out if that is ``ValueError``."""
        text = " ".join(str(error).split())
        if not isinstance(error, ValueError) or not text:
            text = f"{type(error).__name__}: {text}".rstrip(": ")
        self.value = f'<div role="status" class="fgn-error">{html.escape(text)}</div>'
