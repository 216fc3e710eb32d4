"""``bootstrap``: standard errors from tables that are drawn anew, all of them learned at once.

Vocabulary
    replicate    as many samples as the table has, drawn from its rows with replacement. It has the
                 rows of the table with other weights, so one batch holds all replicates
    parametric   replicates are drawn from the run's matrices instead (Efron and Tibshirani 1993)
    counts       weights that are whole numbers: so many equal rows. The weights of a survey are no
                 counts: then rows of the table are drawn, each with its weight
    cluster      rows that are drawn together: people of a household, sequences of a person
    tied         hidden variables that share matrices, such as the steps of a chain. Their states
                 are numbered together
    apart        how well a replicate and the run agree on which samples are in which of two states:
                 1 if they agree on every sample, 0 if the two states could as well be exchanged
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.arrays import Array, Index
from ..arguments import Seed, read_count, read_flag, read_number, read_seeds, refuse_beyond_memory
from ..data import Table
from ..data.evidence import Evidence
from ..graphs.normal_graph import NormalGraph, as_normal
from ..inference.queries import ask, belief, joined
from ..learning.run import Run, read_run
from .alignment import match_states
from .clusters import Draws, draws_of
from .errors import BOUND, LOOSE, NEAR, NOT_LEARNED, Errors, row_n
from .identified import identified
from .refit import inwards, refit
from .simulating import simulated
from .summary import hidden_variables
from .weights import SUMMED, survey_scale

SOFT = 1e-4
"""The move of matrices towards uniform ones before states are matched by posteriors, as a share."""

APART, OFTEN = 0.2, 100
"""Two states have no errors if they are less than ``APART`` apart in more than one of ``OFTEN``
replicates."""

FEW_COUNTS = 0.1
"""A number near 0 of which fewer samples than this speak is on its bound: these rows cannot show in
a replicate what they do not contain."""

EMPTY = "no sample is in this row"
STILL = "its replicates do not vary"

STEADY = 1e-9
"""A spread of replicates below this counts as none."""

LONELY = 8
"""If all replicates together have so many times the different rows of one, each is learned by
itself: in one batch, all would carry the rows of all."""

ONE = (
    "the weights are no counts of equal rows (they are not whole, or were said to be a survey's), "
    "and the rows that they were summed over are gone: the replicates have {rows:.10g} samples, "
    "and that weights are unequal is not accounted for. Give the table, in memory, bootstrap(run, "
    "table, weight=...)"
)

ONE = (
    "the run learned from one sample, and every table that is drawn from it is that sample again: "
    "bootstrap(run, parametric=True) draws tables from the run's matrices, and "
    "standard_errors(run) goes by the curvature of loglik"
)


def bootstrap(
    run: Run,
    table: Table | Evidence = None,
    *,
    n: int = 200,
    cluster: str | ArrayLike | None = None,
    parametric: bool = False,
    columns: Iterable[str] | None = None,
    weight: str | ArrayLike | None = None,
    seed: Seed = 0,
    n_epochs: int = 500,
    tol: float = 1e-6,
    workers: int | None = None,
) -> Errors:
    """Standard errors and intervals of a run's best matrices from ``n`` replicates of its table.

    Every replicate learns as the run did, starting from the run's matrices, and its hidden states
    are numbered as the run's; those of variables that share matrices, such as the steps of a chain,
    together. A number has no error if it belongs to states that the replicates cannot tell apart,
    if the data cannot fix it, or if it is on its bound: no replicate can show what the rows do not
    contain. ``why`` says so, and :meth:`Errors.interval` what is given instead.

    ``table``       is the one that the run learned from. It is needed for clusters, and if its
                    weights are not counts, as in a survey: then as many rows are drawn as it has,
                    each with its weight, so that multiplying all weights by a number changes
                    nothing. Without it, or if it is lazy, only sums of such weights are known; they
                    are scaled to sum to the number of rows, and a warning says so
    ``cluster``     says which rows belong together, people of one household or sequences of one
                    person: the name of a column, or an array ``(N,)``. As many clusters are drawn
                    as there are, each with all of its rows. Of a lazy table it must be a column
    ``workers``     threads, as in ``fit``: replicates are learned side by side
    ``parametric``  True: replicates are drawn from the run's matrices, with as many rows, the same
                    blanks and the same given values. They say what the model thinks of its errors,
                    right if the model is. For a single long sequence there is no other way

    Raises ``ValueError`` if the run did not learn from this table with these weights, with fewer
    than two samples or clusters, and for a parametric one of soft evidence.
    """
    count, last = read_count(n, "n", 2), read_count(n_epochs, "n_epochs", 1)
    bound = read_number(tol, "tol")
    read_run(run)
    drawn = draws_of(run, table, columns, weight, cluster, refuse_summed=False)
    rows_n, cells = run.rows.n, sum(matrix[0].size for matrix in run.final.values())
    refuse_beyond_memory(
        count * (16.0 * rows_n + 24.0 * cells),
        f"{count:,} replicates of {rows_n:,} different rows and {cells:,} numbers",
        "take fewer of them, n=200",
    )
    rng = np.random.default_rng(read_seeds(seed, 1)[0])
    start, gone, per_weight = inwards(run, run.best_theta), "", survey_scale(run)
    if read_flag(parametric, "parametric"):
        if drawn is not None:
            raise ValueError(
                "parametric is True beside a table: its replicates are drawn from the run's "
                "matrices, and no rows of a table are; leave one of the two out"
            )
        rows, weights = simulated(run, count, rng)
        final, ends = _each(run, rows, weights, start, last, bound, workers)
    else:
        sample = run.rows if drawn is None else drawn.rows
        if drawn is None or (drawn.unit is None and (drawn.counts or drawn.summed)):
            sums = run.weight if drawn is None else drawn.sums
            size = round(float(sums.sum()) * per_weight)
            if size < 2:
                raise ValueError(ONE)
            weights = rng.multinomial(size, sums / sums.sum(), size=count).astype(float)
            gone = "" if run.counted else SUMMED.format(rows=size)
        else:
            weights, per_weight = _drawn(drawn, count, rng), drawn.per_weight
        final, ends = refit(run, sample, weights, start, n_epochs=last, tol=bound, workers=workers)
    kept = ends > -np.inf
    final = {name: matrices[kept] for name, matrices in final.items()}
    matched, confused = _matched(run, final)
    errors = _errors(run, matched, confused, row_n(run, per_weight))
    what = "replicates" if drawn is None or drawn.unit is None else f"replicates of {drawn.what}"
    what = "parametric replicates" if parametric else what
    notes = [*errors.warnings, gone, "" if drawn is None else drawn.warning]
    if lost := int((~kept).sum()):
        notes.append(f"{lost} replicates gave a sample probability zero and were left out")
    return replace(
        errors,
        how=f"Standard errors from {int(kept.sum())} {what}",
        warnings=tuple(note for note in notes if note),
    )


def _drawn(drawn: Draws, count: int, rng: np.random.Generator) -> Array:
    """The weights of ``count`` replicates, ``(count, N)``: rows or clusters are drawn."""
    units = np.arange(len(drawn.weight)) if drawn.unit is None else drawn.unit
    size = int(units.max()) + 1
    weights = np.empty((count, drawn.rows.n))
    for one in weights:
        times = np.bincount(rng.integers(0, size, size), minlength=size)
        one[:] = np.bincount(drawn.place, drawn.weight * times[units], drawn.rows.n)
    return weights


def _each(
    run: Run,
    rows: Evidence,
    weights: Array,
    start: Mapping[str, Array],
    n_epochs: int,
    tol: float,
    workers: int | None,
) -> tuple[dict[str, Array], Array]:
    """As :func:`again`; replicates that share few rows are learned by themselves."""
    live = weights > 0
    how: dict[str, Any] = {"n_epochs": n_epochs, "tol": tol, "workers": workers}
    if rows.n <= LONELY * live.sum(axis=1).max():
        return refit(run, rows, weights, start, **how)
    fitted, ends = [], []
    for mask, weight in zip(live, weights, strict=True):
        at = np.flatnonzero(mask)
        theta, end = refit(run, rows.take(at), weight[None, at], start, **how)
        fitted.append(theta)
        ends.append(end)
    return {name: np.concatenate([t[name] for t in fitted]) for name in start}, np.concatenate(ends)


def _matched(
    run: Run, final: Mapping[str, Array]
) -> tuple[dict[str, Array], dict[tuple[str, ...], list[tuple[int, int]]]]:
    """The replicates with their states numbered as the run's, and pairs of states confused.

    Both by the run's own rows. The keys are the tied variables.
    """
    matched = {name: m.copy() for name, m in final.items()}
    confused: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    form = as_normal(run.graph)
    for variables in _tied(form, run):
        # Without this a row that a replicate does not hold may be impossible under it.
        soft = {k: (1 - SOFT) * m + SOFT / m.shape[-1] for k, m in matched.items()}
        gain = _agreement(run, soft, variables)
        others = np.max(gain * (1 - np.eye(gain.shape[-1])), axis=-1, initial=0.0)
        for r in np.flatnonzero((np.diagonal(gain, axis1=1, axis2=2) < others).any(axis=-1)):
            # the agreement is that of two made-up posteriors: rows of it, and sure states
            order = match_states(gain[r], np.eye(gain.shape[-1]))
            one = _renumbered(form, run, {k: m[r] for k, m in matched.items()}, variables, order)
            if one is None:
                continue
            gain[r] = gain[r][:, order]
            for name, matrix in one.items():
                matched[name][r] = matrix
        pairs = _confused(gain)
        if pairs:
            confused[variables] = pairs
    return matched, confused


def _tied(form: NormalGraph, run: Run) -> list[tuple[str, ...]]:
    """The hidden variables, those together whose states can only be numbered together.

    These play the same part in different uses of one matrix.
    """
    hidden = hidden_variables(run)
    group = {variable: {variable} for variable in hidden}
    for users in form.users.values():
        parts = [(*parents, child) for parents, child in (form.family(node) for node in users)]
        for same in zip(*parts, strict=True):
            joint = set().union(*(group[v] for v in same if v in group))
            group.update(dict.fromkeys(joint, joint))
    return list(dict.fromkeys(tuple(v for v in hidden if v in group[w]) for w in hidden))


def _agreement(run: Run, theta: Mapping[str, Array], variables: tuple[str, ...]) -> Array:
    """The expected number of samples and variables in state ``i`` by the run's matrices and in
    ``j`` by those of each replicate, ``(n, M, M)``."""
    ones = _beliefs(run, run.best_theta, variables)
    others = _beliefs(run, theta, variables)
    count = len(next(iter(theta.values())))
    size = as_normal(run.graph).branch(variables[0]).size
    total = np.zeros((count, size, size))
    for p, q in zip(ones, others, strict=True):
        total += (p * run.weight) @ q.swapaxes(-1, -2)
    return total


def _beliefs(run: Run, theta: Mapping[str, Array], variables: tuple[str, ...]) -> list[Array]:
    """The posteriors of the variables in the run's rows, ``(..., M, N)`` each."""
    query = ask(run.graph, theta, run.rows, variables)
    pieces: list[list[Array]] = [[] for _ in variables]
    for chunk in query.chunks():
        for piece, variable in zip(pieces, variables, strict=True):
            piece.append(belief(chunk, query.clamped.graph.branch(variable).name))
    whole = [joined(piece) for piece in pieces]
    return [q if q.shape[-1] == 1 else q[..., query.row] for q in whole]


