"""What a page needs beyond its widgets: names for screen readers, and the look of a lab.

The sliders of ipywidgets give their handles no name, and its images no alternative text: a small
script, which decides nothing, passes on what Python says.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import anywidget
import traitlets

STATIC = Path(__file__).parent / "static"


class Page(anywidget.AnyWidget):
    """An invisible part of a lab: the spoken names of its controls, and the picture in words."""

    _esm = STATIC / "lab.js"
    _css = STATIC / "lab.css"

    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    picture = traitlets.Unicode().tag(sync=True)

    def __init__(self, names: Sequence[str], picture: str = "") -> None:
        super().__init__(names=list(names), picture=picture)

    def __repr__(self) -> str:
        return "Page()"
