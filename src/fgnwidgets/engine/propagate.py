"""Belief propagation: the messages that a schedule gives, exactly (sections 2 and 2.2).

Vocabulary
    setting    a graph with its evidence at the open branches, ready to be propagated many times
    carrier    the place of a message that is evidence
    flow       the messages after a schedule has run, and log P(evidence)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array, random_messages, uniform
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
from .schedule import Op, Plan, Schedule, compile_schedule, flooding, two_sweep, two_sweep_plan
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
        sent = [message for op in ops for message in _send(op, slots, matrices, SUMS)]
        slots = list(slots)
        for slot, value, *_ in sent:
            slots[slot] = value
        last = exact and number == len(plan.rounds) - 1
        yield _messages(setting, matrices, slots, final.loglik if last else None)


@dataclass(frozen=True)
class Setting:
    """A graph with evidence at its open branches, ready to be propagated many times."""

    graph: NormalGraph
    evidence: Evidence
    plan: Plan
    slots: tuple[Array, ...]  # evidence at open ends, uniform elsewhere
    carriers: tuple[tuple[int, NDArray[np.bool_] | None], ...]  # slot; where a cell is not missing
    log_scale: Array | float  # what normalising the evidence took out, ``(..., N)``

    def entering(self, node: Source | Block, slots: Sequence[Array]) -> Array:
        """The forward message at a block's input; a source has none, so it is one (section 3)."""
        if isinstance(node, Source):
            return np.ones((1, 1))
        return slots[2 * self.at[node.x.name]]

    def backward(self, node: Source | Block) -> int:
        """The slot of the backward message at a block's output."""
        return 2 * self.at[node.y.name] + 1

    @cached_property
    def at(self) -> dict[str, int]:
        """The number of each branch: its slots are twice that, and the next."""
        return {name: i for i, name in enumerate(self.graph.branches)}


class Algebra(NamedTuple):
    """How a block and a product space carry messages: as sums here, as maxima in ``decoding``."""

    through: Callable[[Array, Array], Array]
    back_through: Callable[[Array, Array], Array]
    project: Callable[[Array, tuple[int, ...], int], Array]


SUMS = Algebra(through, back_through, project)


Sent = tuple[int, Array, Array, Array | None]
"""A message: its slot, its normalised value, its scale, and the log of what more was taken out."""


class Flow(NamedTuple):
    """The messages after a plan has run, and log P(evidence), -inf where it is impossible."""

    slots: list[Array]
    loglik: Array


def prepare(graph: NormalGraph, evidence: Evidence) -> Setting:
    """Put evidence on open branches, splitting the graph where a variable has none."""
    closed = [v for v in evidence.variables if _open_branch(graph, v) is None]
    split = graph.split(*closed)
    names = list(split.branches)
    at = {name: i for i, name in enumerate(names)}
    slots = [uniform(branch.size) for branch in split.branches.values() for _ in "fb"]
    carriers: list[tuple[int, NDArray[np.bool_] | None]] = []
    log_scale: Array | float = 0.0
    for branch in split.branches.values():
        for ends in (split.tails, split.heads):
            if branch.name not in ends:  # nothing enters here: the all-ones vector
                log_scale = log_scale + np.log(branch.size)
    for variable in evidence.variables:
        name = _open_branch(split, variable)
        assert name is not None
        vectors = evidence.likelihood(variable, split.branches[name].size)
        sums = vectors.sum(axis=-2, keepdims=True)
        slot = 2 * at[name] + (1 if name not in split.heads else 0)
        slots[slot] = vectors / sums
        said = (vectors != 1.0).any(axis=-2)  # a missing cell is the all-ones vector
        carriers.append((slot, None if said.all() else said))
        log_scale = log_scale + np.log(sums[..., 0, :]) - np.log(split.branches[name].size)
    return Setting(split, evidence, two_sweep_plan(split), tuple(slots), tuple(carriers), log_scale)


