"""The contents of a graph editor as one immutable value; every edit makes a new one.

Vocabulary
    document   graph, hidden variables, matrices, table, run, evidence, places of the cards
    data       a table, with the states that its columns have
    merge      whether loops are merged into product variables, without which there are no beliefs
    model      the graph that learns and answers: the one drawn, or its cluster tree after a merge
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from fgnwidgets.algebra.arrays import Array, Label
from fgnwidgets.arguments import read_weight
from fgnwidgets.bayes.graph import BayesGraph
from fgnwidgets.data import Table, labels, many_states, no_answers
from fgnwidgets.data.evidence import ImpossibleEvidence
from fgnwidgets.data.frames import weighted_columns
from fgnwidgets.graphs.branches import GraphError
from fgnwidgets.graphs.normal_graph import NormalGraph
from fgnwidgets.inference.messages import Messages
from fgnwidgets.inference.queries import propagate
from fgnwidgets.learning.run import Run

from ..graph.observed import Cells, as_table, read_cells, to_codes

Matrix = tuple[tuple[float, ...], ...]
Point = tuple[float, float]

NOTHING: Mapping[str, Any] = MappingProxyType({})

ANSWERS = ("model", "form", "reads", "beliefs")
"""Values that follow from a document's graph, matrices, merge and evidence, each computed once."""


@dataclass(frozen=True, eq=False)
class Data:
    """A table.

    ``given``      the table itself
    ``columns``    the states of each column that can be a variable
    ``left_out``   why each other column cannot be one
    ``rows``       the number of rows, or the sum of their weights
    ``name``       the name of the file that it was read from, or ""
    ``weight``     the column that says how often each row is there, or None
    ``numbers``    the columns that could say it
    ``said``       warnings of how it was read
    """

    given: Table
    columns: Mapping[str, tuple[Label, ...]]
    left_out: Mapping[str, str]
    rows: float
    name: str = ""
    weight: str | None = None
    numbers: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class Learning:
    """The options of learning: the rule, the number of random starts, the most epochs, the seed."""

    rule: str = "ml"
    restarts: int = 10
    n_epochs: int = 300
    seed: int = 0


