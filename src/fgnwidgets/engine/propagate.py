"""Belief propagation: evidence is clamped, and two sweeps give exact messages (sections 2.2, 3).

Vocabulary
    step       ``(node, branch, direction)``: the node sends the branch's forward ("f") or
               backward ("b") message, from what entered its other branches
    round      steps that are sent at once, from the messages of the round before
    schedule   a tuple of rounds, a value
    plan       a schedule with its nodes looked up, once per graph
    clamped    a graph with its evidence at open branches, ready to be propagated many times
    flow       the messages of some samples after a plan has run, and log P(evidence)

On a graph without loops two sweeps are exact, and so is flooding after ``diameter`` rounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from .arrays import Array, Index, random_messages, uniform
from .chains import chain_of
from .graph import NormalGraph
from .messages import Evidence, ImpossibleEvidence, one_hot
from .nodes import Branch, GraphError, Node, Port
from .semirings import LOGS, SUMS, WATCHED, Logs, Sums, Underflow

Mask = np.ndarray | bool
"""Samples, ``(N,)``; or all of them, or none."""

CHUNK = 16384
"""Columns that are propagated together, over all restarts; and 256 at least."""

SAFE = -500.0
"""No scale is larger than one. Where the log of their product is above this, whatever was lost to
the range of floats, below exp(-700), is nothing beside it."""


class Step(NamedTuple):
    """One message: ``node`` sends on ``branch``, forward ("f") or backward ("b")."""

    node: str
    branch: str
    direction: str


Schedule = tuple[tuple[Step, ...], ...]


class Sending(NamedTuple):
    """What one node sends in one round, and which of it is normalised as it comes."""

    node: Node
    to: tuple[Port, ...]
    keeps: tuple[bool, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """A schedule with its nodes; ``roots`` has a branch of each component, where masses are read.

    The scales of the first ``collecting`` rounds make up the likelihood.
    """

    rounds: tuple[tuple[Sending, ...], ...]
    roots: tuple[str, ...] = ()
    collecting: int = 0

    @cached_property
    def steps(self) -> tuple[tuple[Sending, bool], ...]:
        """All rounds in a row, each step with whether it collects."""
        return tuple((s, k < self.collecting) for k, r in enumerate(self.rounds) for s in r)

    @cached_property
    def slack(self) -> float:
        """The log of the largest scale that shaded blocks can take out: nothing else exceeds 1."""
        nodes = {s.node.name: s.node for r in self.rounds for s in r}
        return sum(node.gain for node in nodes.values())


@lru_cache(maxsize=256)
def pruned(plan: Plan, wanted: frozenset[Port]) -> Plan:
    """The part of two sweeps that the messages ``wanted`` and the likelihood need.

    Every message is sent once, so the rounds are walked backwards from what is needed.
    """
    needed = {*wanted, *((root, forward) for root in plan.roots for forward in (True, False))}
    rounds: list[tuple[Sending, ...]] = []
    for sendings in reversed(plan.rounds):
        kept = []
        for node, to, _ in sendings:
            sent = tuple(port for port in to if port in needed)
            if sent:
                kept.append(_sending(node, sent))
        for node, to, _ in kept:
            needed.update((b, not fwd) for b, fwd in node.ports if to != ((b, fwd),))
        rounds.append(tuple(kept))
    return replace(plan, rounds=tuple(reversed(rounds)))


def _sending(node: Node, to: tuple[Port, ...]) -> Sending:
    return Sending(node, to, tuple(node.keeps(forward) for _, forward in to))


@lru_cache(maxsize=256)
def two_sweeps(graph: NormalGraph) -> tuple[Schedule, Plan]:
    """Collect towards the first source's branch, then distribute, as a schedule and as a plan."""
    if graph.loop:
        raise GraphError(
            f"the branches {', '.join(graph.loop)} form a loop, which loops=True let pass: exact "
            "messages, likelihoods and learning need a forest, BayesGraph(...).merged(). "
            "trace(graph, theta, evidence, schedule=flooding(graph, 20)) shows approximate messages"
        )
    roots: list[str] = []
    up: dict[str, Branch] = {}  # node -> its branch towards the root
    order: list[Node] = []  # from the roots outwards
    for node in sorted(graph.nodes, key=lambda node: bool(node.inputs)):
        if node.name in up:
            continue
        branch = (*node.outputs, *node.inputs)[0]
        roots.append(branch.name)
        stack = [ends[branch.name] for ends in (graph.tails, graph.heads) if branch.name in ends]
        for end in stack:
            up[end.name] = branch
        while stack:
            here = stack.pop()
            order.append(here)
            for link, other in graph.neighbours(here):
                if other.name not in up:
                    up[other.name] = link
                    stack.append(other)
    height: dict[str, int] = {}
    depth: dict[str, int] = {}
    for node in reversed(order):
        outer = (other for link, other in graph.neighbours(node) if link != up[node.name])
        height[node.name] = 1 + max((height[other.name] for other in outer), default=-1)
    for node in order:
        inner = [other for link, other in graph.neighbours(node) if link == up[node.name]]
        at_root = up[node.name].name in roots
        depth[node.name] = 0 if at_root else 1 + max(depth[other.name] for other in inner)
    tallest = max(height.values())
    collect: list[list[Step]] = [[] for _ in range(tallest + 1)]
    distribute: list[list[Step]] = [[] for _ in range(tallest + 1)]
    for node in graph.nodes:
        for name, forward in node.ports:
            step = Step(node.name, name, "f" if forward else "b")
            if name == up[node.name].name:
                collect[height[node.name]].append(step)
            else:
                distribute[depth[node.name]].append(step)
    schedule = tuple(map(tuple, (*collect, *distribute)))
    return schedule, replace(planned(graph, schedule), roots=tuple(roots), collecting=tallest + 1)


