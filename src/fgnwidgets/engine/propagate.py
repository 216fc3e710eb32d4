"""Belief propagation: the messages that a schedule gives, exactly (sections 2 and 2.2).

Vocabulary
    setting    a graph with its evidence at the open branches (``setting``)
    flow       the messages after a schedule has run, and log P(evidence)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, column_sums
from .bayes import BayesGraph, as_normal
from .evidence import Evidence, ImpossibleEvidence, read_evidence
from .graph import NormalGraph
from .matrices import read_theta
from .messages import Messages
from .program import SUMS, Algebra, program
from .schedule import Plan, Schedule, compile_schedule, flooding, two_sweep
from .setting import Setting, prepare, started
from .tables import Table

CHUNK = 16384
"""Columns that are propagated together: longer data is worked through in pieces, for the cache."""


def propagate(
    graph: NormalGraph | BayesGraph,
    theta: Mapping[str, ArrayLike],
    evidence: Table | Evidence = None,
) -> Messages:
    """The exact messages of every branch, and ``loglik``, log P(evidence) per sample.

    ``evidence`` is a table or anything that :func:`read_evidence` takes. Evidence on a variable
    without an open branch splits the graph there; ``messages.graph`` is the graph with its
    T-junctions. Raises :class:`ImpossibleEvidence` where a sample has probability zero.

    Products around a diverter cannot underflow, but one message holds ratios down to 1e-308: where
    two sides of a branch contradict each other more strongly than that, what is lost is lost.
    """
    form = as_normal(graph)
    known = read_evidence(form, evidence)
    setting = prepare(form, known)
    matrices = read_theta(form, theta)
    flow = run(setting, matrices)
    refuse_impossible(flow.loglik, known, form)
    return _messages(setting, matrices, flow.slots, flow.loglik)


def posterior(
    graph: NormalGraph | BayesGraph,
    theta: Mapping[str, ArrayLike],
    evidence: Table | Evidence,
    variable: str,
) -> Array:
    """P(variable | evidence), samples first: ``(..., N, M)``, as tables are."""
    return propagate(graph, theta, evidence)[variable].p.swapaxes(-1, -2)


def trace(
    graph: NormalGraph | BayesGraph,
    theta: Mapping[str, ArrayLike],
    evidence: Table | Evidence = None,
    *,
    schedule: Schedule | None = None,
    start: np.random.Generator | Messages | None = None,
) -> Iterator[Messages]:
    """The messages before the first round, and after each round of a schedule (two sweeps).

    A schedule for a graph that evidence splits is made from the split one: ``flooding(graph.split(
    "S"))``. ``start`` is None for uniform messages, a random generator, or other messages. The last
    messages carry ``loglik`` where the schedule is exact. Raises as :func:`propagate` does.
    """
    final = propagate(graph, theta, evidence)
    setting = prepare(as_normal(graph), read_evidence(graph, evidence))
    rounds = two_sweep(setting.graph) if schedule is None else schedule
    plan = compile_schedule(setting.graph, rounds)
    slots = started(setting, start)
    exact = plan.schedule == two_sweep(setting.graph) or (
        plan.schedule == flooding(setting.graph, len(plan.rounds))
        and len(plan.rounds) >= setting.graph.diameter
    )
    matrices = read_theta(setting.graph, theta)
    yield _messages(setting, matrices, slots, None)
    for number, senders in enumerate(program(plan)):
        before, slots = slots, list(slots)
        for send in senders:
            send(before, slots, matrices, None, True)
        last = exact and number == len(plan.rounds) - 1
        yield _messages(setting, matrices, slots, final.loglik if last else None)


class Flow(NamedTuple):
    """The messages after a plan has run, and log P(evidence), -inf where it is impossible."""

    slots: list[Array]
    loglik: Array
    possible: bool  # whether every sample has a probability above zero


def run(setting: Setting, theta: Mapping[str, Array], algebra: Algebra = SUMS) -> Flow:
    """Two sweeps over a setting; long data in chunks of columns."""
    n = setting.evidence.n
    if n <= 2 * CHUNK:
        return _run(setting, setting.slots, theta, setting.log_scale, n, algebra)
    flows = []
    for at in range(0, n, CHUNK):
        cut = slice(at, min(at + CHUNK, n))
        slots = [v[..., cut] if v.shape[-1] == n else v for v in setting.slots]
        scale = setting.log_scale
        scale = scale[..., cut] if isinstance(scale, np.ndarray) and scale.ndim else scale
        flows.append(_run(setting, slots, theta, scale, cut.stop - at, algebra))
    slots = [
        pieces[0] if pieces[0].shape[-1] == 1 else np.concatenate(pieces, axis=-1)
        for pieces in zip(*(flow.slots for flow in flows), strict=True)
    ]
    loglik = np.concatenate([flow.loglik for flow in flows], axis=-1)
    return Flow(slots, loglik, all(flow.possible for flow in flows))


def refuse_impossible(loglik: Array, evidence: Evidence, graph: NormalGraph) -> None:
    """Raise :class:`ImpossibleEvidence` for the first sample of probability zero, if any."""
    if loglik.min() > -np.inf:
        return
    first = np.argwhere(loglik == -np.inf)[0]
    sample = int(first[-1]) % evidence.n
    raise ImpossibleEvidence(sample, evidence.says(sample, graph), tuple(map(int, first[:-1])))


def _run(
    setting: Setting,
    initial: Sequence[Array],
    theta: Mapping[str, Array],
    log_scale: Array | float,
    n: int,
    algebra: Algebra,
) -> Flow:
    plan = setting.plan
    with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 marks impossible samples with NaN
        slots, log_mass = _sweep(plan, initial, theta, algebra, setting.careful)
        if not setting.careful and not np.minimum.reduce(log_mass, axis=None) > plan.safe:
            slots, log_mass = _sweep(plan, initial, theta, algebra, careful=True)
        loglik = np.asarray(log_mass + log_scale)
    if loglik.shape[-1] != n:
        loglik = np.broadcast_to(loglik, (*loglik.shape[:-1], n))
    possible = bool(np.minimum.reduce(loglik, axis=None) > -np.inf)
    if not possible:  # NaN or -inf: probability zero
        loglik = np.where(np.isnan(loglik), -np.inf, loglik)
    return Flow(slots, loglik, possible)


def _sweep(
    plan: Plan,
    initial: Sequence[Array],
    theta: Mapping[str, Array],
    algebra: Algebra,
    careful: bool,
) -> tuple[list[Array], Array]:
    """The messages after all rounds, and the log of the graph's total mass, ``(..., N)``.

    Only diverters take a scale out: what blocks send sums to one, or is no larger than what came.
    """
    slots = list(initial)
    scales: list[Array] = []
    for number, senders in enumerate(program(plan, algebra)):
        logs = scales if number < plan.collecting else None
        for send in senders:
            send(slots, slots, theta, logs, careful)
    mass = _careful_mass if careful else _mass
    masses = [np.log(mass(slots[forward], slots[backward])) for forward, backward in plan.roots]
    return slots, sum((scale[..., 0, :] for scale in scales), sum(masses[1:], masses[0]))


def _mass(f: Array, b: Array) -> Array:
    return column_sums(f * b)[..., 0, :]


def _careful_mass(f: Array, b: Array) -> Array:
    """The sum of ``f * b`` where it may underflow: zero only where no value has both."""
    touching = ((f > 0) & (b > 0)).any(axis=-2)
    return np.maximum(_mass(f, b), np.where(touching, np.finfo(float).tiny, 0.0))


def _messages(
    setting: Setting, theta: Mapping[str, Array], slots: list[Array], loglik: Array | None
) -> Messages:
    names = list(setting.graph.branches)
    f = {name: setting.normal(2 * i, slots) for i, name in enumerate(names)}
    b = {name: setting.normal(2 * i + 1, slots) for i, name in enumerate(names)}
    return Messages(setting.graph, theta, f, b, setting.evidence.n, loglik)
