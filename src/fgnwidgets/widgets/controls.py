"""The controls of a lab as values: what a reader may change, within which limits.

Vocabulary
    control   a frozen description of one argument, which checks values and makes its row of widgets
    symbol    the label of a control, in the paper's letters; ``M_X`` is shown with an index
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import ipywidgets

from .rows import Boxes, Paired, Row, Single

POSITIONS = 60
"""Number of steps of a logarithmic slider."""

DIGITS, DECIMALS = 3, 9
"""Significant digits of a logarithmic slider's values, and decimals of a linear one's."""


class Control(Protocol):
    """What a lab needs of a control."""

    @property
    def symbol(self) -> str: ...

    @property
    def value(self) -> Any: ...

    @property
    def help(self) -> str: ...

    def check(self, value: Any) -> Any:
        """The value in its own type. Raises ``ValueError`` with what was expected."""

    def row(self, live: bool = True) -> Row:
        """New widgets with the first value; with ``live`` they report while a slider is dragged."""


@dataclass(frozen=True)
class Integer:
    """A whole number from ``min`` to ``max``; ``play`` adds buttons that count it up."""

    symbol: str
    min: int
    max: int
    value: int
    help: str = ""
    play: bool = False

    def check(self, value: Any) -> int:
        if isinstance(value, bool) or not _is_number(value) or value != int(value):
            raise ValueError(f"is {value!r}: expected a whole number {self._range}")
        if not self.min <= value <= self.max:
            raise ValueError(f"is {int(value)}: expected {self._range}")
        return int(value)

    @property
    def _range(self) -> str:
        return f"from {self.min} to {self.max}"

    def row(self, live: bool = True) -> Row:
        box = ipywidgets.FloatText(value=self.value, step=1)  # IntText would turn 2.7 into 27
        whole = (self.min, self.max)
        row = Paired(self, box, whole, lambda k: k, lambda v: int(v), live)
        if self.play:
            row.add_play()
        return row


@dataclass(frozen=True)
class Real:
    """A number from ``min`` to ``max``, in steps."""

    symbol: str
    min: float
    max: float
    value: float
    help: str = ""
    step: float = 0.1

    def check(self, value: Any) -> float:
        return _in_range(value, self.min, self.max)

    def row(self, live: bool = True) -> Row:
        box = ipywidgets.FloatText(value=self.value, step=self.step)
        steps = (0, round((self.max - self.min) / self.step))
        return Paired(self, box, steps, self._at, self._position, live)

    def _at(self, position: int) -> float:
        return min(round(self.min + position * self.step, DECIMALS), self.max)

    def _position(self, value: float) -> int:
        return round((value - self.min) / self.step)


@dataclass(frozen=True)
class Exponent:
    """A positive number from ``min`` to ``max`` on a logarithmic slider."""

    symbol: str
    min: float
    max: float
    value: float
    help: str = ""

    def check(self, value: Any) -> float:
        return _in_range(value, self.min, self.max)

    def row(self, live: bool = True) -> Row:
        box = ipywidgets.FloatText(value=self.value, step=0.5)
        steps = (0, POSITIONS)
        return Paired(self, box, steps, self._at, self._position, live)

    def _at(self, position: int) -> float:
        value = self.min * (self.max / self.min) ** (position / POSITIONS)
        return min(max(float(f"{value:.{DIGITS}g}"), self.min), self.max)

    def _position(self, value: float) -> int:
        return round(POSITIONS * math.log(value / self.min) / math.log(self.max / self.min))


@dataclass(frozen=True)
class Choice:
    """One of several strings; the page shows ``labels`` in their place."""

    symbol: str
    options: tuple[str, ...]
    value: str
    help: str = ""
    labels: tuple[str, ...] | None = None

    def check(self, value: Any) -> str:
        if value not in self.options:
            raise ValueError(f"is {value!r}: expected one of {', '.join(map(repr, self.options))}")
        return str(value)

    def row(self, live: bool = True) -> Row:
        pairs = list(zip(self.labels or self.options, self.options, strict=True))
        return Single(self.symbol, self.help, ipywidgets.Dropdown(options=pairs, value=self.value))


@dataclass(frozen=True)
class Toggle:
    """Yes or no."""

    symbol: str
    value: bool
    help: str = ""

    def check(self, value: Any) -> bool:
        if value not in (True, False):
            raise ValueError(f"is {value!r}: expected True or False")
        return bool(value)

    def row(self, live: bool = True) -> Row:
        return Single(self.symbol, self.help, ipywidgets.Checkbox(value=self.value, indent=False))


@dataclass(frozen=True)
class Many:
    """Some of several strings, in their order; at least one, unless it may be ``empty``.

    The page shows ``labels`` in their place.
    """

    symbol: str
    options: tuple[str, ...]
    value: tuple[str, ...]
    help: str = ""
    labels: tuple[str, ...] | None = None
    empty: bool = False

    def check(self, value: Any) -> tuple[str, ...]:
        asked = tuple(value) if isinstance(value, Iterable) else ("",)
        asked = (value,) if isinstance(value, str) else asked
        if not (asked or self.empty) or not set(asked) <= set(self.options):
            raise ValueError(f"is {value!r}: expected some of {', '.join(map(repr, self.options))}")
        return tuple(option for option in self.options if option in asked)

    def row(self, live: bool = True) -> Row:
        return Boxes(
            self.symbol,
            self.help,
            self.options,
            self.labels or self.options,
            self.value,
            self.empty,
        )


def _in_range(value: Any, low: float, high: float) -> float:
    if not _is_number(value) or not low <= value <= high:
        raise ValueError(f"is {value!r}: expected a number from {low:g} to {high:g}")
    return float(value)


def _is_number(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except TypeError:
        return False
