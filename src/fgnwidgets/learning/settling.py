"""Learning that stops where nothing is left to gain, restart by restart, by EM or by SQUAREM.

Near its end EM gains less in every step, by a constant ratio: if steps shrink the error by ``q``,
gains shrink by ``q^2``, and after a gain ``g`` there is ``g q^2 / (1 - q^2)`` left (Aitken's
extrapolation; Boehning et al. 1994). A small gain says little by itself: where a step removes a
thousandth of the error, what is left is five hundred times the last gain. A restart has settled
when what is left is below the tolerance. It is not computed any further while others go on.

Near the edge gains mislead. A number that is nearly 0, though a larger one would be better, grows
by a constant factor in every step of EM, for hundreds of them, without much to be seen in the
likelihood: where such a number would gain more than the tolerance, a restart has not settled.

SQUAREM is EM by squared steps (Varadhan and Roland 2008, scheme S3). Two steps of EM, ``theta0 ->
theta1 -> theta2``, say where the third would go if all went on so: with ``r = theta1 - theta0`` and
``v = (theta2 - theta1) - r`` the proposal is ``theta0 + 2 s r + s^2 v``, ``s = |r| / |v|``;
``s = 1`` is ``theta2``. It costs nothing, and the E-step at it is the first of the next cycle. No
number of it is negative, and where the objective is smaller than at ``theta1`` it is refused: that
restart goes on from ``theta2``. ``s`` has a ceiling, which begins at 1, is multiplied by
:data:`STEP` when a proposal at it was good, and divided by it when it was not. R's ``turboEM``
(``method="squarem"``) has the same rules.

Vocabulary
    objective   what ML makes larger: ``loglik``, and with pseudo-counts ``alpha`` the log-density
                of their prior, ``sum alpha log(theta)``, added to it
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..algebra.arrays import Array, Arrays, Mask
from .em import FIRST, PLAIN, SECOND, Epoch, Problem, Progress, em_step
from .rules import RULES, Settings

BEFORE = 5
"""Epochs of plain EM before the first cycle of SQUAREM: what is clear settles soon after, and where
numbers still move far, EM decides to which maximum they go."""

FORGET = 0.9
"""The share of the largest ``s`` that a cycle keeps: a step may miss the slowest direction."""

EDGE = 1e-3
"""Numbers below this are nearly 0."""

ROUNDING = 1e-15
"""A gain below this, relative to the objective, is none."""

MOST = 1e9
"""A larger ``s`` is no larger one: squares must be floats."""

STEP = 4.0
"""By how much the ceiling of ``s`` rises and falls."""

LEAST = 0.1
"""No number of a proposal is a smaller part of what EM makes of it: one that comes to zero too soon
would take EM hundreds of epochs to leave it again."""


def is_em(settings: Sequence[Settings]) -> bool:
    """True if every restart learns by EM itself: ML in one step, with an objective of floats."""
    return all(
        rule is RULES["ml"]
        and n_it == 1
        and updates
        and not any(u.halved for u in updates.values())
        for rule, updates, n_it in settings
    )


def log_prior(problem: Problem, theta: Arrays) -> Array | float:
    """``sum alpha log(theta)`` over what is learned, ``(restarts,)``; 0 without pseudo-counts.

    Where restarts learn by several rules it is 0, too: there is no one objective.
    """
    settings = {id(setting): setting for setting in problem.settings}
    if len(settings) > 1:
        return 0.0
    (setting,) = settings.values()
    total: Array | float = 0.0
    for name, update in setting.updates.items():
        if update.prior is None or not update.rule.iterates or update.halved:
            continue
        prior = np.broadcast_to(update.prior, theta[name].shape)
        fixed = problem.fixed_rows.get(name)
        counts = prior > 0 if fixed is None else (prior > 0) & ~fixed
        with np.errstate(divide="ignore"):
            logs = np.log(np.where(counts, theta[name], 1.0))
        total = total + (prior * logs).sum(axis=(-2, -1), where=counts)
    return total


def learn_until_settled(
    problem: Problem, n_epochs: int, tol: float, *, squarem: bool = False
) -> Iterator[Epoch]:
    """Yield epoch 0 to ``n_epochs``, or to the last one in which a restart had not settled.

    A restart settles when its objective can gain no more than ``tol`` for each of its samples; with
    ``tol=0`` never. An epoch whose proposal was refused repeats the one before it. The epoch to
    go on from, if there is one, comes first, as it was.
    """
    bound = np.broadcast_to(tol * problem.weight.sum(axis=-1), (problem.restarts,))
    state = problem.begin
    if state is None:
        cycling = problem.clamped.graph.learnable if squarem else ()
        state = _learned(problem, at_start(problem.first, cycling), 0, bound)
    if problem.begin is not None or problem.second is not None:
        state = _going_on(problem, state)
    yield state
    live = begun = state
    which = np.arange(problem.restarts)
    for n in range(state.n + 1, state.n + n_epochs + 1):
        moving = ~(progress_of(live).settled | live.dropped)
        if live is not begun and not moving.any():
            return
        if not moving.all():
            live, which = live.of(moving), which[moving]
            problem = problem.part(np.flatnonzero(moving).tolist())
        if which.size:
            live = _learned(problem, live, n, bound[which])
            state = live if which.size == len(state.dropped) else state.put(which, live)
        state = state._replace(n=n)
        yield state


def _going_on(problem: Problem, state: Epoch) -> Epoch:
    """The epoch that a start by messages, or a run that ended, goes on from."""
    after = progress_of(state).after
    if state.n == 0 and problem.second is not None:  # of a start by messages
        after = problem.second
    elif not after:  # of a run that only counted its epochs
        after = em_step(replace(problem, aggregate=False), state.theta)[2]
    after = {name: after[name] for name in problem.clamped.graph.learnable}
    return state._replace(progress=progress_of(state)._replace(after=after))


def at_start(theta: Arrays, cycling: Iterable[str] = ()) -> Epoch:
    """Before the first epoch: no likelihood, and ``cycling``, the matrices that go by SQUAREM."""
    restarts = len(next(iter(theta.values())))
    one, none = np.ones(restarts), np.zeros(restarts, dtype=bool)
    progress = Progress(
        objective=-np.inf * one,
        gain=np.inf * one,
        slowest=one,
        near=none,
        settled=none,
        place=np.full(restarts, PLAIN, dtype=np.int8),
        ceiling=one,
        first={name: theta[name] for name in cycling},
        after={},
    )
    return Epoch(0, theta, np.nan * one, np.nan * one, None, None, none, none, progress)


def progress_of(epoch: Epoch) -> Progress:
    assert epoch.progress is not None  # here every epoch has one
    return epoch.progress


def _learned(problem: Problem, last: Epoch, n: int, bound: Array) -> Epoch:
    """Epoch ``n``, by its E-step: what has settled, and where a proposal was refused."""
    trial, proposed = _next(last, n)
    logs, lost, new, counts = em_step(problem, trial.theta)
    before, progress = progress_of(last), progress_of(trial)
    plain, second = progress.place == PLAIN, progress.place == SECOND
    slowest = before.slowest
    with np.errstate(invalid="ignore", divide="ignore"):  # of an impossible sample -inf - -inf
        objective = logs["loglik"]
        if any(u.prior is not None for u in problem.settings[0].updates.values()):
            objective = objective + log_prior(problem, trial.theta)
        gain = objective - before.objective
        ratio = gain / before.gain
        steady = plain & (ratio >= 0) & (ratio < 1) & (before.gain < np.inf)
        left = np.where(steady, gain * ratio / (1 - ratio), np.inf)
        if second.any():
            s, growing = lengths(progress.first, trial.theta, new)
            slowest = np.where(second, np.maximum(s, FORGET * slowest), slowest)
            many = np.minimum(slowest, MOST)
            left = np.where(second & ~growing, gain * (many - 1) ** 2 / (2 * many - 1), left)
    still = np.abs(gain) <= ROUNDING * np.abs(objective)
    done = ((np.abs(gain) <= bound) & ((left <= bound) | (gain < 0))) | still
    done &= (plain | second) & (bound > 0)
    if done.any():
        done &= _at_the_edge(problem, trial.theta, new, counts) <= bound
    # A proposal may come to lie beside a saddle, which the cycle after it leaves: two must agree.
    near = np.where(second, done, before.near)
    done &= plain | before.near | still
    progress = progress._replace(
        objective=objective, gain=gain, slowest=slowest, near=near, settled=done,
        after={name: new[name] for name in problem.clamped.graph.learnable},
    )  # fmt: skip
    made = trial._replace(dropped=last.dropped | lost, settled=done, progress=progress, **logs)
    refused = proposed & ~(objective >= before.objective)
    if refused.any():  # what was goes on by EM, with a lower ceiling where it was reached
        raised, outside = progress.ceiling > before.ceiling, np.full_like(before.place, PLAIN)
        lower = np.where(raised, np.maximum(before.ceiling / STEP, 1.0), before.ceiling)
        stays = last._replace(progress=before._replace(place=outside, ceiling=lower))
        made = stays if refused.all() else made.put(np.flatnonzero(refused), stays.of(refused))
    return made


def _at_the_edge(problem: Problem, theta: Arrays, new: Arrays, counts: Arrays) -> Array:
    """The gain of ML if a number that is nearly 0 were :data:`EDGE`, the largest by restart.

    EM makes it larger by the factor ``1 + g / n``: ``g`` is the slope of ``loglik`` there, ``n``
    the samples in its row.
    """
    most = np.zeros(problem.restarts)
    for name, of_rows in counts.items():
        small = (theta[name] > 0) & (theta[name] < EDGE)
        if problem.settings[0].updates[name].rule is RULES["ml"] and small.any():
            factor = np.divide(new[name], theta[name], where=small, out=np.ones(small.shape))
            n = of_rows.sum(axis=-1, keepdims=True)
            gain = np.where(small, n * (factor - 1) * EDGE, 0.0)
            most = np.maximum(most, gain.max(axis=(-2, -1)))
    return most


def _next(last: Epoch, n: int) -> tuple[Epoch, Mask]:
    """The matrices of epoch ``n``: EM's, or a proposal of SQUAREM after two steps of a cycle; and
    where they are one, which may be refused. A ceiling rises already where it was reached."""
    progress, proposed = progress_of(last), np.zeros(len(last.dropped), dtype=bool)
    cycle, theta, ceiling = progress.first, {**last.theta, **progress.after}, progress.ceiling
    if not cycle:  # without SQUAREM
        return last._replace(theta=theta), proposed
    begins, second = progress.place == FIRST, progress.place == SECOND
    place = np.where(begins, SECOND, np.where(second, FIRST, PLAIN if n < BEFORE else FIRST))
    if second.any():
        s = np.where(second, lengths(cycle, last.theta, progress.after)[0], 1.0)
        new, proposed = extrapolated(cycle, last.theta, progress.after, np.minimum(s, ceiling))
        theta |= new
        ceiling = np.where(second & (s >= ceiling), ceiling * STEP, ceiling)
    first = {k: np.where(begins[:, None, None], last.theta[k], m) for k, m in cycle.items()}
    progress = progress._replace(place=place.astype(np.int8), ceiling=ceiling, first=first)
    return last._replace(theta=theta, progress=progress), proposed


def lengths(first: Arrays, second: Arrays, third: Arrays) -> tuple[Array, Mask]:
    """``s = |r| / |v|`` of every restart, at least 1, infinite where ``v`` is zero; and whether its
    steps grow, as they do where a saddle is left."""
    r2 = v2 = rv = np.zeros(1)
    for name in first:
        r = second[name] - first[name]
        v = third[name] - second[name] - r
        r2, v2 = r2 + (r * r).sum(axis=(-2, -1)), v2 + (v * v).sum(axis=(-2, -1))
        rv = rv + (r * v).sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.sqrt(r2 / v2)
    return np.fmax(s, 1.0), rv > 0


def extrapolated(first: Arrays, second: Arrays, third: Arrays, s: Array) -> tuple[Arrays, Mask]:
    """The proposals by steps ``s`` (finite), and for which restarts they are any but ``theta2``."""
    size, proposed, new = s[:, None, None], s > 1, {}
    for name in first:
        r = second[name] - first[name]
        v = third[name] - second[name] - r
        rows = np.maximum(first[name] + 2 * size * r + size * size * v, LEAST * third[name])
        sums = rows.sum(axis=-1, keepdims=True)
        moved = proposed[:, None, None] & (r != 0).any(axis=-1, keepdims=True) & (sums > 0)
        new[name] = np.where(moved, rows / np.where(moved, sums, 1.0), third[name])
    return new, proposed
