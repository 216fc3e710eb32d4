"""Learn a run's model again from other tables, all of them in one batch.

Vocabulary
    replicate   a table, given as weights ``(N,)`` of the different rows of all the tables
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..border.fit import fit
from ..border.run import Run
from ..border.theta import random_theta
from ..engine.arrays import Array
from ..engine.messages import Evidence
from ..engine.rules import RULES

INWARDS = 0.01
"""How far a start is moved towards uniform rows, because learning never moves a number from 0."""

STAGE = 25
"""Epochs between two looks at which replicates have settled; those learn no further."""

TRACE = 1e-8
"""Pseudo-counts that keep a row possible which a replicate does not hold. An impossible row would
make propagation fall back on logarithms, which are slow."""


def again(
    run: Run,
    rows: Evidence,
    weight: Array,
    start: Mapping[str, Array],
    *,
    n_epochs: int,
    tol: float,
) -> tuple[dict[str, Array], Array]:
    """The learned matrices ``(n, M_X, M_Y)`` and ``loglik`` ``(n,)`` of every replicate.

    Each learns with the rule and constants of the run. ``weight`` is ``(n, N)``, and ``start`` has
    matrices ``(n, M_X, M_Y)``. A replicate that gave a sample probability zero has -inf.
    """
    best, count = run.best, len(weight)
    told = dict(run.told)
    rule = run.rules[best] if run.rules else "ml"
    if learns_zeros(run):
        told["alpha"] = {name: TRACE * free for name, free in run.free.items()}
    theta = {
        name: np.array(np.broadcast_to(m, (count, *m.shape[-2:]))) for name, m in start.items()
    }
    loglik = np.full(count, -np.inf)
    moving: NDArray[np.intp] = np.arange(count)
    for at in range(0, n_epochs, STAGE):
        stage = fit(
            run.graph,
            rows,
            rule,
            n_it=run.n_its[best] if run.n_its else 1,
            restarts=len(moving),
            theta={name: m[moving] for name, m in theta.items()},
            weight=weight[moving],
            n_epochs=min(STAGE, n_epochs - at),
            tol=tol,
            record=["loglik"],
            progress=False,
            **told,
        )
        for name, m in stage.final.items():
            theta[name][moving] = m
        loglik[moving] = np.where(stage.dropped, -np.inf, stage.final_loglik)
        moved = np.abs(stage.loglik[-1] - stage.loglik[-2])
        moving = moving[~stage.dropped & (moved > tol * weight[moving].sum(axis=-1))]
        if not moving.size:
            break
    return theta, loglik


def best_again(
    run: Run,
    rows: Evidence,
    weight: Array,
    rng: np.random.Generator,
    restarts: int,
    *,
    own: bool,
    n_epochs: int = 500,
    tol: float = 1e-6,
) -> tuple[dict[str, Array], Array]:
    """As :func:`again`, from ``restarts`` random starts, of which the best counts.

    With ``own`` the run's best matrices are one more start. Each start runs for ``2 * STAGE``
    epochs, and the best two of each replicate to their end.
    """
    count = len(weight)
    starts = [random_start(run, rng, count) for _ in range(restarts)]
    if own:
        same = inwards(run, run.best_theta)
        starts.append({name: np.broadcast_to(m, (count, *m.shape)) for name, m in same.items()})
    start = {name: np.concatenate([s[name] for s in starts]) for name in starts[0]}
    which, going_on = np.arange(count), min(2, len(starts))
    theta, ends = again(
        run, rows, np.tile(weight, (len(starts), 1)), start, n_epochs=2 * STAGE, tol=tol
    )
    order = np.argsort(-ends.reshape(-1, count), axis=0, kind="stable")[:going_on]
    chosen = (order * count + which).ravel()
    start = {name: m[chosen] for name, m in theta.items()}
    theta, ends = again(
        run, rows, np.tile(weight, (going_on, 1)), start, n_epochs=n_epochs, tol=tol
    )
    at = ends.reshape(going_on, count).argmax(axis=0) * count + which
    return {name: m[at] for name, m in theta.items()}, ends[at]


def inwards(run: Run, theta: Mapping[str, Array]) -> dict[str, Array]:
    """Matrices whose free rows are moved a little towards uniform ones, so that none holds a 0."""
    start = dict(theta)
    for name, free in run.free.items():
        share = theta[name] * (1 - INWARDS) + INWARDS / free.shape[1]
        start[name] = np.where(free.all(axis=-1, keepdims=True), share, theta[name])
    return start


def random_start(run: Run, rng: np.random.Generator, count: int) -> dict[str, Array]:
    """Matrices ``(count, M_X, M_Y)``: free rows are random, the others are the run's."""
    drawn = random_theta(run.graph, rng, (count,))
    start = {name: np.broadcast_to(m, (count, *m.shape)) for name, m in run.best_theta.items()}
    for name, free in run.free.items():
        start[name] = np.where(free.all(axis=-1, keepdims=True), drawn[name], start[name])
    return start


def learns_zeros(run: Run) -> bool:
    """Whether a run was learned by ML without pseudo-counts, which can drive numbers to 0."""
    rule = run.rules[run.best] if run.rules else RULES["ml"]
    return rule == RULES["ml"] and not run.told.get("alpha")
