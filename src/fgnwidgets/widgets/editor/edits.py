"""The edits of a document: functions that take a document and return a new one.

Each is one action of a user. What is not possible raises ``ValueError`` or ``GraphError``, with a
message that the page shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fgnwidgets.algebra.arrays import Label
from fgnwidgets.arguments import read_count
from fgnwidgets.bayes.graph import BayesGraph
from fgnwidgets.data import Table, read_column
from fgnwidgets.data.frames import weighted_columns
from fgnwidgets.graphs.branches import Branch, GraphError
from fgnwidgets.learning.rules import read_rule
from fgnwidgets.learning.run import Run
from fgnwidgets.loops.junction_tree import MergedGraph

from ..graph.edits import edit
from .document import Document, Learning, parents_of, read_data, states_of
from .edit_matrices import drawn, flat, with_row, with_theta
from .places import free_place, placed, size, steady, tidied
from .rebuild import adopted, rebuilt


def add(
    doc: Document, name: str, states: int | Sequence[Label] = 2, at: Sequence[float] | None = None
) -> Document:
    """Add a variable with a number of states or with labels.

    If the table has a column of its name, it gets the states of the column. Its card comes to a
    free place, the nearest to ``at`` if that is given.
    """
    if name in doc.variables:
        raise GraphError(f"there is a variable {name!r} already: choose another name")
    if doc.data is not None and name in doc.data.columns:
        states = doc.data.columns[name]
    made = rebuilt(doc, {**states_of(doc.graph), name: _states(states)}, parents_of(doc.graph))
    return replace(made, places={**made.places, name: free_place(made, name, at)})


def remove(doc: Document, name: str) -> Document:
    """Remove a variable with its arrows."""
    doc.has(name)
    states = {v: s for v, s in states_of(doc.graph).items() if v != name}
    parents = {
        v: tuple(p for p in ps if p != name) for v, ps in parents_of(doc.graph).items() if v != name
    }
    return rebuilt(doc, states, parents)


def rename(doc: Document, name: str, new: str) -> Document:
    """Rename a variable. If there is a table, it is then hidden, since no column has its name."""
    doc.has(name)
    if new == name:
        return doc
    if new in doc.variables:
        raise GraphError(f"there is a variable {new!r} already: choose another name")

    def called(v: str) -> str:
        return new if v == name else v

    states = {called(v): s for v, s in states_of(doc.graph).items()}
    parents = {called(v): tuple(map(called, ps)) for v, ps in parents_of(doc.graph).items()}
    made = steady(rebuilt(doc, states, parents, {new: name}), doc, new, name)
    if doc.selected == f"variable:{name}":
        made = replace(made, selected=f"variable:{new}")
    return made if doc.data is None else replace(made, hidden=made.hidden | {new})


def restate(doc: Document, name: str, states: int | Sequence[Label]) -> Document:
    """Give a variable other states; its matrices are kept if there are as many as before."""
    doc.has(name)
    new = _states(states)
    if name in doc.observed:
        assert doc.data is not None
        cells, _ = weighted_columns(doc.data.given, [name])
        read_column(cells[name], Branch(name, new))  # raises if a cell is none of these states
    made = rebuilt(doc, {**states_of(doc.graph), name: new}, parents_of(doc.graph))
    return steady(made, doc, name, name)


def connect(doc: Document, parent: str, child: str) -> Document:
    """Add an arrow from a parent to a child."""
    for name in (parent, child):
        doc.has(name)
    parents = parents_of(doc.graph)
    if parent in parents.get(child, ()):
        raise GraphError(f"there is an arrow from {parent!r} to {child!r} already")
    states = states_of(doc.graph)
    return rebuilt(doc, states, {**parents, child: (*parents.get(child, ()), parent)})


def disconnect(doc: Document, parent: str, child: str) -> Document:
    """Remove an arrow."""
    _arrow(doc, parent, child)
    return rebuilt(doc, states_of(doc.graph), _without(doc, parent, child))


def turn(doc: Document, parent: str, child: str) -> Document:
    """Reverse an arrow."""
    _arrow(doc, parent, child)
    parents = _without(doc, parent, child)
    parents[parent] = (*parents.get(parent, ()), child)
    made = rebuilt(doc, states_of(doc.graph), parents)
    if doc.selected == f"arrow:{parent}->{child}":
        made = replace(made, selected=f"arrow:{child}->{parent}")
    return made


def hide(doc: Document, name: str, hidden: bool = True) -> Document:
    """Hide a variable from learning, or with ``hidden=False`` observe its column. Drops the run."""
    doc.has(name)
    if hidden == (name in doc.hidden):
        return doc
    if not hidden and doc.data is not None and name not in doc.data.columns:
        columns = ", ".join(doc.data.columns)
        why = doc.data.left_out.get(name, f"the columns of the table are {columns}")
        raise ValueError(f"{name!r} cannot be observed: {why}")
    changed = doc.hidden | {name} if hidden else doc.hidden - {name}
    made = replace(doc, hidden=changed, run=None, how=None)
    return made if hidden else restate(made, name, states_of(doc.graph)[name])


def with_table(
    doc: Document,
    table: Table | None,
    name: str = "",
    *,
    bring: bool = True,
    weight: str | None = None,
    said: Sequence[str] = (),
) -> Document:
    """Set the table, or remove it with None.

    With ``bring`` all its columns become variables. A variable that has a column keeps its states
    if all cells are among them or it is hidden, and gets those of the column otherwise. Variables
    without a column are hidden. ``weight`` is the column that says how often each row is there,
    ``said`` are warnings of how the table was read.
    """
    if table is None:
        return replace(doc, data=None, run=None, how=None)
    data, old = read_data(table, name, weight, said), doc.data
    made = replace(doc, data=data, run=None, how=None)
    states = states_of(doc.graph)
    hidden = set(doc.hidden)
    cells = weighted_columns(data.given, list(data.columns))[0]
    for column, found in data.columns.items():
        if column in doc.variables:
            assert doc.graph is not None
            if old is not None and column not in old.columns:
                hidden.discard(column)  # it was hidden only because it had no column
            if column not in hidden and not _readable(cells[column], doc.graph.variables[column]):
                states[column] = found
        elif bring:
            states[column] = found
    made = rebuilt(replace(made, hidden=frozenset(hidden)), states, parents_of(doc.graph))
    for column in states:
        made = made if column in made.places else placed(made, column)
    return made


def weighed(doc: Document, column: str | None) -> Document:
    """Choose the column that says how often each row is there, or none. It is then no variable."""
    if doc.data is None:
        raise ValueError("there is no table whose rows could be counted: drop one, or set it first")
    data = read_data(doc.data.given, doc.data.name, column, doc.data.said)
    made = doc if column not in doc.variables else remove(doc, column)
    return replace(made, data=data, run=None, how=None)


def with_graph(doc: Document, graph: BayesGraph | MergedGraph | None) -> Document:
    """Set the graph. Variables that it had before keep their places, families their matrices."""
    if graph is None:
        return rebuilt(doc, {}, {})
    if isinstance(graph, MergedGraph):
        return with_graph(replace(doc, merge=True), graph.bayes)
    if not isinstance(graph, BayesGraph):
        raise TypeError(
            f"graph is a {type(graph).__name__}: expected a BayesGraph, whose arrows can be drawn"
        )
    made = adopted(doc, graph)
    if set(made.places) & set(made.variables):
        for name in made.variables:
            made = made if name in made.places else placed(made, name)
        return made
    return tidied(made)


def with_run(doc: Document, run: Run | None) -> Document:
    """Set the run, its graph and its best matrices."""
    if run is None:
        return replace(doc, run=None, how=None)
    if not isinstance(run, Run):
        raise TypeError(f"run is a {type(run).__name__}: expected a Run, as fit gives it")
    if run.graph not in (doc.graph, doc.model):
        doc = with_graph(doc, run.graph)  # type: ignore[arg-type]
    return replace(with_theta(doc, run.best_theta), run=run, how=None)


def with_evidence(doc: Document, evidence: Mapping[str, Any]) -> Document:
    """Set the evidence: variable -> state or likelihood vector."""
    return doc.observing(evidence)


def with_learning(doc: Document, learning: Learning) -> Document:
    """Set how to learn the next time."""
    if not isinstance(learning, Learning):
        raise TypeError(f"learning is a {type(learning).__name__}: expected editor.learning")
    read_rule(learning.rule)
    for name, least in (("restarts", 1), ("n_epochs", 1), ("seed", 0)):
        read_count(getattr(learning, name), name, least)
    return doc.keeping_answers(learning=learning)


def merged(doc: Document, merge: bool = True) -> Document:
    """Choose whether loops are merged into product variables."""
    if merge and doc.graph is not None:
        doc.graph.merged()  # raises if a product variable would be too large
    return replace(doc, merge=merge)


def place(doc: Document, name: str, x: float, y: float) -> Document:
    """Move the centre of a card."""
    doc.has(name)
    width, height = size(doc, name)
    at = (max(float(x), width / 2 + 1), max(float(y), height / 2 + 1))
    return doc.keeping_answers(places={**doc.places, name: at})


def _states(states: int | Sequence[Label]) -> int | tuple[Label, ...]:
    return states if isinstance(states, int) else tuple(states)


def _readable(column: Any, branch: Branch) -> bool:
    """True if all cells of a column are states of a variable."""
    try:
        read_column(column, branch)
    except ValueError:
        return False
    return True


def _arrow(doc: Document, parent: str, child: str) -> None:
    """Refuse an arrow that is not there."""
    if parent not in parents_of(doc.graph).get(child, ()):
        raise GraphError(f"there is no arrow from {parent!r} to {child!r}")


def _without(doc: Document, parent: str, child: str) -> dict[str, tuple[str, ...]]:
    """The parents of all variables after an arrow was removed."""
    parents = parents_of(doc.graph)
    return {**parents, child: tuple(p for p in parents[child] if p != parent)}


EDITS: Mapping[str, Callable[..., Document]] = {
    "add": add,
    "remove": remove,
    "rename": rename,
    "restate": restate,
    "connect": connect,
    "disconnect": disconnect,
    "turn": turn,
    "hide": hide,
    "row": with_row,
    "cell": edit,
    "draw": drawn,
    "flat": flat,
    "merge": merged,
    "place": place,
    "tidy": tidied,
    "weigh": weighed,
}
"""The edits by their words, which ``GraphEditor.edit`` takes."""
