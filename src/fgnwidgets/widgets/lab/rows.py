"""The widgets of one control: a slider with a box for exact values, a list, or boxes to tick.

Vocabulary
    row      the widgets of one control, named by its symbol and what it means
    symbol   the label of a control, in the paper's letters; ``M_X`` is shown with an index

Callbacks of a row hold the lock, so that they take turns with a running cell. The widgets have no
layouts and styles of their own (:mod:`.plain`): to change the layout of one, give it a new one.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import ipywidgets

from ..page.lock import LOCK
from ..page.plain import plain

PLAY_INTERVAL = 200
"""Milliseconds between two steps of a row that plays."""


class Row(Protocol):
    """The widgets of a control on the page."""

    view: ipywidgets.Widget

    @property
    def value(self) -> Any: ...

    @value.setter
    def value(self, value: Any) -> None: ...

    def on_change(self, moved: Callable[[], None]) -> None: ...

    def enable(self, on: bool) -> None: ...

    def step(self, by: int) -> None:
        """Move the slider by ``by`` positions, if there is one."""

    def on_refused(self, refused: Callable[[str], None]) -> None:
        """Call ``refused`` with a message when a typed value was refused and taken back."""


class Numeric(Protocol):
    """A control as a slider and its box need it."""

    @property
    def symbol(self) -> str: ...

    @property
    def help(self) -> str: ...

    @property
    def value(self) -> Any: ...

    def check(self, value: Any) -> Any: ...


class Paired:
    """A slider and a box for the same number: the box holds the value, the slider a position.

    ``value_at`` and ``position_of`` translate between them; a typed value may be between two
    positions. If the control refuses it, the box goes back to the last value.
    """

    def __init__(
        self,
        control: Numeric,
        step: float,
        positions: tuple[int, int],
        value_at: Callable[[int], float],
        position_of: Callable[[float], int],
        live: bool,
    ) -> None:
        self._value_at, self._position_of = value_at, position_of
        self._check, self._good = control.check, control.value
        self._refused: Callable[[str], None] | None = None
        # IntText would turn 2.7 into 27
        self._box = plain(ipywidgets.FloatText, value=control.value, step=step)
        self._slider = plain(
            ipywidgets.IntSlider,
            value=position_of(control.value),
            min=positions[0],
            max=positions[1],
            readout=False,
            continuous_update=live,
            **named(control.symbol, control.help),
        )
        self._slider.observe(self._slid, "value")
        self._box.observe(self._typed, "value")
        self.view = line(control, [self._slider, self._box])

    @property
    def value(self) -> Any:
        return self._good

    @value.setter
    def value(self, value: Any) -> None:
        self._box.value = value

    def on_change(self, moved: Callable[[], None]) -> None:
        self._box.observe(lambda _: moved(), "value")

    def enable(self, on: bool) -> None:
        self._slider.disabled = self._box.disabled = not on

    def step(self, by: int) -> None:
        position = self._slider.value + by
        self._slider.value = min(max(position, self._slider.min), self._slider.max)

    def add_play(self) -> None:
        """Add buttons that move the slider step by step."""
        play = plain(
            ipywidgets.Play,
            value=self._slider.value,
            min=self._slider.min,
            max=self._slider.max,
            interval=PLAY_INTERVAL,
            show_repeat=False,
        )
        self.view.children = [*self.view.children, play]
        self.view.add_class("fgn-plays")
        play.observe(lambda change: setattr(self._slider, "value", change["new"]), "value")
        self._slider.observe(lambda change: setattr(play, "value", change["new"]), "value")

    def _slid(self, _: Any) -> None:
        with LOCK:
            if self._slider.value != self._position_of(self._box.value):
                self._box.value = self._value_at(self._slider.value)

    def on_refused(self, refused: Callable[[str], None]) -> None:
        self._refused = refused

    def _typed(self, _: Any) -> None:
        with LOCK:
            try:
                self._good = self._check(self._box.value)
            except ValueError as error:
                self._box.value = self._good
                if self._refused is not None:
                    self._refused(f"{error}; it stays at {self._good}")
                return
            self._slider.value = self._position_of(self._box.value)


class Single:
    """A single widget that holds the value."""

    def __init__(self, widget: ipywidgets.Widget) -> None:
        self._widget = self.view = widget
        widget.add_class("fgn-control")

    @property
    def value(self) -> Any:
        return self._widget.value

    @value.setter
    def value(self, value: Any) -> None:
        self._widget.value = value

    def on_change(self, moved: Callable[[], None]) -> None:
        self._widget.observe(lambda _: moved(), "value")

    def enable(self, on: bool) -> None:
        self._widget.disabled = not on

    def step(self, by: int) -> None: ...

    def on_refused(self, refused: Callable[[str], None]) -> None: ...


class Boxes:
    """A box to tick for each option; the last ticked one cannot be cleared, unless ``empty``."""

    def __init__(
        self,
        symbol: str,
        help: str,
        options: Sequence[str],
        labels: Sequence[str],
        value: Sequence[str],
        empty: bool = False,
    ) -> None:
        self._empty = empty
        self._boxes = {
            option: plain(
                ipywidgets.Checkbox, value=option in value, description=label, indent=False
            )
            for option, label in zip(options, labels, strict=True)
        }
        for box in self._boxes.values():
            box.observe(self._ticked, "value")
        self._moved: Callable[[], None] | None = None
        self._refused: Callable[[str], None] | None = None
        self._placing = False
        name = plain(ipywidgets.HTML, value=named_html(symbol, help))
        self.view = plain(ipywidgets.HBox, [name, *self._boxes.values()])
        self.view.add_class("fgn-control")
        self.view.add_class("fgn-boxes")

    @property
    def value(self) -> tuple[str, ...]:
        return tuple(option for option, box in self._boxes.items() if box.value)

    @value.setter
    def value(self, value: Sequence[str]) -> None:
        with LOCK:
            before, self._placing = self.value, True
            try:
                for option, box in self._boxes.items():
                    box.value = option in value
            finally:
                self._placing = False
            if self.value != before:
                self._tell()

    def on_change(self, moved: Callable[[], None]) -> None:
        self._moved = moved

    def enable(self, on: bool) -> None:
        for box in self._boxes.values():
            box.disabled = not on

    def step(self, by: int) -> None: ...

    def on_refused(self, refused: Callable[[str], None]) -> None:
        self._refused = refused

    def _ticked(self, change: Any) -> None:
        with LOCK:
            if self._placing:
                return
            if not (self.value or self._empty):
                change["owner"].value = True
                if self._refused is not None:
                    self._refused(f"cannot be empty: {change['owner'].description} stays")
            else:
                self._tell()

    def _tell(self) -> None:
        if self._moved is not None:
            self._moved()


def symbol_html(symbol: str) -> str:
    """A symbol in HTML: ``M_X`` is an italic M with index X."""
    found = re.fullmatch(r"([A-Za-z]+)_(\w+)", symbol)
    if found is None:
        return html.escape(symbol)
    return f"<i>{found[1]}</i><sub>{found[2]}</sub>"


def spoken(symbol: str, help: str) -> str:
    """The name of a control for screen readers."""
    return f"{symbol}: {help}" if help else symbol


def named_html(symbol: str, help: str) -> str:
    """The label of a control in HTML: its symbol, and what it means."""
    words = f", {html.escape(help)}" if help else ""
    return f"<b>{symbol_html(symbol)}</b>{words}"


def named(symbol: str, help: str) -> dict[str, Any]:
    """The traits of a widget that carries the label of its control."""
    return {
        "description": named_html(symbol, help),
        "description_allow_html": True,
        "tooltip": spoken(symbol, help),
    }


def line(control: Numeric, widgets: list[ipywidgets.Widget]) -> ipywidgets.Widget:
    """Widgets of one control side by side, the help as their tooltip."""
    for widget in widgets:
        widget.tooltip = spoken(control.symbol, control.help)
    made = plain(ipywidgets.HBox, widgets)
    made.add_class("fgn-control")
    return made
