"""Belief propagation: evidence is clamped, and two sweeps give exact messages (sections 2.2, 3).

A :class:`Plan` says who sends when. A graph is :class:`Clamped` once to its evidence, and a
:class:`Flow` of messages goes through it as often as there are matrices.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial, reduce
from graphlib import TopologicalSorter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Array, Arrays, uniform
from .branches import GraphError, Port
from .graph import NormalGraph
from .messages import LOGS, WATCHED, Evidence, ImpossibleEvidence, Logs, Underflow, one_hot
from .nodes import SUMS, Node, Sums, asked

Side = dict[str, Array]  # the messages of one direction, by branch
Entering = tuple[Side, Side, Array]
Samples = NDArray[np.bool_] | bool  # all of them, or none

CHUNK = 16384
"""Columns that are propagated together, over all restarts: what stays in cache."""

SAFE = -500.0
"""Beside a mass whose log is above this, what floats lose, below exp(-700) each, is nothing."""

EXACT = (SUMS, WATCHED, LOGS)
"""Logarithms, ten times slower, are for parts that contradict each other by more than 1e300."""


class Sending(NamedTuple):
    """What one node sends in one round, which of it sums to one as it comes, and what is called."""

    node: Node
    to: tuple[Port, ...]
    keeps: tuple[bool, ...]
    send: Callable[..., list[Array]]


@dataclass(frozen=True, eq=False)
class Plan:
    """Rounds of sendings, each from the messages of those before; two sweeps are exact.

    ``roots`` has a branch of each component, where masses are read; the scales of the first
    ``collecting`` rounds are part of them.
    """

    rounds: tuple[tuple[Sending, ...], ...]
    roots: tuple[str, ...] = ()
    collecting: int = 0

    @cached_property
    def steps(self) -> tuple[tuple[Sending, tuple[tuple[str, bool, bool], ...], bool], ...]:
        """All rounds in a row: who sends, by port what is kept, and whether it collects."""
        return tuple(
            (s, tuple((*port, kept) for port, kept in zip(s.to, s.keeps, strict=True)), k < last)
            for last in [self.collecting]
            for k, sendings in enumerate(self.rounds)
            for s in sendings
        )

    @cached_property
    def slack(self) -> float:
        """The log of the largest scale that can be taken out on the way to the roots."""
        total = 0.0  # what a node sends is at most one for each value of a branch
        for (node, *_), ports, collecting in self.steps:
            if collecting and not node.copies:
                scaled = {name for name, _, kept in ports if not kept}
                ends = (*node.inputs, *node.outputs)
                total += sum(math.log(branch.size) for branch in ends if branch.name in scaled)
        return total


def sending(node: Node, ports: Iterable[Port]) -> Sending:
    """A node with those of its ports that it sends on, in its own order."""
    to = tuple(port for port in node.ports if port in ports)
    send = node.send if node.ours else partial(asked, node)
    return Sending(node, to, tuple(forward in node.keeps for _, forward in to), send)


@lru_cache(maxsize=256)
def two_sweeps(graph: NormalGraph) -> Plan:
    """Collect towards the roots, then distribute; :class:`GraphError` on a graph with a loop."""
    if graph.loop:
        raise GraphError(
            f"the branches {', '.join(graph.loop)} form a loop, which loops=True let pass: exact "
            "messages, likelihoods and learning need a forest, BayesGraph(...).merged(). "
            "trace(graph, theta, evidence, schedule=flooding(graph, 20)) shows approximate messages"
        )
    places = graph.tree.values()
    roots = dict.fromkeys(up.name for _, up, before in places if before is None)
    hanging = [(p.node.name, p.before.name) for p in places if p.before and p.up.name not in roots]
    height, depth = dict.fromkeys(graph.tree, 0), dict.fromkeys(graph.tree, 0)
    for name, nearer in reversed(hanging):
        height[nearer] = max(height[nearer], height[name] + 1)
    for name, nearer in hanging:
        depth[name] = depth[nearer] + 1
    half = max(height.values()) + 1
    rounds: list[list[Sending]] = [[] for _ in range(2 * half)]
    for node in graph.nodes:
        up = graph.tree[node.name].up
        upwards = {port for port in node.ports if port[0] == up.name}
        rounds[height[node.name]].append(sending(node, upwards))
        if len(node.ports) > 1:
            rounds[half + depth[node.name]].append(sending(node, {*node.ports} - upwards))
    return Plan(tuple(map(tuple, rounds)), tuple(roots), half)


@lru_cache(maxsize=256)
def pruned(plan: Plan, wanted: frozenset[Port]) -> Plan:
    """The part of two sweeps that the messages ``wanted`` and the likelihood need."""
    needed = {*wanted, *((root, forward) for root in plan.roots for forward in (True, False))}
    rounds: list[tuple[Sending, ...]] = []
    for sendings in reversed(plan.rounds):  # every message is sent once
        kept = tuple(sending(s.node, own) for s in sendings if (own := needed & {*s.to}))
        for node, to, *_ in kept:
            needed.update((b, not fwd) for b, fwd in node.ports if to != ((b, fwd),))
        rounds.append(kept)
    return replace(plan, rounds=tuple(reversed(rounds)))


@dataclass(frozen=True, eq=False)
class Clamped:
    """A graph with evidence at its open branches, and the plan that carries it everywhere.

    ``carriers`` holds, by variable with evidence, the port where it enters; not given variables,
    whose values enter at every one of their open tails. ``shortcut`` is a fast path around
    :func:`sweep` for graphs of one shape; it raises :class:`Underflow` where it cannot answer.
    """

    graph: NormalGraph
    evidence: Evidence
    plan: Plan
    carriers: Mapping[str, Port]
    shortcut: Callable[[Side, Side, Arrays], Array] | None = None

    def wanting(self, wanted: Iterable[Port]) -> Clamped:
        """The same with a plan of those messages alone that are wanted."""
        return replace(self, plan=pruned(self.plan, frozenset(wanted)))

    def messages(self, cut: slice) -> Entering:
        """What enters at open ends: ``f``, ``b``, and the log of the scales that were taken out."""
        return self._whole if cut == slice(0, self.evidence.n) else self._messages(cut)

    @cached_property
    def _whole(self) -> Entering:
        return self._messages(slice(0, self.evidence.n))

    def _messages(self, cut: slice) -> Entering:
        f: Side = {}
        b: Side = {}
        log_scale = np.zeros(cut.stop - cut.start)
        carrying = set(self.carriers.values())
        for name, branch in self.graph.branches.items():
            for side, ends, forward in ((f, self.graph.tails, True), (b, self.graph.heads, False)):
                if name in ends or (name, forward) in carrying:
                    continue
                if branch.given and forward:  # a delta: its scale is one
                    side[name] = one_hot(self.evidence.codes[branch.variable][cut], branch.size)
                else:  # nothing is known: all ones, normalised
                    side[name] = uniform(branch.size)
                    log_scale += math.log(branch.size)
        for variable, (name, forward) in self.carriers.items():
            vectors = self.evidence.likelihood(variable, self.graph.branches[name].size, cut)
            sums = vectors.sum(axis=-2, keepdims=True)
            (f if forward else b)[name] = vectors / sums
            log_scale = log_scale + np.log(sums[..., 0, :])
        return f, b, log_scale

    @cached_property
    def taught(self) -> dict[str, Samples]:
        """By node, the samples with evidence on its output or on a descendant of it."""
        said = {}
        for variable, (name, forward) in self.carriers.items():
            if not forward and self.graph.branches[name].size > 1:
                known = self.evidence.known(variable)
                said[name] = bool(known[0]) if known.all() or not known.any() else known
        if self.graph.below:  # a cluster tree says it by variables
            at = {variable: name for variable, (name, _) in self.carriers.items()}
            below = self.graph.below
            return {k: _either(said.get(at.get(v, ""), False) for v in below[k]) for k in below}
        heads = {branch: node.name for branch, node in self.graph.heads.items()}
        outputs = {node.name: [y.name for y in node.outputs] for node in self.graph.nodes}
        after = {name: [heads[y] for y in ys if y in heads] for name, ys in outputs.items()}
        found: dict[str, Samples] = {}
        for name in TopologicalSorter(after).static_order():
            ys = outputs[name]
            found[name] = _either(found[heads[y]] if y in heads else said.get(y, False) for y in ys)
        return found

    @cached_property
    def counted(self) -> dict[str, NDArray[np.bool_] | None]:
        """By variable, where a cell is not missing and counts in ``aggregated``; None: always."""
        found: dict[str, NDArray[np.bool_] | None] = {}
        for name in self.carriers:
            codes = self.evidence.codes.get(name)
            here = (self.evidence.vectors[name] != 1).any(-2) if codes is None else codes >= 0
            found[name] = None if here.all() else here
        return found


def _either(masks: Iterable[Samples]) -> Samples:
    """Samples that are in one of the masks."""
    known = list(masks)
    return any(mask is True for mask in known) or reduce(operator.or_, known, False)


def clamp(graph: NormalGraph, evidence: Evidence, plan: Plan | None = None) -> Clamped:
    """Put evidence on open branches, splitting the graph where a variable has none (figure 6)."""
    split = opened(graph, evidence)
    ports = {v: _open_port(split, v) for v in evidence.variables if v not in split.given}
    carriers = {v: port for v, port in ports.items() if port}
    return Clamped(split, evidence, two_sweeps(split) if plan is None else plan, carriers)


def opened(graph: NormalGraph, evidence: Evidence) -> NormalGraph:
    """The graph with a T-junction on every variable that has evidence but no open branch."""
    return graph.split(*(v for v in evidence.variables if _open_port(graph, v) is None))


def _open_port(graph: NormalGraph, variable: str) -> Port | None:
    """Where evidence on a variable enters: an open head, else an open tail, else nowhere."""
    branches = graph.variables[graph.variable_of[graph.branch(variable).name]]
    sides = ((graph.heads, False), (graph.tails, True))
    return next(((b, forward) for ends, forward in sides for b in branches if b not in ends), None)


@lru_cache(maxsize=256)
def pieces(n: int, restarts: int = 1) -> tuple[slice, ...]:
    """So many samples in pieces that are propagated one after another."""
    size = max(256, CHUNK // restarts)
    return tuple(slice(at, min(at + size, n)) for at in range(0, max(n, 1), size))


class Flow(NamedTuple):
    """Messages after a plan has run, as ``ring`` holds them; ``loglik`` -inf where impossible."""

    f: Side
    b: Side
    loglik: Array
    ring: Sums
    cut: slice
    possible: bool  # whether every sample has a probability above zero

    def decoded(self) -> tuple[Side, Side]:
        """The messages as probabilities."""
        if not isinstance(self.ring, Logs):
            return self.f, self.b
        f, b = ({k: self.ring.decode(v) for k, v in side.items()} for side in (self.f, self.b))
        return f, b


def flows(
    clamped: Clamped, theta: Arrays, restarts: int = 1, rings: Sequence[Sums] = EXACT
) -> Iterator[Flow]:
    """The messages of all samples, piece by piece."""
    return (flow(clamped, theta, cut, rings) for cut in pieces(clamped.evidence.n, restarts))


def flow(clamped: Clamped, theta: Arrays, cut: slice, rings: Sequence[Sums] = EXACT) -> Flow:
    """The messages of some samples, by the first of ``rings`` that loses nothing."""
    f0, b0, log_scale = clamped.messages(cut)
    with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 marks impossible samples with NaN
        for ring in rings:
            f, b, matrices = dict(f0), dict(b0), theta
            if isinstance(ring, Logs):
                f, b = ({k: ring.encode(v) for k, v in side.items()} for side in (f0, b0))
                matrices = {name: ring.encode(m) for name, m in theta.items()}
            try:
                if clamped.shortcut is not None and ring is SUMS:
                    mass = clamped.shortcut(f, b, matrices)
                    break
                mass = sweep(clamped.plan, f, b, matrices, ring)
            except Underflow:
                continue
            if ring is not SUMS or np.minimum.reduce(mass, axis=None) > SAFE + clamped.plan.slack:
                break
    loglik: Array = mass + log_scale
    possible = True
    if ring is not SUMS:
        loglik = np.where(np.isnan(loglik), -np.inf, loglik)
        possible = bool(loglik.min() > -np.inf)
    return Flow(f, b, loglik, ring, cut, possible)


def sweep(plan: Plan, f: Side, b: Side, theta: Arrays, ring: Sums) -> Array:
    """Send the messages of a plan into ``f`` and ``b``; the log of the graph's mass, ``(..., N)``.

    The mass is the overlap of the root's two messages, times every scale that was taken out on the
    way to it: P(evidence), but for the scale of the evidence.
    """
    scales = []
    for (_, to, _, send), ports, collecting in plan.steps:
        for (name, forward, kept), v in zip(ports, send(to, f, b, theta, ring), strict=True):
            if not kept:
                v, scale = ring.normalized(v)
                if collecting:
                    scales.append(scale)
            if forward:
                f[name] = v
            else:
                b[name] = v
    return ring.log([*scales, *(ring.overlap(f[root], b[root]) for root in plan.roots)])


def local_sum(clamped: Clamped, found: Flow) -> Array:
    """The paper's aggregated log-likelihood of each sample (section 7.1, equation 28)."""
    total = np.zeros(found.loglik.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        for variable, (name, _) in clamped.carriers.items():
            logs = found.ring.log([found.ring.overlap(found.f[name], found.b[name])])
            said = clamped.counted[variable]
            total = total + (logs if said is None else np.where(said[..., found.cut], logs, 0.0))
    return total if found.possible else np.where(found.loglik == -np.inf, -np.inf, total)


def refuse_impossible(loglik: Array, evidence: Evidence, graph: NormalGraph) -> None:
    """Raise :class:`ImpossibleEvidence` for the first sample of probability zero, if any."""
    if loglik.min() > -np.inf:
        return
    first = np.argwhere(loglik == -np.inf)[0]
    sample = int(first[-1]) % evidence.n
    states = {name: graph.branch(name).states for name in evidence.codes}
    raise ImpossibleEvidence(sample, evidence.says(sample, states), tuple(map(int, first[:-1])))
