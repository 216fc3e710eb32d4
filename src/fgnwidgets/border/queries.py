"""Questions to a graph: messages, posteriors, and messages round by round (sections 2.2 and 3).

Vocabulary
    query    a table is read, equal rows are folded, and the different ones go in chunks
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, starmap

import numpy as np

from ..engine.arrays import Array, Arrays, Index, uniform
from ..engine.graph import Graph, as_normal
from ..engine.messages import LOGS, Evidence, Logs, Messages
from ..engine.nodes import SUMS
from ..engine.propagate import Clamped, Flow, Plan, Sending, clamp, flows, refuse_impossible
from ..readers import read_batch, read_kind
from ..tables import Table
from .chains import clamp_with_shortcut
from .evidence import read_evidence
from .folding import grouped
from .schedules import Schedule, flooding, planned, read_schedule, two_sweep
from .starts import random_start
from .theta import Theta, read_theta

Sides = Sequence[dict[str, Array]]
"""All forward messages, and all backward ones."""


def propagate(graph: Graph, theta: Theta, evidence: Table | Evidence = None) -> Messages:
    """The exact messages of every branch (section 2.2), and ``loglik``, log P(evidence) per sample.

    Evidence on a variable without an open branch splits the graph there; ``messages.graph`` has the
    T-junctions. Raises :class:`ImpossibleEvidence` where a sample has probability zero.

    Beliefs and ``loglik`` are exact however unlikely the evidence. A message by itself holds ratios
    down to 1e-140 where its sample is too unlikely for floats.
    """
    form = as_normal(graph)
    known = read_evidence(form, evidence)
    clamped = clamp_with_shortcut(form, known)
    matrices = read_theta(form, theta)
    found = list(flows_of(clamped, matrices))
    loglik = joined([flow.loglik for flow in found])
    refuse_impossible(loglik, known, form)
    decoded = [flow.decoded() for flow in found]
    f, b = (
        {name: joined([sides[k][name] for sides in decoded]) for name in decoded[0][k]}
        for k in (0, 1)
    )
    beliefs = None
    if any(isinstance(flow.ring, Logs) for flow in found):
        beliefs = {name: joined([belief(flow, name) for flow in found]) for name in f}
    return Messages(clamped.graph, matrices, f, b, known.n, loglik, beliefs)


def posterior(graph: Graph, theta: Theta, evidence: Table | Evidence, variable: str) -> Array:
    """P(variable | evidence) ∝ f ⊙ b (section 2), samples first: ``(..., N, M)``, as tables are."""
    form = as_normal(graph)
    own = form.variable_of[form.branch(variable).name]  # refused before a table is read
    known, kind, clamped, matrices = ask(form, theta, evidence, [own])
    name = clamped.graph.branch(own).name
    pieces = [(flow.loglik, belief(flow, name)) for flow in flows_of(clamped, matrices)]
    loglik, p = (joined(list(side)) for side in zip(*pieces, strict=True))
    if loglik.min() == -np.inf:
        refuse_impossible(loglik[..., kind], known, form)
    return p.swapaxes(-1, -2)[..., kind % p.shape[-1], :]  # no evidence: one column


def loglik(graph: Graph, theta: Theta, evidence: Table | Evidence) -> Array:
    """The exact log P(evidence) of each sample, hidden ones summed out, ``(..., N)`` (equation 4).

    It is what ML climbs (section 3.1), not the sum of equation 28, :func:`aggregated`. Likelihood
    vectors count as they are given, scale included; a missing cell counts nothing; an impossible
    sample is -inf. Where a graph's factors do not multiply to a distribution (an open branch
    without a source, ``combine="separate"``) this is the log of their total: subtract the value
    without evidence for the log-probability.
    """
    _, kind, clamped, matrices = ask(graph, theta, evidence, ())
    return joined([flow.loglik for flow in flows_of(clamped, matrices)])[..., kind]


def trace(
    graph: Graph,
    theta: Theta,
    evidence: Table | Evidence = None,
    *,
    schedule: Schedule | None = None,
    start: np.random.Generator | Messages | None = None,
) -> Iterator[Messages]:
    """The messages before the first round, and after each round of a schedule (section 3).

    A schedule for a graph that evidence splits is made from the split one: ``flooding(graph.split(
    "S"))``; one with a loop needs flooding. ``start`` is None for uniform messages, a random
    generator, or other messages. The last messages carry ``loglik`` where the schedule is exact.
    """
    form = as_normal(graph)
    known = read_evidence(form, evidence)
    clamped = clamp(form, known, Plan(()))
    split = clamped.graph
    if split.loop:
        final = Messages(split, read_theta(form, theta), {}, {}, known.n)
    else:
        final = propagate(form, theta, known)
    own = read_schedule(split, schedule)  # two sweeps refuse a loop, with the way out
    exact = not split.loop and own in (
        two_sweep(split), flooding(split, max(len(own), split.diameter))
    )  # fmt: skip
    rounds = planned(split, own)
    ring = SUMS if final.p is None else LOGS
    matrices = {name: ring.encode(m) for name, m in final.theta.items()}
    begin = [{k: ring.encode(v) for k, v in side.items()} for side in _started(clamped, start)]

    def after(sides: Sides, sendings: Iterable[Sending]) -> Sides:
        new = [dict(side) for side in sides]
        for _, to, keeps, send in sendings:
            sent = send(to, *sides, matrices, ring)
            for (name, forward), kept, v in zip(to, keeps, sent, strict=True):
                new[0 if forward else 1][name] = v if kept else ring.normalized(v)[0]
        return new

    def seen(n: int, sides: Sides) -> Messages:
        f, b = ({name: ring.decode(v) for name, v in side.items()} for side in sides)
        loglik = final.loglik if exact and n == len(rounds) > 0 else None
        return Messages(split, final.theta, f, b, known.n, loglik)

    return starmap(seen, enumerate(accumulate(rounds, after, initial=begin)))


def _started(
    clamped: Clamped, start: np.random.Generator | Messages | None
) -> tuple[Arrays, Arrays]:
    """The messages before the first round: evidence where it enters, and a start elsewhere."""
    graph, n = clamped.graph, clamped.evidence.n
    f, b, _ = clamped.messages(slice(0, n))
    if isinstance(start, np.random.Generator):
        return random_start(clamped, start)
    if start is None:
        blank = {name: uniform(branch.size) for name, branch in graph.branches.items()}
        return {**blank, **f}, {**blank, **b}
    said = read_kind(start, "start", Messages, "None, a generator, or messages of this graph")
    if (said.graph, said.n) != (graph, n):
        raise ValueError(
            f"start holds messages of {said.graph} on {said.n} samples: expected those of "
            f"{graph}, with evidence on the same variables, on {n}"
        )
    return {**said.f, **f}, {**said.b, **b}


def belief(flow: Flow, name: str) -> Array:
    """The product of a branch's two messages, normalised, ``(..., M, N)``."""
    f, b = flow.f[name], flow.b[name]
    with np.errstate(invalid="ignore", divide="ignore"):
        product = flow.ring.normalized(flow.ring.multiply(f, b))[0]
    return np.exp(product) if isinstance(flow.ring, Logs) else product


def ask(
    graph: Graph, theta: Theta, evidence: Table | Evidence, wanted: Iterable[str] | None = None
) -> tuple[Evidence, Index, Clamped, dict[str, Array]]:
    """The evidence, which different row each sample is, these rows clamped, and the matrices.

    The plan is for the beliefs of the variables that are ``wanted``, of all of them by default.
    """
    form = as_normal(graph)
    matrices = read_theta(form, theta)
    known = read_evidence(form, evidence)
    rows, kind = grouped(known)
    clamped = clamp_with_shortcut(form, rows)
    if wanted is not None:
        names = [clamped.graph.branch(variable).name for variable in wanted]
        clamped = clamped.wanting((name, forward) for name in names for forward in (True, False))
    return known, kind, clamped, matrices


def flows_of(clamped: Clamped, matrices: Arrays) -> Iterator[Flow]:
    """The messages of all samples, piece by piece: the more models, the smaller."""
    return flows(clamped, matrices, math.prod(read_batch(matrices)))


def joined(pieces: list[Array]) -> Array:
    """Along the samples; what no evidence reaches has one column in every piece."""
    if len(pieces) == 1 or pieces[0].shape[-1] == 1:
        return pieces[0]
    return np.concatenate(pieces, axis=-1)
