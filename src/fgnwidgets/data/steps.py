"""The number of steps between the visits of a long table.

Vocabulary
    step   one slice of an unfolded graph: a visit, a part of the calendar, or a length of time
    gap    steps of a sequence without a visit
"""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import gcd
from typing import Any

import numpy as np

from ..arguments import shown, wrong
from .clock import Clock
from .times import FIXED, MONTHS, UNITS, day_of, duration, iso, number

NEAR = 1e-3
"""By what part of a step a time that is a float may miss a whole step."""

EXPECTED = "'visit', a positive number, a timedelta, or one of " + ", ".join(map(repr, UNITS))


@dataclass(frozen=True, eq=False)
class Measure:
    """One step of time: ``said`` in words, and the number of steps from one row to another.

    ``guessed`` says that nobody named the step.
    """

    said: str
    between: Callable[[int, int], int] | None
    guessed: bool


@dataclass(frozen=True)
class _Length:
    """A timedelta, exactly."""

    nanoseconds: int


def read_step(step: Any) -> Any:
    """A step as it may be asked for: None, a word, a number as it is, a timedelta as nanoseconds.

    Raises ``ValueError`` for anything else.
    """
    if step is None or (isinstance(step, str) and step in (*UNITS, "visit")):
        return step
    if not isinstance(step, str | bool | np.bool_):
        length = duration(step) if isinstance(step, dt.timedelta | np.timedelta64) else None
        if length is not None and length > 0:
            return _Length(length)
        size = None if length is not None else number(step)
        if size is not None and size > 0:
            return size
    raise wrong("step", step, EXPECTED)


