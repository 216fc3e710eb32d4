"""What a page says to a widget of documents, and what it hears: without a page."""

from itertools import count
from typing import Any

PAGES = count()


def heard(widget: Any, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a widget says to these messages of pages."""
    said: list[dict[str, Any]] = []
    before = vars(widget).get("send")
    widget.send = lambda message, buffers=None: said.append(message)
    try:
        for message in messages:
            widget._handle_custom_msg(message, [])
    finally:
        del widget.send
        if before:
            widget.send = before
    return said


def asked(widget: Any, what: str, *, gesture: str = "", **given: Any) -> str:
    """Ask for one thing as a page of its own; the fault of the answer."""
    request = {
        "request": 1,
        "from": f"page {next(PAGES)}",
        "do": what,
        "with": given,
        "gesture": gesture,
    }
    return str(heard(widget, [request])[-1]["fault"])
