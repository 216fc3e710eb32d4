"""Learn a run's model again from other tables, all of them in one batch.

Vocabulary
    replicate   a table, given as weights ``(N,)`` of the different rows of all the tables
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..algebra.arrays import Array
from ..data.evidence import Evidence
from ..graphs.theta import random_theta
from ..learning.fit import best_starts, fit
from ..learning.rules import RULES
from ..learning.run import Run

INWARDS = 0.01
"""The move of a start towards uniform rows, as a share: learning never moves a number from 0."""

SHORT = 50
"""Epochs of every start of a replicate, before the best two go on."""

TRACE = 1e-8
"""Pseudo-counts that keep a row possible which a replicate does not hold. An impossible row would
make propagation fall back on logarithms, which are slow."""


def refit(
    run: Run,
    rows: Evidence,
    weight: Array,
    start: Mapping[str, Array],
    *,
    n_epochs: int,
    tol: float,
    workers: int | None = None,
) -> tuple[dict[str, Array], Array]:
    """The learned matrices ``(n, M_X, M_Y)`` and ``loglik`` ``(n,)`` of every replicate.

    Each learns with the rule and constants of the run. ``weight`` is ``(n, N)``, and ``start`` has
    matrices ``(n, M_X, M_Y)``. A replicate that gave a sample probability zero has -inf.
    """
    best, count = run.best, len(weight)
    told = dict(run.settings)
    rule = run.rules[best] if run.rules else "ml"
    if learns_zeros(run):
        told["alpha"] = {name: TRACE * free for name, free in run.free.items()}
    learned = fit(
        run.graph,
        rows,
        rule,
        n_it=run.n_its[best] if run.n_its else 1,
        restarts=count,
        theta={name: np.broadcast_to(m, (count, *m.shape[-2:])) for name, m in start.items()},
        weight=weight,
        n_epochs=n_epochs,
        tol=tol,
        record=["loglik"],
        workers=workers,
        progress=False,
        **told,
    )
    return dict(learned.final), np.where(learned.dropped, -np.inf, learned.final_loglik)


def best_refit(
    run: Run,
    rows: Evidence,
    weight: Array,
    rng: np.random.Generator,
    restarts: int,
    *,
    own: bool,
    n_epochs: int = 500,
    tol: float = 1e-6,
    workers: int | None = None,
) -> tuple[dict[str, Array], Array]:
    """As :func:`refit`, from ``restarts`` short starts, as those of ``fit(starts=, keep=2)``.

    With ``own`` the run's best matrices are one more start. Each start runs for :data:`SHORT`
    epochs, and the best two of each replicate to their end, of which the better one counts.
    """
    count = len(weight)
    starts = [random_matrices(run, rng, count) for _ in range(restarts)]
    if own:
        same = inwards(run, run.best_theta)
        starts.append({name: np.broadcast_to(m, (count, *m.shape)) for name, m in same.items()})
    start = {name: np.concatenate([s[name] for s in starts]) for name in starts[0]}
    keep = min(2, len(starts))
    how: dict[str, Any] = {"tol": tol, "workers": workers}
    theta, ends = refit(run, rows, np.tile(weight, (len(starts), 1)), start, n_epochs=SHORT, **how)
    going_on = best_starts(ends, keep, count)
    start = {name: m[going_on] for name, m in theta.items()}
    theta, ends = refit(run, rows, np.tile(weight, (keep, 1)), start, n_epochs=n_epochs, **how)
    best = best_starts(ends, 1, count)
    return {name: m[best] for name, m in theta.items()}, ends[best]


def inwards(run: Run, theta: Mapping[str, Array]) -> dict[str, Array]:
    """Matrices whose free rows are moved a little towards uniform ones, so that none holds a 0."""
    start = dict(theta)
    for name, free in run.free.items():
        share = theta[name] * (1 - INWARDS) + INWARDS / free.shape[1]
        start[name] = np.where(free.all(axis=-1, keepdims=True), share, theta[name])
    return start


def random_matrices(run: Run, rng: np.random.Generator, count: int) -> dict[str, Array]:
    """Matrices ``(count, M_X, M_Y)``: free rows are random, the others are the run's."""
    drawn = random_theta(run.graph, rng, (count,))
    start = {name: np.broadcast_to(m, (count, *m.shape)) for name, m in run.best_theta.items()}
    for name, free in run.free.items():
        start[name] = np.where(free.all(axis=-1, keepdims=True), drawn[name], start[name])
    return start


def learns_zeros(run: Run) -> bool:
    """True if a run was learned by ML without pseudo-counts, which can drive numbers to 0."""
    rule = run.rules[run.best] if run.rules else RULES["ml"]
    return rule == RULES["ml"] and not run.settings.get("alpha")
