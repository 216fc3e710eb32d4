"""Belief propagation: evidence is clamped, and two sweeps give exact messages (sections 2.2, 3).

A :class:`Plan` says who sends when. A graph is :class:`Clamped` once to its evidence, and a
:class:`Chunk` of its samples is propagated as often as there are matrices.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial, reduce
from typing import NamedTuple, Protocol

import numpy as np

from ..algebra.arrays import Array, Arrays, Mask, summed, uniform
from ..algebra.distributions import normalize
from ..algebra.semirings import GUARDED, LOG_SUM_PRODUCT, SUM_PRODUCT, Logs, SumProduct, Underflow
from ..data.evidence import Evidence, ImpossibleEvidence, one_hot
from ..graphs.branches import GraphError, Port
from ..graphs.nodes import Node
from ..graphs.normal_graph import NormalGraph
from ..graphs.own_nodes import checked_send
from ..loops.junction_tree import MergedGraph
from .chains import chain_of

Side = dict[str, Array]  # the messages of one direction, by branch
Entering = tuple[Side, Side, Array]
Samples = Mask | bool  # all of them, or none

CHUNK = 16384
"""Columns that are propagated together, over all restarts: what stays in cache."""

CELLS = 1 << 22
"""Numbers that a message holds at most, over all restarts: of 256 values and more, it is less."""

LEAST = 256
"""Columns of one restart that are propagated together, at least."""

SAFE = -500.0
"""Beside a mass whose log is above this, what floats lose, below exp(-700) each, is nothing."""

EXACT = (SUM_PRODUCT, GUARDED, LOG_SUM_PRODUCT)
"""Logarithms, ten times slower, are for parts that contradict each other by more than 1e300."""


class Sending(NamedTuple):
    """A node that sends in a round: its ports, and its function.

    ``to`` are the ports that it sends on, ``messages`` the branch of each, whether it is forward,
    and whether it sums to one as it comes. ``collecting`` says if it is sent towards the roots.
    """

    node: Node
    to: tuple[Port, ...]
    messages: tuple[tuple[str, bool, bool], ...]
    send: Callable[..., list[Array]]
    collecting: bool


@dataclass(frozen=True, eq=False)
class Plan:
    """Rounds of sendings, each from the messages of those before; two sweeps are exact.

    ``roots`` has a branch of each component, where masses are read; the scales of what is sent
    towards them are part of it.
    """

    rounds: tuple[tuple[Sending, ...], ...]
    roots: tuple[str, ...] = ()

    @cached_property
    def sendings(self) -> tuple[Sending, ...]:
        """All rounds in a row."""
        return tuple(sent for sendings in self.rounds for sent in sendings)

    @cached_property
    def slack(self) -> float:
        """The log of the largest scale that can be taken out on the way to the roots."""
        total = 0.0  # what a node sends is at most one for each value of a branch
        for node, _, messages, _, collecting in self.sendings:
            if collecting and not node.copies:
                scaled = {name for name, _, kept in messages if not kept}
                ends = (*node.inputs, *node.outputs)
                total += sum(math.log(branch.size) for branch in ends if branch.name in scaled)
        return total


def sending(node: Node, ports: Iterable[Port], *, collecting: bool = False) -> Sending:
    """A node with those of its ports that it sends on, in its own order."""
    to = tuple(port for port in node.ports if port in ports)
    messages = tuple((name, forward, forward in node.normalized) for name, forward in to)
    send = node.send if node.ours else partial(checked_send, node)
    return Sending(node, to, messages, send, collecting)


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
        rounds[height[node.name]].append(sending(node, upwards, collecting=True))
        if len(node.ports) > 1:
            rounds[half + depth[node.name]].append(sending(node, {*node.ports} - upwards))
    return Plan(tuple(map(tuple, rounds)), tuple(roots))


@lru_cache(maxsize=256)
def pruned(plan: Plan, wanted: frozenset[Port]) -> Plan:
    """The part of two sweeps that the messages ``wanted`` and the likelihood need."""
    needed = {*wanted, *((root, forward) for root in plan.roots for forward in (True, False))}
    rounds: list[tuple[Sending, ...]] = []
    for sendings in reversed(plan.rounds):  # every message is sent once
        kept = tuple(
            sending(s.node, ports, collecting=s.collecting)
            for s in sendings
            if (ports := needed & {*s.to})
        )
        for node, to, *_ in kept:
            needed.update((b, not fwd) for b, fwd in node.ports if to != ((b, fwd),))
        rounds.append(kept)
    return replace(plan, rounds=tuple(reversed(rounds)))


class Outside(Protocol):
    """Evidence outside of a reduced graph, which enters it (``learning.observed``)."""

    @property
    def informative(self) -> dict[str, Samples]: ...

    def entering(
        self, entering: Entering, theta: Arrays, tables: list[list[Array]], cut: slice
    ) -> Entering: ...

    def logs(self, tables: list[list[Array]], cut: slice) -> Side: ...

    def loses(self, tables: list[list[Array]], cut: slice) -> bool: ...


@dataclass(frozen=True, eq=False)
class Clamped:
    """A graph with evidence at its open branches, and the plan that carries it everywhere.

    ``evidence_ports`` holds, by variable with evidence, the port where it enters; not given
    variables, whose values enter at every one of their open tails. ``shortcut`` is a fast path
    around :func:`sweep` for graphs of one shape; it raises :class:`Underflow` where it cannot
    answer. ``reduced`` is the same without what was observed for certain, which is then its
    ``observed``: another one, for who needs no message there.
    """

    graph: NormalGraph
    evidence: Evidence
    plan: Plan
    evidence_ports: Mapping[str, Port]
    shortcut: Callable[[Side, Side, Arrays], Array] | None = None
    reduced: Clamped | None = None
    observed: Outside | None = None

    def wanting(self, wanted: Iterable[Port]) -> Clamped:
        """The same with a plan of those messages alone that are wanted."""
        ports = frozenset(wanted)
        reduced = self.reduced
        if reduced is not None:
            reduced = reduced.wanting(p for p in ports if p[0] in reduced.graph.branches)
        other = replace(self, plan=pruned(self.plan, ports), reduced=reduced)
        if "informative" in vars(self):  # of a long chain it takes as long as many epochs
            vars(other)["informative"] = self.informative
        return other

    def messages(self, cut: slice) -> Entering:
        """The messages that enter at open ends, ``f`` and ``b``, and the log of their scales."""
        return self._whole if cut == slice(0, self.evidence.n) else self._messages(cut)

    @cached_property
    def _whole(self) -> Entering:
        return self._messages(slice(0, self.evidence.n))

    def _messages(self, cut: slice) -> Entering:
        f: Side = {}
        b: Side = {}
        log_scale = np.zeros(cut.stop - cut.start)
        carrying = set(self.evidence_ports.values())
        for name, branch in self.graph.branches.items():
            for side, ends, forward in ((f, self.graph.tails, True), (b, self.graph.heads, False)):
                if name in ends or (name, forward) in carrying:
                    continue
                if branch.given and forward:  # a delta: its scale is one
                    side[name] = one_hot(self.evidence.codes[branch.variable][cut], branch.size)
                else:  # nothing is known: all ones, normalised
                    side[name] = uniform(branch.size)
                    log_scale += math.log(branch.size)
        for variable, (name, forward) in self.evidence_ports.items():
            vectors = self.evidence.likelihood(variable, self.graph.branches[name].size, cut)
            vectors, sums, taken = summed(vectors)
            (f if forward else b)[name] = vectors / sums
            log_scale = log_scale + (np.log(sums) + taken)[..., 0, :]
        return f, b, log_scale

    @cached_property
    def informative(self) -> dict[str, Samples]:
        """By node, the samples with evidence on its output or on a descendant of it."""
        if self.observed is not None:
            return self.observed.informative
        said: dict[str, Samples] = {}
        for variable, (name, forward) in self.evidence_ports.items():
            if not forward and self.graph.branches[name].size > 1:
                observed = self.evidence.known(variable)
                said[name] = bool(observed[0]) if observed.all() or not observed.any() else observed
        if isinstance(self.graph, MergedGraph):
            return self._by_variable(self.graph, said)
        masks: dict[str, Samples] = {}
        for node in self.graph.from_below:
            after = ((y.name, self.graph.heads.get(y.name)) for y in node.outputs)
            masks[node.name] = either(masks[n.name] if n else said.get(y, False) for y, n in after)
        return masks

    def _by_variable(self, graph: MergedGraph, said: Mapping[str, Samples]) -> dict[str, Samples]:
        """The same of a graph that says by variables what is below a node."""
        at = {variable: name for variable, (name, _) in self.evidence_ports.items()}
        below = graph.below
        return {k: either(said.get(at.get(v, ""), False) for v in below[k]) for k in below}

    def pieces(self, restarts: int = 1) -> tuple[slice, ...]:
        """The samples in pieces; of variables with very many states, in smaller ones."""
        return pieces(self.evidence.n, restarts, self.graph.largest)

    @cached_property
    def present(self) -> dict[str, Mask | None]:
        """By variable, where a cell is not missing and counts in ``aggregated``; None: always."""
        masks: dict[str, Mask | None] = {}
        for name in self.evidence_ports:
            codes = self.evidence.codes.get(name)
            here = (self.evidence.vectors[name] != 1).any(-2) if codes is None else codes >= 0
            masks[name] = None if here.all() else here
        return masks


def either(masks: Iterable[Samples]) -> Samples:
    """Samples that are in one of the masks."""
    listed = list(masks)
    return any(mask is True for mask in listed) or reduce(operator.or_, listed, False)


def clamp(graph: NormalGraph, evidence: Evidence, plan: Plan | None = None) -> Clamped:
    """Put evidence on open branches, splitting the graph where a variable has none (figure 6)."""
    split, chain = opened(graph, evidence), None
    free = (variable for variable in evidence.variables if variable not in split.given)
    evidence_ports = {v: port for v in free if (port := _open_port(split, v))}
    if plan is None:
        plan, chain = two_sweeps(split), chain_of(split)
    return Clamped(split, evidence, plan, evidence_ports, chain.sweep if chain else None)


def opened(graph: NormalGraph, evidence: Evidence) -> NormalGraph:
    """The graph with a T-junction on every variable that has evidence but no open branch."""
    inner = [v for v in evidence.variables if _open_port(graph, v) is None]
    return graph.split(*inner) if inner else graph


def _open_port(graph: NormalGraph, variable: str) -> Port | None:
    """The port where evidence on a variable enters: an open head, else an open tail, or None."""
    branches = graph.variables[graph.variable_of[graph.branch(variable).name]]
    sides = ((graph.heads, False), (graph.tails, True))
    return next(((b, forward) for ends, forward in sides for b in branches if b not in ends), None)


@lru_cache(maxsize=256)
def pieces(n: int, restarts: int = 1, largest: int = 1) -> tuple[slice, ...]:
    """So many samples in pieces that are propagated one after another."""
    size = min(max(LEAST, CHUNK // restarts), max(1, CELLS // (restarts * largest)))
    return tuple(slice(at, min(at + size, n)) for at in range(0, max(n, 1), size))


class Chunk(NamedTuple):
    """The messages of some samples in a ``semiring``; ``loglik`` is -inf where impossible."""

    f: Side
    b: Side
    loglik: Array
    semiring: SumProduct
    cut: slice
    possible: bool  # whether every sample has a probability above zero

    def decoded(self) -> tuple[Arrays, Arrays]:
        """The messages as probabilities."""
        return self.semiring.decode_all(self.f), self.semiring.decode_all(self.b)


def propagate_chunks(clamped: Clamped, theta: Arrays, restarts: int = 0) -> Iterator[Chunk]:
    """The messages of all samples, chunk by chunk: the more ``restarts``, the smaller.

    They are by default as many as there are models in ``theta``.
    """
    if not restarts:
        restarts = math.prod(np.broadcast_shapes(*(m.shape[:-2] for m in theta.values())))
    return (propagate_chunk(clamped, theta, cut) for cut in clamped.pieces(restarts))


def propagate_chunk(
    clamped: Clamped,
    theta: Arrays,
    cut: slice,
    semirings: Sequence[SumProduct] = EXACT,
    tables: list[list[Array]] | None = None,
) -> Chunk:
    """The messages of some samples, by the first of ``semirings`` that loses nothing."""
    outside, entering = clamped.observed, clamped.messages(cut)
    with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 marks impossible samples with NaN
        if outside is not None and tables is not None:
            entering = outside.entering(entering, theta, tables, cut)
        if semirings[0] is SUM_PRODUCT:
            chunk = _plain_chunk(clamped, theta, cut, entering)
            if chunk is not None:
                return chunk
        return _guarded_chunk(clamped, theta, cut, semirings, tables, entering)


def _plain_chunk(clamped: Clamped, theta: Arrays, cut: slice, entering: Entering) -> Chunk | None:
    """The messages as probabilities; None where floats may have lost something."""
    f, b = dict(entering[0]), dict(entering[1])
    if clamped.shortcut is None:
        mass = sweep(clamped.plan, f, b, theta, SUM_PRODUCT)
        if not np.minimum.reduce(mass, axis=None) > SAFE + clamped.plan.slack:
            return None
    else:
        try:
            mass = clamped.shortcut(f, b, theta)
        except Underflow:
            return None
    return Chunk(f, b, mass + entering[2], SUM_PRODUCT, cut, possible=True)


def _guarded_chunk(
    clamped: Clamped,
    theta: Arrays,
    cut: slice,
    semirings: Sequence[SumProduct],
    tables: list[list[Array]] | None,
    entering: Entering,
) -> Chunk:
    """The messages by the first of the other ``semirings`` that loses nothing: logarithms never."""
    (f0, b0, log_scale), outside = entering, clamped.observed
    for semiring in semirings:
        lossy = semiring is GUARDED and outside is not None and outside.loses(tables or [], cut)
        if semiring is SUM_PRODUCT or lossy:
            continue
        f, b = dict(semiring.encode_all(f0)), dict(semiring.encode_all(b0))
        if isinstance(semiring, Logs) and outside is not None and tables is not None:
            b.update(outside.logs(tables, cut))
        try:
            mass = sweep(clamped.plan, f, b, semiring.encode_all(theta), semiring)
            break
        except Underflow:
            continue
    loglik: Array = mass + log_scale
    loglik = np.where(np.isnan(loglik), -np.inf, loglik)
    return Chunk(f, b, loglik, semiring, cut, possible=bool(loglik.min() > -np.inf))


def sweep(plan: Plan, f: Side, b: Side, theta: Arrays, semiring: SumProduct) -> Array:
    """Send the messages of a plan into ``f`` and ``b``; the log of the graph's mass, ``(..., N)``.

    The mass is the overlap of the root's two messages, times every scale that was taken out on the
    way to it: P(evidence), but for the scale of the evidence.
    """
    scales = deliver(plan.sendings, (f, b), (f, b), theta, semiring)
    return semiring.log([*scales, *(semiring.inner(f[root], b[root]) for root in plan.roots)])


def deliver(
    sendings: Iterable[Sending],
    sides: Sequence[Side],
    into: Sequence[Side],
    theta: Arrays,
    semiring: SumProduct,
) -> list[Array]:
    """Send messages one after another, from what is in ``sides``, and put them ``into`` the same
    sides or others; the scales that were taken out of them on the way to the roots."""
    (f, b), (to_f, to_b), scales = sides, into, []
    for _, to, messages, send, collecting in sendings:
        for (name, forward, kept), v in zip(messages, send(to, f, b, theta, semiring), strict=True):
            if not kept:
                v, scale = semiring.normalized(v)
                if collecting:
                    scales.append(scale)
            if forward:
                to_f[name] = v
            else:
                to_b[name] = v
    return scales


def local_sum(clamped: Clamped, chunk: Chunk) -> Array:
    """The paper's aggregated log-likelihood of each sample (section 7.1, equation 28)."""
    total = np.zeros(chunk.loglik.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        for variable, (name, _) in clamped.evidence_ports.items():
            logs = chunk.semiring.log([chunk.semiring.inner(chunk.f[name], chunk.b[name])])
            said = clamped.present[variable]
            total = total + (logs if said is None else np.where(said[..., chunk.cut], logs, 0.0))
    return total if chunk.possible else np.where(chunk.loglik == -np.inf, -np.inf, total)


def refuse_impossible(loglik: Array, evidence: Evidence, graph: NormalGraph) -> None:
    """Raise :class:`ImpossibleEvidence` for the first sample of probability zero, if any."""
    if loglik.min() > -np.inf:
        return
    first = np.argwhere(loglik == -np.inf)[0]
    sample = int(first[-1]) % evidence.n
    states = {name: graph.branch(name).states for name in evidence.codes}
    raise ImpossibleEvidence(sample, evidence.says(sample, states), tuple(map(int, first[:-1])))


def random_messages(
    clamped: Clamped, rng: np.random.Generator
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Messages on every branch but where evidence, or nothing, enters (section 7.1).

    Uniform random numbers, each column normalised (section 6).
    """
    entering = clamped.messages(slice(0, clamped.evidence.n))
    f, b = dict(entering[0]), dict(entering[1])
    for name, branch in clamped.graph.branches.items():
        for side, ends in ((f, clamped.graph.tails), (b, clamped.graph.heads)):
            if name in ends:
                side[name] = normalize(rng.random((branch.size, clamped.evidence.n)))
    return f, b
