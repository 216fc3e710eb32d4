"""Tables of samples: mappings of columns, arrays with names, DataFrames (the border with users).

Vocabulary
    table     samples first, one column per variable; also a mapping of single cells
    cell      a state's label, an index, a likelihood vector (soft evidence), or nothing
    missing   -1, None, NaN, NA, or a blank string
    code      the index of a state, -1 where the cell is missing

pandas and polars are read through what their columns have in common, and imported by neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .arrays import Array, Index
from .messages import one_hot
from .nodes import Branch, Label

Table = Any
"""A mapping, a DataFrame, a structured array, or a pair ``(array, names)``."""


def columns(table: Table) -> dict[str, Any]:
    """The columns of a table by name, as they are."""
    if isinstance(table, Mapping):
        return dict(table)
    if hasattr(table, "columns") and hasattr(table, "__getitem__"):
        names = [str(name) for name in table.columns]
        found = {str(name): table[name] for name in table.columns}
    elif isinstance(table, np.ndarray) and table.dtype.names:
        names = list(table.dtype.names)
        found = {name: table[name] for name in names}
    elif isinstance(table, tuple) and len(table) == 2:
        array, given = np.asarray(table[0]), table[1]
        names = [str(name) for name in given]
        if array.ndim != 2 or array.shape[1] != len(names):
            raise ValueError(
                f"the array has shape {array.shape}: expected (N, {len(names)}), a column per name"
            )
        found = dict(zip(names, array.T, strict=True))
    else:
        raise ValueError(
            f"the table is a {type(table).__name__}: expected a mapping of columns, a DataFrame, a "
            "structured array, or a pair (array, names)"
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"the table has two columns called {twice!r}: every column needs its own name"
        )
    return found


def is_missing(cell: Any) -> bool:
    """Whether a cell says nothing: None, NaN, NA, NaT or a blank string."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return True
    if type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float | np.floating) and cell != cell


def is_cell(column: Any) -> bool:
    """Whether this is one cell, a value for all samples, and no column."""
    if isinstance(column, str | bytes) or not isinstance(column, Iterable):
        return True
    return getattr(column, "ndim", 1) == 0


def labels(column: Any, name: str) -> tuple[Label, ...]:
    """The states that occur in a column: sorted, or in the order of its categories."""
    known = getattr(getattr(column, "dtype", None), "categories", None)
    if known is not None and not callable(known) and hasattr(known, "__iter__"):
        return tuple(_plain(label) for label in known)
    values = _cells(column)
    if values.dtype.kind in "iub":
        values = np.unique(values)
    try:
        found: list[Any] = list(
            dict.fromkeys(_plain(v) for v in values.tolist() if not is_missing(v))
        )
    except TypeError:
        raise ValueError(f"column {name!r} holds likelihood vectors: give its states") from None
    if all(v.is_integer() for v in found if isinstance(v, float)):
        # whole numbers that a missing cell made floats, and -1 for missing
        found = [int(v) if isinstance(v, float) else v for v in found if v != -1]
    if not found:
        raise ValueError(f"column {name!r} holds no value: give its states, or call it hidden")
    try:
        return tuple(sorted(found))
    except TypeError:
        return tuple(sorted(found, key=lambda label: (type(label).__name__, str(label))))


def read_column(column: Any, branch: Branch) -> Index | Array:
    """A column's codes ``(N,)``, or its likelihood vectors ``(M, N)`` where some are soft.

    A label always wins over a position; a number is a position only where no label is a number.
    """
    values = _cells(column)
    name = branch.variable
    if values.ndim == 2 and values.dtype.kind in "iuf":
        return _soft(values.T, name, branch.size)
    if values.ndim != 1:
        raise ValueError(
            f"{name}: the column has shape {values.shape}: expected (N,), or (N, {branch.size}) "
            "likelihood vectors"
        )
    by_position = not any(isinstance(s, int | float) for s in branch.states)
    if values.dtype.kind in "iub" and by_position:
        return _positions(values, name, branch)
    if values.dtype.kind == "f" and by_position:
        gone = np.isnan(values)
        whole = np.where(gone, -1.0, values)
        if not (whole == np.floor(whole)).all():
            at = int(np.flatnonzero(whole != np.floor(whole))[0])
            raise ValueError(
                f"{name}: sample {at} is {values[at]}: expected a whole number, the index of a "
                "state; "
                f"likelihood vectors have shape (N, {branch.size})"
            )
        return _positions(whole, name, branch)
    return _from_objects(values, name, branch, by_position)


