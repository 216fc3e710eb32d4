"""The warnings of a run: what a careful reader should know.

Some of it is known before anything is learned (:func:`notice`), the rest is worked out when
somebody asks for ``run.warnings`` (:func:`diagnose`). Nothing here can lose a run: a check that
fails says so and is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ..algebra.arrays import Array
from ..bayes.files import unsaved_labels
from ..data import from_one, no_answers
from ..data.evidence import Evidence
from ..graphs.families import slices, with_matrices
from ..graphs.normal_graph import NormalGraph, as_normal
from ..graphs.theta import family_of
from ..inference.propagation import opened
from .em import Problem
from .observations import row_label
from .run import SAME_END, Ending, Run

SAME_ROWS = 1e-6
"""Hidden states whose rows all agree this closely are called identical."""


MANY = 20
"""A column of more states may be an identifier."""

FEW = 3
"""So many rows, or names of states, are named in a warning."""

RISING = 1e-6
"""A rise of ``loglik`` per sample in the last epoch that is worth going on for."""


def notice(problem: Problem) -> dict[str, tuple[str, ...]]:
    """Warnings about a table and a start, by kind: zeros, columns, codes, names, labels.

    Those of labels are no warnings of a run, which can be kept in memory.
    """
    branches = problem.clamped.graph.branches.values()
    checks = {
        "zeros": _zeros if problem.structural_zeros else None,
        "columns": _columns if any(branch.size > MANY for branch in branches) else None,
        "codes": _codes,
        "names": _names if any(branch.states for branch in branches) else None,
        "labels": _labels if any(branch.states or branch.missing for branch in branches) else None,
    }
    return {kind: _said(check, problem) if check else () for kind, check in checks.items()}


def diagnose(run: Run) -> tuple[str, ...]:
    """The warnings of a finished run, with what was noticed before it."""
    before = run.noticed
    return (
        *_said(_ends, run),
        *_said(_optima, run),
        *before.get("zeros", ()),
        *_said(_unreached, run),
        *before.get("columns", ()),
        *before.get("codes", ()),
        *_said(_states, run),
        *before.get("names", ()),
    )


def _said(check: Callable[[Any], Iterator[str]], about: Run | Problem) -> tuple[str, ...]:
    try:
        return tuple(check(about))
    except Exception as error:  # the run is done: it must not be lost
        return (f"a check of the result failed ({type(error).__name__}: {error})",)


def _ends(run: Run) -> Iterator[str]:
    if run.dropped.any():
        which = ", ".join(map(str, np.flatnonzero(run.dropped)))
        yield f"restart {which} gave a sample probability zero and was dropped as it was"
    if run.n_epochs < 1 or run.ending is not Ending.DONE:
        return
    moving = ~(run.settled | run.dropped)
    if run.tol > 0 and moving.any() and (run.separate_tables or not moving[run.best]):
        what = "tables" if run.separate_tables else "restarts"
        yield (
            f"{int(moving.sum())} of {len(moving)} {what} had "
            f"not settled after {run.n_epochs} epochs: resume(run) goes on"
        )
    if run.separate_tables or run.dropped[run.best]:
        return
    before, last = run.loglik[-2:, run.best]
    if before - last > 1e-9 * abs(last):
        yield (
            f"loglik still fell, by {before - last:.4g}, in the last epoch: the run has not settled"
        )
    elif last - before > RISING * run.weight.sum():
        yield (
            f"loglik still rose, by {last - before:.4g}, in the last epoch: more epochs "
            f"(n_epochs={2 * run.n_epochs}) would go further"
        )
    elif run.tol > 0 and moving[run.best]:
        yield (
            f"the best restart had not settled after {run.n_epochs} epochs, although its loglik "
            f"rose by {last - before:.4g} only in the last one: resume(run) goes on"
        )


def _optima(run: Run) -> Iterator[str]:
    if run.repeated.any():
        alike, each = int(run.repeated.sum()) + 1, len(run.repeated)
        which = f"all {each}" if alike == each else f"{alike} of {each}"
        yield (
            f"{which} restarts began alike and did the same, so they say nothing of other ends: "
            "leave a hidden variable's matrices out of theta= to have them drawn, or give "
            "matrices with a restarts axis"
        )
    live = run.final_loglik[~run.dropped & ~run.repeated]
    if run.separate_tables or run.n_epochs < 1 or len(live) < 2 or not isinstance(run.rule, str):
        return
    same = int((live >= live.max() - SAME_END * run.weight.sum()).sum())
    if same == 1:
        yield (
            f"the best end was found only once in {len(live)} restarts: a better one may be left "
            "to find; more restarts would tell"
        )


def _zeros(problem: Problem) -> Iterator[str]:
    for name, zeros in problem.structural_zeros.items():
        if name in problem.fixed_rows:
            zeros = zeros & ~problem.fixed_rows[name]
        if zeros.any():
            setting = problem.settings[int(zeros.any(axis=(1, 2)).argmax())]
            yield (
                f"theta[{name!r}] starts with {int(zeros.any(axis=0).sum())} zeros, which never "
                f"leave under {setting.updates[name].rule.name!r}: start from small numbers where "
                "anything is possible"
            )


def _columns(problem: Problem) -> Iterator[str]:
    evidence, rows = _rows(problem)
    for name, codes in evidence.codes.items():
        states = problem.clamped.graph.branch(name).size
        if states > MANY and 2 * len(np.unique(codes[codes >= 0])) > rows:
            yield (
                f"column {name!r} has {states} states in {rows:.10g} rows: is it an identifier, "
                "or a number to be cut in classes?"
            )


def _rows(problem: Problem) -> tuple[Evidence, float]:
    """The table, and how many samples its rows stand for."""
    evidence = problem.table or problem.clamped.evidence
    if problem.weight.ndim > 1:
        return evidence, evidence.n
    return evidence, max(evidence.n, problem.weight.sum())


def _codes(problem: Problem) -> Iterator[str]:
    """Odd codes of variables whose states are numbers without labels."""
    graph, evidence = problem.clamped.graph, problem.table or problem.clamped.evidence
    for name, codes in evidence.codes.items():
        branch = graph.branch(name)
        if branch.states or branch.size < 3 or name in graph.products:
            continue
        counts = np.bincount(codes + 1, minlength=branch.size + 1)
        if not counts[1:].all():  # else 0, 1, 2, ...: none is far from the others or left out
            seen = np.flatnonzero(counts[1:]).tolist()
            observed = _rows(problem)[1] * (1 - counts[0] / evidence.n)
            odd = no_answers(name, seen), from_one(name, seen, branch.size, observed)
            yield from filter(None, odd)


def _labels(problem: Problem) -> Iterator[str]:
    for name, label in unsaved_labels(problem.clamped.graph).items():
        yield (
            f"the states of {name!r}, such as {label!r}, cannot be saved: a file holds strings, "
            "finite numbers, booleans and None"
        )


def _unreached(run: Run) -> Iterator[str]:
    graph = as_normal(run.graph)
    for name, some in run.unreached.items():
        rows = np.flatnonzero(some.any(axis=-1))
        child = family_of(graph, name)[1].variable
        if not len(rows):
            continue
        if len(rows) == len(some):
            if child in run.rows.variables:
                yield f"nothing was observed of {child} or below it: theta[{name!r}] is not learned"
            continue  # of a hidden one it is said with its states
        labels = [row_label(run.graph, name, row) for row in rows[:FEW]]
        more = f" and {len(rows) - FEW} more" if len(rows) > FEW else ""
        yield (
            f"theta[{name!r}] has rows that no sample reaches: {'; '.join(labels)}{more}. What "
            "they hold was not learned, and they do not count as free"
        )


def _states(run: Run) -> Iterator[str]:
    graph = opened(as_normal(run.graph), run.rows)
    seen = {*run.rows.variables, *graph.products}
    hidden = [v for v in graph.variables if v not in seen]
    if run.separate_tables or not hidden or run.dropped[run.best]:
        return
    theta, counts = run.best_theta, run.best_counts
    for variable, members in slices(graph, hidden).items():
        names = graph.states(members[0])
        for i, j in _identical(_below(graph, members, theta)):
            yield (
                f"states {names[i]} and {names[j]} of {variable} are identical: fewer states, "
                "another seed or start='matrices' would tell them apart"
            )
        made = _makers(graph, members)
        if not made or not made <= counts.keys():
            continue  # not learned, or learned with others
        expected = sum(counts[name].sum(axis=0) for name in sorted(made))
        assert isinstance(expected, np.ndarray)
        if not expected.any():
            yield f"nothing that was observed says anything of {variable}"
            continue
        of = "samples" if len(members) == 1 else "steps"
        for k in np.flatnonzero(expected < 0.5):
            yield (
                f"state {names[k]} of {variable} stands for {expected[k]:.2g} {of}: "
                "try fewer states"
            )


def _names(problem: Problem) -> Iterator[str]:
    """Names of hidden states, of which nothing but chance said which state gets which."""
    graph = problem.clamped.graph
    seen = {*problem.clamped.evidence.variables, *graph.products}
    hidden = [v for v in graph.variables if v not in seen and graph.branch(v).states]
    if not hidden:
        return
    for variable, members in slices(graph, hidden).items():
        touching = []
        for node in with_matrices(graph):
            parents, child = graph.family(node)
            if not {*parents, child}.isdisjoint(members):
                touching.append(node.theta)
        if touching and all(m in problem.drawn and m not in problem.fixed_rows for m in touching):
            names = graph.branch(members[0]).states
            yield (
                f"{', '.join(map(str, names[:FEW]))} of {variable} are only labels: learning from "
                "random starts finds hidden states in any order. Look at the matrices, then "
                f"relabel(graph, run, {variable!r}, order)"
            )


def _makers(graph: NormalGraph, members: tuple[str, ...]) -> set[str]:
    """The matrices that describe these variables and no others; none if others have them too."""
    made: set[str] = set()
    others: set[str] = set()
    for node in with_matrices(graph):
        (made if graph.family(node)[1] in members else others).add(node.theta)
    return set() if made & others else made


def _below(
    graph: NormalGraph, members: tuple[str, ...], theta: Mapping[str, Array]
) -> Array | None:
    """The rows that the states of slices of one variable have in matrices below, side by side.

    A variable that enters a product space is left out: its states differ by the other parents.
    """
    if any(v in parts for parts in graph.products.values() for v in members):
        return None
    parts = (node.part for node in graph.nodes if node.part is not None)
    if any(graph.variable_of[part.member.name] in members for part in parts):
        return None
    below = {
        node.theta: None
        for node in graph.nodes
        if node.theta and any(graph.variable_of[x.name] in members for x in node.inputs)
    }
    return np.concatenate([theta[name] for name in below], axis=1) if below else None


def _identical(rows: Array | None) -> Iterator[tuple[int, int]]:
    for j in range(0 if rows is None else len(rows)):
        assert rows is not None
        for i in range(j):
            if np.abs(rows[i] - rows[j]).max() < SAME_ROWS:
                yield i, j
                break
