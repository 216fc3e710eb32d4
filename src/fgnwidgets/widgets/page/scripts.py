"""The scripts of pages, and how each of them travels once a page, however many widgets it has.

Vocabulary
    bundle   the script and the style sheet of a kind of widget, ``static/<name>.js`` and
             ``static/<name>.css``. They are made from ``js/`` by ``npm run build``
    script   a model of its own that holds a bundle. One for all widgets of a kind is made in a
             kernel, and each of these refers to it
    stub     the few lines that a widget brings itself: they fetch the bundle from its model
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import anywidget
import ipywidgets
import traitlets

from .lock import LOCK

STATIC = Path(__file__).parents[1] / "static"

STUB = (STATIC / "stub.js").read_text(encoding="utf-8")


class Script(ipywidgets.Widget):  # type: ignore[misc]
    """A bundle as a model without a view; ``key`` tells a page whether it knows this text."""

    text = traitlets.Unicode().tag(sync=True)
    style = traitlets.Unicode().tag(sync=True)
    key = traitlets.Unicode().tag(sync=True)

    def __init__(self, name: str) -> None:
        text, style = bundle(name)
        key = hashlib.sha256((text + style).encode()).hexdigest()[:16]
        super().__init__(text=text, style=style, key=key)

    def __repr__(self) -> str:
        return f"Script({self.key})"


class Scripted(anywidget.AnyWidget):
    """A widget whose page is drawn by the bundle that its class names."""

    BUNDLE = ""

    _esm = STUB

    script = traitlets.Instance(Script).tag(sync=True, **ipywidgets.widget_serialization)

    @traitlets.default("script")
    def _shared(self) -> Script:
        return shared(self.BUNDLE)


_SHARED: dict[str, Script] = {}


def shared(name: str) -> Script:
    """The one script of this name in this kernel; a new one if the last was closed."""
    with LOCK:
        known = _SHARED.get(name)
        if known is None or known.comm is None:
            known = _SHARED[name] = Script(name)
        return known


def bundle(name: str) -> tuple[str, str]:
    """The text and the style sheet of a bundle."""
    texts = ((STATIC / f"{name}.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    text, style = texts
    return text, style
