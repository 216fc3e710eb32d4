"""Widgets of ipywidgets without looks of their own: one layout and one style for all of a kind.

Each widget of ipywidgets brings two more models, a layout and a style, which for the controls of
labs say nothing: their looks are in the style sheet of labs. So all share one of each.
"""

from __future__ import annotations

from typing import Any, TypeVar

import ipywidgets

from .lock import LOCK
from .outputs import share

Kind = TypeVar("Kind", bound=ipywidgets.Widget)

_KEPT: dict[type[Any], Any] = {}


def plain(kind: type[Kind], *arguments: Any, **traits: Any) -> Kind:
    """A new widget of a kind, with the layout and the style that all plain widgets have."""
    style = kind.class_traits().get("style")
    if style is not None:
        traits["style"] = _kept(style.klass)
    made: Kind = kind(*arguments, layout=_kept(ipywidgets.Layout), **traits)
    return made


def layout() -> Any:
    """The layout that all plain widgets have."""
    return _kept(ipywidgets.Layout)


def _kept(kind: type[Any]) -> Any:
    """The one model of a kind; a new one if the last was closed."""
    with LOCK:
        known = _KEPT.get(kind)
        if known is None or known.comm is None:
            known = _KEPT[kind] = share(kind())
        return known