@dataclass(frozen=True)
class Document:
    """The contents of an editor.

    ``matrices``   every matrix of the graph, by name
    ``seed``       that of the last random matrices, or None
    ``learning``   the settings of the next run
    ``how``        the settings of ``run``, or None if the run was not learned here
    ``evidence``   variable -> label or likelihood vector (``observed``)
    ``places``     variable -> centre of its card, in pixels
    ``selected``   the id of the part that is looked at, or None; documents that differ in nothing
                   else are equal, and it is not undone
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
    selected: str | None = field(default=None, compare=False)

    def keeping_answers(self, **changes: Any) -> Document:
        """The document with changes on which no answer depends: places, settings, what is looked
        at. So what was computed is not computed again."""
        made = replace(self, **changes)
        vars(made).update({name: vars(self)[name] for name in ANSWERS if name in vars(self)})
        return made

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""
        return () if self.graph is None else tuple(self.graph.variables)

    @property
    def loop(self) -> tuple[str, ...]:
        """The variables on a loop that is not merged."""
        return () if self.graph is None or self.merge else self.graph.loop

    @cached_property
    def model(self) -> BayesGraph | NormalGraph | None:
        """The graph, or its cluster tree if loops are merged."""
        if self.graph is not None and self.graph.loop and self.merge:
            return self.graph.merged()
        return self.graph

    @cached_property
    def form(self) -> NormalGraph | None:
        """The model in normal form; None if it has a loop."""
        if self.graph is None or self.loop:
            return None
        return self.model if isinstance(self.model, NormalGraph) else self.graph.normal_form()

    @cached_property
    def reads(self) -> NormalGraph:
        """The variables without arrows: evidence is read by it, also where they form a loop."""
        if self.graph is None:
            raise ValueError("the graph has no variables yet: add one, or drop a table")
        return BayesGraph(states_of(self.graph)).normal_form()

    def has(self, variable: str) -> None:
        """Raise ``GraphError`` unless the graph has this variable."""
        if variable not in self.variables:
            known = ", ".join(self.variables) or "none yet"
            raise GraphError(f"no variable {variable!r}: there are {known}")

    @property
    def codes(self) -> dict[str, Any]:
        """The evidence as a page has it: the index of a state, or likelihoods."""
        return {} if self.graph is None else to_codes(self.reads, self.evidence)

    def observing(self, cells: Mapping[str, Any], variable: str = "") -> Document:
        """The document with other evidence; ``variable`` is selected, if one is named."""
        selected = f"variable:{variable}" if variable else self.selected
        return replace(self, evidence=read_given(self, cells), selected=selected)

    def with_matrix(self, name: str, matrix: Array) -> Document:
        """The document with one matrix in place of another of its name."""
        return replace(self, matrices={**self.matrices, name: plain(matrix)})

    @property
    def theta(self) -> dict[str, Array]:
        """The matrices as arrays."""
        return {name: np.array(matrix) for name, matrix in self.matrices.items()}

    @property
    def observed(self) -> tuple[str, ...]:
        """The variables that learning observes: they have a column and are not hidden."""
        known = () if self.data is None else self.data.columns
        return tuple(v for v in self.variables if v in known and v not in self.hidden)

    @property
    def awaited(self) -> tuple[str, ...]:
        """The given variables that have no state yet, without which there are no beliefs."""
        given = () if self.graph is None else self.graph.given
        return tuple(v for v in given if isinstance(self.evidence.get(v, []), list))

    @cached_property
    def beliefs(self) -> Messages | None:
        """The messages given the evidence.

        None if the graph has a loop, a given variable has no state, or the evidence is impossible.
        """
        if self.form is None or self.awaited:
            return None
        try:
            return propagate(self.form, self.theta, as_table(self.form, self.evidence))
        except ImpossibleEvidence:
            return None


def states_of(graph: BayesGraph | None) -> dict[str, int | tuple[Label, ...]]:
    """The states of all variables as :class:`BayesGraph` takes them: labels, or a size."""
    branches = {} if graph is None else graph.variables
    return {name: branch.states or branch.size for name, branch in branches.items()}


def parents_of(graph: BayesGraph | None) -> dict[str, tuple[str, ...]]:
    """The parents of the variables that have any."""
    return {} if graph is None else {name: ps for name, ps in graph.parents.items() if ps}


def read_data(
    table: Table, name: str = "", weight: str | None = None, said: Sequence[str] = ()
) -> Data:
    """A table with the states of its columns.

    Of a lazy table only the different rows are read. Raises ``ValueError`` if no column can be a
    variable, or if the column ``weight`` holds no weights.
    """
    cells, sums = weighted_columns(table, None, weight)
    if weight is not None:
        sums = read_weight(sums, len(sums), f"the column {weight!r}")
    if sums is None:
        rows = float(max(map(_length, cells.values()), default=0))
    else:
        rows = float(np.sum(sums))
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
    codes = (no_answers(column, states) for column, states in columns.items())
    told = tuple(dict.fromkeys([*said, *filter(None, codes)]))
    return Data(table, columns, left_out, rows, name, weight, tuple(numbers), told)


def _counts(column: Any) -> bool:
    """True if the cells could be the numbers of each row: numbers >= 0, not all zero."""
    try:
        values = np.asarray(column)
    except (TypeError, ValueError):
        return False
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        return False
    return bool(np.isfinite(values).all() and (values >= 0).all() and values.any())


def _length(column: Any) -> int:
    """The number of rows of a column; a single cell is one."""
    return len(column) if hasattr(column, "__len__") else 1


def plain(matrix: Any) -> Matrix:
    """A matrix as tuples of numbers, so that documents can be compared by value."""
    return tuple(tuple(map(float, row)) for row in np.asarray(matrix))


def read_given(doc: Document, given: Mapping[str, Any]) -> Cells:
    """Evidence as cells (``observed``), checked; the graph may have a loop."""
    if doc.graph is None:
        if given:
            raise ValueError(f"no variable {next(iter(given))!r}: the graph has none yet")
        return {}
    return read_cells(doc.reads, given)
