"""Graphs unfolded over time, and tables of sequences that fit them (sections 2.2 and 4).

Vocabulary
    slice      the variables of one step, such as ``S1`` and ``X1``; all slices share their matrices
    previous   the parents that a variable has in the slice before
    lagged     a variable that is always observed and on which the next slice depends. The next
               slice has a given copy of it as parent, ``"given X1"``, which closes no loop
    sequence   the rows of one id in the order of time. In the wide table it is one row, blank
               after its last step
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from ..algebra.arrays import Label
from ..arguments import read_choice, read_count, read_names, refuse_beyond_memory, shown, wrong
from ..data import Table, is_missing, read_columns
from ..data import columns as columns_of
from ..data.clock import read_clock
from ..data.frames import in_memory
from ..data.long import Sequences, column_cells, refuse_many_cells
from ..data.steps import in_steps, read_step
from ..graphs.branches import GraphError
from ..graphs.directed import family_name
from .graph import BayesGraph

Parents = Mapping[str, str | Sequence[str]]
LAGGED = "given "
"""The beginning of the name of a given copy."""

A_VARIABLE = 1_800.0
"""Bytes that a variable of a graph takes, as measured of one with 10,000."""


def hmm(states: int | Sequence[Label], symbols: int | Sequence[Label], n: int) -> BayesGraph:
    """A hidden Markov model of ``n`` steps: ``S1``, ``S2``, ... are hidden, ``X1``, ... observed.

    Its matrices are called ``start``, ``transition`` and ``emission``.
    """
    names = {"S1": "start", "S": "transition", "X": "emission"}
    return unfold({"S": states, "X": symbols}, {"X": "S"}, {"S": "S"}, n=n, theta=names)


def unfold(
    states: Mapping[str, int | Sequence[Label]],
    parents: Parents | None = None,
    previous: Parents | None = None,
    *,
    n: int,
    given: str | Iterable[str] = (),
    lagged: str | Iterable[str] = (),
    theta: Mapping[str, str] | None = None,
    fixed: str | Iterable[str] = (),
) -> BayesGraph:
    """A graph of ``n`` slices that share their matrices, an ordinary :class:`BayesGraph`.

    ``states``     the variables of a slice with their sizes or states; ``S`` becomes ``S1``, ...
    ``parents``    parents within the slice, ``{"X": "S"}``
    ``previous``   parents in the slice before, ``{"S": "S"}``; in a matrix they come last
    ``given``      variables that are given in every slice: inputs
    ``lagged``     variables that are always observed, such as in an autoregressive chain: the next
                   slice depends on a given copy of them. :func:`sequences` fills the copies
    ``theta``      names of matrices, ``{"S": "transition", "S1": "start"}``. By default a matrix is
                   called by its family, ``"X|S"`` or ``"S|S before"``. In the first slice a
                   variable with parents in the slice before has a matrix of its own, ``"S first"``
    ``fixed``      variables whose matrices are not learned

    Raises :class:`GraphError` for names that are no variables of the slice.
    """
    slices = read_count(n, "n", 1)
    refuse_beyond_memory(
        A_VARIABLE * slices * (len(states) if isinstance(states, Mapping) else 1),
        f"a graph of {slices:,} slices",
        "a chain needs no more slices than the longest sequence has steps",
    )
    if not isinstance(states, Mapping):
        raise wrong("states", states, "a mapping of a slice's variables", GraphError)
    within, before = _read(parents, "parents", states), _read(previous, "previous", states)
    inputs, kept = read_names(given, "given"), read_names(lagged, "lagged")
    if not isinstance(theta, Mapping | None):
        raise wrong("theta", theta, "a mapping to names of matrices", GraphError)
    named, stays = dict(theta or {}), set(read_names(fixed, "fixed"))
    others = [name for name in named if name not in [f"{v}1" for v in before]]
    _known({"given": inputs, "lagged": kept, "fixed": stays, "theta": others}, states)
    copies = [name for name in states if name in kept and any(name in ps for ps in before.values())]
    sizes: dict[str, int | Sequence[Label]] = {}
    family: dict[str, list[str]] = {}
    matrices: dict[str, str] = {}
    for t in range(1, slices + 1):  # slice t, after its copies of lagged variables
        for name in copies if t > 1 else ():
            sizes[_copy(name, t - 1)] = states[name]
        for name, size in states.items():
            variable = f"{name}{t}"
            if variable in sizes:
                raise GraphError(_twice(name, t, states))
            sizes[variable] = size
            now, last = within.get(name, ()), before.get(name, ()) if t > 1 else ()
            own = [f"{p}{t}" for p in now]
            own += [_copy(p, t - 1) if p in copies else f"{p}{t - 1}" for p in last]
            if own:
                family[variable] = own
            if name not in inputs and t == 1 and before.get(name):
                matrices[variable] = named.get(variable, f"{name} first")
            elif name not in inputs:
                words = [*now, *(f"{p} before" for p in last)]
                matrices[variable] = named.get(name, family_name(name, words))
    used = {parent for ps in family.values() for parent in ps}
    open_tails = [f"{name}{t}" for t in range(1, slices + 1) for name in inputs]
    open_tails += [_copy(name, t) for t in range(1, slices) for name in copies]
    idle = {name for name in open_tails if name not in used}
    return BayesGraph(
        {name: size for name, size in sizes.items() if name not in idle},
        family,
        theta=matrices,
        fixed=[f"{name}{t}" for t in range(1, slices + 1) for name in stays],
        given=[name for name in open_tails if name not in idle],
    )


def sequences(
    table: Table | Sequence[Any],
    id: str | None = None,
    time: str | None = None,
    *,
    step: Any = None,
    align: str = "first",
    columns: Iterable[str] | None = None,
    n: int | None = None,
    lagged: str | Iterable[str] = (),
    given: str | Iterable[str] = (),
    name: str = "X",
) -> Sequences:
    """A wide table, a row for each sequence, whose columns fit an unfolded graph.

    ``table`` has a row for each visit; the column ``id`` says whose it was, the column ``time``
    when it was; ``columns`` are the variables of a slice, by default all others. Without ``time``
    the rows are in order. Or ``table`` is a list of arrays, one for each sequence, which become the
    columns ``X1``, ``X2``, ... of the variable ``name``. A lazy table is brought into memory.

    **Order.** Numbers, dates and durations of Python, NumPy and all data frame libraries are in
    their own order, and text is if all of it is numbers (``"9"`` before ``"10"``) or ISO dates
    (``2020``, ``2020-01``, ``2020-Q1``, ``2020-W05``, ``2020-01-31``, with a time of day too).
    Categories are in the order that is declared, as by a polars ``Enum``, an ``ENUM`` of DuckDB, or
    a pandas ``Categorical``. What a program may have sorted by the alphabet is not declared, nor is
    the order in which an Arrow dictionary first meets its values where rows would change places.
    Any other text is refused, since its order is not that of the alphabet (week 9, week 10).

    **Distance.** A step without a visit is blank, a *gap*. ``step`` says what a step is:

    - ``"year"``, ``"quarter"``, ``"month"``, ``"week"`` (from Monday), ``"day"``, ``"hour"``,
      ``"minute"``, ``"second"``: that part of the calendar in which a date lies. Numbers that write
      one are read so: 202412 is a month, 20241231 a day, 20244 a quarter, 202452 a week;
    - a number, or a timedelta for dates: exactly so much. All visits of a sequence lie on whole
      steps from its first, else they are refused;
    - ``"visit"``: the next visit, whatever the time between. Then there are no gaps.

    Without ``step``, whole numbers count by one, and categories one by one. Dates count by the unit
    that they are (the month of ``2020-01``, of ``datetime64[M]``, of a ``Period``), else by the
    longest unit in which all distances between visits are whole, if two visits are one such unit
    apart. Where that does not say it, where numbers are not whole or write months of more than one
    year, and where more steps would have no visit than have one, ``step`` must be given.

    **Beginning.** With ``align="first"``, the first visit of each sequence is its step 1, so that
    step 3 of two people may be two dates. With ``align="calendar"`` step 1 is the earliest visit of
    all, and who comes later has blanks before.

    ``n`` is the number of steps, by default that of the longest sequence; shorter ones end in None,
    from which nothing is learned. For every variable in ``lagged`` the columns ``"given X1"``,
    ... repeat what was observed the step before. ``given`` are variables that the graph is given in
    every slice: each must be known at all steps up to a sequence's last visit. After the end both
    hold some state, which has no effect.

    The result is a dict with the rows in the order in which the ids first occur. Its ``ids`` say
    whose each row is, ``gaps`` is a table of the gaps, and its method ``to_long(answers)`` brings
    answers back to the rows of the long table, as :func:`score` does by itself.

    Raises ``ValueError`` for two visits of one id in one step, and for times whose order or
    distance is not known.
    """
    if not isinstance(name, str) or not name:
        raise wrong("name", name, "a string, not empty")
    together = read_choice(align, "align", ("first", "calendar")) == "calendar"
    read_step(step)
    visits: dict[Hashable, dict[int, int]]  # by sequence, the row of each step
    said, gaps = "visit", dict[str, list[Any]](id=[], after=[], before=[], steps=[])
    if time is None and (together or step not in (None, "visit")):
        what = "align" if together else "step"
        raise ValueError(
            f"{what} is {shown(align if together else step)}, and there is no time: name its "
            "column, time='...'"
        )
    if id is None:
        if time is not None:
            raise ValueError(f"time is {shown(time)}, and there is no id: a long table needs both")
        if columns is not None:
            raise ValueError(f"columns is {shown(columns)}, and there is no id: a list needs none")
        read, names, rows = _read_list(table), [name], count()
        cells = {name: [cell for sequence in read for cell in sequence]}
        visits = {k: {t: next(rows) for t in range(len(v))} for k, v in enumerate(read)}
        places = [(k, t + 1) for k, own in visits.items() for t in own]
        table = {"sequence": [k for k, _ in places], "step": [t for _, t in places], **cells}
    else:
        table, declared = in_memory(table, order=time is None)
        found = columns_of(table)
        _known_columns(found, id, time)
        names = _variables(found, id, time, columns)
        cells = {v: _cells(found[v]) for v in (id, *names)}
        groups = _by_id(cells, id)
        if time is None or not groups:
            visits = {who: dict(enumerate(rows)) for who, rows in groups.items()}
        else:
            clock = read_clock(found[time], time, declared=time in declared)
            visits, said, gaps = in_steps(clock, groups, step, id=id, together=together)
    if not visits:
        raise ValueError("the table is empty: there is no sequence in it")
    longest = 1 + max((t for own in visits.values() for t in own), default=0)
    steps = longest if n is None else read_count(n, "n", 1)
    if longest > steps:
        who = next(k for k, own in visits.items() if any(t >= steps for t in own))
        raise ValueError(
            f"the sequence of {who!r} has more than n={steps} steps: n={longest} holds all"
        )
    refuse_many_cells(len(visits), steps, len(names))
    wide: dict[str, list[Any]] = {}
    for t in range(steps):
        for v in names:
            if f"{v}{t + 1}" in wide:
                raise ValueError(_twice(v, t + 1, names))
            wide[f"{v}{t + 1}"] = [
                cells[v][own[t]] if t in own else None for own in visits.values()
            ]
    inputs = read_names(given, "given")
    for what, asked in (("lagged", read_names(lagged, "lagged")), ("given", inputs)):
        for v in asked:
            if v not in names:
                raise ValueError(f"{what} has {v!r}: the columns are {', '.join(names)}")
    rest = [v for v in names if v not in inputs]
    for v in read_names(lagged, "lagged"):
        _lag(wide, v, rest, steps, list(visits))
    for v in inputs:
        _fill(wide, v, visits, steps)
    return Sequences(wide, table, visits, names, said, gaps)


def _lag(
    wide: dict[str, list[Any]], name: str, names: list[str], steps: int, ids: list[Any]
) -> None:
    """Add the given copies of a variable to ``wide``; a gap within a sequence is refused."""
    any_state = _some_state(wide, name, steps)
    for t in range(1, steps):
        copy = list(wide[f"{name}{t}"])
        for k, cell in enumerate(copy):
            if not is_missing(cell):
                continue
            later = (wide[f"{v}{s + 1}"][k] for v in names for s in range(t, steps))
            if not all(map(is_missing, later)):
                raise ValueError(
                    f"{name} of {ids[k]!r} is blank at step {t}, and the sequence goes on: what is "
                    "lagged must be observed at every step"
                )
            copy[k] = any_state
        wide[_copy(name, t)] = copy


def _fill(
    wide: dict[str, list[Any]], name: str, visits: Mapping[Hashable, Mapping[int, int]], steps: int
) -> None:
    """Some state of a given variable after the end of each sequence; a blank before is refused."""
    any_state = _some_state(wide, name, steps)
    for k, (who, own) in enumerate(visits.items()):
        last = max(own, default=-1)
        for t in range(steps):
            column = wide[f"{name}{t + 1}"]
            if t > last:
                column[k] = any_state
            elif is_missing(column[k]):
                why = "" if t in own else ", at which there is no visit"
                raise ValueError(
                    f"{name} of {who!r} is blank at step {t + 1}{why}: what is given must be known "
                    "at every step up to the last visit; add a row for that step to the long "
                    "table, or leave out the sequence"
                )


def _some_state(wide: Mapping[str, list[Any]], name: str, steps: int) -> Any:
    cells = (c for t in range(steps) for c in wide[f"{name}{t + 1}"] if not is_missing(c))
    found = next(cells, None)
    if found is None:
        raise ValueError(f"the column {name!r} holds nothing: expected a state in some row")
    return found


def _known_columns(cells: Mapping[str, Any], id: Any, time: Any) -> None:
    for what, column in (("id", id), ("time", time)):
        if column is not None and not (isinstance(column, str) and column in cells):
            raise ValueError(f"{what} is {shown(column)}: the columns are {', '.join(cells)}")
    if id == time:
        raise ValueError(f"id and time are both {id!r}: expected two columns")


def _variables(cells: Mapping[str, Any], id: str, time: Any, chosen: Any) -> list[str]:
    """The columns that are variables of a slice."""
    rest = [v for v in cells if v not in (id, time)]
    names = rest if chosen is None else list(dict.fromkeys(read_columns(chosen)))
    for v in names:
        if v not in cells:
            raise ValueError(f"columns names {v!r}: the columns are {', '.join(cells)}")
        if v not in rest:
            raise ValueError(
                f"columns names {v!r}, which is the id or the time: expected some of "
                f"{', '.join(rest)}"
            )
    return names


def _by_id(cells: Mapping[str, Sequence[Any]], id: str) -> dict[Hashable, list[int]]:
    """The rows of every id, in the order of the table."""
    groups: dict[Hashable, list[int]] = {}
    for row, who in enumerate(cells[id]):
        if is_missing(who):
            raise ValueError(f"row {row} has no {id}: every visit needs it")
        try:
            groups.setdefault(who, []).append(row)
        except TypeError:
            raise ValueError(
                f"{id} is {shown(who)} in row {row}: expected a text, a number or a date that says "
                "whose visit it is"
            ) from None
    return groups


def _cells(column: Any) -> list[Any]:
    """The cells of a column; whole numbers that pandas has made floats are whole again."""
    return [int(v) if isinstance(v, float) and v.is_integer() else v for v in column_cells(column)]


def _read_list(table: Any) -> list[Any]:
    """A list of sequences as arrays of objects."""
    if isinstance(table, str | Mapping) or not isinstance(table, Sequence):
        raise wrong("the table", table, "a list of sequences, or a long table with id=")
    read = [np.asarray(v, dtype=object) for v in table]
    for k, v in enumerate(read):
        if v.ndim != 1:
            raise ValueError(f"sequence {k} has shape {v.shape}: expected one state a step")
    return read


def _read(
    given: Parents | None, what: str, states: Mapping[str, Any]
) -> dict[str, tuple[str, ...]]:
    """The parents of each child, every one of them a variable of the slice."""
    if not isinstance(given, Mapping | None):
        raise wrong(what, given, "a mapping from children to parents", GraphError)
    found = {c: read_names(ps, f"the {what} of {c!r}") for c, ps in (given or {}).items()}
    for name in (v for c, ps in found.items() for v in (c, *ps)):
        if name not in states:
            raise GraphError(
                f"{what} has {name!r}: the variables of a slice are {', '.join(states)}"
            )
    return found


def _known(asked: Mapping[str, Iterable[str]], states: Mapping[str, Any]) -> None:
    """Refuse a name that an argument has and no variable of the slice."""
    for what, names in asked.items():
        for name in names:
            if name not in states:
                raise GraphError(f"{what} has {name!r}: the variables are {', '.join(states)}")


def _twice(name: str, t: int, names: Iterable[str]) -> str:
    """The message about one name for two variables, such as X in slice 11 and X1 in slice 1."""
    whole = f"{name}{t}"
    other = next(v for v in names if v != name and whole.removeprefix(v).isdigit())
    return (
        f"{whole!r} would be both {name!r} in slice {t} and {other!r} in slice "
        f"{whole.removeprefix(other)}: give one of them a name that does not end in a digit"
    )


def _copy(name: str, t: int) -> str:
    return f"{LAGGED}{name}{t}"
