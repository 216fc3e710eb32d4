"""A run's learning again, on other weights of the same rows: many tables in one batch.

Vocabulary
    replicate   a table of its own: a row of weights over the different rows of all tables
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
"""A start is moved so far towards uniform rows: from 0 itself no number would ever move."""

STAGE = 25
"""After so many epochs the replicates that have settled are left alone."""

TRACE = 1e-8
"""Pseudo-counts that keep rows possible which a replicate has not drawn: they would cost the slow
way over logarithms."""


def again(
    run: Run,
    rows: Evidence,
    weight: Array,
    start: Mapping[str, Array],
    *,
    n_epochs: int,
    tol: float,
) -> tuple[dict[str, Array], Array]:
    """The matrices ``(n, M_X, M_Y)`` and ``loglik`` ``(n,)`` of every replicate.

    Each learns as the run did. ``weight`` is ``(n, N)``, and ``start`` has matrices ``(n, M_X,
    M_Y)``. A replicate that gave a sample probability zero has -inf.
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
    """The best of several random starts of every replicate, and with ``own`` of the run's too.

    All starts run for a while, the best two of each replicate to their end.
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
    """The matrices a little off their bounds, what cannot move left alone."""
    start = dict(theta)
    for name, free in run.free.items():
        several = free.sum(axis=-1, keepdims=True)
        share = theta[name] * (1 - INWARDS) + INWARDS * free / np.maximum(several, 1)
        start[name] = np.where(several == free.shape[1], share, theta[name])
    return start


def random_start(run: Run, rng: np.random.Generator, count: int) -> dict[str, Array]:
    """Random matrices ``(count, M_X, M_Y)`` where all of a row can move, the run's elsewhere."""
    drawn = random_theta(run.graph, rng, (count,))
    start = {name: np.broadcast_to(m, (count, *m.shape)) for name, m in run.best_theta.items()}
    for name, free in run.free.items():
        start[name] = np.where(free.all(axis=-1, keepdims=True), drawn[name], start[name])
    return start


def learns_zeros(run: Run) -> bool:
    """Whether a run was learned by ML without pseudo-counts, which drives numbers to 0."""
    rule = run.rules[run.best] if run.rules else RULES["ml"]
    return rule == RULES["ml"] and not run.told.get("alpha")
