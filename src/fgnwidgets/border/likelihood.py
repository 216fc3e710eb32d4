"""Likelihoods beside the exact one, and the bounds between which it lies (section 3, agg-l of 7.1).

Vocabulary
    aggregated   the paper's sum over the evidence of ``log(1^T (f * b))``, each term local
    saturated    the ceiling: no model of complete data has a larger ``loglik``
    independent  the floor: the best model in which the variables are independent
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..engine.arrays import Array
from ..engine.graph import Graph, as_normal
from ..engine.messages import Evidence
from ..engine.propagate import local_sum
from ..tables import Table
from .evidence import Weight, distinct, read_counted
from .queries import ask, flows_of, joined
from .theta import Theta


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
    weight: Weight = None,
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
    weight: Weight = None,
    *,
    columns: Iterable[str] | None = None,
) -> float:
    """The total ``loglik`` of the best model with independent variables: the floor of learning.

    Its arguments are those of :func:`saturated`.
    """
    folded, counts = _complete(graph, evidence, weight, columns)
    free = (codes for name, codes in folded.codes.items() if name not in as_normal(graph).given)
    seen = (n[n > 0] for n in (np.bincount(codes, counts) for codes in free))
    return float(sum(n @ np.log(n / n.sum()) for n in seen))


def _complete(
    graph: Graph, table: Table | Evidence, weight: Weight, columns: Iterable[str] | None
) -> tuple[Evidence, Array]:
    evidence, known = read_counted(graph, table, columns, weight)
    for name in evidence.variables:
        if name in evidence.vectors or (evidence.codes[name] < 0).any():
            raise ValueError(
                f"{name} has soft or missing evidence: the ceiling and the floor are defined for "
                "complete rows"
            )
    return distinct(evidence, known)
