"""One time of any kind: a number, a date or a length of time, as an exact number.

Vocabulary
    moment     a date, or a date with a time of day
    duration   a length of time, counted from a beginning that is not said
    unit       a part of the calendar, such as the month that 2020-01 means
"""

from __future__ import annotations

import datetime as dt
import re
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from .names import plain

UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
"""From the longest to the shortest."""
SECOND = 10**9
"""Moments and durations are whole numbers of nanoseconds."""
FIXED = {
    "week": 7 * 86_400 * SECOND,
    "day": 86_400 * SECOND,
    "hour": 3_600 * SECOND,
    "minute": 60 * SECOND,
    "second": SECOND,
}
MONTHS = {"year": 12, "quarter": 3, "month": 1}
NUMBER = re.compile(r"[+-]?(\d{1,300}(\.\d{0,300})?|\.\d{1,300})([eE][+-]?\d{1,3})?")


def number(cell: Any) -> Any:
    """A time that is a number: whole if it can be, a fraction if that is exact; else None."""
    if isinstance(cell, str):
        cell = Fraction(text) if NUMBER.fullmatch(text := cell.strip()) else None
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return None  # NumPy calls a timedelta64 a signed integer
    cell = plain(cell)
    if isinstance(cell, int):  # True and False are 1 and 0
        return int(cell)
    if isinstance(cell, float):
        if cell - cell != 0:
            return None  # infinite
        return int(cell) if cell.is_integer() else cell
    if isinstance(cell, Rational) or type(cell).__name__ == "Decimal":
        try:
            exact = Fraction(cell)
        except (ValueError, OverflowError):
            return None
        return int(exact) if exact.denominator == 1 else exact
    return None


def duration(cell: Any) -> int | None:
    """A length of time in nanoseconds; a time of day counts from midnight."""
    if isinstance(cell, np.timedelta64):
        unit, many = np.datetime_data(cell.dtype)
        size = _SIZES.get(unit)
        return None if size is None or cell != cell else int(cell.astype(np.int64)) * many * size
    if isinstance(cell, dt.timedelta):
        whole = (cell.days * 86_400 + cell.seconds) * SECOND + cell.microseconds * 1000
        return whole + int(getattr(cell, "nanoseconds", 0))
    if type(cell).__name__ == "MonthDayNano" and not cell.months:  # an interval of Arrow
        return int(cell.days * FIXED["day"] + cell.nanoseconds)
    if isinstance(cell, dt.time) and cell.tzinfo is None:
        return (cell.hour * 3600 + cell.minute * 60 + cell.second) * SECOND + (
            cell.microsecond * 1000
        )
    return None


_SIZES = {
    "W": FIXED["week"],
    "D": FIXED["day"],
    "h": FIXED["hour"],
    "m": FIXED["minute"],
    "s": SECOND,
    "ms": 10**6,
    "us": 1000,
    "ns": 1,
}
_EPOCH = dt.date(1970, 1, 1).toordinal() * FIXED["day"]


