"""The times of a long table, of every kind, in their order.

Vocabulary
    level   a value of a column whose order is declared, as that of a polars Enum is
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from .columns import narwhal
from .long import column_cells
from .names import is_missing, listed, plain
from .times import FIXED, MONTHS, calendar_number, duration, iso, moment, number


@dataclass(frozen=True, eq=False)
class Clock:
    """The times of all rows. ``cells`` are as they were given, ``keys`` can be compared.

    ``kind``    "numbers", "moments", "durations" or "levels"
    ``wall``    moments as the clock on the wall shows them, which the calendar goes by
    ``units``   the units that the times themselves are, such as the month of ``2020-01``
    ``encoded`` whether an order of levels may be the order in which they first occur
    """

    name: str
    cells: list[Any]
    kind: str
    keys: list[Any]
    wall: list[int]
    units: frozenset[str] = frozenset()
    encoded: bool = False

    def part(self, row: int, unit: str) -> int:
        """The number of the calendar's unit in which a row lies."""
        if self.kind == "numbers":
            return calendar_number(self.keys[row], unit, self.name, row)
        at, key = self.wall[row], self.keys[row]
        if unit in MONTHS:
            day = dt.date.fromordinal(at // FIXED["day"])
            return (day.year * 12 + day.month - 1) // MONTHS[unit]
        if unit == "week":  # from Monday: day 1 of the calendar was one
            return (at // FIXED["day"] - 1) // 7
        if unit == "day":
            return at // FIXED["day"]
        shift: int = (at - key) % FIXED["hour"]  # of a zone such as India's, half an hour
        return int((key + shift) // FIXED[unit])


def read_clock(column: Any, name: str, *, declared: bool = False) -> Clock:
    """The times in a column. Raises ``ValueError`` for text without an order, and for blanks.

    ``declared`` says that its categories are in an order, where the column does not.
    """
    cells = column_cells(column)
    for row, cell in enumerate(cells):
        if is_missing(cell):
            raise ValueError(f"row {row} has no {name}: every visit needs it")
    levels, ordered = _levels(column, cells)
    ordered = declared or ordered
    values = cells if levels is None else levels
    times = _by_value(values, name)
    if levels is not None and (times is None or ordered):
        rising = times is not None and all(a < b for a, b in pairwise(times.keys))
        if not rising:
            return _by_level(cells, name, levels, ordered)
    if times is None:
        raise _no_order(name, cells)
    if levels is None:
        return times
    at = dict(zip(map(plain, levels), range(len(levels)), strict=True))
    places = [at[plain(cell)] for cell in cells]
    wall = [times.wall[p] for p in places] if times.wall else []
    return replace(times, cells=cells, keys=[times.keys[p] for p in places], wall=wall)


def _levels(column: Any, cells: list[Any]) -> tuple[list[Any] | None, bool | None]:
    """The categories of a column in their order, and whether that order is declared.

    True is a declared order. False is an order that a program may have made by sorting, and None
    one that it may have made by the first occurrence of each value.
    """
    series = None if isinstance(column, np.ndarray | list | tuple) else narwhal(column)
    if series is None:
        return None, None
    native, library = series.to_native(), series.implementation
    if library.is_pandas_like():
        if hasattr(native.dtype, "categories") and hasattr(native.dtype, "ordered"):
            return native.cat.categories.tolist(), bool(native.dtype.ordered)
        if not hasattr(native.dtype, "pyarrow_dtype"):
            return None, None
        native = native.array.__arrow_array__()
    if library.is_polars():
        if type(native.dtype).__name__ == "Enum":
            return list(native.dtype.categories), True
        if type(native.dtype).__name__ == "Categorical":
            return list(dict.fromkeys(cells)), None
        return None, None
    kind: Any = getattr(native, "type", None)
    if not hasattr(kind, "value_type") or not hasattr(kind, "ordered"):
        return None, None
    whole = native.combine_chunks() if hasattr(native, "combine_chunks") else native
    if hasattr(whole, "chunks"):
        whole = whole.unify_dictionaries()
        if not whole.num_chunks:
            return None, None
        whole = whole.chunk(0)
    return whole.dictionary.to_pylist(), True if kind.ordered else None


def _by_level(cells: list[Any], name: str, levels: list[Any], ordered: bool | None) -> Clock:
    """Times by the place of their level; an order that sorting made is refused."""
    at = {level: k for k, level in enumerate(levels)}
    keys = [at[cell] for cell in cells]
    first = list(dict.fromkeys(keys))
    used = [levels[k] for k in sorted(first)]
    text = all(isinstance(v, str) for v in levels)
    if not ordered and len(used) > 1 and text and levels == sorted(levels):
        raise ValueError(
            f"{name} has the categories {listed(levels)}, in the order of the alphabet and not "
            "declared to be in order, so their order in time is not known: declare it, as by "
            "pandas.Categorical(values, categories, ordered=True), polars.Enum(categories), or "
            "pyarrow.DictionaryArray.from_arrays(codes, categories, ordered=True)"
        )
    encoded = ordered is None and first == sorted(first)
    return Clock(name, cells, "levels", keys, [], encoded=encoded)


def _no_order(name: str, cells: Sequence[Any]) -> ValueError:
    """The error for times whose order cannot be read, to be raised."""
    kinds = list(dict.fromkeys(type(plain(cell)).__name__ for cell in cells))
    if len(kinds) > 1 or kinds != ["str"]:
        odd = " and ".join(kinds)
        return ValueError(
            f"{name} holds {odd}, such as {listed(dict.fromkeys(map(str, cells[:2])))}: expected "
            "times of one kind: numbers, dates, durations, or categories in a declared order"
        )
    odd_ones = (n for n, c in enumerate(cells) if number(c) is None and iso(c) is None)
    row = next(odd_ones, 0)
    cell = cells[row]
    return ValueError(
        f"{name} is {cell!r} in row {row}, text that is no number and no ISO date such as "
        "2020-01-31, so its order in time is not known: give numbers or dates, declare the order "
        "of the values (pandas.Categorical(..., ordered=True), polars.Enum, an ordered dictionary "
        "of Arrow), or sort the rows and leave out time"
    )


def _by_value(cells: Sequence[Any], name: str) -> Clock | None:
    """Times that are numbers, moments or durations; None for others, and for a mixture."""
    if all(isinstance(cell, str) for cell in cells):
        texts = [number(cell) for cell in cells]
        if all(n is not None for n in texts):
            return Clock(name, list(cells), "numbers", texts, [])
        dates = [iso(cell) for cell in cells]
        return _moments(cells, name, dates)
    numbers = [number(cell) for cell in cells]
    if not any(isinstance(cell, str) for cell in cells) and all(n is not None for n in numbers):
        truths = [isinstance(cell, bool | np.bool_) for cell in cells]
        if any(truths) and not all(truths):
            return None
        return Clock(name, list(cells), "numbers", numbers, [])
    lengths = [duration(cell) for cell in cells]
    if all(n is not None for n in lengths):
        return Clock(name, list(cells), "durations", lengths, [])
    return _moments(cells, name, [moment(cell) for cell in cells])


def _moments(cells: Sequence[Any], name: str, moments: Sequence[Any]) -> Clock | None:
    if any(moment is None for moment in moments):
        return None
    zones = {aware for _, _, _, aware in moments}
    if len(zones) > 1:
        raise ValueError(
            f"{name} has times with a time zone and times without: expected all of one kind"
        )
    keys, wall, units, _ = zip(*moments, strict=True) if moments else ((), (), (), ())
    return Clock(name, list(cells), "moments", list(keys), list(wall), frozenset(units))
