"""A widget in the output of a cell: no page, no picture, a later run of the cell.

A cell that runs again gets a new output, and the widgets of the old one are on no page any more.
Their models would stay, in the kernel and on the page, until the kernel ends. Here they are closed.

A notebook that is run without a page, by ``nbconvert --execute`` or papermill, gets pictures alone:
its HTML would show an empty place instead of a live view that needs a kernel, and the network.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import ipywidgets

from .scripts import Script

SHARED = "shared_by_many"
"""The attribute of models that many widgets refer to, and that no widget closes."""

_SHOWN: dict[str, list[tuple[weakref.ref[Any], str]]] = {}
"""Cell -> the widgets in its output, each with the execution that showed it."""

_LISTENS: list[Any] = []  # the shells that tell when a cell has run


def undrawn(what: str, error: Exception) -> str:
    """Words in place of a picture."""
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"(No picture of this {what} is stored: {reason}.)"


def output(
    widget: Any, live: Callable[..., Any], **kwargs: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Data and metadata of a cell that shows a widget, without ``live`` where no page has it.

    ``live`` is what ipywidgets or anywidget make of it, ``super()._repr_mimebundle_``.
    """
    shown_in_cell(widget)
    if without_page():
        return {}, {}
    made = live(**kwargs) or {}
    return made if isinstance(made, tuple) else (made, {})


def without_page() -> bool:
    """True if the running cell belongs to no page: nobody could be asked for a line of text.

    Voila runs notebooks in the same way, and shows them.
    """
    kernel = getattr(_shell(), "kernel", None)
    if kernel is None or any(name.startswith("VOILA_") for name in os.environ):
        return False
    try:
        return kernel.get_parent("shell")["content"].get("allow_stdin") is False
    except (AttributeError, KeyError, TypeError):
        return False


def shown_in_cell(widget: Any) -> None:
    """Note that the running cell shows a widget, so that it is closed when the cell runs again.

    A widget that was closed and is shown again comes back. Where nobody says which cell runs, as in
    a console, nothing is noted, and nothing closed.
    """
    if widget.comm is None:
        reopen(widget)
    cell, execution = _running()
    if cell:
        _SHOWN.setdefault(cell, []).append((weakref.ref(widget), execution))


def close_replaced(*_: Any) -> None:
    """Close what earlier executions of the cell that just ran showed, and no other cell shows."""
    cell, execution = _running()
    held = _SHOWN.get(cell, [])
    kept = [(ref, when) for ref, when in held if when == execution]
    if cell:
        _SHOWN[cell] = kept
    now = {id(ref()) for own in _SHOWN.values() for ref, _ in own}
    for ref, when in held:
        widget = ref()
        if when != execution and widget is not None and id(widget) not in now:
            for part in with_parts(widget):
                part.close()
                # ipywidgets takes the way to show a closed widget away, by which it comes back here
                part.__dict__.pop("_repr_mimebundle_", None)


def with_parts(widget: Any) -> Iterator[Any]:
    """A widget and all that it alone is made of: children, layouts, styles; nothing shared."""
    waiting, found = [widget], {id(widget): widget}
    while waiting:
        for name in (one := waiting.pop()).keys:
            value = getattr(one, name, None)
            for part in value if isinstance(value, list | tuple) else [value]:
                model = isinstance(part, ipywidgets.Widget) and not _is_shared(part)
                if model and id(part) not in found:
                    found[id(part)] = part
                    waiting.append(part)
    yield from found.values()


def share(model: Any) -> Any:
    """The model, marked as one that many widgets refer to."""
    setattr(model, SHARED, True)
    return model


def _is_shared(model: Any) -> bool:
    return isinstance(model, Script) or getattr(model, SHARED, False)


def reopen(widget: Any) -> None:
    """Open a closed widget again, with all its parts."""
    for part in reversed(list(with_parts(widget))):
        if part.comm is None:
            part.open()


def _running() -> tuple[str, str]:
    """The running cell and its execution, or ``("", "")``; the ends of cells are heard from now."""
    shell = _shell()
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        return "", ""
    if shell not in _LISTENS:
        _LISTENS.append(shell)
        shell.events.register("post_run_cell", close_replaced)
    try:
        message = kernel.get_parent("shell")
        return str(message["metadata"].get("cellId") or ""), str(message["header"]["msg_id"])
    except (AttributeError, KeyError, TypeError):
        return "", ""


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None
