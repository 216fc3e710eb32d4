"""Labels compared by type, and named arrays put in the order of a variable's states.

Vocabulary
    kind       the type of a label: a truth value, a number, text. Labels of different kinds are
               never equal: True is not 1, and "1" is not 1
    position   the index of a state in place of its label. It is accepted only where it could not be
               a label: not if a label is a number, a truth value, or text that reads as a number
    missing    None, NaN, NA, a blank string, a masked cell; -1 where it could not be a label; and
               the codes that a variable's ``missing`` names, which win over positions
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ..algebra.arrays import Array, Index, Label
from .columns import Column, Variable, is_frame, narwhal, read


def is_missing(cell: Any) -> bool:
    """True if a cell says nothing: None, NaN, NA, NaT, masked or a blank string."""
    if cell is None or cell is np.ma.masked or (isinstance(cell, str) and not cell.strip()):
        return True
    if type(cell).__name__ in ("NAType", "NaTType"):
        return True
    unlike = isinstance(cell, float | np.floating | np.datetime64 | np.timedelta64)
    return bool((unlike or type(cell).__name__ == "Decimal") and cell != cell)


def kind_of(label: Any) -> str:
    """The type by which labels are compared, in words."""
    if isinstance(label, bool | np.bool_):
        return "a truth value"
    if isinstance(label, numbers.Number) and not isinstance(label, complex | np.complexfloating):
        return "a number"
    return "text" if isinstance(label, str) else type(label).__name__


def key_of(label: Any) -> Any:
    """The key of a label, its kind and value, so 3.0 is 3 but True is not 1.

    Raises ``TypeError`` for what cannot be hashed, such as a likelihood vector.
    """
    if isinstance(label, tuple):
        return tuple(map(key_of, label))
    label = plain(label)
    hash(label)
    return kind_of(label), label


def looks_numeric(label: Any) -> bool:
    """True if someone who writes a number could mean this label."""
    if not isinstance(label, str | bytes):
        return isinstance(label, numbers.Number | np.bool_)
    try:
        float(label)
    except ValueError:
        return False
    return True


def plain(label: Any) -> Label:
    """A label as a value of Python, also where NumPy holds it."""
    simple: Label = label.item() if isinstance(label, np.generic) else label
    return simple


def in_order(labels: Collection[Any]) -> list[Any]:
    """Labels sorted; those that do not compare are sorted as text, type by type."""
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def listed(labels: Any) -> str:
    """Labels in a message; of more than twelve, the first ten and the last."""
    shown = list(map(repr, labels))
    return ", ".join(shown if len(shown) <= 12 else [*shown[:10], "...", shown[-1]])


class States:
    """The states of a branch, found by what a table may call them: :meth:`code`."""

    def __init__(self, branch: Variable) -> None:
        self.branch = branch
        self.codes = {key_of(state): k for k, state in enumerate(branch.states)}
        self.codes.update((key_of(code), -1) for code in branch.missing)
        numeric = [state for state in branch.states if looks_numeric(state)]
        self.positions = not numeric
        self.minus_one = all(kind_of(state) == "a number" for state in numeric)

    def code(self, cell: Any) -> int | None:
        """The code of the state that a cell names; -1 if it is missing, None if it is no state."""
        if cell is np.ma.masked:
            return -1
        try:
            code = self.codes.get(key_of(cell))
        except TypeError:  # a likelihood vector cannot be hashed
            return None
        if code is not None or is_missing(cell):
            return -1 if code is None else code
        kind = kind_of(cell)
        if kind == "a truth value" and self.branch.size == 2 and not self.branch.states:
            return int(cell)
        if kind != "a number":
            return None
        if self.positions and 0 <= cell < self.branch.size and cell == int(cell):
            return int(cell)
        return -1 if cell == -1 and self.minus_one else None

    def all_of(self, names: Sequence[Any], what: str) -> Index:
        """The codes of ``names``. Raises ``ValueError`` unless each of them is a state."""
        codes = [self.code(name) for name in names]
        if None in codes or -1 in codes:
            raise self._refused(names, what, "compared by type")
        return np.array(codes, dtype=np.intp)

    def order(self, names: Sequence[Any], what: str) -> Index:
        """The index of each state in ``names``, which must hold each state once."""
        codes = self.all_of(names, what)
        if sorted(codes) != list(range(self.branch.size)):
            raise self._refused(names, what, "each once")
        order: Index = np.argsort(codes)
        return order

    def _refused(self, names: Sequence[Any], what: str, how: str) -> ValueError:
        states = self.branch.states or range(self.branch.size)
        return ValueError(
            f"{what} are called {listed(map(plain, names))}: expected the states of "
            f"{self.branch.variable}, {listed(states)}, {how}"
        )


# Matrices and vectors with names


def has_names(value: Any) -> bool:
    """True if this is a data frame, or a series with an index, for :func:`aligned_matrix`."""
    frame = narwhal(value)
    index = getattr(value, "index", None)
    return is_frame(frame) or (frame is not None and index is not None and not callable(index))


def aligned_matrix(frame: Any, parents: Sequence[Variable], child: Variable, name: str) -> Array:
    """A data frame as the matrix ``(M_X, M_Y)`` of P(own | parents), its states found by label.

    Its index holds the parents' states (a MultiIndex for several parents), its columns the
    variable's own, each in any order; the rows returned are in C order, the first parent varying
    slowest. A prior (no parents) is one row, or a Series. ``name`` is what errors call the matrix.
    """
    if not parents and getattr(frame, "ndim", 2) == 1 and hasattr(frame, "to_frame"):
        frame = frame.to_frame().T
    table: Any = narwhal(frame)
    index: Any = getattr(frame, "index", None)
    if not is_frame(table):
        raise ValueError(f"{name} is a {type(frame).__name__}: expected a DataFrame or an array")
    values = numbers_in(table, name)
    given = [parent.variable for parent in parents]
    levels = list(getattr(index, "names", []))
    if (parents and child.variable in levels) or getattr(frame.columns, "name", None) in given:
        raise ValueError(
            f"{name}: the rows are called {levels}: expected the states of {', '.join(given)} as "
            f"rows and those of {child.variable} as columns, which is frame.T"
        )
    values = values[:, States(child).order(header(table, child), f"{name}: the columns")]
    if not parents:
        if len(values) != 1:
            raise ValueError(f"{name} has {len(values)} rows: a prior has one")
        return values
    return values[row_order(index, parents, name)]


def row_order(index: Any, parents: Sequence[Variable], name: str) -> Index:
    """The rows of an index in the C order of the parents' states; it has a level for each."""
    given = [parent.variable for parent in parents]
    levels = list(getattr(index, "names", []))
    named = set(levels) == set(given)
    if len(levels) != len(parents) or not (named or len(levels) == 1 or set(levels) == {None}):
        raise ValueError(
            f"{name}: the rows are called {levels or 'nothing'}: expected a pandas DataFrame whose "
            f"index has the states of {', '.join(given)}, a level for each, or an array"
        )
    place = np.zeros(len(index), dtype=np.intp)
    for level, parent in enumerate(parents):
        rows = index.get_level_values(parent.variable if named else level)
        place = place * parent.size + States(parent).all_of(list(rows), f"{name}: the rows")
    size = math.prod(parent.size for parent in parents)
    if sorted(place) != list(range(size)):
        raise ValueError(
            f"{name} has {len(index)} rows: expected each of the {size} states of "
            f"{', '.join(given)} once"
        )
    order: Index = np.argsort(place)
    return order


