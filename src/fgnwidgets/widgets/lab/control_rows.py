"""The controls of a lab on the page: a few are in sight, the others are in a drawer below."""

from __future__ import annotations

from collections.abc import Sequence

import ipywidgets

from ..page.plain import layout, plain


class ControlRows(ipywidgets.VBox):  # type: ignore[misc]
    """Rows in sight, and others that a toggle shows; a toggle works while a cell is running."""

    def __init__(self) -> None:
        self._front, self._back = Box(), Box()
        self._unfold = plain(ipywidgets.ToggleButton, tooltip="The other controls of this lab")
        self._unfold.add_class("fgn-unfold")
        self._unfold.observe(lambda _: self._fold(), "value")
        super().__init__([self._front, self._unfold, self._back], layout=layout())
        self.add_class("fgn-lab-rows")

    def show(self, front: Sequence[ipywidgets.Widget], back: Sequence[ipywidgets.Widget]) -> None:
        """Show the rows ``front``, and put the rows ``back`` into the drawer."""
        self._front.show(front)
        self._back.show(back)
        hide(self._unfold, not back)
        self._fold()

    def _fold(self) -> None:
        hide(self._back, not self._unfold.value)
        self._unfold.description = ("fewer" if self._unfold.value else "more") + " controls"


class Box(ipywidgets.HBox):  # type: ignore[misc]
    """Rows side by side, as many in a line as there is room for."""

    def __init__(self) -> None:
        self._shown: tuple[ipywidgets.Widget, ...] = ()
        super().__init__(layout=layout())
        self.add_class("fgn-row-box")

    def show(self, views: Sequence[ipywidgets.Widget]) -> None:
        """Show these rows in this order; nothing is sent if they are there already."""
        if tuple(views) != self._shown:
            self._shown = self.children = tuple(views)


def hide(widget: ipywidgets.Widget, hidden: bool) -> None:
    """Take a widget out of sight, or back; its place goes, too."""
    if hidden != ("fgn-hidden" in widget._dom_classes):
        (widget.add_class if hidden else widget.remove_class)("fgn-hidden")