def measure(clock: Clock, step: Any, groups: Iterable[Sequence[int]], asked: Any) -> Measure:
    """One step of time, as ``step`` says or as the times show.

    ``groups`` are the rows of each sequence in the order of time; ``asked`` is the argument as it
    was given.
    """
    if step == "visit":
        return Measure("visit", None, False)
    pairs = [pair for rows in groups for pair in pairwise(rows)]
    if clock.kind == "levels":
        if step not in (None, 1):
            raise ValueError(
                f"step is {shown(asked)}: the times in {clock.name!r} are categories in an order, "
                "and a step is from one to the next; leave out step, or give 'visit'"
            )
        return Measure("category", _exact(clock, 1), step is None)
    if clock.kind == "numbers":
        if isinstance(step, str):
            return Measure(step, _parts(clock, step), False)
        if isinstance(step, _Length):
            raise ValueError(
                f"step is {shown(asked)}: the times in {clock.name!r} are numbers, so a step is a "
                "number too, such as step=3600 for an hour in seconds"
            )
        if step is None and not all(isinstance(key, int) for key in clock.keys):
            row = next(n for n, key in enumerate(clock.keys) if not isinstance(key, int))
            raise ValueError(
                f"{clock.name} is {clock.cells[row]} in row {row}, no whole number: say what a "
                "step is, such as step=0.5, or step='visit' if only the order counts"
            )
        return Measure(
            str(asked) if step is not None else "1",
            _exact(clock, 1 if step is None else step),
            step is None,
        )
    if isinstance(step, _Length):
        return Measure(str(asked), _exact(clock, step.nanoseconds), False)
    if step is not None and not isinstance(step, str):
        raise ValueError(
            f"step is {shown(asked)}: the times in {clock.name!r} are {_dates(clock)}, so a step "
            f"is a timedelta or one of {', '.join(map(repr, UNITS))}"
        )
    finer = [u for u in clock.units if u and step and UNITS.index(step) > UNITS.index(u)]
    if finer or (clock.kind == "durations" and step in MONTHS):
        what = f"{finer[0]}s" if finer else "durations"
        raise ValueError(
            f"step is {shown(asked)}: the times in {clock.name!r} are {what}, which have no whole "
            f"number of {step}s; give a step that is at least as long, or another unit"
        )
    guessed = step is None
    if step is None:
        step = _guessed(clock, pairs)
    if step is None:
        return Measure("visit", lambda a, b: 0, True)
    if clock.kind == "durations":
        size = FIXED[step]
        keys = clock.keys
        return Measure(step, lambda a, b: int(keys[b] // size - keys[a] // size), guessed)
    return Measure(step, _parts(clock, step), guessed)


def _dates(clock: Clock) -> str:
    return "durations" if clock.kind == "durations" else "dates"


def _parts(clock: Clock, unit: str) -> Callable[[int, int], int]:
    part = [clock.part(row, unit) for row in range(len(clock.keys))]
    return lambda a, b: part[b] - part[a]


def _exact(clock: Clock, step: Any) -> Callable[[int, int], int]:
    """Steps of one length; what does not fall on a whole one is refused."""
    keys = clock.keys

    def between(a: int, b: int) -> int:
        distance = keys[b] - keys[a]
        if isinstance(distance, float) or isinstance(step, float):
            ratio = float(distance) / float(step)
            whole = round(ratio)
            fits = abs(ratio - whole) <= NEAR
        else:
            whole, rest = divmod(distance, step)
            fits = rest == 0
        if not fits:
            raise ValueError(
                f"{clock.name} is {clock.cells[b]} in row {b}, no whole number of steps after "
                f"{clock.cells[a]} in row {a}: give a step that divides the distances between "
                "visits, a unit of the calendar such as 'day', or step='visit'"
            )
        return int(whole)

    return between


def _guessed(clock: Clock, pairs: Sequence[tuple[int, int]]) -> str | None:
    """The unit that the times are, or the only one that they show; None if there is no distance.

    That is the longest unit in which all distances are whole, if one of them is a single one.
    """
    named = set(clock.units) - {""}
    if len(clock.units) == 1 and named:
        return named.pop()
    if not pairs:
        return None
    if named:
        raise ValueError(
            f"{clock.name} has dates of unlike precision, such as {clock.cells[0]}: say what a "
            f"step is, step={min(named, key=UNITS.index)!r}, or step='visit' if only the order "
            "counts"
        )
    for unit in UNITS if clock.kind == "moments" else FIXED:
        single = False
        for a, b in pairs:
            distance = _whole(clock, unit, a, b)
            if distance is None:
                break
            single |= distance == 1
        else:
            if single:
                return unit
            break
    a, b = min(pairs, key=lambda pair: clock.keys[pair[1]] - clock.keys[pair[0]])
    raise ValueError(
        f"{clock.name}: no two visits in a row are a unit apart ({clock.cells[a]} and "
        f"{clock.cells[b]} are the nearest), so what a step is cannot be seen: give step='day', "
        "another unit or a timedelta, or step='visit' if only the order counts"
    )


def _whole(clock: Clock, unit: str, a: int, b: int) -> int | None:
    """The distance in whole units, None if it is none; the ends of months are months apart."""
    if unit not in MONTHS:
        times = clock.wall if clock.wall and unit in ("week", "day") else clock.keys
        number, rest = divmod(times[b] - times[a], FIXED[unit])
        return None if rest else int(number)
    (one, rest_a), (two, rest_b) = (divmod(clock.wall[n], FIXED["day"]) for n in (a, b))
    x, y = dt.date.fromordinal(one), dt.date.fromordinal(two)
    ends = all(d.day == calendar.monthrange(d.year, d.month)[1] for d in (x, y))
    months = 12 * (y.year - x.year) + y.month - x.month
    if rest_a != rest_b or not (x.day == y.day or ends) or months % MONTHS[unit]:
        return None
    return months // MONTHS[unit]


def in_steps(
    clock: Clock,
    groups: dict[Hashable, list[int]],
    step: Any,
    *,
    id: str,
    together: bool,
) -> tuple[dict[Hashable, dict[int, int]], str, dict[str, list[Any]]]:
    """The row of each step, from 0, of each sequence; what a step is; and a table of the gaps.

    ``groups`` are the rows of each id. ``together`` counts the steps of all from the first of all
    visits; else each sequence begins with its own. Raises ``ValueError`` for two visits in one
    step, for times that are on no whole step, for days of several zones that run backwards, and,
    unless a step was named, if there were more steps without a visit than visits.
    """
    asked, step = step, read_step(step)
    order = {who: sorted(rows, key=clock.keys.__getitem__) for who, rows in groups.items()}
    for who, rows in order.items():
        for a, b in pairwise(rows):
            if clock.keys[a] == clock.keys[b]:
                raise ValueError(
                    f"{id} {who!r} has {clock.name} {clock.cells[a]!r} twice, in rows {a} and {b}"
                )
        _refuse_overlaps(clock, rows, step)
    if clock.encoded and any(rows != groups[who] for who, rows in order.items()):
        who = next(who for who, rows in order.items() if rows != groups[who])
        raise ValueError(
            f"{clock.name} has categories in the order in which they first occur, not declared to "
            f"be in order, and the rows of {who!r} come in another: declare the order, as by "
            "polars.Enum(categories), pandas.Categorical(values, categories, ordered=True), or "
            "pyarrow.DictionaryArray.from_arrays(codes, categories, ordered=True)"
        )
    one = measure(clock, step, order.values(), asked)
    between = one.between
    if between is None:
        if together:
            raise ValueError("step is 'visit', which counts no time: expected align='first'")
        placed = {who: dict(enumerate(rows)) for who, rows in order.items()}
        return placed, one.said, _gaps(clock, placed)
    if together and one.said == "visit":
        raise ValueError(f"align is 'calendar': say what a step of {clock.name} is, step='day'")
    firsts = [rows[0] for rows in order.values()] if together else []
    earliest = min(firsts, key=lambda row: between(firsts[0], row), default=None)
    placed = {}
    for who, rows in order.items():
        origin = rows[0] if earliest is None else earliest
        by_step: dict[int, int] = {}
        before = None
        for row in rows:
            at = between(origin, row)
            if before is not None and at <= before:
                raise _no_later(clock, by_step[before], row, f"{id} {who!r}", one.said, at < before)
            by_step[at] = row
            before = at
        placed[who] = by_step
    if one.guessed:
        _refuse_growth(clock, placed, one.said)
    return placed, one.said, _gaps(clock, placed)


def _no_later(clock: Clock, a: int, b: int, who: str, said: str, earlier: bool) -> ValueError:
    """The error for a visit that is later, and lies in no later step, to be raised."""
    rows = f"{clock.name} {clock.cells[a]} and {clock.cells[b]} in rows {a} and {b}"
    if earlier:
        return ValueError(
            f"{who} has {rows}: the second is later, and its {said} is earlier, since it is in "
            "another time zone; put all times into one zone"
        )
    return ValueError(
        f"{who} has two visits in one {said}, {rows}: give a shorter step, or make one row of both"
    )


def _refuse_overlaps(clock: Clock, rows: Sequence[int], step: Any) -> None:
    """Refuse an order that is not known, of 2020 and 2020-03."""
    if len(clock.units) < 2 or step != "visit":
        return
    units = {row: m[2] for row in rows if (m := iso(str(clock.cells[row])))}
    for a, b in pairwise(rows):
        for one, other in ((a, b), (b, a)):
            unit = units.get(one)
            if unit and clock.part(one, unit) == clock.part(other, unit):
                raise ValueError(
                    f"{clock.name} is {clock.cells[a]} in row {a} and {clock.cells[b]} in row {b}: "
                    "one holds the other, so their order is not known; give both alike"
                )


def _refuse_growth(clock: Clock, placed: dict[Hashable, dict[int, int]], said: str) -> None:
    """Refuse more steps without a visit than visits, unless somebody said what a step is.

    Numbers that all write months, or days, and go beyond one year, or month, are refused too: the
    88 numbers from 202412 to 202501 are hardly meant.
    """
    visits = sum(map(len, placed.values()))
    steps = sum(max(by_step) - min(by_step) + 1 for by_step in placed.values())
    unit, first = _written(clock), clock.cells[0]
    if steps - visits <= visits and not (unit and steps > visits):
        return
    order = "step='visit' if only the order counts"
    if unit:
        ways = f"step={unit!r} if {first} is a {unit}, step=1 if every number is a step, {order}"
    elif clock.kind == "numbers":
        common = gcd(*(clock.keys[b] - clock.keys[a] for a, b in _neighbours(placed)))
        wide = f"step={common}, by which all distances divide, " if common > 1 else ""
        ways = f"{wide}step=1 if every number is a step, or {order}"
    elif clock.kind == "levels":
        ways = f"step=1 if every category is a step, or {order}"
    else:
        ways = f"step={said!r} if that is right, a longer unit, or {order}"
    one = "1" if said == "1" else f"1 {said}"
    raise ValueError(
        f"{clock.name}: in steps of {one} the {visits} visits would be spread over {steps} steps, "
        f"{steps - visits} of them without a visit. Say what a step is: {ways}"
    )


def _written(clock: Clock) -> str:
    """The unit of the numbers of a clock: "month" as yyyymm, "day" as yyyymmdd; or ""."""
    if clock.kind != "numbers":
        return ""
    for digits, unit in ((6, "month"), (8, "day")):
        texts = list(map(str, clock.keys))
        if all(len(t) == digits and "1800" <= t[:4] <= "2199" for t in texts) and all(
            day_of(t[:4], t[4:6], t[6:] or "1") for t in texts
        ):
            return unit if len({t[: digits - 2] for t in texts}) > 1 else ""
    return ""


def _neighbours(placed: dict[Hashable, dict[int, int]]) -> Iterator[tuple[int, int]]:
    for by_step in placed.values():
        yield from pairwise(by_step.values())


def _gaps(clock: Clock, placed: dict[Hashable, dict[int, int]]) -> dict[str, list[Any]]:
    """A row for each gap: whose it is, the visits around it, and how many steps it has."""
    gaps: dict[str, list[Any]] = {"id": [], "after": [], "before": [], "steps": []}
    for who, by_step in placed.items():
        for (s, a), (t, b) in pairwise(by_step.items()):
            if t - s > 1:
                row = (who, clock.cells[a], clock.cells[b], t - s - 1)
                for column, cell in zip(gaps.values(), row, strict=True):
                    column.append(cell)
    return gaps
