"""``bootstrap``: how far the numbers move when the table is drawn anew, all replicates at once.

Vocabulary
    replicate   as many samples as the table has, drawn from its rows with replacement: the same
                different rows with other weights, so a batch over one table holds all of them
    counts      whole weights: so many equal rows. Others, a survey's, are not: there the rows of
                the table are what is drawn, and each brings its weight along
    apart       how well two states are told apart where a replicate's states are matched with the
                run's: 1 where no sample could belong to both, 0 where they could be exchanged
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
from .scores import entries
from .summary import hidden_variables

SOFT = 1e-4
"""Matrices are moved so far towards uniform ones for the posteriors by which states match."""

SAME = 1e-9
"""Sums that differ by no more, in proportion, are of the same rows in another order."""

APART = 0.2
OFTEN = 100
"""Two states that are less apart, in more than one replicate of so many, have no errors."""


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

    Without a table, the rows that the run learned from. Every replicate learns as the run did, from
    its matrices; its states are numbered as the run's before anything is averaged. Where two states
    of a hidden variable cannot be told apart, or the data cannot fix a number, there is no error,
    and ``why`` says so.

    Whole weights are counts of equal rows. Of a ``table`` with other weights, a survey's, as many
    rows are drawn as it has, each with its weight: how unequal weights are then shows in the
    errors, and how large they are does not. Without the table, or of a lazy one, the rows that
    weights were summed over are gone: they are then taken for counts, and a warning says so.

    Raises ``ValueError`` where the run did not learn from this table with these weights: replicates
    would then spread around other numbers than the run's.
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
    """Refuse another table than the run's, or other weights: their sums or likelihoods differ."""
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
    return float(weights @ loglik(run.graph, run.best_theta, rows))


def _drawn(place: Index, weight: Array, size: int, rng: np.random.Generator) -> Array:
    """As many rows as there are, drawn with their weights, summed over the different ones."""
    which = rng.integers(0, len(place), len(place))
    return np.bincount(place[which], weight[which], size).astype(np.float64, copy=False)


def _matched(
    run: Run, rows: Evidence, weight: Array, final: Mapping[str, Array]
) -> tuple[dict[str, Array], dict[str, list[tuple[int, int]]]]:
    """Replicates with their states numbered as the run's, and the states that stay confused."""
    matched = {name: m.copy() for name, m in final.items()}
    confused: dict[str, list[tuple[int, int]]] = {}
    count = len(next(iter(final.values())))
    for variable in hidden_variables(run):
        p = posterior(run.graph, run.best_theta, rows, variable).T
        # A row that a replicate has not drawn may be impossible under it.
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
            except ValueError:  # tied: it cannot be renumbered alone
                continue
            gain[r] = gain[r][:, order]
            for name, matrix in one.items():
                matched[name][r] = matrix
        pairs = _confused(gain)
        if pairs:
            confused[variable] = pairs
    return matched, confused


def _confused(gain: Array) -> list[tuple[int, int]]:
    """Pairs of states that too many replicates do not tell apart."""
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
    known, theta, form = entries(run), run.best_theta, as_normal(run.graph)
    fixed = identified(run)
    why, se, touched = {}, {}, _touched(run, confused)
    for name, free in known.free.items():
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
    warnings += [
        f"states {names[i]} and {names[j]} of {variable} cannot be told apart between replicates: "
        "their numbers have no errors; fewer states would have"
        for variable, pairs in confused.items()
        for names in (form.states(variable),)
        for i, j in pairs
    ]
    if lost:
        warnings.append(f"{lost} replicates gave a sample probability zero and were left out")
    replicates = {name: final[name] for name in known.free}
    count = len(next(iter(final.values())))
    return Errors(
        run,
        f"Standard errors from {count} replicates",
        {name: theta[name] for name in known.free},
        se,
        why,
        replicates,
        tuple(w for w in warnings if w),
    )


def _touched(
    run: Run, confused: Mapping[str, list[tuple[int, int]]]
) -> dict[str, dict[str, Array]]:
    """By matrix and hidden variable, the entries that speak of confused states."""
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