def moment(cell: Any) -> tuple[int, int, str, bool] | None:
    """The instant and the time on the wall, in nanoseconds; the unit that it is; if it has a zone.

    The unit is "" for a day or shorter, which may be the name of something longer.
    """
    if isinstance(cell, np.datetime64):
        unit, many = np.datetime_data(cell.dtype)
        if cell != cell or not ("Y" in unit or unit == "M" or unit in _SIZES):
            return None
        count = int(cell.astype(np.int64)) * many
        if unit in "YM":
            months = count * (12 if unit == "Y" else 1)
            return _first_day(1970 + months // 12, months % 12 + 1, "year" if unit == "Y" else "")
        at = _EPOCH + count * _SIZES[unit]
        return _in_calendar(at, at, "week" if unit == "W" else "", False)
    if isinstance(cell, dt.datetime):
        at = cell.toordinal() * FIXED["day"] + cell.microsecond * 1000
        at += (cell.hour * 3600 + cell.minute * 60 + cell.second) * SECOND
        at += int(getattr(cell, "nanosecond", 0))
        offset = cell.utcoffset()
        if offset is None:
            return at, at, "", False
        return at - (duration(offset) or 0), at, "", True
    if isinstance(cell, dt.date):
        at = cell.toordinal() * FIXED["day"]
        return at, at, "", False
    if hasattr(cell, "start_time") and hasattr(cell, "freqstr"):  # a Period of pandas
        start = moment(cell.start_time)
        unit = _PERIODS.get(re.split(r"[-\d]", cell.freqstr.lstrip("0123456789"))[0], "")
        return start and (start[0], start[1], unit, False)
    return None


_PERIODS = {"Y": "year", "A": "year", "Q": "quarter", "M": "month", "W": "week", "D": "day"}
_PERIODS |= {"h": "hour", "H": "hour", "min": "minute", "T": "minute", "s": "second", "S": "second"}


def _first_day(year: int, month: int, unit: str) -> tuple[int, int, str, bool] | None:
    """The beginning of a month, which is a month unless ``unit`` says otherwise."""
    if not 1 <= year <= 9999 or not 1 <= month <= 12:
        return None
    at = dt.date(year, month, 1).toordinal() * FIXED["day"]
    return at, at, unit or "month", False


def _in_calendar(key: int, at: int, unit: str, zone: bool) -> tuple[int, int, str, bool] | None:
    inside = 1 <= at // FIXED["day"] <= dt.date.max.toordinal()
    return (key, at, unit, zone) if inside else None


def iso(text: str) -> tuple[int, int, str, bool] | None:
    """A date in text: 2020, 2020-01, 2020-Q1, 2020-W05, or one with a day, or with a time."""
    text = text.strip()
    if match := re.fullmatch(r"(\d{4})(?:-(\d\d))?", text):
        year, month = int(match[1]), int(match[2] or 1)
        return _first_day(year, month, "" if match[2] else "year")
    if match := re.fullmatch(r"(\d{4})-?Q([1-4])", text):
        return _first_day(int(match[1]), 3 * int(match[2]) - 2, "quarter")
    try:
        if re.fullmatch(r"\d{4}-?W\d\d", text):
            monday = moment(dt.datetime.fromisoformat(f"{text}{'-' * ('-' in text)}1"))
            return monday and (monday[0], monday[1], "week", False)
        return moment(dt.datetime.fromisoformat(text))
    except ValueError:
        return None


def calendar_number(number: Any, unit: str, name: str, row: int) -> int:
    """The unit that a number such as 202412 writes."""
    text, date = str(number), None
    form = {"year": "yyyy", "quarter": "yyyyq", "month": "yyyymm", "week": "yyyyww"}.get(unit)
    if isinstance(number, int) and unit in ("year", "quarter", "month", "week", "day"):
        form = form or "yyyymmdd"
        if len(text) == 8 and text.isdigit():
            date = day_of(text[:4], text[4:6], text[6:])
        elif len(text) == len(form) and text.isdigit():
            if unit == "quarter":
                date = (
                    day_of(text[:4], str(3 * int(text[4]) - 2)) if "1" <= text[4] <= "4" else None
                )
            elif unit == "week":
                try:
                    date = dt.date.fromisocalendar(int(text[:4]), int(text[4:]), 1)
                except ValueError:
                    date = None
            else:
                date = day_of(text[:4], text[4:6] or "1")
    if date is None:
        if form is None:
            raise ValueError(
                f"step is {unit!r}: the times in {name!r} are numbers, so a step is a number too, "
                "such as step=3600 for an hour in seconds"
            )
        raise ValueError(
            f"step is {unit!r}, and {name} is {number} in row {row}: expected a {unit} written "
            f"as {form}; if the numbers count {unit}s, give step=1"
        )
    if unit in MONTHS:
        return (date.year * 12 + date.month - 1) // MONTHS[unit]
    return (date.toordinal() - 1) // 7 if unit == "week" else date.toordinal()


def day_of(year: str, month: str, day: str = "1") -> dt.date | None:
    try:
        return dt.date(int(year), int(month), int(day))
    except ValueError:
        return None