def _renumbered(
    form: NormalGraph,
    run: Run,
    theta: Mapping[str, Array],
    variables: tuple[str, ...],
    order: Index,
) -> dict[str, Array] | None:
    """Matrices with the states of tied variables in another order.

    None if that would move a number that is fixed: then it is by this number that states are told.
    """
    changed: dict[str, Array] = {}
    for name, users in form.users.items():
        matrix = theta[name]
        for node in users:
            parents, child = form.family(node)
            axes = [*parents, child]
            if not set(axes) & set(variables):
                continue
            grid = theta[name].reshape([form.branch(v).size for v in axes])
            for axis, variable in enumerate(axes):
                grid = np.take(grid, order, axis=axis) if variable in variables else grid
            matrix = grid.reshape(theta[name].shape)
        held = ~run.free.get(name, np.zeros(matrix.shape, dtype=bool))
        if not np.array_equal(matrix[held], theta[name][held]):
            return None
        changed[name] = matrix
    return changed


def _confused(gain: Array) -> list[tuple[int, int]]:
    """The pairs of states that too many replicates do not tell apart; ``gain`` ``(n, M, M)``."""
    pairs = []
    for j in range(gain.shape[-1]):
        for i in range(j):
            same, other = gain[:, i, i] + gain[:, j, j], gain[:, i, j] + gain[:, j, i]
            apart = (same - other) / np.maximum(same + other, 1e-300)
            if OFTEN * (apart < APART).sum() > len(gain):
                pairs.append((i, j))
    return pairs