def flood(graph: NormalGraph, rounds: int) -> Schedule:
    """Every node sends on all of its branches in every round (section 3)."""
    every = tuple(
        Step(node.name, b, "f" if fwd else "b") for node in graph.nodes for b, fwd in node.ports
    )
    return (every,) * rounds


def planned(graph: NormalGraph, schedule: Schedule) -> Plan:
    """A schedule with its nodes; ``ValueError`` for a step that no node can send."""
    rounds = []
    names = {node.name for node in graph.nodes}
    for steps in schedule:
        sends: dict[str, set[Port]] = {}
        for step in steps:
            if step.node not in names:
                raise ValueError(
                    f"the schedule names the node {step.node!r}, which the graph has not"
                )
            port = (step.branch, step.direction == "f")
            if port not in graph.node(step.node).ports or step.direction not in ("f", "b"):
                raise ValueError(
                    f"the schedule's step {tuple(step)} is not one that {step.node!r} can send"
                )
            sends.setdefault(step.node, set()).add(port)
        nodes = ((graph.node(name), ports) for name, ports in sends.items())
        rounds.append(
            tuple(_sending(n, tuple(p for p in n.ports if p in ports)) for n, ports in nodes)
        )
    return Plan(tuple(rounds))


class Flow(NamedTuple):
    """Messages after a plan has run, as ``ring`` holds them; ``loglik`` is -inf where impossible."""

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
        f, b, log_scale = dict(self._open[0]), dict(self._open[1]), self._open[2]
        for variable, (name, forward) in self.carriers.items():
            vectors = self.evidence.likelihood(variable, self.graph.branches[name].size, cut)
            sums = vectors.sum(axis=-2, keepdims=True)
            (f if forward else b)[name] = vectors / sums
            log_scale = log_scale + np.log(sums[..., 0, :])
        for variable, names in self.graph.given.items():  # deltas: their scale is one
            size = self.graph.branches[names[0]].size
            f.update(dict.fromkeys(names, one_hot(self.evidence.codes[variable][cut], size)))
        return f, b, log_scale

    @cached_property
    def _open(self) -> tuple[dict[str, Array], dict[str, Array], float]:
        """Nothing enters at an open end without evidence: the all-ones vector, normalised."""
        carrying = set(self.carriers.values())
        f, b, log_scale = {}, {}, 0.0
        for name, branch in self.graph.branches.items():
            for side, ends, forward in ((f, self.graph.tails, True), (b, self.graph.heads, False)):
                if name not in ends and (name, forward) not in carrying and not branch.given:
                    side[name] = uniform(branch.size)
                    log_scale += math.log(branch.size)
        return f, b, log_scale

    def wanting(self, wanted: Iterable[Port]) -> Clamped:
        """The same with a plan of those messages alone that are wanted."""
        return replace(self, plan=pruned(self.plan, frozenset(wanted)))

    @cached_property
    def taught(self) -> dict[str, Mask]:
        """By node, the samples with evidence on its output or on a descendant of it.

        Elsewhere a block is *barren*: nothing below it was observed, so nothing can be learned.
        """
        found: dict[str, Mask] = {}
        for name, variables in self.graph.below.items():
            found[name] = False
            for port in (self.carriers[v] for v in variables if v in self.carriers):
                found[name] = _either(found[name], self._said.get(port[0], False))
        for node in reversed([] if found else self._downwards):
            found[node.name] = False
            for y in node.outputs:
                head = self.graph.heads.get(y.name)
                below = self._said.get(y.name, False) if head is None else found[head.name]
                found[node.name] = _either(found[node.name], below)
        return found

    @cached_property
    def _said(self) -> dict[str, Mask]:
        """By branch, the samples whose evidence at an open head says something."""
        said: dict[str, Mask] = {}
        for variable, (name, forward) in self.carriers.items():
            if not forward and self.graph.branches[name].size > 1:
                known = self.evidence.known(variable)
                said[name] = bool(known[0]) if known.all() or not known.any() else known
        return said

    @cached_property
    def counted(self) -> dict[str, Index | None]:
        """By variable, where a cell is not missing and counts in ``aggregated``; None: always."""
        found: dict[str, Index | None] = {}
        for name in self.carriers:
            codes = self.evidence.codes.get(name)
            here = (self.evidence.vectors[name] != 1).any(-2) if codes is None else codes >= 0
            found[name] = None if here.all() else here
        return found

    @property
    def _downwards(self) -> list[Node]:
        """The nodes, each after those that its inputs come from."""
        nodes, tails = self.graph.nodes, self.graph.tails
        waiting = {n.name: sum(x.name in tails for x in n.inputs) for n in nodes}
        order = [n for n in nodes if not waiting[n.name]]
        for node in order:  # grows as it is walked through
            for y in node.outputs:
                head = self.graph.heads.get(y.name)
                if head is not None:
                    waiting[head.name] -= 1
                    if not waiting[head.name]:
                        order.append(head)
        return order


