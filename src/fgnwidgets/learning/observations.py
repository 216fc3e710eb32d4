"""The n of a criterion, and the numbers that a table speaks of.

Vocabulary
    observation   the cells of a row that were observed below the same parents, such as the answers
                  of a person below one class, or the symbols of one step of a chain
    reached       a row of a matrix that some sample with evidence on its output or below it can be
                  in, and a column whose state some such sample can have
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ..algebra.arrays import Array, Arrays, Mask
from ..data.evidence import Evidence
from ..graphs.families import base_name, with_matrices
from ..graphs.normal_graph import Graph, NormalGraph, as_normal, joined
from ..graphs.theta import family_of
from ..inference.propagation import Clamped
from .em import MStep, Problem, e_step, updates_of
from .observed import clamp_observed
from .rules import RULES, Settings


def observations(graph: Graph, rows: Evidence) -> Array:
    """The observations that each row holds, ``(N,)``; their weighted sum is the n of the criteria.

    Cells below the same parents are one observation. Where a matrix serves several times in a row,
    as that of the symbols does at every step of a chain, each time below other parents, each of
    these is an observation of its own. So a row of a latent class model holds one, a sequence one
    for each step that was observed, and a row, or a step, of which nothing was observed holds none.
    Where several matrices serve so, the one with most observations in the row counts. Cells of
    given variables are no observations: the model says nothing of them.

    For a hidden Markov model this is the n of hmmlearn and depmixS4. Other programs (LMest, Mplus)
    count sequences, which leaves no n to speak of for a single long one.
    """
    form = as_normal(graph)
    makers = {form.family(node)[1]: node for node in with_matrices(form)}
    seen: dict[str, dict[tuple[str, ...], Mask]] = {}  # by matrix and by parents
    for name in rows.variables:
        variable = form.variable_of[form.branch(name).name]
        if variable in form.given or form.branch(name).size < 2:
            continue
        node = makers.get(variable)
        above = (form.family(node)[0] if node is not None else ()) or (variable,)
        by_parents = seen.setdefault(node.theta if node is not None else variable, {})
        observed = rows.known(name)
        by_parents[above] = by_parents[above] | observed if above in by_parents else observed
    most = np.zeros(rows.n)
    for matrices in joined((matrix, list(by_parents)) for matrix, by_parents in seen.items()):
        below: dict[tuple[str, ...], Mask] = {}
        for matrix in matrices:
            for above, observed in seen[matrix].items():
                below[above] = below[above] | observed if above in below else observed
        most = np.maximum(most, sum(observed.astype(float) for observed in below.values()))
    return most


def expected_counts(graph: Graph, rows: Evidence, weight: Array, theta: Arrays) -> dict[str, Array]:
    """``sum_n L[n] P(X, Y | evidence)`` at every learned matrix, ``(restarts, M_X, M_Y)``.

    They are what one step of ML counts (section 3.1). ``theta`` has matrices of the same form.
    """
    clamped = clamp_observed(as_normal(graph), rows)
    ml = Settings(RULES["ml"], updates_of(clamped.graph, RULES["ml"], {}), 1)
    restarts = len(next(iter(theta.values())))
    whole = Problem(clamped, weight, None, (ml,) * restarts, theta, None, {})
    each = []
    for part in whole.needing(aggregate=False).parts():
        first = {k: m[0] if part.restarts == 1 else m for k, m in part.first.items()}
        step = MStep(ml, {}, first)
        e_step(part, first, step)
        each.append({k: v if v.ndim == 3 else v[None] for k, v in step.counts.items()})
    return {name: np.concatenate([counts[name] for counts in each]) for name in each[0]}


def reached(
    graph: Graph, rows: Evidence, weight: Array, theta: Arrays, free: Mapping[str, Mask]
) -> dict[str, Mask]:
    """The numbers of the learned matrices that the rows speak of, ``(M_X, M_Y)`` by matrix.

    A row of a matrix is left out if no sample with a weight can be in it, as one of given values
    that nobody has; a column is left out if no such sample can have its state, as a level that no
    cell holds. What "can" be goes by the zeros that stay, not by what was learned: a number that
    learning drives to 0 is spoken of. ``theta`` says what the rows hold that are not free.
    """
    form = as_normal(graph)
    possible = {
        name: np.where(free[name].any(axis=1, keepdims=True), _uniform(free[name]), theta[name])
        if name in free
        else theta[name]
        for name in form.matrices
    }
    total = weight.sum(axis=0) if weight.ndim > 1 else weight
    counts = expected_counts(form, rows, total, {name: m[None] for name, m in possible.items()})
    some = {
        name: np.broadcast_to(counts[name][0] if name in counts else 0.0, form.matrices[name]) > 0
        for name in form.learnable
    }
    columns = {name: mask.any(axis=0) for name, mask in some.items()}
    for together in _same_levels(form, some):  # one column of a long table
        levels = np.asarray([columns[name] for name in together]).any(axis=0)
        columns |= dict.fromkeys(together, levels)
    return {
        name: np.logical_and(mask.any(axis=1, keepdims=True), columns[name])
        for name, mask in some.items()
    }


def _same_levels(form: NormalGraph, matrices: Iterable[str]) -> list[list[str]]:
    """Matrices of one variable of a chain: that of its first step, and that of all others.

    A level that occurs at some step is no unused one, though nobody begins with it.
    """
    by_name: dict[tuple[str, int], dict[str, int]] = {}  # by base name and size, the uses of each
    for node in with_matrices(form):
        size = form.matrices[node.theta][1]
        uses = by_name.setdefault((base_name(form.family(node)[1]), size), {})
        uses[node.theta] = uses.get(node.theta, 0) + 1
    wanted = set(matrices)
    chains = (uses for uses in by_name.values() if max(uses.values()) > 1)
    return [[name for name in uses if name in wanted] for uses in chains if wanted & uses.keys()]


def informative_samples(clamped: Clamped, variable: str) -> Mask:
    """The samples with evidence on a variable or below it, ``(N,)``: its posterior is theirs.

    In the others it is a prediction, such as of steps after the end of a sequence.
    """
    form, n = clamped.graph, clamped.evidence.n
    nodes = [node for node in with_matrices(form) if form.family(node)[1] == variable]
    masks = [clamped.informative[node.name] for node in nodes]
    if not masks:  # nothing makes it
        masks = [observations(form, clamped.evidence) > 0]
    return np.asarray(np.logical_or.reduce([np.broadcast_to(mask, (n,)) for mask in masks]))


def row_label(graph: Graph, matrix: str, row: int) -> str:
    """The states that a row of a matrix stands for: ``"sex = man, region = east"``."""
    parents, _ = family_of(as_normal(graph), matrix)
    places = np.unravel_index(row, [branch.size for branch in parents]) if parents else ()
    return ", ".join(
        f"{branch.variable} = {branch.states[k] if branch.states else k}"
        for branch, k in zip(parents, map(int, places), strict=True)
    )


def _uniform(free: Mask) -> Array:
    """Rows that are uniform where they are free."""
    number = free.sum(axis=1, keepdims=True)
    return np.asarray(free / np.maximum(number, 1))
