"""The bar of a lab on its page: its title, what can be done, what a run does, and what is said.

Vocabulary
    values   those of all controls together, the document that undo goes back to
    grip     the gesture by which a hand moves a control now, such as one drag: undone in one step
    panel    what is read beside the picture: its numbers, its code, or its files

The bar also gives the controls of the lab their names for screen readers, which those of ipywidgets
do not have, and says where Python is busy or gone. It is drawn by ``js/lab/bar.js``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import traitlets

from ..page.plain import layout
from ..page.protocol import DocumentWidget

ControlValues = Mapping[str, Any]


MOST_STEPS = 100
"""The most changes that can be undone."""


class Page(DocumentWidget[ControlValues]):
    """The bar of a lab.

    ``names``    the spoken names of the controls, in the order of their classes
    ``panels``   name -> what makes its contents: a text, or ``(file, type, base64)`` for each file
    ``acts``     further words that the page may ask for, and what carries them out
    ``go``       moves all controls to values, and has the lab follow
    """

    BUNDLE = "lab"

    names = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self,
        title: str,
        names: Sequence[str],
        values: ControlValues,
        panels: Mapping[str, Callable[[], Any]],
        acts: Mapping[str, Callable[..., None]],
        go: Callable[[ControlValues], None],
    ) -> None:
        self._title, self._panels, self._acts, self._go = title, dict(panels), dict(acts), go
        self._said: tuple[str, str] = ("", "")  # a text, and whether it is an error
        self._doing: tuple[str, float] = ("", 0.0)
        self._grip = ""
        self.pinned = ""
        self.news = ""  # what a screen reader is told of the picture when hands rest
        self.opened = ""
        self._contents: Any = ""
        self._begin(values)
        super().__init__(names=list(names), layout=layout())
        self.on_msg(self._hear)
        self._draw()

    def __repr__(self) -> str:
        return "Page()"

    # What the lab says

    @property
    def said(self) -> str:
        """The bar's line: an error, how far a run is, or nothing."""
        return self._said[0]

    def say(self, text: str) -> None:
        """Show a text."""
        self._said = (text, "")
        self._draw()

    def complain(self, error: Exception) -> None:
        """Show an error on one line; its type is left out if that is ``ValueError``."""
        text = " ".join(str(error).split())
        if not isinstance(error, ValueError) or not text:
            text = f"{type(error).__name__}: {text}".rstrip(": ")
        self._said = (text, "error")
        self._draw()

    def tell(self, state: str, share: float) -> None:
        """Show what a run does, and which share of it is done."""
        self._doing = (state, round(share, 3))
        self._draw()

    def moved(self, values: ControlValues, *, by_hand: bool = True) -> None:
        """Note that controls were moved; those of one gesture of a hand are undone together."""
        gesture, self._gesture = self._gesture, (self._gesture or self._grip) if by_hand else ""
        try:
            self._moving = True
            self._change(dict(values))
        finally:
            self._moving, self._gesture = False, gesture
        del self._history.past[:-MOST_STEPS]

    def panel(self, name: str | None) -> None:
        """Open an panel; with None, or where it is open already, none is open then."""
        self.opened = "" if name is None or name == self.opened else name
        if self.opened and self.opened not in self._panels:
            raise ValueError(f"no panel {name!r}: expected {', '.join(self._panels)}")
        self.refresh()

    def refresh(self) -> None:
        """Make the contents of the open panel anew."""
        self._contents = self._panels[self.opened]() if self.opened else ""
        self._draw()

    @property
    def contents(self) -> Any:
        """The contents of the open panel."""
        return self._contents

    # The document

    _moving = False

    def _words(self) -> dict[str, Callable[..., None]]:
        return {"grip": self._gripped, "ping": lambda: None, "panel": self.panel, **self._acts}

    def _gripped(self, name: str) -> None:
        self._grip = name

    def _counts(self, before: ControlValues, after: ControlValues) -> bool:
        return dict(before) != dict(after)

    def _shows(self, before: ControlValues) -> None:
        if not self._moving:
            self._grip = ""
            self._go(self._document)

    def _scene(self) -> dict[str, Any]:
        files = isinstance(self._contents, list)
        return {
            "title": self._title,
            "said": self._said[0],
            "wrong": self._said[1] == "error",
            "run": {"state": self._doing[0], "share": self._doing[1]},
            "pinned": self.pinned,
            "panels": list(self._panels),
            "open": self.opened,
            "news": self.news,
            "text": "" if files else str(self._contents),
            "files": self._contents if files else [],
        }
