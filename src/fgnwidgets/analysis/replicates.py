"""``bootstrap``: standard errors from tables that are drawn anew, all of them learned at once.

Vocabulary
    replicate   as many samples as the table has, drawn from its rows with replacement. It has the
                rows of the table with other weights, so one batch holds all replicates
    counts      weights that are whole numbers: so many equal rows. The weights of a survey are no
                counts: then rows of the table are drawn, each with its weight
    apart       how well a replicate and the run agree on which samples are in which of two states:
                1 if they agree on every sample, 0 if the two states could as well be exchanged
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from ..border.evidence import distinct, read_counted
from ..border.folding import are_counts, grouped
from ..border.queries import loglik, posterior
from ..border.run import Run, read_run
from ..border.theta import relabel
from ..engine.arrays import Array, Index
from ..engine.graph import as_normal
from ..engine.messages import Evidence
from ..readers import Seed, read_count, read_number, read_seeds
from ..tables import Table
from ..tables.columns import is_lazy, narwhal
from .again import again, inwards
from .alignment import agreement, match_states
from .errors import LOOSE, NOT_LEARNED, Errors
from .families import family
from .identified import identified
from .summary import hidden_variables

SOFT = 1e-4
"""How far matrices are moved towards uniform ones before states are matched by posteriors."""

SAME = 1e-9
"""Relative difference up to which two sums count as equal: their rows were added in another
order."""

APART, OFTEN = 0.2, 100
"""Two states have no errors if they are less than ``APART`` apart in more than one of ``OFTEN``
replicates."""

GONE = (
    "the weights are not whole numbers, and the rows that they were summed over are gone, so they "
    "are taken for counts: give the table, in memory, bootstrap(run, table, weight=...)"
)


def bootstrap(
    run: Run,
    table: Table | Evidence = None,
    *,
    n: int = 200,
    columns: Iterable[str] | None = None,
    weight: str | ArrayLike | None = None,
    seed: Seed = 0,
    n_epochs: int = 500,
    tol: float = 1e-6,
) -> Errors:
    """Standard errors and intervals of a run's best matrices from ``n`` replicates of its table.

    Every replicate learns as the run did, starting from the run's matrices, and its hidden states
    are numbered as the run's. A number has no error if it belongs to states that the replicates
    cannot tell apart, or if the data cannot fix it; ``why`` says so.

    ``table`` is the one that the run learned from. It is needed only if its weights are not counts,
    as in a survey: then as many rows are drawn as it has, each with its weight, so that multiplying
    all weights by a number changes nothing. Without it, or if it is lazy, only sums of such weights
    are known; they are taken for counts, and a warning says so.

    Raises ``ValueError`` if the run did not learn from this table with these weights.
    """
    count, last = read_count(n, "n", 2), read_count(n_epochs, "n_epochs", 1)
    bound = read_number(tol, "tol")
    read_run(run)
    rows, weights, counted, own = run.rows, run.weight, run.counted, None
    if table is not None:
        evidence, own = read_counted(run.graph, table, columns, weight)
        rows, weights = distinct(evidence, own)
        _check(run, rows, weights)
        counted = are_counts(own)
    elif weight is not None or columns is not None:
        what = "columns" if weight is None else "weight"
        raise ValueError(f"{what} is given without a table: its rows would not be those of the run")
    rng = np.random.default_rng(read_seeds(seed, 1)[0])
    if own is None or counted or is_lazy(narwhal(table)):
        drawn = rng.multinomial(round(float(weights.sum())), weights / weights.sum(), size=count)
    else:
        rows, place = grouped(evidence)
        weights = np.bincount(place, own, rows.n).astype(np.float64, copy=False)
        drawn = np.array([_drawn(place, own, rows.n, rng) for _ in range(count)])
        counted = True
    start = inwards(run, run.best_theta)
    final, ends = again(run, rows, drawn.astype(float), start, n_epochs=last, tol=bound)
    kept = ends > -np.inf
    final = {name: matrices[kept] for name, matrices in final.items()}
    matched, confused = _matched(run, rows, weights, final)
    return _errors(run, matched, confused, int((~kept).sum()), "" if counted else GONE)


def _check(run: Run, rows: Evidence, weights: Array) -> None:
    """Refuse a table that is not the run's: its sum of weights or its ``loglik`` is another."""
    for what, mine, theirs in (
        ("a sum of weights", float(weights.sum()), run.n),
        ("a loglik", _total(run, rows, weights), _total(run, run.rows, run.weight)),
    ):
        if not np.isclose(mine, theirs, rtol=SAME, atol=SAME):
            raise ValueError(
                f"the table has {what} of {mine:.10g}, and the run's had {theirs:.10g}: expected "
                "the table that the run learned from, with its columns= and weight="
            )


def _total(run: Run, rows: Evidence, weights: Array) -> float:
    """``loglik`` of the rows under the run's best matrices."""
    return float(weights @ loglik(run.graph, run.best_theta, rows))


