"""Replace the graph of a document, and keep what still fits.

Vocabulary
    family   a variable with its parents; its matrix has a row for each configuration of these

An unchanged family keeps its matrix and the name of that; any other starts with a uniform matrix.
Evidence is kept on variables whose states are unchanged. The run is dropped, since it belongs to
the old graph.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fgnwidgets.algebra.arrays import Label
from fgnwidgets.bayes.graph import BayesGraph
from fgnwidgets.graphs.directed import family_name

from .document import NOTHING, Document, Matrix, states_of

StatesOf = Mapping[str, int | Sequence[Label]]
ParentsOf = Mapping[str, Sequence[str]]

LARGEST = 4096
"""Most numbers of a matrix in an editor, which sends its matrices to the page."""


def rebuilt(
    doc: Document, states: StatesOf, parents: ParentsOf, was: Mapping[str, str] = NOTHING
) -> Document:
    """The document with a new graph, made from states and parents.

    ``was`` maps renamed variables to their old names. Raises ``GraphError`` for what is no graph,
    and ``ValueError`` for a matrix that is too large for an editor.
    """
    old, before = doc.graph, {name: was.get(name, name) for name in states}
    kept = [] if old is None else _kept(old, states, parents, before)
    graph = _graph(old, states, parents, before, kept) if states else None
    matrices: dict[str, Matrix] = {}
    for name, matrix in ({} if graph is None else graph.theta).items():
        assert graph is not None
        shape = _shape(graph, name)
        if math.prod(shape) > LARGEST:
            raise ValueError(
                f"the matrix of {name!r} would have {math.prod(shape):,} numbers, more than "
                f"{LARGEST:,}: fewer parents or fewer states, or learn it without an editor"
            )
        matrices.setdefault(matrix, uniform(shape))
        if old is not None and name in kept:
            matrices[matrix] = doc.matrices[old.theta[before[name]]]
    after = {own: name for name, own in before.items()}
    hidden = {after[own] for own in doc.hidden if own in after}
    hidden |= set() if doc.data is None else set(states) - set(doc.data.columns)
    made = replace(
        doc,
        graph=graph,
        matrices=matrices,
        hidden=frozenset(hidden),
        evidence={
            after[own]: cell
            for own, cell in doc.evidence.items()
            if own in after and _same_states(old, own, states[after[own]])
        },
        places={after[own]: at for own, at in doc.places.items() if own in after},
        run=None,
        how=None,
    )
    if made.merge and graph is not None:
        graph.merged()  # raises if a product variable would be too large
    return made


def adopted(doc: Document, graph: BayesGraph) -> Document:
    """The document with exactly this graph, with its matrix names, fixed and given variables."""
    made = rebuilt(doc, states_of(graph), graph.parents)
    if made.graph == graph:
        return made
    matrices = {m: uniform(_shape(graph, name)) for name, m in graph.theta.items()}
    same = {m: made.matrices[m] for m in matrices if _fits(made.matrices.get(m), matrices[m])}
    return replace(made, graph=graph, matrices={**matrices, **same})


def uniform(shape: tuple[int, int]) -> Matrix:
    return ((1 / shape[1],) * shape[1],) * shape[0]


def _shape(graph: BayesGraph, name: str) -> tuple[int, int]:
    sizes = (graph.variables[parent].size for parent in graph.parents[name])
    return math.prod(sizes), graph.variables[name].size


def _fits(one: Matrix | None, other: Matrix) -> bool:
    return one is not None and (len(one), len(one[0])) == (len(other), len(other[0]))


def _kept(
    old: BayesGraph, states: StatesOf, parents: ParentsOf, before: Mapping[str, str]
) -> list[str]:
    """The variables whose families are unchanged; ``before`` maps variables to their old names."""
    sizes = {own: _size(states[name]) for name, own in before.items()}
    found = []
    for name, own in before.items():
        if own not in old.theta:
            continue
        above = tuple(before[parent] for parent in parents.get(name, ()) if parent in before)
        unchanged = all(old.variables[v].size == sizes[v] for v in above if v in old.variables)
        if above == old.parents[own] and unchanged and old.variables[own].size == sizes[own]:
            found.append(name)
    return found


def _graph(
    old: BayesGraph | None,
    states: StatesOf,
    parents: ParentsOf,
    before: Mapping[str, str],
    kept: Sequence[str],
) -> BayesGraph:
    """The new graph, with names of matrices, fixed and given variables from the old one."""
    options: dict[str, Any] = {}
    if old is not None:
        own_names = {name: old.theta[before[name]] for name in kept}
        options["theta"] = {
            name: matrix
            for name, matrix in own_names.items()
            if matrix != family_name(before[name], old.parents[before[name]])
        }
        options["fixed"] = [name for name, own in before.items() if own in old.fixed]
        leading = {parent for ps in parents.values() for parent in ps}
        options["given"] = [
            name
            for name, own in before.items()
            if own in old.given and name in leading and not parents.get(name)
        ]
        options["missing"] = {
            name: old.missing[own]
            for name, own in before.items()
            if own in old.missing and _same_states(old, own, states[name])
        }
    above = {name: tuple(ps) for name, ps in parents.items() if ps}
    return BayesGraph(states, above, **{key: value for key, value in options.items() if value})


def _size(states: int | Sequence[Label]) -> int:
    return states if isinstance(states, int) else len(states)


def _same_states(old: BayesGraph | None, name: str, states: int | Sequence[Label]) -> bool:
    known = None if old is None else old.variables.get(name)
    now = states if isinstance(states, int) else tuple(states)
    return known is not None and (known.states or known.size) == now
