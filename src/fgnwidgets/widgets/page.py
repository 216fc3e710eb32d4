"""A small script for the page of a lab: names for screen readers, and a notice without a kernel.

The sliders of ipywidgets have no names for screen readers, and a lab whose kernel is gone looks as
if it worked. The script adds the names and the notice.
"""

from __future__ import annotations

from collections.abc import Sequence

import anywidget
import traitlets

from .scripts import STATIC


class Page(anywidget.AnyWidget):
    """A widget that is visible only without a kernel; ``names`` are the controls' spoken names."""

    _esm = STATIC / "lab.js"
    _css = STATIC / "lab.css"

    names = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names=list(names))

    def __repr__(self) -> str:
        return "Page()"