def _errors(
    run: Run,
    final: Mapping[str, Array],
    confused: Mapping[tuple[str, ...], list[tuple[int, int]]],
    row_n: Mapping[str, Array],
) -> Errors:
    """The spread of the replicates ``final``, or the reason why a number has no error."""
    theta, form = run.best_theta, as_normal(run.graph)
    fixed = identified(run)
    why, se, touched = {}, {}, _touched(run, confused)
    for name, free in run.free.items():
        moves = free & (free.sum(axis=-1, keepdims=True) > 1)
        words = np.where(moves, "", NOT_LEARNED).astype(object)
        spread = final[name].std(axis=0, ddof=1)
        words[moves & (spread < STEADY)] = STILL
        if not run.settings.get("alpha"):
            size = row_n[name][:, None]
            least = np.minimum(theta[name], 1 - theta[name])
            words[moves & (least < NEAR) & (size * least < FEW_COUNTS)] = BOUND
            words[moves & (size < STEADY)] = EMPTY
        words[moves & fixed.loose[name]] = LOOSE
        for variables, mask in touched.get(name, {}).items():
            words[moves & mask] = f"{_states(form, variables, confused[variables])} be told apart"
        why[name] = words.astype(str)
        se[name] = np.where(words == "", spread, np.nan)
    warnings = [fixed.warning]
    for variables, pairs in confused.items():
        warnings += [
            f"{_states(form, variables, [pair])} be told apart between replicates: their numbers "
            "have no errors; fewer states would have"
            for pair in pairs
        ]
    learned = {name: final[name] for name in run.free}
    return Errors(
        run,
        "",
        {name: theta[name] for name in run.free},
        se,
        why,
        learned,
        tuple(w for w in warnings if w),
        row_n,
        _covariance(learned, se),
    )


