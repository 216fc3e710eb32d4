"""The controls of a lab as values: what a reader may change, within which limits.

Vocabulary
    control   a frozen description of one argument, which checks values and makes its row of widgets
    symbol    the label of a control, in the paper's letters; ``M_X`` is shown with an index
    help      what the symbol means, in a few words beside it

A control refuses what cannot be: a first value outside its range, a range without numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import ipywidgets

from ..page.plain import plain
from .rows import Boxes, Paired, Row, Single, named

POSITIONS = 60
"""Number of steps of a logarithmic slider."""

DIGITS, DECIMALS = 3, 9
"""Significant digits of a logarithmic slider's values, and decimals of a linear one's."""


class Control(Protocol):
    """A control as a lab needs it."""

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

    def __post_init__(self) -> None:
        _read_text(self)
        for name in ("min", "max"):
            limit = getattr(self, name)
            if isinstance(limit, bool) or not _is_number(limit) or limit != int(limit):
                _refuse(self, f"{name} is {limit!r}: expected a whole number")
        _read_range(self)
        _read_first(self)

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
        whole = (self.min, self.max)
        row = Paired(self, 1, whole, lambda k: k, lambda v: int(v), live)
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

    def __post_init__(self) -> None:
        _read_text(self)
        _read_range(self)
        if not _is_number(self.step) or not 0 < self.step <= self.max - self.min:
            _refuse(self, f"step is {self.step!r}: expected at most max - min, and more than 0")
        _read_first(self)

    def check(self, value: Any) -> float:
        return _in_range(value, self.min, self.max)

    def row(self, live: bool = True) -> Row:
        steps = (0, round((self.max - self.min) / self.step))
        return Paired(self, self.step, steps, self._at, self._position, live)

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

    def __post_init__(self) -> None:
        _read_text(self)
        _read_range(self)
        if self.min <= 0:
            _refuse(
                self, f"min is {self.min!r}: expected more than 0, as its slider is logarithmic"
            )
        _read_first(self)

    def check(self, value: Any) -> float:
        return _in_range(value, self.min, self.max)

    def row(self, live: bool = True) -> Row:
        return Paired(self, 0.5, (0, POSITIONS), self._at, self._position, live)

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

    def __post_init__(self) -> None:
        _read_text(self)
        _read_options(self)
        _read_first(self)

    def check(self, value: Any) -> str:
        if value not in self.options:
            raise ValueError(f"is {value!r}: expected one of {', '.join(map(repr, self.options))}")
        return str(value)

    def row(self, live: bool = True) -> Row:
        pairs = list(zip(self.labels or self.options, self.options, strict=True))
        label = named(self.symbol, self.help)
        return Single(plain(ipywidgets.Dropdown, options=pairs, value=self.value, **label))


@dataclass(frozen=True)
class Toggle:
    """Yes or no."""

    symbol: str
    value: bool
    help: str = ""

    def __post_init__(self) -> None:
        _read_text(self)
        _read_first(self)

    def check(self, value: Any) -> bool:
        if value not in (True, False):
            raise ValueError(f"is {value!r}: expected True or False")
        return bool(value)

    def row(self, live: bool = True) -> Row:
        label = named(self.symbol, self.help)
        return Single(plain(ipywidgets.Checkbox, value=self.value, indent=False, **label))


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

    def __post_init__(self) -> None:
        _read_text(self)
        _read_options(self)
        _read_first(self)

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


def _read_text(control: Any) -> None:
    """Refuse a symbol or a help that is no text: the arguments are then in another order."""
    for name in ("symbol", "help"):
        text = getattr(control, name)
        if not isinstance(text, str):
            _refuse(control, f"{name} is {text!r}: expected a text")


def _read_range(control: Any) -> None:
    for name in ("min", "max"):
        limit = getattr(control, name)
        if isinstance(limit, bool) or not _is_number(limit):
            _refuse(control, f"{name} is {limit!r}: expected a number")
    if not control.min < control.max:
        _refuse(control, f"min is {control.min!r} and max {control.max!r}: expected min < max")


def _read_options(control: Any) -> None:
    """Refuse options that are no texts, and labels that are not as many; lists become tuples."""
    for name in ("options", "labels"):
        texts = getattr(control, name)
        if name == "labels" and texts is None:
            continue
        told = isinstance(texts, str) or not isinstance(texts, Iterable)
        kept = () if told else tuple(texts)
        if told or not kept or not all(isinstance(text, str) for text in kept):
            _refuse(control, f"{name} is {texts!r}: expected texts, such as ('one', 'two')")
        object.__setattr__(control, name, kept)
    if len(set(control.options)) != len(control.options):
        _refuse(control, f"options is {control.options!r}: expected each once")
    if control.labels is not None and len(control.labels) != len(control.options):
        count = f"{len(control.labels)} labels for {len(control.options)} options"
        _refuse(control, f"labels is {control.labels!r}, {count}: expected one for each")


def _read_first(control: Any) -> None:
    """Refuse a first value that the control itself would refuse; it gets the control's own type."""
    try:
        object.__setattr__(control, "value", control.check(control.value))
    except ValueError as error:
        _refuse(control, f"value {error}")


def _refuse(control: Any, why: str) -> None:
    raise ValueError(f"{type(control).__name__}({control.symbol!r}): {why}")
