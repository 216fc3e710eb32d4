"""The effect of each number of the matrices on a posterior: one-way sensitivity analysis.

Vocabulary
    cell          one number of a matrix, P(child = y | parents = x)
    covariation   when a cell moves, the others of its row move in proportion, so that the row still
                  sums to one
    query         the event whose probability is asked for
    tied          a matrix that several blocks use

P(evidence) and P(query, evidence) are linear in the matrix of each block (section 3), so that the
posterior is a quotient of two linear functions of a cell (Coupé and van der Gaag 2002). Their
slopes are products of the two messages at the block: one propagation of two samples, the evidence
without and with the query, gives them for all cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algebra.arrays import Array, Mask
from ..arguments import read_count, read_kind, shown, wrong
from ..data import Table, read_column
from ..data.evidence import Evidence
from ..graphs.nodes import Node
from ..graphs.normal_graph import Graph, NormalGraph
from ..graphs.theta import Theta
from ..inference.propagation import clamp, propagate_chunks, refuse_impossible
from ..inference.queries import loglik
from ..learning.run import Run
from ..report import Report
from .families import in_words, observed, read_case, row_states
from .scores import relative

HEADS = ["matrix", "given", "state", "cell", "derivative", "-10 %", "+10 %"]
SHOWN = 10
"""The most cells that are printed."""

TOGETHER = 128
"""Cells that are moved in one batch, each in a model of its own."""

ROUNDING = 1e-13
"""A difference that is a smaller share of what it is the difference of is 0: a posterior does not
depend on what its evidence separates it from."""


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Report):
    """A posterior and how it depends on each cell; arrays are by name of the matrix.

    ``query``, ``says``     the states that were asked for by variable, and P(query | evidence) in
                            words
    ``value``               P(query | evidence)
    ``derivative[name]``    its derivative in each cell, ``(M_X, M_Y)``, the other cells of the row
                            moving in proportion; also of fixed matrices
    ``partial[name]``       the derivative in the cell alone, as if the others stood still
    ``coefficients[name]``  ``(4, M_X, M_Y)``: the posterior is ``(c1 x + c2) / (c3 x + c4)`` when
                            the cell is x, the scale being such that ``c3 x + c4`` is now 1; NaN for
                            tied matrices, in which it is no such function
    ``free[name]``          ``(M_X, M_Y)``: True for the cells that can move either way and belong
                            to a matrix that is learned. Not free are fixed matrices, cells that are
                            0 or 1, and what a run could not move, such as held rows
    ``theta``               the matrices
    """

    graph: Graph
    query: Mapping[str, Any]
    says: str
    value: float
    derivative: Mapping[str, Array]
    partial: Mapping[str, Array]
    coefficients: Mapping[str, Array]
    free: Mapping[str, Mask]
    theta: Mapping[str, Array]
    _rows: Evidence
    _likelihood: float

    @property
    def vertex(self) -> dict[str, Array]:
        """The values at which each cell's sensitivity function has slope 1 or -1, ``(M_X, M_Y)``.

        A cell near this value matters even if its derivative is small, because the derivative
        changes quickly there (van der Gaag and Renooij 2001). NaN where the function is a straight
        line, and for tied matrices.
        """
        vertices = {}
        for name, (c1, c2, c3, c4) in self.coefficients.items():
            bent = np.abs(c3) > 1e-14
            c3 = np.where(bent, c3, np.nan)
            pole = -c4 / c3
            far = np.sqrt(np.abs((c1 * pole + c2) / c3))
            vertices[name] = np.where(pole < self.theta[name], pole + far, pole - far)
        return vertices

    def cells(self, count: int = SHOWN, change: float = 0.1) -> list[tuple[Any, ...]]:
        """``(matrix, given, state, cell, derivative, low, high)`` of the cells that matter most.

        Free cells by the absolute value of the derivative, the largest first; without those on
        which the posterior does not depend. ``low`` and ``high`` are the posterior when the cell is
        ``change`` of its value smaller and larger, 1 at most; NaN where the evidence would be
        impossible. In a row of two free cells the derivatives are opposite, and the second cell
        stands for both.
        """
        most = read_count(count, "count")
        if isinstance(change, bool) or not isinstance(change, float) or not 0 < change <= 1:
            raise wrong("change", change, "a number above 0 and at most 1, such as 0.1 for 10 %")
        places = self._ranked()[:most]
        labels: dict[str, tuple[Any, Any]] = {}
        form = self.graph.normal_form()
        for name, *_ in places:
            node = form.users[name][0]
            labels[name] = row_states(form, node), form.states(form.family(node)[1])
        pieces = (places[at : at + TOGETHER] for at in range(0, len(places), TOGETHER))
        ends = [end for piece in pieces for end in self._moved(piece, change)]
        return [
            (
                *(name, labels[name][0][x], labels[name][1][y]),
                *(float(self.theta[name][x, y]), float(self.derivative[name][x, y])),
                *map(float, end),
            )
            for (name, x, y), end in zip(places, ends, strict=True)
        ]

    def _ranked(self) -> list[tuple[str, int, int]]:
        names, at, size = [], [], []
        for name, free in self.free.items():
            two = free & (free.sum(axis=1, keepdims=True) == 2)
            first = two & (np.cumsum(two, axis=1) == 1)
            places = np.argwhere(free & ~first & (self.derivative[name] != 0))
            names += [name] * len(places)
            at.append(places)
            size.append(np.abs(self.derivative[name][tuple(places.T)]))
        if not names:
            return []
        places = np.concatenate(at).tolist()
        order = np.argsort(-np.concatenate(size), kind="stable")
        return [(names[k], *places[k]) for k in order]

    def _moved(self, places: list[tuple[str, int, int]], change: float) -> Array:
        """The posterior after each cell was made smaller and larger, ``(places, 2)``."""
        batch = {
            name: np.repeat(self.theta[name][None], 2 * len(places), axis=0)
            for name in {name for name, *_ in places}
        }
        for k, (name, x, y) in enumerate(places):
            row = self.theta[name][x]
            for end, sign in enumerate((-1, 1)):
                to = min(1.0, row[y] * (1 + sign * change))
                new = batch[name][2 * k + end, x]
                new *= (1 - to) / (row.sum() - row[y])
                new[y] = to
        logs = loglik(self.graph, {**self.theta, **batch}, self._rows)
        with np.errstate(invalid="ignore"):
            p = np.minimum(self._likelihood * np.exp(logs[..., 1] - logs[..., 0]), 1.0)
        return np.broadcast_to(p, 2 * len(places)).reshape(-1, 2)

    def _table(self) -> tuple[str, list[str], list[list[Any]]]:
        rows = [
            [name, _text(given), _text(state), *(f"{number:.4f}" for number in numbers)]
            for name, given, state, *numbers in self.cells()
        ]
        return f"{self.says} = {self.value:.4f}, by cell", HEADS, rows

    def _data(self) -> tuple[list[str], list[list[Any]]]:
        rows = [
            [name, _text(given), _text(state), *numbers]
            for name, given, state, *numbers in self.cells(max(1, len(self._ranked())))
        ]
        return HEADS, rows

    def _notes(self) -> list[str]:
        notes = []
        rest = len(self._ranked()) - SHOWN
        if rest > 0:
            notes.append(f"{rest} more {'cell matters' if rest == 1 else 'cells matter'} less")
        fixed = [name for name, free in self.free.items() if not free.any()]
        if fixed:
            notes.append(f"left out, since no cell of them is free: {', '.join(fixed)}")
        notes.append(
            "derivative of the posterior in the cell, and the posterior when the cell is 10 % "
            "smaller and larger; the other cells of its row move in proportion"
        )
        return notes


def _text(label: Any) -> str:
    return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def sensitivity(
    graph: Graph, theta: Theta, evidence: Table | Evidence, query: Mapping[str, Any]
) -> Sensitivity:
    """P(query | evidence) as a function of each cell of each matrix, exactly.

    ``query`` is an event, ``{"Kind": "ill"}``, or of several variables at once; ``evidence`` is one
    case. When the cell ``x = theta[i, j]`` moves, the others of its row keep their proportions,
    ``theta[i, k] (1 - x) / (1 - theta[i, j])``; where they are all zero they share in equal parts
    (covariation, Renooij 2014). With ``N = P(query, evidence)`` and ``D = P(evidence)``, both
    linear in x for a matrix that one block uses, the derivative is ``(N' - P D') / D``, where P is
    the posterior; its absolute value is the sensitivity value (Laskey 1995). In a tied matrix the
    cell moves in all its blocks.

    By one propagation, also for merged graphs, chains and given variables. A query of probability
    zero takes one for each cell. Raises ``ValueError`` for a query on an observed variable, and
    :class:`ImpossibleEvidence`.
    """
    form, matrices, case = read_case(graph, theta, evidence)
    asked = _read_query(form, query, observed(form, case))
    rows, likelihood = _with_query(case, asked, form)
    clamped = clamp(form, rows)
    (chunk,) = propagate_chunks(clamped, matrices)
    if chunk.loglik[0] == -np.inf:
        refuse_impossible(chunk.loglik[:1], case, form)
    value = min(1.0, likelihood * float(np.exp(chunk.loglik[1] - chunk.loglik[0])))
    ruled_out = chunk.loglik[1] == -np.inf
    derivative, partial, coefficients = {}, {}, {}
    for name, matrix in matrices.items():
        nodes = clamped.graph.users[name]
        score = sum((relative(chunk, node, matrix) for node in nodes), np.zeros(()))
        if ruled_out:
            steps = (
                _unit_steps(clamped.graph, rows.take(slice(1, 2)), matrices, node) for node in nodes
            )
            top = likelihood * sum(steps, np.zeros(())) * np.exp(-chunk.loglik[0])
        else:
            top = value * score[..., 1]
        partial[name] = _difference(top, value * score[..., 0])
        derivative[name] = covaried(partial[name], matrix)
        c1, c3 = covaried(top, matrix), covaried(score[..., 0], matrix)
        functions = np.stack([c1, value - c1 * matrix, c3, 1 - c3 * matrix])
        coefficients[name] = functions if len(nodes) == 1 else np.full(functions.shape, np.nan)
    states = {name: form.states(name)[code] for name, code in asked.items()}
    event = ", ".join(f"{name} = {state}" for name, state in states.items())
    given = in_words(form, case)
    return Sensitivity(
        graph,
        states,
        f"P({event} | {given})" if given else f"P({event})",
        value,
        derivative,
        partial,
        coefficients,
        _free(form, theta, matrices),
        matrices,
        rows,
        likelihood,
    )


def covaried(partial: Array, theta: Array) -> Array:
    """The derivative in each cell when the others of its row move in proportion, from partial ones.

    ``g_j - sum_k theta_k g_k / sum_k theta_k`` over the other cells k. Both are ``(M_X, M_Y)``. The
    others share in equal parts where all of them are zero, and where there are none it is zero.
    """
    if theta.shape[1] == 1:
        return np.zeros(theta.shape)
    rest = _others(theta)
    even = _others(partial) / (theta.shape[1] - 1)
    back: Array = np.divide(_others(theta * partial), rest, out=even, where=rest > 0)
    return _difference(partial, back)


def _difference(one: Array, two: Array) -> Array:
    """``one - two``, and zero where only rounding is left of it."""
    left = one - two
    return np.where(np.abs(left) > ROUNDING * np.maximum(np.abs(one), np.abs(two)), left, 0.0)


def _others(v: Array) -> Array:
    """For each entry the sum of the others of its row; nothing is subtracted, so none cancels."""
    before, after = np.zeros(v.shape), np.zeros(v.shape)
    before[:, 1:] = np.cumsum(v[:, :-1], axis=1)
    after[:, -2::-1] = np.cumsum(v[:, :0:-1], axis=1)
    return before + after


def _unit_steps(graph: NormalGraph, row: Evidence, theta: Mapping[str, Array], node: Node) -> Array:
    """The derivatives of P(row) in the cells of one block where P(row) is zero, ``(M_X, M_Y)``.

    P(row) is linear in them: each is P(row) after 1 was added to the cell.
    """
    matrix = theta[node.theta]
    use = f"use {node.name}"
    own: Node = replace(node, theta=use)  # type: ignore[type-var]
    untied = graph.with_nodes(own if other.name == node.name else other for other in graph.nodes)
    posed = clamp(untied, row)
    likelihoods = np.zeros(matrix.size)
    for at in range(0, matrix.size, TOGETHER):
        cells = np.arange(at, min(at + TOGETHER, matrix.size))
        steps = np.zeros((len(cells), matrix.size))
        steps[np.arange(len(cells)), cells] = 1.0
        moved = {**theta, use: matrix + steps.reshape(-1, *matrix.shape)}
        (chunk,) = propagate_chunks(posed, moved, len(cells))
        likelihoods[cells] = np.exp(chunk.loglik[..., 0])
    return likelihoods.reshape(matrix.shape)


def _read_query(form: NormalGraph, query: Any, seen: set[str]) -> dict[str, int]:
    """The code of the state that is asked for, by variable."""
    expected = "a mapping from variables to states, such as {'X': 'yes'}"
    read_kind(query, "query", Mapping, expected)
    if not query:
        raise wrong("query", query, expected)
    event: dict[str, int] = {}
    for name, state in query.items():
        variable = form.variable_of[form.branch(name).name]
        if variable in event:
            raise ValueError(
                f"query names the variable {variable!r} twice: expected one state of it"
            )
        if variable in seen:
            raise ValueError(
                f"query {name!r} is observed, so that its probability is 0 or 1 whatever the "
                "matrices: expected a variable that is not in the evidence"
            )
        try:
            codes = read_column([state], form.branch(variable))
        except ValueError as error:
            raise ValueError(f"query[{name!r}]: {error}") from None
        if codes.shape != (1,) or codes[0] < 0:
            states = ", ".join(map(repr, form.states(variable)[:8]))
            raise ValueError(f"query[{name!r}] is {shown(state)}: expected one state, of {states}")
        event[variable] = int(codes[0])
    return event


def _with_query(
    case: Evidence, asked: Mapping[str, int], form: NormalGraph
) -> tuple[Evidence, float]:
    """Two samples, the evidence without and with the query, and a factor of the latter.

    It is what soft evidence says of the states that are asked for.
    """
    rows = case.take(np.zeros(2, dtype=np.intp))
    codes, vectors, factor = dict(rows.codes), dict(rows.vectors), 1.0
    for name, code in asked.items():
        if name in vectors:
            factor *= float(vectors[name][code, 1])
            delta = np.eye(form.branch(name).size)[code]
            vectors[name] = np.stack([vectors[name][:, 0], delta], axis=-1)
        else:
            codes[name] = np.array([-1, code])
    return Evidence(2, codes, vectors), factor


def _free(form: NormalGraph, theta: Any, matrices: Mapping[str, Array]) -> dict[str, Mask]:
    free = {}
    for name, matrix in matrices.items():
        free[name] = (matrix > 0) & (matrix < 1) & (name in form.learnable)
        if isinstance(theta, Run):
            free[name] &= theta.free.get(name, np.zeros(matrix.shape, dtype=bool))
    return free
