"""Questions to a graph: messages, posteriors, and messages round by round (sections 2.2 and 3).

Vocabulary
    query    a table is read, its rows are folded where only one answer per row is wanted, and
             propagated in chunks: cost follows the different rows, memory the chunk
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..engine.arrays import Array, uniform
from ..engine.graph import Graph, as_normal
from ..engine.messages import LOGS, Evidence, Logs, Messages
from ..engine.nodes import SUMS
from ..engine.propagate import Clamped, Flow, Plan, clamp, flows, refuse_impossible
from ..readers import wrong
from ..tables import Table
from .chains import clamp_with_shortcut
from .evidence import read_evidence
from .folding import grouped
from .schedules import Schedule, flooding, planned, read_schedule, two_sweep
from .starts import random_start
from .theta import Theta, read_theta


def propagate(graph: Graph, theta: Theta, evidence: Table | Evidence = None) -> Messages:
    """The exact messages of every branch (section 2.2), and ``loglik``, log P(evidence) per sample.

    ``evidence`` is a table or anything that :func:`read_evidence` takes. Evidence on a variable
    without an open branch splits the graph there; ``messages.graph`` is the graph with its
    T-junctions. Raises :class:`ImpossibleEvidence` where a sample has probability zero.

    Beliefs and ``loglik`` are exact however unlikely the evidence. A message by itself holds ratios
    down to 1e-140 where its sample is too unlikely for floats.
    """
    form = as_normal(graph)
    known = read_evidence(form, evidence)
    clamped = clamp_with_shortcut(form, known)
    matrices = read_theta(form, theta)
    found = list(flows(clamped, matrices, batch_of(matrices)))
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
    branch = form.branch(variable)  # refused before a table is read
    matrices = read_theta(form, theta)
    known = read_evidence(form, evidence)
    rows, kind = grouped(known)
    clamped = clamp_with_shortcut(form, rows)
    name = clamped.graph.branch(form.variable_of[branch.name]).name
    found = list(
        flows(clamped.wanting([(name, True), (name, False)]), matrices, batch_of(matrices))
    )
    loglik = joined([flow.loglik for flow in found])
    if loglik.min() == -np.inf:
        refuse_impossible(loglik[..., kind], known, form)
    p = joined([belief(flow, name) for flow in found])
    return p.swapaxes(-1, -2)[..., kind if p.shape[-1] == rows.n else np.zeros_like(kind), :]


def loglik(graph: Graph, theta: Theta, evidence: Table | Evidence) -> Array:
    """The exact log P(evidence) of each sample, hidden ones summed out, ``(..., N)`` (equation 4).

    It is what ML climbs (section 3.1), not the sum of equation 28, :func:`aggregated`.

    Likelihood vectors count as they are given, scale included; a missing cell counts nothing; an
    impossible sample is -inf. Where a graph's factors do not multiply to a distribution (an open
    branch without a source, ``combine="separate"``) this is the log of their total, the quantity
    that ML learning climbs; subtract the value without evidence for the log-probability.
    """
    form = as_normal(graph)
    matrices = read_theta(form, theta)
    rows, kind = grouped(read_evidence(form, evidence))
    found = flows(clamp_with_shortcut(form, rows).wanting([]), matrices, batch_of(matrices))
    return joined([flow.loglik for flow in found])[..., kind]


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
    "S"))``. ``start`` is None for uniform messages, a random generator, or other messages. The last
    messages carry ``loglik`` where the schedule is exact. Raises as :func:`propagate` does.

    A graph that was built with ``loops=True`` needs a schedule of flooding; its messages and
    beliefs say that they are approximate.
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
    exact = not split.loop and (
        own == two_sweep(split) or (own == flooding(split, len(own)) and len(own) >= split.diameter)
    )
    f, b = _started(clamped, start)
    return _rounds(final, planned(split, own), f, b, final.loglik if exact else None)


def _rounds(
    final: Messages,
    rounds: Any,
    f: Mapping[str, Array],
    b: Mapping[str, Array],
    loglik: Array | None,
) -> Iterator[Messages]:
    ring = SUMS if final.p is None else LOGS
    theta = {name: ring.encode(m) for name, m in final.theta.items()}
    f, b = ({name: ring.encode(v) for name, v in side.items()} for side in (f, b))

    def here(loglik: Array | None) -> Messages:
        decoded = [{name: ring.decode(v) for name, v in side.items()} for side in (f, b)]
        return Messages(final.graph, final.theta, decoded[0], decoded[1], final.n, loglik)

    yield here(None)
    for number, sendings in enumerate(rounds):
        new = dict(f), dict(b)
        for _, to, keeps, send in sendings:
            sent = send(to, f, b, theta, ring)
            for (name, forward), kept, v in zip(to, keeps, sent, strict=True):
                new[0 if forward else 1][name] = v if kept else ring.normalized(v)[0]
        f, b = new
        yield here(loglik if number == len(rounds) - 1 else None)


def _started(
    clamped: Clamped, start: np.random.Generator | Messages | None
) -> tuple[Mapping[str, Array], Mapping[str, Array]]:
    """The messages before the first round: evidence where it enters, and a start elsewhere."""
    graph, n = clamped.graph, clamped.evidence.n
    f, b, _ = clamped.messages(slice(0, n))
    if isinstance(start, np.random.Generator):
        return random_start(clamped, start)
    if start is None:
        blank = {name: uniform(branch.size) for name, branch in graph.branches.items()}
        return {**blank, **f}, {**blank, **b}
    if not isinstance(start, Messages):
        raise wrong("start", start, "None, a generator, or messages of this graph")
    if (start.graph, start.n) != (graph, n):
        raise ValueError(
            f"start holds messages of {start.graph} on {start.n} samples: expected those of "
            f"{graph}, with evidence on the same variables, on {n}"
        )
    return {**start.f, **f}, {**start.b, **b}


def belief(flow: Flow, name: str) -> Array:
    """The product of a branch's two messages, normalised, ``(..., M, N)``."""
    f, b = flow.f[name], flow.b[name]
    with np.errstate(invalid="ignore", divide="ignore"):
        product = flow.ring.normalized(flow.ring.multiply(f, b))[0]
    return np.exp(product) if isinstance(flow.ring, Logs) else product


def batch_of(matrices: Mapping[str, Array]) -> int:
    """How many models are propagated at a time."""
    return int(np.prod(np.broadcast_shapes(*(m.shape[:-2] for m in matrices.values())), dtype=int))


def joined(pieces: list[Array]) -> Array:
    """Along the samples; what no evidence reaches has one column in every piece."""
    if len(pieces) == 1 or pieces[0].shape[-1] == 1:
        return pieces[0]
    return np.concatenate(pieces, axis=-1)
