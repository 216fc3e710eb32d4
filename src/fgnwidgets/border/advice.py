"""What a run should tell a careful reader: its warnings, in words.

Nothing here can lose a finished run: a check that fails says so and is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..engine.arrays import Array

if TYPE_CHECKING:
    from .posing import Posed
    from .run import Run

SAME_ROWS = 1e-6
"""Hidden states whose rows all agree this closely are called identical."""

SAME_END = 1e-4
"""Restarts that end within this of the best, per sample, have found the same optimum."""

RISING = 1e-6
"""A rise of ``loglik`` per sample in the last epoch that is worth going on for."""


def advice(run: Run, problem: Posed, posed: Posed) -> Iterator[str]:
    """The warnings of a finished run; ``posed`` is its problem as it was before short starts."""
    for check in (_ends, _optima, _zeros, _columns, _states):
        try:
            yield from check(run, posed if check is _zeros else problem)
        except Exception as error:  # the run is done: it must not be lost
            yield f"a check of the result failed ({type(error).__name__}: {error})"


def _ends(run: Run, problem: Posed) -> Iterator[str]:
    if run.dropped.any():
        which = ", ".join(map(str, np.flatnonzero(run.dropped)))
        yield f"restart {which} gave a sample probability zero and was dropped as it was"
    if run.several or run.n_epochs < 1 or run.dropped[run.best]:
        return
    before, last = run.loglik[-2:, run.best]
    if not run.reason.startswith("all "):
        return  # it settled, or was stopped
    if before - last > 1e-9 * abs(last):
        yield (
            f"loglik still fell, by {before - last:.4g}, in the last epoch: the run has not settled"
        )
    elif last - before > RISING * problem.weight.sum():
        yield (
            f"loglik still rose, by {last - before:.4g}, in the last epoch: more epochs "
            f"(n_epochs={2 * run.n_epochs}) would go further"
        )


def _optima(run: Run, problem: Posed) -> Iterator[str]:
    live = run.final_loglik[~run.dropped]
    if run.several or run.n_epochs < 1 or len(live) < 2 or not isinstance(run.rule, str):
        return
    same = int((live >= live.max() - SAME_END * problem.weight.sum()).sum())
    if same == 1:
        yield (
            f"the best end was found only once in {len(live)} restarts: a better one may be left "
            "to find; more restarts would tell"
        )


def _zeros(run: Run, problem: Posed) -> Iterator[str]:
    for name in problem.clamped.graph.learnable:
        zeros = problem.stuck(name)
        if name in problem.hold:
            zeros &= ~problem.hold[name]
        if zeros.any():
            lane = problem.lanes[int(zeros.any(axis=(1, 2)).argmax())]
            yield (
                f"theta[{name!r}] starts with {int(zeros.any(axis=0).sum())} zeros, which never "
                f"leave under {lane.updates[name].rule.name!r}: start from small numbers where "
                "anything is possible"
            )


def _columns(run: Run, problem: Posed) -> Iterator[str]:
    evidence = problem.unfolded
    rows = evidence.n if run.several else max(evidence.n, problem.weight.sum())
    for name, codes in evidence.codes.items():
        states = problem.clamped.graph.branch(name).size
        if states > 20 and 2 * len(np.unique(codes[codes >= 0])) > rows:
            yield (
                f"column {name!r} has {states} states in {rows:.10g} rows: is it an identifier, "
                "or a number to be cut in classes?"
            )


def _states(run: Run, problem: Posed) -> Iterator[str]:
    graph, evidence = problem.clamped.graph, problem.clamped.evidence
    seen = {*evidence.variables, *graph.products}
    hidden = [v for v in graph.variables if v not in seen]
    if run.several or not hidden or run.dropped[run.best]:
        return
    rows = _rows_by_variable(problem, run.best_theta)
    counts = run.best_counts
    for variable in hidden:
        names = graph.states(variable)
        for i, j in _identical(rows.get(variable)):
            yield (
                f"states {names[i]} and {names[j]} of {variable} are identical: fewer states, "
                "another seed or start='matrices' would tell them apart"
            )
        makers = [node for v in graph.variables[variable] if (node := graph.tails.get(v))]
        made = [node.theta for node in makers if node.theta in counts]
        if not made or len(graph.users[made[0]]) > 1:
            continue  # not learned, or learned with others
        expected = counts[made[0]].sum(axis=0)
        if not expected.any():
            yield f"nothing that was observed says anything of {variable}"
            continue
        for k in np.flatnonzero(expected < 0.5):
            yield (
                f"state {names[k]} of {variable} stands for {expected[k]:.2g} samples: "
                "try fewer states"
            )


def _rows_by_variable(problem: Posed, theta: Mapping[str, Array]) -> dict[str, Array]:
    """What each variable's states say of its children: their rows, side by side.

    A variable that enters a product space is left out: its states differ by the other parents.
    """
    graph = problem.clamped.graph
    rows: dict[str, list[Array]] = {}
    for node in graph.nodes:
        for x in node.inputs if node.theta else ():
            rows.setdefault(graph.variable_of[x.name], []).append(theta[node.theta])
    for members in graph.products.values():
        for variable in members:
            rows.pop(variable, None)
    for node in graph.nodes:
        if node.part is not None:
            rows.pop(graph.variable_of[node.part.member.name], None)
    return {variable: np.concatenate(matrices, axis=1) for variable, matrices in rows.items()}


def _identical(rows: Array | None) -> Iterator[tuple[int, int]]:
    for j in range(0 if rows is None else len(rows)):
        assert rows is not None
        for i in range(j):
            if np.abs(rows[i] - rows[j]).max() < SAME_ROWS:
                yield i, j
                break
