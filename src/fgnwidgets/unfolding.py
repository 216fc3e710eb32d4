"""Graphs unfolded over time, and tables of sequences that fit them (sections 2.2 and 4).

Vocabulary
    slice      the variables of one step, such as ``S1`` and ``X1``; all slices share their matrices
    previous   the parents that a variable has in the slice before
    recalled   a variable that is always observed and on which the next slice depends. The next
               slice has a given copy of it as parent, ``"given X1"``, which closes no loop
    sequence   the rows of one id in the order of time. In the wide table it is one row, blank
               after its last step
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from .border.bayes import BayesGraph
from .border.normal import family_name
from .engine.branches import GraphError, Label
from .readers import read_count, read_names, shown, wrong
from .tables import Table, columns, is_missing

Parents = Mapping[str, str | Sequence[str]]
RECALLED = "given "
"""How the name of a given copy begins."""


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
    recalled: str | Iterable[str] = (),
    theta: Mapping[str, str] | None = None,
    fixed: str | Iterable[str] = (),
) -> BayesGraph:
    """A graph of ``n`` slices that share their matrices, an ordinary :class:`BayesGraph`.

    ``states``     the variables of a slice with their sizes or states; ``S`` becomes ``S1``, ...
    ``parents``    parents within the slice, ``{"X": "S"}``
    ``previous``   parents in the slice before, ``{"S": "S"}``; in a matrix they come last
    ``given``      variables that are given in every slice: inputs
    ``recalled``   variables that are always observed, such as in an autoregressive chain: the next
                   slice depends on a given copy of them. :func:`sequences` fills the copies
    ``theta``      names of matrices, ``{"S": "transition", "S1": "start"}``. By default a matrix is
                   called by its family, ``"X|S"`` or ``"S|S before"``. In the first slice a
                   variable with parents in the slice before has a matrix of its own, ``"S first"``
    ``fixed``      variables whose matrices are not learned

    Raises :class:`GraphError` for names that are no variables of the slice.
    """
    slices = read_count(n, "n", 1)
    if not isinstance(states, Mapping):
        raise wrong("states", states, "a mapping of a slice's variables", GraphError)
    within, before = _read(parents, "parents", states), _read(previous, "previous", states)
    inputs, kept = read_names(given, "given"), read_names(recalled, "recalled")
    if not isinstance(theta, Mapping | None):
        raise wrong("theta", theta, "a mapping to names of matrices", GraphError)
    named, stays = dict(theta or {}), set(read_names(fixed, "fixed"))
    others = [name for name in named if name not in [f"{v}1" for v in before]]
    _known({"given": inputs, "recalled": kept, "fixed": stays, "theta": others}, states)
    copies = [name for name in states if name in kept and any(name in ps for ps in before.values())]
    sizes: dict[str, int | Sequence[Label]] = {}
    family: dict[str, list[str]] = {}
    matrices: dict[str, str] = {}
    for t in range(1, slices + 1):  # slice t, after the copies of what it recalls of the one before
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
    n: int | None = None,
    recalled: str | Iterable[str] = (),
    name: str = "X",
) -> dict[str, list[Any]]:
    """A wide table, a row for each sequence, whose columns fit an unfolded graph.

    ``table`` has a row for each visit; the column ``id`` says whose it was, the column ``time``
    when it was: a whole number or anything that sorts. If all times are whole numbers, their
    distances are kept, and a step without a visit is blank. Without ``time`` the rows are in order.
    Or ``table`` is a list of arrays, one for each sequence, which become the columns ``X1``,
    ``X2``, ... of the variable ``name``.

    ``n`` is the number of steps, by default that of the longest sequence; shorter ones end in None,
    from which nothing is learned. For every variable in ``recalled`` the columns ``"given X1"``,
    ... repeat what was observed the step before; after the end of a sequence they hold some state,
    which has no effect. Raises ``ValueError`` for two visits of one id at one time.
    """
    if not isinstance(name, str) or not name:
        raise wrong("name", name, "a string, not empty")
    visits: dict[Hashable, dict[int, int]]  # by sequence, the row of each step
    if id is None:
        read, names, rows = _read_list(table), [name], count()
        cells = {name: [cell for sequence in read for cell in sequence]}
        visits = {k: {t: next(rows) for t in range(len(v))} for k, v in enumerate(read)}
    else:
        cells = {v: _cells(column) for v, column in columns(table).items()}
        visits = _by_id(cells, id, time)
        names = [v for v in cells if v not in (id, time)]
    if not visits:
        raise ValueError("the table is empty: there is no sequence in it")
    longest = 1 + max((t for own in visits.values() for t in own), default=0)
    steps = longest if n is None else read_count(n, "n", 1)
    if longest > steps:
        who = next(k for k, own in visits.items() if any(t >= steps for t in own))
        raise ValueError(
            f"the sequence of {who!r} has more than n={steps} steps: n={longest} holds all"
        )
    wide: dict[str, list[Any]] = {}
    for t in range(steps):
        for v in names:
            if f"{v}{t + 1}" in wide:
                raise ValueError(_twice(v, t + 1, names))
            wide[f"{v}{t + 1}"] = [
                cells[v][own[t]] if t in own else None for own in visits.values()
            ]
    for v in read_names(recalled, "recalled"):
        if v not in names:
            raise ValueError(f"recalled has {v!r}: the columns are {', '.join(names)}")
        _recall(wide, v, names, steps, list(visits))
    return wide


def _recall(
    wide: dict[str, list[Any]], name: str, names: list[str], steps: int, ids: list[Any]
) -> None:
    """Add the given copies of a variable to ``wide``; a gap within a sequence is refused."""
    any_state = next(c for t in range(steps) for c in wide[f"{name}{t + 1}"] if not is_missing(c))
    for t in range(1, steps):
        copy = list(wide[f"{name}{t}"])
        for k, cell in enumerate(copy):
            if not is_missing(cell):
                continue
            later = (wide[f"{v}{s + 1}"][k] for v in names for s in range(t, steps))
            if not all(map(is_missing, later)):
                raise ValueError(
                    f"{name} of {ids[k]!r} is blank at step {t}, and the sequence goes on: what is "
                    "recalled must be observed at every step"
                )
            copy[k] = any_state
        wide[_copy(name, t)] = copy


def _by_id(
    cells: Mapping[str, Sequence[Any]], id: str, time: str | None
) -> dict[Hashable, dict[int, int]]:
    """The row of each step, counted from 0, for every id. Checks ``id`` and ``time``."""
    for what, column in (("id", id), ("time", time)):
        if column is not None and not (isinstance(column, str) and column in cells):
            raise ValueError(f"{what} is {shown(column)}: the columns are {', '.join(cells)}")
    visits: dict[Hashable, dict[Any, int]] = {}
    for row, who in enumerate(cells[id]):
        own = visits.setdefault(who, {})
        when = len(own) if time is None else cells[time][row]
        if is_missing(who) or is_missing(when):
            raise ValueError(
                f"row {row} has no {id if is_missing(who) else time}: every visit needs it"
            )
        if when in own:
            raise ValueError(
                f"{id} {who!r} has {time} {when!r} twice, in rows {own[when]} and {row}"
            )
        own[when] = row
    whole = all(isinstance(when, int) for own in visits.values() for when in own)
    found = {}
    for who, own in visits.items():
        order = sorted(own)
        steps = (when - order[0] if whole else k for k, when in enumerate(order))
        found[who] = {step: own[when] for step, when in zip(steps, order, strict=True)}
    return found


def _cells(column: Any) -> list[Any]:
    """The cells of a column; whole numbers that pandas has made floats are whole again."""
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    return [int(v) if isinstance(v, float) and v.is_integer() else v for v in values]


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
    return f"{RECALLED}{name}{t}"
