"""Questions to a graph: messages, posteriors, likelihoods and their bounds (sections 2.2, 3, 7.1).

Vocabulary
    query        a table is read, equal rows are folded, and the different ones go in chunks
    aggregated   the paper's sum over the evidence of ``log(1^T (f * b))``, each term local
    saturated    the ceiling: no model of complete data has a larger ``loglik``
    independent  the floor: the best model in which the variables are independent
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.arrays import Array, Arrays, Index
from ..engine.graph import Graph, as_normal
from ..engine.messages import Evidence, Logs, Messages
from ..engine.propagate import Clamped, Flow, flows, local_sum, refuse_impossible
from ..readers import read_batch
from ..tables import Table
from .chains import clamp_with_shortcut
from .evidence import distinct, read_counted, read_evidence
from .folding import grouped
from .theta import Theta, read_theta


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
    f, b = (
        {name: joined([side[name] for side in sides]) for name in sides[0]}
        for sides in zip(*(flow.decoded() for flow in found), strict=True)
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


def aggregated(graph: Graph, theta: Theta, evidence: Table | Evidence) -> Array:
    """The aggregated log-likelihood of each sample, ``(..., N)`` (section 7.1, equation 28).

    ``sum_i log(1^T (f_i * b_i))`` over the branches that carry evidence, all messages normalised.
    Each term is the log of what the rest of the graph predicts for that piece of evidence; their
    sum is no probability of the sample, and may fall while ``loglik`` grows.
    """
    _, kind, clamped, matrices = ask(graph, theta, evidence)
    return joined([local_sum(clamped, flow) for flow in flows_of(clamped, matrices)])[..., kind]


def saturated(
    graph: Graph,
    evidence: Table | Evidence,
    weight: str | ArrayLike | None = None,
    *,
    columns: Iterable[str] | None = None,
) -> float:
    """``sum n log(n / N)`` over the distinct rows: the ceiling of the total ``loglik``.

    N is the number of rows, of those with the same given values where there are any. ``weight`` and
    ``columns`` as in ``fit``. For hard evidence without missing cells: else it would be no bound.
    """
    folded, counts = _complete(graph, evidence, weight, columns)
    given = {name: folded.codes[name] for name in as_normal(graph).given}
    _, same = distinct(Evidence(folded.n, given), counts)
    return float(counts @ np.log(counts) - same @ np.log(same))


def independent(
    graph: Graph,
    evidence: Table | Evidence,
    weight: str | ArrayLike | None = None,
    *,
    columns: Iterable[str] | None = None,
) -> float:
    """The floor: that of the best model with independent variables; see :func:`saturated`."""
    folded, counts = _complete(graph, evidence, weight, columns)
    free = (codes for name, codes in folded.codes.items() if name not in as_normal(graph).given)
    seen = (n[n > 0] for n in (np.bincount(codes, counts) for codes in free))
    return float(sum(n @ np.log(n / n.sum()) for n in seen))


def _complete(
    graph: Graph, table: Table | Evidence, weight: Any, columns: Iterable[str] | None
) -> tuple[Evidence, Array]:
    evidence, known = read_counted(as_normal(graph), table, columns, weight)
    for name in evidence.variables:
        if name in evidence.vectors or (evidence.codes[name] < 0).any():
            raise ValueError(
                f"{name} has soft or missing evidence: the ceiling and the floor are defined for "
                "complete rows"
            )
    return distinct(evidence, known)


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