def _from_objects(values: Any, name: str, branch: Branch, by_position: bool) -> Index | Array:
    code: dict[Any, int] = {label: k for k, label in enumerate(branch.states)}
    cells = values.tolist()
    codes = np.full(len(cells), -1, dtype=np.intp)
    soft: dict[int, Any] = {}
    for n, cell in enumerate(cells):
        try:
            known = code.get(cell)
        except TypeError:  # unhashable: a likelihood vector
            soft[n] = cell
            continue
        if known is None:
            if isinstance(cell, tuple):
                soft[n] = cell
                continue
            known = code[cell] = _code(cell, name, n, branch, by_position)
        codes[n] = known
    if not soft:
        return codes
    vectors = one_hot(codes, branch.size)
    for n, cell in soft.items():
        try:
            vector = np.asarray(cell, dtype=np.float64)
        except (TypeError, ValueError):
            vector = np.empty(0)
        if vector.shape != (branch.size,):
            raise ValueError(
                f"{name}: sample {n} is {cell!r}: expected a state or a likelihood vector of "
                f"{branch.size}"
            )
        vectors[:, n] = vector
    return _soft(vectors, name, branch.size)


def _code(cell: Any, name: str, n: int, branch: Branch, by_position: bool) -> int:
    """The code of a cell that is not one of the labels."""
    if is_missing(cell):
        return -1
    cell = _plain(cell)
    if isinstance(cell, int | float) and cell == -1:
        return -1
    if (
        by_position
        and isinstance(cell, int | float)
        and 0 <= cell < branch.size
        and cell == int(cell)
    ):
        return int(cell)
    if branch.states:
        known = ", ".join(map(repr, branch.states))
        raise ValueError(f"{name}: sample {n} is {cell!r}: the states of {name} are {known}")
    raise ValueError(
        f"{name}: sample {n} is {cell!r}: expected a state from 0 to {branch.size - 1}"
    )


def _positions(codes: Any, name: str, branch: Branch) -> Index:
    codes = np.ascontiguousarray(codes)  # a column of a table is strided; it is read many times
    if codes.size and not -1 <= codes.min() <= codes.max() < branch.size:
        at = int(np.flatnonzero((codes < -1) | (codes >= branch.size))[0])
        states = f", the states {', '.join(map(repr, branch.states))}" if branch.states else ""
        raise ValueError(
            f"{name}: sample {at} is {codes[at]}: expected 0 to {branch.size - 1}{states}, or "
            "-1 for missing"
        )
    checked: Index = codes.astype(np.intp, copy=False)
    return checked


def _soft(vectors: Array, name: str, size: int) -> Array:
    v = np.array(vectors, dtype=np.float64)
    if v.shape[0] != size:
        raise ValueError(f"{name}: likelihood vectors of length {v.shape[0]}: expected {size}")
    gone = np.isnan(v).all(axis=0)
    v[:, gone] = 1.0
    good = (v >= 0).all(axis=0) & (v < np.inf).all(axis=0) & v.any(axis=0)
    if not good.all():
        at = int(np.flatnonzero(~good)[0])
        raise ValueError(
            f"{name}: sample {at} has the likelihood vector {v[:, at].tolist()}: expected finite "
            "numbers >= 0 that are not all zero"
        )
    return v


def _cells(column: Any) -> Any:
    """A column as an array; a single cell as a column of one."""
    if hasattr(column, "to_numpy"):
        column = column.to_numpy()
    if isinstance(column, np.ndarray):
        values = column if column.ndim else column[None]
        return values.astype(object) if values.dtype.kind in "USOM" else values
    cells: Sequence[Any] = [column] if is_cell(column) else list(column)
    numbers = bool(cells) and not any(isinstance(c, bool) for c in cells)
    if numbers and all(isinstance(c, int | np.integer) for c in cells):
        return np.array(cells)
    if numbers and all(isinstance(c, float | np.floating | int | np.integer) for c in cells):
        return np.array(cells, dtype=np.float64)
    values = np.empty(len(cells), dtype=object)
    for n, cell in enumerate(cells):
        values[n] = cell
    return values


def _plain(label: Any) -> Label:
    plain: Label = label.item() if isinstance(label, np.generic) else label
    return plain
