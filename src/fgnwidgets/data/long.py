"""A long table, a row for each visit, as a wide one with a row for each sequence; and back again.

Vocabulary
    visit   a row of the long table: a sequence at one step
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ..algebra.arrays import Index
from ..arguments import listing, read_names
from .columns import narwhal
from .frames import Table, beside, columns

CELLS = 10**8
"""The most cells of a wide table; more are refused before they take their memory."""


class Sequences(dict[str, list[Any]]):
    """A wide table: a dict of columns ``X1``, ``X2``, ..., with a row for each sequence.

    ``ids``        whose each row is, in the order in which they first occur in the long table
    ``gaps``       a table with a row for each gap: ``id``, the times ``after`` and ``before`` which
                   there was a visit, and how many ``steps`` are without one
    ``step``       what a step is, in a word
    ``variables``  the variables of a slice, which are columns of the long table
    ``sequence``, ``place``  the row of this table and the step, from 1, of each row of the long one
    ``table``      the long table itself
    """

    def __init__(
        self,
        wide: Mapping[str, list[Any]],
        table: Table,
        visits: Mapping[Hashable, Mapping[int, int]],
        variables: Sequence[str],
        step: str,
        gaps: dict[str, list[Any]],
    ) -> None:
        super().__init__(wide)
        self.table, self.variables, self.step, self.gaps = table, list(variables), step, gaps
        self.ids = list(visits)
        rows = sum(map(len, visits.values()))
        self.sequence: Index = np.zeros(rows, dtype=np.intp)
        self.place: Index = np.zeros(rows, dtype=np.intp)
        for k, steps in enumerate(visits.values()):
            for at, row in steps.items():
                self.sequence[row], self.place[row] = k, at + 1

    @property
    def n(self) -> int:
        """The number of steps that the longest sequence has."""
        return int(self.place.max(initial=1))

    def to_long(self, answers: Table, variables: str | Sequence[str] | None = None) -> Any:
        """The long table with answers to this one beside it, its rows in its own order.

        ``answers`` has a row for each sequence, as ``most_probable(graph, theta, wide).table`` has:
        the columns ``S1``, ``S2``, ... become the column ``S``, in which each visit has what is
        said of its step; a column that is no variable of a slice is repeated at each visit. An
        array ``(sequences, steps)`` counts as such columns. ``variables`` names what is wanted, by
        default all that the long table has not. The result is of the kind that the long table is:
        a data frame of the same library, or a dict.

        Raises ``ValueError`` for a name that is in neither, and for one that the long table has.
        """
        given = columns(answers)
        there = set(map(str, columns(self.table)))
        table: dict[str, Any] = {}
        if variables is None:
            stems = {name: re.fullmatch(r"(.*?\D)\d+", name) for name in given}
            names = dict.fromkeys(m[1] if m else name for name, m in stems.items())
            wanted = [v for v in names if v not in there and self._has(given, v)]
        else:
            wanted = list(read_names(variables, "variables"))
        for name in wanted:
            if not self._has(given, name):
                raise ValueError(
                    f"variables has {name!r}, and the answers have neither that column nor "
                    f"{name + '1'!r} to {f'{name}{self.n}'!r}: the columns are {_few(given)}"
                )
            if name in there:
                raise ValueError(
                    f"the long table has a column {name!r} already: rename it, or leave {name!r} "
                    "out of variables"
                )
            table[name] = self._visits(given, name)
        if not table:
            raise ValueError(
                f"the answers hold nothing that the long table has not: they have {_few(given)}"
            )
        return beside(self.table, table)

    def _has(self, given: Mapping[str, Any], name: str) -> bool:
        return name in given or all(f"{name}{t}" in given for t in range(1, self.n + 1))

    def _visits(self, given: Mapping[str, Any], name: str) -> Any:
        """One answer for each row of the long table."""
        at = [name] if name in given else [f"{name}{t}" for t in range(1, self.n + 1)]
        parts = [_array(given[column]) for column in at]
        for column, part in zip(at, parts, strict=True):
            if len(part) != len(self.ids):
                raise ValueError(
                    f"the column {column!r} of the answers has {len(part)} rows: expected "
                    f"{len(self.ids)}, one for each sequence"
                )
        if len(at) > 1 or name not in given:
            whole = np.stack(_alike(parts), axis=1)
        elif parts[0].ndim == 1:
            return parts[0][self.sequence]
        else:
            whole = parts[0]
        if whole.ndim != 2 or whole.shape[1] < self.n:
            raise ValueError(
                f"the answers about {name!r} have shape {whole.shape}: expected one for each of "
                f"{len(self.ids)} sequences and {self.n} steps"
            )
        return whole[self.sequence, self.place - 1]

    def __repr__(self) -> str:
        steps = np.bincount(self.sequence, minlength=len(self.ids))
        lengths = " to ".join(dict.fromkeys((str(steps.min()), str(steps.max()))))
        word = self.step if self.step[:1].isdigit() else f"a {self.step}"
        said = (
            f"Sequences: {len(self.ids)} rows of {', '.join(self.variables)}, with {lengths} "
            f"visits on {self.n} steps; a step is {word}"
        )
        gaps = len(self.gaps["id"])
        if not gaps:
            return f"{said}; no gaps"
        rows = zip(*self.gaps.values(), strict=True)
        told = [
            f"  {who!r}: {steps} step{'s' * (steps > 1)} between {after} and {before}"
            for who, after, before, steps in islice(rows, 5)
        ]
        more = [f"  and {gaps - 5} more, see .gaps"] if gaps > 5 else []
        return "\n".join([f"{said}; {gaps} gap{'s' * (gaps > 1)}:", *told, *more])


def column_cells(column: Any) -> list[Any]:
    """The cells of a column of any kind, one by one; dates of NumPy stay what they are."""
    series = None if isinstance(column, np.ndarray | list | tuple) else narwhal(column)
    if series is not None and hasattr(series, "to_list"):
        return list(series.to_list())
    if isinstance(column, np.ndarray) and column.dtype.kind not in "mM":
        return list(column.tolist())
    return list(column)


def _few(names: Mapping[str, Any]) -> str:
    return listing(islice(names, 8)) + (", ..." if len(names) > 8 else "")


def _array(column: Any) -> Any:
    """A column as an array; cells of more than one type stay as they are."""
    if isinstance(column, np.ndarray):
        return column
    cells = column_cells(column)
    kinds = set(map(type, cells))
    if len(kinds) == 1 and kinds <= {int, float, bool, str}:
        return np.array(cells)
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _alike(parts: Sequence[Any]) -> Sequence[Any]:
    """Arrays that can be stacked without making text of numbers."""
    if len({part.dtype.kind for part in parts}) == 1:
        return parts
    return [part.astype(object) for part in parts]


def refuse_many_cells(sequences: int, steps: int, variables: int) -> None:
    """Refuse a wide table that would hardly fit into memory."""
    cells = sequences * steps * variables
    if cells > CELLS:
        raise ValueError(
            f"the wide table would have {cells:,} cells, {sequences:,} sequences of {steps:,} "
            f"steps with {variables} variables, of which at most {CELLS:,} are made: is a time "
            "wrong, or step too short?"
        )
