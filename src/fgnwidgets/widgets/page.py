"""What a page needs beyond its widgets: names for screen readers, and the look of a lab.

The sliders of ipywidgets give their handles no name, and a lab whose kernel is gone looks as if it
were alive: a small script, which decides nothing, passes on what Python says, and says that.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import anywidget
import traitlets

STATIC = Path(__file__).parent / "static"


class Page(anywidget.AnyWidget):
    """A part of a lab that is seen only without a kernel; the spoken names of its controls."""

    _esm = STATIC / "lab.js"
    _css = STATIC / "lab.css"

    names = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names=list(names))

    def __repr__(self) -> str:
        return "Page()"