def _either(one: Mask, other: Mask) -> Mask:
    """Samples that are in one mask or the other."""
    if one is True or other is True:
        return True
    return other if one is False else one if other is False else one | other


def clamp(
    graph: NormalGraph, evidence: Evidence, schedule: Schedule | None = None
) -> Clamped:
    """Put evidence on open branches, splitting the graph where a variable has none (figure 6).

    The plan is that of two sweeps, or of another schedule.
    """
    split = opened(graph, evidence)
    free = (v for v in evidence.variables if v not in split.given)
    carriers = {v: port for v in free if (port := _open_port(split, v))}
    plan = two_sweeps(split)[1] if schedule is None else planned(split, schedule)
    return Clamped(split, evidence, plan, carriers)


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


def flows(clamped: Clamped, theta: Mapping[str, Array], restarts: int = 1) -> Iterator[Flow]:
    """The messages of all samples, piece by piece."""
    for cut in clamped.cuts(restarts):
        yield flow(clamped, theta, cut)


def flow(
    clamped: Clamped, theta: Mapping[str, Array], cut: slice, rings: tuple[Sums, ...] = ()
) -> Flow:
    """The messages of some samples, from sums of probabilities where these lose nothing.

    Else from logarithms, which cost ten times as much: a sample whose parts contradict each other
    by more than 1e300 needs them. ``rings`` asks for semirings of its own.
    """
    f0, b0, log_scale = clamped.messages(cut)
    chain = None if rings else chain_of(clamped.graph)
    with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 marks impossible samples with NaN
        for ring in rings or (SUMS, WATCHED, LOGS):
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
    if loglik.shape[-1] != cut.stop - cut.start:
        loglik = np.broadcast_to(loglik, (*loglik.shape[:-1], cut.stop - cut.start))
    possible = True
    if ring is not SUMS:  # NaN: probability zero
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
        for (name, forward), kept, v in zip(to, keeps, node.send(to, f, b, theta, ring)):  # noqa: B905
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


def random_start(
    clamped: Clamped, rng: np.random.Generator
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Random messages on every branch but where evidence, or nothing, enters (section 7.1)."""
    entering = clamped.messages(slice(0, clamped.evidence.n))
    f, b = dict(entering[0]), dict(entering[1])
    for name, branch in clamped.graph.branches.items():
        for side, ends in ((f, clamped.graph.tails), (b, clamped.graph.heads)):
            if name in ends:
                side[name] = random_messages(rng, (branch.size, clamped.evidence.n))
    return f, b
