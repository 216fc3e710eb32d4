"""What a graph editor holds: one immutable value, of which every edit makes another.

Vocabulary
    document   graph, hidden variables, matrices, table, run, evidence, places of the cards
    data       a table with the states that its columns have
    family     a variable with its parents: its matrix has a row for each of their configurations
    merge      whether loops are merged into product variables; until then nothing is exact on them
    model      what is learned and asked: the graph, or its cluster tree where loops are merged
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from fgnwidgets.border.bayes import BayesGraph
from fgnwidgets.border.queries import propagate
from fgnwidgets.border.run import Run
from fgnwidgets.engine.arrays import Array
from fgnwidgets.engine.branches import Label
from fgnwidgets.engine.graph import NormalGraph
from fgnwidgets.engine.messages import ImpossibleEvidence, Messages
from fgnwidgets.readers import read_weight
from fgnwidgets.tables import Table, labels, many_states
from fgnwidgets.tables.frames import counted

from .observed import Cells, as_table, read_cells

Matrix = tuple[tuple[float, ...], ...]
Point = tuple[float, float]

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Data:
    """A table as it was given, the states of its columns, and why others are no variables.

    ``weight`` is the column that counts rows, if one does, and ``numbers`` are those that could.
    """

    given: Table
    columns: Mapping[str, tuple[Label, ...]]
    left_out: Mapping[str, str]
    rows: float
    name: str = ""
    weight: str | None = None
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Learning:
    """How to learn: a rule, random starts, the most epochs, and a seed."""

    rule: str = "ml"
    restarts: int = 10
    n_epochs: int = 300
    seed: int = 0


@dataclass(frozen=True)
class Document:
    """All that was drawn, said and learned; ``how`` is the learning that made ``run``, if we did.

    ``matrices`` has every matrix of the graph, ``seed`` the numbers that were drawn last.
    """

    graph: BayesGraph | None = None
    hidden: frozenset[str] = frozenset()
    matrices: Mapping[str, Matrix] = field(default_factory=dict)
    seed: int | None = None
    merge: bool = False
    data: Data | None = None
    learning: Learning = Learning()
    run: Run | None = None
    how: Learning | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, Point] = field(default_factory=dict)

    @property
    def variables(self) -> tuple[str, ...]:
        return () if self.graph is None else tuple(self.graph.variables)

    @property
    def loop(self) -> tuple[str, ...]:
        """The variables on a loop that is not merged."""
        return () if self.graph is None or self.merge else self.graph.loop

    @cached_property
    def model(self) -> BayesGraph | NormalGraph | None:
        """The graph, or what stands for it where loops are merged."""
        if self.graph is not None and self.graph.loop and self.merge:
            return self.graph.merged()
        return self.graph

    @cached_property
    def form(self) -> NormalGraph | None:
        """The model in normal form; None where there is a loop."""
        if self.graph is None or self.loop:
            return None
        return self.model if isinstance(self.model, NormalGraph) else self.graph.normal_form()

    @property
    def theta(self) -> dict[str, Array]:
        return {name: np.array(matrix) for name, matrix in self.matrices.items()}

    @property
    def observed(self) -> tuple[str, ...]:
        """The variables that learning sees: they have a column and are not hidden."""
        known = () if self.data is None else self.data.columns
        return tuple(v for v in self.variables if v in known and v not in self.hidden)

    @property
    def awaited(self) -> tuple[str, ...]:
        """Given variables without a state: nothing can be asked before they have one."""
        given = () if self.graph is None else self.graph.given
        return tuple(v for v in given if isinstance(self.evidence.get(v, []), list))

    @cached_property
    def beliefs(self) -> Messages | None:
        """The messages under the evidence; None where a state is awaited, on a loop, and where the
        evidence is impossible."""
        if self.form is None or self.awaited:
            return None
        try:
            return propagate(self.form, self.theta, as_table(self.form, self.evidence))
        except ImpossibleEvidence:
            return None


def states_of(graph: BayesGraph | None) -> dict[str, int | tuple[Label, ...]]:
    """What :class:`BayesGraph` is made from: sizes, or states where they have labels."""
    branches = {} if graph is None else graph.variables
    return {name: branch.states or branch.size for name, branch in branches.items()}


def parents_of(graph: BayesGraph | None) -> dict[str, tuple[str, ...]]:
    """The parents of the variables that have any."""
    return {} if graph is None else {name: ps for name, ps in graph.parents.items() if ps}


def read_data(table: Table, name: str = "", weight: str | None = None) -> Data:
    """A table with the states of its columns; those that cannot be variables are left out.

    ``weight`` is the column that says how often each row is there. Of a lazy table only the
    different rows are read.
    """
    cells, sums = counted(table, None, weight)
    if weight is not None:
        sums = read_weight(sums, len(sums), f"the column {weight!r}")
    rows = (
        float(np.sum(sums))
        if sums is not None
        else float(max(map(_length, cells.values()), default=0))
    )
    columns, left_out = {}, {}
    for column, values in cells.items():
        try:
            states = labels(values, column)
        except ValueError as error:
            left_out[column] = str(error)
            continue
        if odd := many_states(column, len(states), rows):
            left_out[column] = odd
        elif len(states) < 2:
            left_out[column] = f"{column!r} is {states[0]!r} in every row: it says nothing"
        else:
            columns[column] = states
    if not columns:
        why = next(iter(left_out.values()), "it has no columns")
        raise ValueError(f"no column of the table can be a variable: {why}")
    numbers = [weight] if weight is not None else []
    numbers += [column for column, values in cells.items() if _counts(values)]
    return Data(table, columns, left_out, rows, name, weight, tuple(numbers))


def _counts(column: Any) -> bool:
    """Whether all cells are numbers that could be how often rows are there."""
    try:
        values = np.asarray(column)
    except (TypeError, ValueError):
        return False
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        return False
    return bool(np.isfinite(values).all() and (values >= 0).all() and values.any())


def _length(column: Any) -> int:
    return len(column) if hasattr(column, "__len__") else 1


def plain(matrix: Any) -> Matrix:
    """A matrix as plain numbers, so that documents are compared by their values."""
    return tuple(tuple(map(float, row)) for row in np.asarray(matrix))


def read_given(doc: Document, given: Mapping[str, Any]) -> Cells:
    """Evidence in its plain form, also while the graph has a loop."""
    if doc.graph is None:
        if given:
            raise ValueError(f"no variable {next(iter(given))!r}: the graph has none yet")
        return {}
    return read_cells(BayesGraph(states_of(doc.graph)).normal_form(), given)