def numbers_in(frame: Any, name: str) -> Array:
    """The cells of a data frame of numbers, ``(rows, columns)``, NaN where they are empty."""
    array = frame.to_numpy()
    if array.dtype.kind in "iuf":
        return np.array(array, dtype=np.float64)
    columns = [read_numbers(series, f"{name}: {series.name!r}") for series in frame.iter_columns()]
    return np.column_stack(columns)


def read_numbers(column: Any, name: str) -> Array:
    """A column of numbers as an array, NaN where cells are empty; True is 1 and False is 0."""
    values_read = read(column)
    if isinstance(values_read, Column):
        values = [np.nan if is_missing(value) else value for value in values_read.values]
        if not {kind_of(value) for value in values} <= {"a number", "a truth value"}:
            found = [value for value in values_read.values if not is_missing(value)]
            raise ValueError(f"{name} holds {listed(found)}: expected numbers")
        values_read = np.array([*values, np.nan], dtype=np.float64)[values_read.codes]
    numbers: Array = np.ma.filled(values_read.astype(np.float64), np.nan)
    return numbers


def header(frame: Any, branch: Variable) -> list[Any]:
    """The names of a frame's columns as labels of a branch.

    Only pandas has names that are not text; elsewhere ``"0"`` is taken for the label 0.
    """
    names = list(frame.columns)
    if frame.implementation.is_pandas_like():
        return names
    text = {str(state): state for state in branch.states or range(branch.size)}
    return [text.get(name, name) for name in names] if len(text) == branch.size else names