def _drawn(place: Index, weight: Array, size: int, rng: np.random.Generator) -> Array:
    """The weights of a replicate: rows of the table are drawn and their weights are summed.

    ``place`` is the index of each row among the ``size`` different ones.
    """
    which = rng.integers(0, len(place), len(place))
    return np.bincount(place[which], weight[which], size).astype(np.float64, copy=False)


def _matched(
    run: Run, rows: Evidence, weight: Array, final: Mapping[str, Array]
) -> tuple[dict[str, Array], dict[str, list[tuple[int, int]]]]:
    """The replicates with their states numbered as the run's, and pairs of states confused."""
    matched = {name: m.copy() for name, m in final.items()}
    confused: dict[str, list[tuple[int, int]]] = {}
    count = len(next(iter(final.values())))
    for variable in hidden_variables(run):
        p = posterior(run.graph, run.best_theta, rows, variable).T
        # Without this a row that a replicate does not hold may be impossible under it.
        soft = {k: (1 - SOFT) * m + SOFT / m.shape[-1] for k, m in matched.items()}
        q = posterior(run.graph, soft, rows, variable).swapaxes(-1, -2)
        q = np.broadcast_to(q, (count, *q.shape[-2:]))
        gain = agreement(p, q, weight)
        others = np.max(gain * (1 - np.eye(len(p))), axis=-1, initial=0.0)
        for r in np.flatnonzero((np.diagonal(gain, axis1=1, axis2=2) < others).any(axis=-1)):
            order = match_states(p, q[r], weight)
            try:
                one = relabel(
                    run.graph, {k: m[r] for k, m in matched.items()}, variable, order.tolist()
                )
            except ValueError:  # a variable that shares a tied matrix cannot be renumbered alone
                continue
            gain[r] = gain[r][:, order]
            for name, matrix in one.items():
                matched[name][r] = matrix
        pairs = _confused(gain)
        if pairs:
            confused[variable] = pairs
    return matched, confused


def _confused(gain: Array) -> list[tuple[int, int]]:
    """The pairs of states that too many replicates do not tell apart; ``gain`` ``(n, M, M)``."""
    found = []
    for j in range(gain.shape[-1]):
        for i in range(j):
            own, other = gain[:, i, i] + gain[:, j, j], gain[:, i, j] + gain[:, j, i]
            apart = (own - other) / np.maximum(own + other, 1e-300)
            if OFTEN * (apart < APART).sum() > len(gain):
                found.append((i, j))
    return found


def _errors(
    run: Run,
    final: Mapping[str, Array],
    confused: Mapping[str, list[tuple[int, int]]],
    lost: int,
    gone: str,
) -> Errors:
    """The spread of the replicates ``final``, or the reason why a number has no error.

    ``lost`` replicates were left out, and ``gone`` is a warning about the weights or "".
    """
    theta, form = run.best_theta, as_normal(run.graph)
    fixed = identified(run)
    why, se, touched = {}, {}, _touched(run, confused)
    for name, free in run.free.items():
        moves = free & (free.sum(axis=-1, keepdims=True) > 1)
        words = np.where(moves, "", NOT_LEARNED).astype(object)
        words[moves & fixed.loose[name]] = LOOSE
        for variable, mask in touched.get(name, {}).items():
            names = form.states(variable)
            pairs = ", ".join(f"{names[i]} and {names[j]}" for i, j in confused[variable])
            words[moves & mask] = f"states {pairs} of {variable} cannot be told apart"
        why[name] = words.astype(str)
        spread = final[name].std(axis=0, ddof=1)
        se[name] = np.where(words == "", spread, np.nan)
    warnings = [fixed.warning, gone]
    for variable, pairs_of in confused.items():
        names = form.states(variable)
        warnings += [
            f"states {names[i]} and {names[j]} of {variable} cannot be told apart between "
            "replicates: their numbers have no errors; fewer states would have"
            for i, j in pairs_of
        ]
    if lost:
        warnings.append(f"{lost} replicates gave a sample probability zero and were left out")
    count = len(next(iter(final.values())))
    return Errors(
        run,
        f"Standard errors from {count} replicates",
        {name: theta[name] for name in run.free},
        se,
        why,
        {name: final[name] for name in run.free},
        tuple(w for w in warnings if w),
    )


def _touched(
    run: Run, confused: Mapping[str, list[tuple[int, int]]]
) -> dict[str, dict[str, Array]]:
    """By matrix and hidden variable: True ``(M_X, M_Y)`` for entries about confused states."""
    form = as_normal(run.graph)
    found: dict[str, dict[str, Array]] = {}
    for variable, pairs in confused.items():
        states = sorted({k for pair in pairs for k in pair})
        for name in run.free:
            mask = np.zeros(run.free[name].shape, dtype=bool)
            for node in form.users[name]:
                parents, child = family(form, node)
                if variable == child:
                    mask[:, states] = True
                elif parents == (variable,):
                    mask[states] = True
                elif variable in parents:
                    mask[:] = True
            if mask.any():
                found.setdefault(name, {})[variable] = mask
    return found
