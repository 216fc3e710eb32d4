"""The cells of a column as states, likelihood vectors, or nothing.

Vocabulary
    cell    a state's label, its position, a likelihood vector (soft evidence), or nothing
    code    the position of a state, -1 where the cell is missing

A cell that is equal to a label is that state; labels are compared by type (:mod:`.names`). Columns
of all libraries are read by their different values (:mod:`.columns`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..algebra.arrays import Array, Index, Label
from .answers import bare, no_answers, refuse_nearly
from .columns import Column, Variable, by_value, is_frame, read, unmasked
from .names import (
    States,
    header,
    in_order,
    is_missing,
    key_of,
    kind_of,
    listed,
    numbers_in,
    plain,
)


def labels(column: Any, name: str, missing: Sequence[Label] = ()) -> tuple[Label, ...]:
    """The states that occur in a column: sorted, or all its categories in their order.

    Codes in ``missing`` are none of them. -1 is a value here like any number. But in a column of
    0, 1, ... and -1 it could also mean that a cell is missing, so such a column is refused with
    ``ValueError``.
    """
    values = read(column)
    if is_frame(values) or getattr(values, "ndim", 1) != 1:
        raise _soft_column(name)
    values = by_value(values)
    codes = {key_of(code) for code in missing}
    different: dict[Any, Label] = {}
    for cell in values.values:
        if is_missing(cell):
            continue
        try:
            if key_of(cell) not in codes:
                different.setdefault(key_of(cell), plain(cell))
        except TypeError:
            raise _soft_column(name) from None
    refuse_nearly(missing, different.values(), name)
    states: list[Any] = list(different.values())
    if not states:
        raise ValueError(f"column {name!r} holds no value: give its states, or call it hidden")
    if len(set(states)) < len(states):
        raise ValueError(
            f"column {name!r} holds {listed(states)}: a truth value and a number that are equal "
            "to Python; convert the column to one type"
        )
    if values.declared:
        return tuple(states)
    if all(s.is_integer() for s in states if isinstance(s, float)):
        # pandas makes floats of whole numbers if a cell is empty
        states = [int(s) if isinstance(s, float) else s for s in states]
    from decimal import Decimal  # late: few tables hold any

    decimals = [s for s in states if isinstance(s, Decimal)]
    if all(s.is_finite() and s == s.to_integral_value() for s in decimals):
        # DuckDB makes decimals of sums of whole numbers
        states = [int(s) if isinstance(s, Decimal) else s for s in states]
    if {-1, 0}.issubset(states) and all(type(s) is int and s >= -1 for s in states):
        states.sort()
        raise ValueError(
            f"column {name!r} holds {listed(states)}: is -1 a state, or is the cell missing? Give "
            f"the states, hidden={{{name!r}: {tuple(states)}}} or hidden={{{name!r}: "
            f"{states[-1] + 1}}}, leave missing cells empty, or say missing={{{name!r}: [-1]}}"
        )
    return tuple(in_order(states))


def is_full(column: Any, missing: Sequence[Label] = ()) -> bool:
    """True if a column has a state in every cell: no blank, no code for no answer, no -1."""
    values = read(column)
    if is_frame(values) or getattr(values, "ndim", 1) != 1:
        return False
    levels = by_value(values)
    empty = [_says_nothing(cell, {key_of(code) for code in missing}) for cell in levels.values]
    return not np.append(empty, True)[levels.codes].any()


def _says_nothing(cell: Any, missing: set[Any]) -> bool:
    try:
        return is_missing(cell) or key_of(cell) in missing or key_of(cell) == key_of(-1)
    except TypeError:  # a likelihood vector
        return True


WEIGHT_WORDS = {"weight", "weights", "count", "counts", "freq", "freqs", "frequency", "n"}
"""Names of columns that often say how many samples a row stands for."""


def like_weights(name: str, states: Sequence[Label]) -> str:
    """A warning about a column of positive numbers with such a name; or ""."""
    numbers = [s for s in states if isinstance(s, int | float) and not isinstance(s, bool)]
    if bare(name) not in WEIGHT_WORDS or len(numbers) < len(states) or min(numbers) <= 0:
        return ""
    return (
        f"column {name!r} holds positive numbers: if they say how many samples a row stands for, "
        f"give weight={name!r} here and to fit. Here it is a variable like the others; if it is "
        "meant to be one, name it in columns"
    )


def alike(name: str, states: Sequence[Label]) -> str:
    """A warning about states such as 'yes' and 'Yes ', which are probably one; or ""."""
    written: dict[str, list[Label]] = {}
    for state in states:
        written.setdefault(bare(state), []).append(state)
    groups = [same for same in written.values() if len(same) > 1]
    if not groups:
        return ""
    return (
        f"column {name!r} has the states {listed(groups[0])}, which differ in spaces, capitals or "
        "type alone"
        + (f", and {len(groups) - 1} more such sets" if len(groups) > 1 else "")
        + ". Here each is a state of its own; write what means the same in one way"
    )


def many_states(name: str, states: int, rows: float) -> str:
    """A warning about a column with too many states to learn from; or "".

    That is more than 20 states, and more than half as many as (weighted) rows.
    """
    if states <= 20 or states <= rows / 2:
        return ""
    return (
        f"{name!r} has {states} states in {rows:.10g} rows: a column in which hardly a value comes "
        "twice (a number of the row, a measurement) teaches nothing about the others; leave it "
        "out, or put its values into a few groups"
    )


def read_column(column: Any, branch: Variable) -> Index | Array:
    """A column's codes ``(N,)``, or its likelihood vectors ``(M, N)`` where some are soft.

    A data frame in place of a column is soft evidence; each of its columns is called by a state.
    """
    if isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "iuf":
        return _numbers(column, branch)
    name, values = branch.variable, read(column)
    if is_frame(values):
        what = f"{name}: the columns of the data frame"
        order = States(branch).order(header(values, branch), what)
        return _soft(numbers_in(values, name).T[order], name, branch.size)
    if isinstance(values, Column):
        return _from_values(values, branch)
    if values.ndim == 2 and values.dtype.kind in "iuf":
        return _soft(np.ma.filled(values.T.astype(np.float64), np.nan), name, branch.size)
    if values.ndim != 1:
        raise ValueError(
            f"{name}: the column has shape {values.shape}: expected (N,), or (N, {branch.size}) "
            "likelihood vectors"
        )
    return _numbers(values, branch)


def _numbers(values: Any, branch: Variable) -> Index | Array:
    """The codes in a column of numbers: positions, unless numbers may be labels of the variable."""
    if branch.missing or (branch.states and not States(branch).positions) or values.dtype == bool:
        return _from_values(by_value(values), branch)
    name, (codes, missing) = branch.variable, unmasked(values)
    if missing.any():
        codes = np.where(missing, -1, codes)
    if codes.dtype.kind == "f" and not (codes == np.floor(codes)).all():
        at = int(np.flatnonzero(codes != np.floor(codes))[0])
        raise ValueError(
            f"{name}: sample {at} is {codes[at]}: expected a whole number, the index of a state; "
            f"likelihood vectors have shape (N, {branch.size})"
        )
    if codes.size and not -1 <= codes.min() <= codes.max() < branch.size:
        at = int(np.flatnonzero((codes < -1) | (codes >= branch.size))[0])
        states = f", the states {listed(branch.states)}" if branch.states else ""
        raise ValueError(
            f"{name}: sample {at} is {codes[at]}: expected 0 to {branch.size - 1}{states}, or "
            "-1 for missing"
        )
    # A column of a table is strided; it will be read many times, so it is made contiguous.
    checked: Index = np.ascontiguousarray(codes).astype(np.intp, copy=False)
    return checked


def _from_values(column: Column, branch: Variable) -> Index | Array:
    """The codes of a column by its different values, or likelihood vectors."""
    name = branch.variable
    states = States(branch)
    place = np.full(len(column.values) + 1, -1, dtype=np.intp)  # the last one is for empty cells
    soft: dict[int, Any] = {}
    wrong: list[int] = []
    for v, cell in enumerate(column.values):
        code = states.code(cell)
        if code is not None:
            place[v] = code
        elif (vector := _vector(cell, states)) is not None:
            soft[v] = vector
        else:
            wrong.append(v)
    if wrong:
        at = np.flatnonzero(np.isin(column.codes, wrong))
        if at.size:  # else no cell has the wrong value, which is then an unused category
            raise _unknown(column.values[column.codes[at[0]]], int(at[0]), branch)
    if not soft:
        codes: Index = place[column.codes]
        return codes
    vectors = ((np.arange(branch.size)[:, None] == place) | (place == -1)).astype(np.float64)
    for v, vector in soft.items():
        vectors[:, v] = vector
    return _soft(vectors[:, column.codes], name, branch.size)


def _vector(cell: Any, states: States) -> Array | None:
    """The likelihood vector in a cell; one that names its states is put in their order."""
    if isinstance(cell, str | bytes | Mapping) or not hasattr(cell, "__len__"):
        return None
    try:
        vector = np.asarray(cell, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if vector.shape != (states.branch.size,):
        return None
    names = getattr(cell, "index", None)
    if names is None or callable(names):
        return vector
    what = f"{states.branch.variable}: the names in a likelihood vector"
    return vector[states.order(list(names), what)]


def _unknown(cell: Any, n: int, branch: Variable) -> ValueError:
    """The error for a cell that is no state, with what was probably meant."""
    cell = plain(cell)
    start = f"{branch.variable}: sample {n} is {cell!r}"
    if hasattr(cell, "__len__") and not isinstance(cell, str | bytes):
        return ValueError(f"{start}: expected a state or a likelihood vector of {branch.size}")
    if not branch.states:
        return ValueError(
            f"{start}: expected a state from 0 to {branch.size - 1}{_blank(cell, branch)}"
        )
    kinds = dict.fromkeys(map(kind_of, branch.states))
    states = f"the states of {branch.variable} are {listed(branch.states)}"
    if kind_of(cell) in kinds:
        same = [state for state in branch.states if bare(state) == bare(cell)]
        meant = f"; {same[0]!r} is the same but for spaces or capitals" if same else ""
        return ValueError(f"{start}: {states}{meant or _blank(cell, branch)}")
    return ValueError(
        f"{start}, {kind_of(cell)}: {states}, {' and '.join(kinds)}. Labels are compared by type: "
        "convert the column, or declare the states as they stand in it"
    )


def _blank(cell: Any, branch: Variable) -> str:
    """The remedy where a cell that is no state looks like a code for no answer."""
    warning = no_answers(branch.variable, [*(branch.states or range(branch.size)), cell])
    code = f"{branch.variable!r}: [{cell!r}]"
    return (
        f"; if this says that nothing is known, give the graph missing={{{code}}}"
        if f"{code}}}" in warning
        else ""
    )


def _soft(vectors: Any, name: str, size: int) -> Array:
    """Likelihood vectors ``(M, N)``, checked; a column of NaN is a missing cell."""
    v = np.array(vectors, dtype=np.float64)
    if v.shape[0] != size:
        raise ValueError(f"{name}: likelihood vectors of length {v.shape[0]}: expected {size}")
    v[:, np.isnan(v).all(axis=0)] = 1.0  # a missing cell rules out no state
    good = (v >= 0).all(axis=0) & (v < np.inf).all(axis=0) & v.any(axis=0)
    if not good.all():
        at = int(np.flatnonzero(~good)[0])
        raise ValueError(
            f"{name}: sample {at} has the likelihood vector {v[:, at].tolist()}: expected finite "
            "numbers >= 0 that are not all zero"
        )
    return v


def _soft_column(name: str) -> ValueError:
    return ValueError(f"column {name!r} holds likelihood vectors: give its states")
