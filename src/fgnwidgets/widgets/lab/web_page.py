"""A lab as one web page without Python: its picture, which still answers a pointer, and its data.

What a page cannot do without Python it does not pretend to: the controls are a list of what they
stand at. Whoever wants to move them has the code.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence

from ..page.scripts import bundle
from ..page.web_page import filled, in_script
from .export import Shown
from .figure_image import FigureImage


def page(
    title: str, picture: FigureImage, shown: Shown, controls: Sequence[tuple[str, str, str]]
) -> str:
    """The text of the page; ``controls`` are symbol, meaning and value of each."""
    script, style = bundle("picture")
    state = {
        "size": picture.size,
        "map": picture.map,
        "alt": picture.alt,
        "cursor": picture.cursor,
        "value": _base64(bytes(picture.value)),
        "numbers": _base64(bytes(picture.numbers)),
    }
    rows = "".join(
        f"<tr><th>{html.escape(symbol)}</th><td>{html.escape(value)}</td>"
        f"<td>{html.escape(meaning)}</td></tr>"
        for symbol, meaning, value in controls
    )
    files = " ".join(
        f'<a download="{name}" href="data:{kind};base64,{data}">{name}</a>'
        for name, kind, data in ((html.escape(name), *rest) for name, *rest in shown.files())
    )
    parts = {
        "{{title}}": html.escape(title),
        "{{style}}": style,
        "{{png}}": _base64(bytes(picture.value)),
        "{{alt}}": html.escape(picture.alt),
        "{{controls}}": rows,
        "{{facts}}": html.escape(shown.facts()),
        "{{code}}": html.escape(shown.code()),
        "{{files}}": files,
        "{{state}}": in_script(state),
        "{{script}}": in_script(script),
    }
    return filled("lab_page.html", parts)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