def _covariance(replicates: Mapping[str, Array], se: Mapping[str, Array]) -> Array:
    """The covariance of all entries, ``(E, E)``; NaN for those without an error."""
    flat = [m.reshape(len(m), -1) for m in replicates.values()]
    if not flat:
        return np.zeros((0, 0))
    each = np.concatenate(flat, axis=1)
    estimated = ~np.isnan(np.concatenate([v.ravel() for v in se.values()]))
    off = each - each.mean(axis=0)
    return np.where(estimated & estimated[:, None], off.T @ off / (len(each) - 1), np.nan)


def _states(form: NormalGraph, variables: tuple[str, ...], pairs: Iterable[tuple[int, int]]) -> str:
    """The states that are confused, as the beginning of what is said of them."""
    names = form.states(variables[0])
    said = ", ".join(f"{names[i]} and {names[j]}" for i, j in pairs)
    of = variables[0] if len(variables) == 1 else f"{variables[0]} to {variables[-1]}"
    return f"states {said} of {of} cannot"


def _touched(
    run: Run, confused: Mapping[tuple[str, ...], list[tuple[int, int]]]
) -> dict[str, dict[tuple[str, ...], Array]]:
    """By matrix and tied variables: True ``(M_X, M_Y)`` for entries about confused states."""
    form = as_normal(run.graph)
    masks: dict[str, dict[tuple[str, ...], Array]] = {}
    for variables, pairs in confused.items():
        states = sorted({k for pair in pairs for k in pair})
        for name in run.free:
            mask = np.zeros(run.free[name].shape, dtype=bool)
            for node in form.users[name]:
                parents, child = form.family(node)
                if child in variables:
                    mask[:, states] = True
                if len(parents) == 1 and parents[0] in variables:
                    mask[states] = True
                elif set(parents) & set(variables):
                    mask[:] = True
            if mask.any():
                masks.setdefault(name, {})[variables] = mask
    return masks