def run(setting: Setting, theta: Mapping[str, Array], algebra: Algebra = SUMS) -> Flow:
    """Two sweeps over a setting; long data in chunks of columns."""
    n = setting.evidence.n
    if n <= 2 * CHUNK:
        return _run(setting.plan, setting.slots, theta, setting.log_scale, n, algebra)
    flows = []
    for at in range(0, n, CHUNK):
        cut = slice(at, min(at + CHUNK, n))
        slots = [v[..., cut] if v.shape[-1] == n else v for v in setting.slots]
        scale = setting.log_scale
        scale = scale[..., cut] if isinstance(scale, np.ndarray) and scale.ndim else scale
        flows.append(_run(setting.plan, slots, theta, scale, cut.stop - at, algebra))
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
    plan: Plan,
    initial: list[Array] | tuple[Array, ...],
    theta: Mapping[str, Array],
    log_scale: Array | float,
    n: int,
    algebra: Algebra,
) -> Flow:
    slots = list(initial)
    scales: list[Array] = []
    logs: list[Array] = []
    with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 marks impossible samples with NaN
        for number, ops in enumerate(plan.rounds):
            for op in ops:
                for slot, value, scale, log_taken in _send(op, slots, theta, algebra):
                    slots[slot] = value
                    if number < plan.collecting:
                        scales.append(scale)
                        if log_taken is not None:
                            logs.append(log_taken)
        loglik: Array | float = log_scale
        for forward, backward in plan.roots:
            mass = np.add.reduce(slots[forward] * slots[backward], axis=-2)
            if not np.minimum.reduce(mass, axis=None) > SMALL:
                mass = _careful_mass(slots[forward], slots[backward])
            loglik = loglik + np.log(mass)
        for scale in scales:
            loglik = loglik + np.log(scale[..., 0, :])
        for log_taken in logs:
            loglik = loglik + log_taken[..., 0, :]
    loglik = np.asarray(loglik)
    if loglik.ndim == 0 or loglik.shape[-1] != n:
        loglik = np.broadcast_to(loglik, (*loglik.shape[:-1], n))
    if not np.minimum.reduce(loglik, axis=None) > -np.inf:  # NaN or -inf: probability zero
        loglik = np.where(np.isnan(loglik), -np.inf, loglik)
    return Flow(slots, loglik)


def _careful_mass(f: Array, b: Array) -> Array:
    """``sum f * b`` where it may underflow: a true zero only where no value has both."""
    mass = (f * b).sum(axis=-2)
    touching = ((f > 0) & (b > 0)).any(axis=-2)
    floor: Array = np.where(touching, np.maximum(mass, np.finfo(float).tiny), mass)
    return floor


def _send(op: Op, slots: list[Array], theta: Mapping[str, Array], algebra: Algebra) -> list[Sent]:
    """The messages that one node sends."""
    node = op.node
    if isinstance(node, Block):
        if op.wanted[0] == 1:
            value = algebra.through(theta[node.theta], slots[op.enter[0]])
        else:
            value = algebra.back_through(theta[node.theta], slots[op.enter[1]])
    elif isinstance(node, Diverter):
        entering = [slots[slot] for slot in op.enter]
        sent: list[Sent] = []
        for slot, product in zip(op.leave, multiply_others(entering, op.wanted), strict=True):
            scale = np.add.reduce(product, axis=-2, keepdims=True)
            if not np.minimum.reduce(scale, axis=None) > SMALL:
                return _send_safely(op, entering)
            sent.append((slot, product / scale, scale, None))
        return sent
    elif isinstance(node, Source):
        value = theta[node.theta].swapaxes(-1, -2)
    elif isinstance(node, Expand) == (op.wanted[0] == 1):  # from the variable to the product space
        value = expand(slots[op.enter[1 - op.wanted[0]]], node.sizes, node.axis)
    else:
        value = algebra.project(slots[op.enter[1 - op.wanted[0]]], node.sizes, node.axis)
    scale = np.add.reduce(value, axis=-2, keepdims=True)
    return [(op.leave[0], value / scale, scale, None)]


def _send_safely(op: Op, entering: list[Array]) -> list[Sent]:
    """A diverter's messages where plain products would underflow."""
    sent: list[Sent] = []
    products = multiply_others_safely(entering, op.wanted)
    for slot, (product, log_taken) in zip(op.leave, products, strict=True):
        scale = np.add.reduce(product, axis=-2, keepdims=True)
        sent.append((slot, product / scale, scale, log_taken))
    return sent


def _open_branch(graph: NormalGraph, variable: str) -> str | None:
    """Where evidence on a variable enters: an open head, else an open tail, else nowhere."""
    branches = graph.variables[graph.variable_of[graph.branch(variable).name]]
    for ends in (graph.heads, graph.tails):
        for name in branches:
            if name not in ends:
                return name
    return None


def started(setting: Setting, start: np.random.Generator | Messages | None) -> list[Array]:
    """The messages before the first round: evidence where it enters, and a start elsewhere."""
    slots = list(setting.slots)
    if start is None:
        return slots
    for i, branch in enumerate(setting.graph.branches.values()):
        for slot, key, ends in (
            (2 * i, "f", setting.graph.tails),
            (2 * i + 1, "b", setting.graph.heads),
        ):
            if branch.name not in ends:
                continue  # evidence, or nothing, enters there: not the start's to choose
            if isinstance(start, Messages):
                slots[slot] = (start.f if key == "f" else start.b)[branch.name]
            else:
                slots[slot] = random_messages(start, (branch.size, setting.evidence.n))
    return slots


def _messages(
    setting: Setting, theta: Mapping[str, Array], slots: list[Array], loglik: Array | None
) -> Messages:
    names = list(setting.graph.branches)
    f = {name: slots[2 * i] for i, name in enumerate(names)}
    b = {name: slots[2 * i + 1] for i, name in enumerate(names)}
    return Messages(setting.graph, theta, f, b, setting.evidence.n, loglik)
