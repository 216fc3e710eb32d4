"""Belief propagation: evidence is clamped, and two sweeps give exact messages (sections 2.2, 3).

Vocabulary
    clamped    a graph with its evidence at open branches, ready to be propagated many times
    flow       the messages of some samples after a plan has run, and log P(evidence)
    carrier    the open branch, and its direction, where evidence on a variable enters
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from graphlib import TopologicalSorter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Array, uniform
from .branches import Port
from .chains import Chain, chain_of
from .graph import NormalGraph
from .messages import Evidence, ImpossibleEvidence, one_hot
from .nodes import SUMS, Sums, asked
from .schedule import Plan, pruned, two_sweeps
from .semirings import LOGS, WATCHED, Logs, Underflow

Mask = NDArray[np.bool_] | bool
"""Samples, ``(N,)``; or all of them, or none."""

CHUNK = 16384
"""Columns that are propagated together, over all restarts; and 256 at least."""

SAFE = -500.0
"""Where the log of the mass is above this, whatever was lost to the range of floats, below
exp(-700) times the scales that exceed one, is nothing beside it."""


@dataclass(frozen=True, eq=False)
class Clamped:
    """A graph with evidence at its open branches, and the plan that carries it everywhere.

    ``carriers`` holds, for each variable with evidence, the branch and whether its forward message
    is the evidence (at an open tail) or its backward one; but given variables, whose values enter
    at every one of their open tails.
    """

    graph: NormalGraph
    evidence: Evidence
    plan: Plan
    carriers: Mapping[str, Port]

    @cached_property
    def chain(self) -> Chain | None:
        """A fast path where the graph is one long chain."""
        return chain_of(self.graph)

    def wanting(self, wanted: Iterable[Port]) -> Clamped:
        """The same with a plan of those messages alone that are wanted."""
        return replace(self, plan=pruned(self.plan, frozenset(wanted)))

    def cuts(self, restarts: int = 1) -> list[slice]:
        """The samples in pieces that stay in cache."""
        n = self.evidence.n
        size = max(256, CHUNK // restarts)
        if n <= size:
            return [slice(0, n)]
        return [slice(at, min(at + size, n)) for at in range(0, n, size)]

    def messages(self, cut: slice) -> tuple[dict[str, Array], dict[str, Array], Array | float]:
        """What enters at open ends: ``f``, ``b``, and the log of the scales that were taken out."""
        if cut == slice(0, self.evidence.n):
            return self._whole
        return self._messages(cut)

    @cached_property
    def _whole(self) -> tuple[dict[str, Array], dict[str, Array], Array | float]:
        return self._messages(slice(0, self.evidence.n))

    def _messages(self, cut: slice) -> tuple[dict[str, Array], dict[str, Array], Array | float]:
        f: dict[str, Array] = {}
        b: dict[str, Array] = {}
        log_scale: Array | float = 0.0
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
    def taught(self) -> dict[str, Mask]:
        """By node, the samples with evidence on its output or on a descendant of it.

        Elsewhere a block is *barren*: nothing below it was observed, so nothing can be learned.
        """
        said = {}
        for variable, (name, forward) in self.carriers.items():
            if not forward and self.graph.branches[name].size > 1:
                known = self.evidence.known(variable)
                said[name] = bool(known[0]) if known.all() or not known.any() else known
        if self.graph.below:  # a cluster tree says it by variables
            ports = {
                name: [self.carriers[v][0] for v in variables if v in self.carriers]
                for name, variables in self.graph.below.items()
            }
            return {name: _either(said.get(k, False) for k in ks) for name, ks in ports.items()}
        heads = self.graph.heads
        below = {
            node.name: [heads[y.name].name for y in node.outputs if y.name in heads]
            for node in self.graph.nodes
        }
        found: dict[str, Mask] = {}
        for name in TopologicalSorter(below).static_order():
            masks = [found[other] for other in below[name]]
            masks += [said[y.name] for y in self.graph.node(name).outputs if y.name in said]
            found[name] = _either(masks)
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


def _either(masks: Iterable[Mask]) -> Mask:
    """Samples that are in one of the masks."""
    known = list(masks)
    return any(mask is True for mask in known) or reduce(operator.or_, known, False)


def clamp(graph: NormalGraph, evidence: Evidence, plan: Plan | None = None) -> Clamped:
    """Put evidence on open branches, splitting the graph where a variable has none (figure 6).

    The plan is that of two sweeps, or another.
    """
    split = opened(graph, evidence)
    free = (v for v in evidence.variables if v not in split.given)
    carriers = {v: port for v in free if (port := _open_port(split, v))}
    return Clamped(split, evidence, two_sweeps(split) if plan is None else plan, carriers)


def opened(graph: NormalGraph, evidence: Evidence) -> NormalGraph:
    """The graph with a T-junction on every variable that has evidence but no open branch."""
    return graph.split(*(v for v in evidence.variables if _open_port(graph, v) is None))


def _open_port(graph: NormalGraph, variable: str) -> Port | None:
    """Where evidence on a variable enters: an open head, else an open tail, else nowhere."""
    branches = graph.variables[graph.variable_of[graph.branch(variable).name]]
    for ends, forward in ((graph.heads, False), (graph.tails, True)):
        for name in branches:
            if name not in ends:
                return name, forward
    return None


class Flow(NamedTuple):
    """Messages after a plan has run, as ``ring`` holds them; ``loglik`` -inf where impossible."""

    f: dict[str, Array]
    b: dict[str, Array]
    loglik: Array
    ring: Sums
    cut: slice
    possible: bool  # whether every sample has a probability above zero

    def decoded(self) -> tuple[dict[str, Array], dict[str, Array]]:
        """The messages as probabilities."""
        if not isinstance(self.ring, Logs):
            return self.f, self.b
        f, b = ({k: self.ring.decode(v) for k, v in side.items()} for side in (self.f, self.b))
        return f, b


def flows(clamped: Clamped, theta: Mapping[str, Array], restarts: int = 1) -> Iterator[Flow]:
    """The messages of all samples, piece by piece."""
    for cut in clamped.cuts(restarts):
        yield flow(clamped, theta, cut)


def flow(
    clamped: Clamped,
    theta: Mapping[str, Array],
    cut: slice,
    rings: tuple[Sums, ...] = (SUMS, WATCHED, LOGS),
) -> Flow:
    """The messages of some samples, from sums of probabilities where these lose nothing.

    Else from logarithms, which cost ten times as much: a sample whose parts contradict each other
    by more than 1e300 needs them. ``rings`` are the semirings to try, in this order.
    """
    f0, b0, log_scale = clamped.messages(cut)
    chain = clamped.chain if SUMS in rings else None
    with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 marks impossible samples with NaN
        for ring in rings:
            f, b, matrices = dict(f0), dict(b0), theta
            if isinstance(ring, Logs):
                f, b = ({k: ring.encode(v) for k, v in side.items()} for side in (f0, b0))
                matrices = {name: ring.encode(m) for name, m in theta.items()}
            try:
                if chain is not None and ring is SUMS:
                    mass = chain.sweep(f, b, matrices)
                    break
                mass = sweep(clamped.plan, f, b, matrices, ring)
            except Underflow:
                continue
            if ring is not SUMS or np.minimum.reduce(mass, axis=None) > SAFE + clamped.plan.slack:
                break
    loglik: Array = mass + log_scale
    if loglik.shape[-1] != cut.stop - cut.start:  # no evidence
        loglik = np.broadcast_to(loglik, (*loglik.shape[:-1], cut.stop - cut.start))
    possible = True
    if ring is not SUMS:
        loglik = np.where(np.isnan(loglik), -np.inf, loglik)
        possible = bool(loglik.min() > -np.inf)
    return Flow(f, b, loglik, ring, cut, possible)


def sweep(
    plan: Plan,
    f: dict[str, Array],
    b: dict[str, Array],
    theta: Mapping[str, Array],
    ring: Sums,
) -> Array:
    """Send the messages of a plan into ``f`` and ``b``; the log of the graph's mass, ``(..., N)``.

    The mass is what the root's two messages have in common, times every scale that was taken out
    on the way to it: P(evidence), but for the scale of the evidence.
    """
    scales = []
    for (node, to, keeps), collecting in plan.steps:
        send = node.send if node.ours else partial(asked, node)
        for (name, forward), kept, v in zip(to, keeps, send(to, f, b, theta, ring), strict=True):
            if not kept:
                v, scale = ring.normalized(v)
                if collecting:
                    scales.append(scale)
            if forward:
                f[name] = v
            else:
                b[name] = v
    masses = [ring.overlap(f[root], b[root]) for root in plan.roots]
    return sum(map(ring.log, scales), sum(masses[1:], masses[0]))


def local_sum(clamped: Clamped, found: Flow) -> Array:
    """The paper's aggregated log-likelihood of each sample (equation agg-l of section 7.1)."""
    total: Array | float = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        for variable, (name, _) in clamped.carriers.items():
            logs = found.ring.overlap(found.f[name], found.b[name])
            said = clamped.counted[variable]
            total = total + (logs if said is None else np.where(said[..., found.cut], logs, 0.0))
    result = np.asarray(total)
    if result.shape != found.loglik.shape:
        result = np.broadcast_to(result, found.loglik.shape)
    return result if found.possible else np.where(found.loglik == -np.inf, -np.inf, result)


def refuse_impossible(loglik: Array, evidence: Evidence, graph: NormalGraph) -> None:
    """Raise :class:`ImpossibleEvidence` for the first sample of probability zero, if any."""
    if loglik.min() > -np.inf:
        return
    first = np.argwhere(loglik == -np.inf)[0]
    sample = int(first[-1]) % evidence.n
    states = {name: graph.branch(name).states for name in evidence.codes}
    raise ImpossibleEvidence(sample, evidence.says(sample, states), tuple(map(int, first[:-1])))
