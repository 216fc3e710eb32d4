"""Belief propagation: the messages that a schedule gives, exactly (sections 2 and 2.2).

Vocabulary
    setting    a graph with its evidence at the open branches (``setting``)
    flow       the messages after a schedule has run, and log P(evidence)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array
from .bayes import BayesGraph, as_normal
from .evidence import Evidence, ImpossibleEvidence, read_evidence
from .graph import NormalGraph
from .matrices import read_theta
from .messages import (
    SMALL,
    Messages,
    back_through,
    expand,
    multiply_others,
    multiply_others_safely,
    project,
    through,
)
from .nodes import Block, Diverter, Expand, Source
from .schedule import Op, Plan, Schedule, compile_schedule, flooding, two_sweep
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
    for number, ops in enumerate(plan.rounds):
        before, slots = slots, list(slots)
        for op in ops:
            _send(op, before, slots, matrices, SUMS, None, careful=True)
        last = exact and number == len(plan.rounds) - 1
        yield _messages(setting, matrices, slots, final.loglik if last else None)


class Algebra(NamedTuple):
    """How a block and a product space carry messages: as sums here, as maxima in ``decoding``."""

    through: Callable[[Array, Array], Array]
    back_through: Callable[[Array, Array], Array]
    project: Callable[[Array, tuple[int, ...], int], Array]
    shrinks: bool  # maxima get smaller in every block, sums do not: rows add up to one


SUMS = Algebra(through, back_through, project, shrinks=False)


class Flow(NamedTuple):
    """The messages after a plan has run, and log P(evidence), -inf where it is impossible."""

    slots: list[Array]
    loglik: Array


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
    return Flow(slots, np.concatenate([flow.loglik for flow in flows], axis=-1))


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
    if not np.minimum.reduce(loglik, axis=None) > -np.inf:  # NaN or -inf: probability zero
        loglik = np.where(np.isnan(loglik), -np.inf, loglik)
    return Flow(slots, loglik)


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
    for number, ops in enumerate(plan.rounds):
        logs = scales if number < plan.collecting else None
        for op in ops:
            _send(op, slots, slots, theta, algebra, logs, careful=careful)
    log_mass: Array | float = 0.0
    for forward, backward in plan.roots:
        f, b = slots[forward], slots[backward]
        log_mass = log_mass + np.log(_careful_mass(f, b) if careful else _mass(f, b))
    for scale in scales:
        log_mass = log_mass + scale[..., 0, :]
    return slots, np.asarray(log_mass)


def _mass(f: Array, b: Array) -> Array:
    return np.asarray(np.add.reduce(f * b, axis=-2))


def _careful_mass(f: Array, b: Array) -> Array:
    """The sum of ``f * b`` where it may underflow: zero only where no value has both."""
    touching = ((f > 0) & (b > 0)).any(axis=-2)
    return np.maximum(_mass(f, b), np.where(touching, np.finfo(float).tiny, 0.0))


def _send(
    op: Op,
    slots: Sequence[Array],
    out: list[Array],
    theta: Mapping[str, Array],
    algebra: Algebra,
    logs: list[Array] | None,
    *,
    careful: bool,
) -> None:
    """Put what one node sends into ``out``, and the logs of the scales into ``logs``."""
    node = op.node
    if isinstance(node, Block):
        if op.wanted[0] == 1:
            value = algebra.through(theta[node.theta], slots[op.enter[0]])
        else:
            value = algebra.back_through(theta[node.theta], slots[op.enter[1]])
    elif isinstance(node, Diverter):
        _divert(op, [slots[slot] for slot in op.enter], out, logs, careful)
        return
    elif isinstance(node, Source):
        value = theta[node.theta].swapaxes(-1, -2)
    elif isinstance(node, Expand) == (op.wanted[0] == 1):  # from the variable to the product space
        value = expand(slots[op.enter[1 - op.wanted[0]]], node.sizes, node.axis)
    else:
        value = algebra.project(slots[op.enter[1 - op.wanted[0]]], node.sizes, node.axis)
    if algebra.shrinks:
        value = value / np.add.reduce(value, axis=-2, keepdims=True)
    out[op.leave[0]] = value


def _divert(
    op: Op, entering: list[Array], out: list[Array], logs: list[Array] | None, careful: bool
) -> None:
    """A diverter's messages, normalised; carefully, where plain products would underflow."""
    products = multiply_others(entering, op.wanted)
    scales = [np.add.reduce(product, axis=-2, keepdims=True) for product in products]
    if careful and not all(np.minimum.reduce(scale, axis=None) > SMALL for scale in scales):
        for slot, (product, log_taken) in zip(
            op.leave, multiply_others_safely(entering, op.wanted), strict=True
        ):
            scale = np.add.reduce(product, axis=-2, keepdims=True)
            out[slot] = product / scale
            if logs is not None:
                logs.append(np.log(scale) + log_taken)
        return
    for slot, product, scale in zip(op.leave, products, scales, strict=True):
        out[slot] = product / scale
        if logs is not None:
            logs.append(np.log(scale))


def _messages(
    setting: Setting, theta: Mapping[str, Array], slots: list[Array], loglik: Array | None
) -> Messages:
    names = list(setting.graph.branches)
    f = {name: setting.normal(2 * i, slots) for i, name in enumerate(names)}
    b = {name: setting.normal(2 * i + 1, slots) for i, name in enumerate(names)}
    return Messages(setting.graph, theta, f, b, setting.evidence.n, loglik)
