"""Questions to a graph: messages, posteriors, likelihoods and their bounds (sections 2.2, 3, 7.1).

Vocabulary
    query        a table is read, equal rows are folded, and the different ones go in chunks
    aggregated   the paper's sum over the evidence of ``log(1^T (f * b))``, each term local
    saturated    the ceiling: no model of complete data has a larger ``loglik``
    independent  the floor: the best model in which the variables are independent
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.arrays import Array, Arrays, Index
from ..algebra.semirings import Logs
from ..data import Table
from ..data.evidence import Evidence, grouped
from ..graphs.normal_graph import Graph, as_normal
from ..graphs.theta import Theta, read_theta
from .evidence import distinct, read_counted, read_evidence
from .messages import Messages
from .propagation import Chunk, Clamped, clamp, local_sum, propagate_chunks, refuse_impossible


def propagate(graph: Graph, theta: Theta, evidence: Table | Evidence = None) -> Messages:
    """The exact messages of every branch (section 2.2), and ``loglik``, log P(evidence) per sample.

    Evidence on a variable without an open branch splits the graph there; ``messages.graph`` has the
    T-junctions. Raises :class:`ImpossibleEvidence` where a sample has probability zero.

    Beliefs and ``loglik`` are exact however unlikely the evidence. A message by itself holds ratios
    down to 1e-140 where its sample is too unlikely for floats.
    """
    form = as_normal(graph)
    clamped = clamp(form, read_evidence(form, evidence))
    return exact_messages(clamped, read_theta(form, theta))


def exact_messages(clamped: Clamped, theta: Arrays) -> Messages:
    """The messages of :func:`propagate`, of evidence and matrices that were read already."""
    chunks = list(propagate_chunks(clamped, theta))
    loglik = joined([chunk.loglik for chunk in chunks])
    refuse_impossible(loglik, clamped.evidence, clamped.graph)
    f, b = (
        {name: joined([side[name] for side in sides]) for name in sides[0]}
        for sides in zip(*(chunk.decoded() for chunk in chunks), strict=True)
    )
    beliefs = None
    if any(isinstance(chunk.semiring, Logs) for chunk in chunks):
        beliefs = {name: joined([belief(chunk, name) for chunk in chunks]) for name in f}
    return Messages(clamped.graph, theta, f, b, clamped.evidence.n, loglik, beliefs)


def posterior(graph: Graph, theta: Theta, evidence: Table | Evidence, variable: str) -> Array:
    """P(variable | evidence) ∝ f ⊙ b (section 2), samples first: ``(..., N, M)``, as tables are."""
    return posteriors(graph, theta, evidence, [variable])[1][variable]


def posteriors(
    graph: Graph, theta: Theta, evidence: Table | Evidence, variables: Iterable[str]
) -> tuple[Array, dict[str, Array]]:
    """``loglik`` of each sample, and the :func:`posterior` of several variables, in one pass."""
    form = as_normal(graph)
    variable = {name: form.variable_of[form.branch(name).name] for name in variables}
    query = ask(form, theta, evidence, variable.values())  # after what names nothing was refused
    at = {name: query.clamped.graph.branch(own).name for name, own in variable.items()}
    totals: list[Array] = []
    pieces: dict[str, list[Array]] = {name: [] for name in at}
    for chunk in query.chunks():
        totals.append(chunk.loglik)
        for name, branch in at.items():
            pieces[name].append(belief(chunk, branch))
    loglik = joined(totals)[..., query.row]
    refuse_impossible(loglik, query.evidence, form)
    beliefs = {name: joined(parts).swapaxes(-1, -2) for name, parts in pieces.items()}
    # Without evidence there is one row for all samples.
    return loglik, {name: p[..., query.row % p.shape[-2], :] for name, p in beliefs.items()}


def loglik(graph: Graph, theta: Theta, evidence: Table | Evidence) -> Array:
    """The exact log P(evidence) of each sample, hidden ones summed out, ``(..., N)`` (equation 4).

    It is what ML climbs (section 3.1), not the sum of equation 28, :func:`aggregated`. Likelihood
    vectors count as they are given, scale included; a missing cell counts nothing; an impossible
    sample is -inf. Where a graph's factors do not multiply to a distribution (an open branch
    without a source, ``combine="separate"``) this is the log of their total: subtract the value
    without evidence for the log-probability.
    """
    query = ask(graph, theta, evidence, ())
    return joined([chunk.loglik for chunk in query.chunks()])[..., query.row]


def aggregated(graph: Graph, theta: Theta, evidence: Table | Evidence) -> Array:
    """The aggregated log-likelihood of each sample, ``(..., N)`` (section 7.1, equation 28).

    ``sum_i log(1^T (f_i * b_i))`` over the branches that carry evidence, all messages normalised.
    Each term is the log of what the rest of the graph predicts for that piece of evidence; their
    sum is no probability of the sample, and may fall while ``loglik`` grows.
    """
    query = ask(graph, theta, evidence)
    terms = [local_sum(query.clamped, chunk) for chunk in query.chunks()]
    return joined(terms)[..., query.row]


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
    positive = (n[n > 0] for n in (np.bincount(codes, counts) for codes in free))
    return float(sum(n @ np.log(n / n.sum()) for n in positive))


def _complete(
    graph: Graph, table: Table | Evidence, weight: Any, columns: Iterable[str] | None
) -> tuple[Evidence, Array]:
    evidence, counts = read_counted(as_normal(graph), table, columns, weight)
    for name in evidence.variables:
        if name in evidence.vectors or (evidence.codes[name] < 0).any():
            raise ValueError(
                f"{name} has soft or missing evidence: the ceiling and the floor are defined for "
                "complete rows"
            )
    return distinct(evidence, counts)


def belief(chunk: Chunk, name: str) -> Array:
    """The product of a branch's two messages, normalised, ``(..., M, N)``."""
    f, b = chunk.f[name], chunk.b[name]
    with np.errstate(invalid="ignore", divide="ignore"):
        product = chunk.semiring.normalized(chunk.semiring.multiply(f, b))[0]
    return np.exp(product) if isinstance(chunk.semiring, Logs) else product


class Query(NamedTuple):
    """A table on a graph, ready to be asked: of equal rows one is worked out.

    ``row`` ``(N,)`` says which of the different rows, which are ``clamped``, each sample is.
    """

    evidence: Evidence
    row: Index
    clamped: Clamped
    theta: dict[str, Array]

    def chunks(self) -> Iterator[Chunk]:
        """The messages of all different rows, chunk by chunk."""
        return propagate_chunks(self.clamped, self.theta)


def ask(
    graph: Graph, theta: Theta, evidence: Table | Evidence, wanted: Iterable[str] | None = None
) -> Query:
    """A table's query, with a plan for the beliefs of the variables ``wanted``, by default all."""
    form = as_normal(graph)
    matrices = read_theta(form, theta)
    samples = read_evidence(form, evidence)
    rows, row = grouped(samples)
    clamped = clamp(form, rows)
    if wanted is not None:
        names = [clamped.graph.branch(variable).name for variable in wanted]
        clamped = clamped.wanting((name, forward) for name in names for forward in (True, False))
    return Query(samples, row, clamped, matrices)


def joined(pieces: list[Array]) -> Array:
    """Along the samples; what no evidence reaches has one column in every piece."""
    if len(pieces) == 1 or pieces[0].shape[-1] == 1:
        return pieces[0]
    return np.concatenate(pieces, axis=-1)
