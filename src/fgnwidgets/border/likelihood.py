"""Likelihoods beside the exact one, and the bounds between which it lies (section 3, agg-l of 7.1).

Vocabulary
    aggregated   the paper's sum over the evidence of ``log(1^T (f * b))``, each term local
    saturated    ``sum n log(n / N)``: no model of complete data has a larger ``loglik``; of what is
                 given, N is the number of rows with the same given values
    independent  the same for the best model in which the variables are independent: the floor
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ..engine.arrays import Array
from ..engine.graph import Graph, as_normal
from ..engine.messages import Evidence
from ..engine.propagate import flows, local_sum
from ..tables import Table
from .chains import clamp_with_shortcut
from .evidence import distinct, read_counted, read_evidence
from .folding import grouped
from .queries import batch_of, joined
from .theta import Theta, read_theta


def aggregated(graph: Graph, theta: Theta, evidence: Table | Evidence) -> Array:
    """The aggregated log-likelihood of each sample, ``(..., N)`` (section 7.1, equation 28).

    ``sum_i log(1^T (f_i * b_i))`` over the branches that carry evidence, all messages normalised.
    Each term is the log of what the rest of the graph predicts for that piece of evidence; their
    sum is no probability of the sample, and may fall while ``loglik`` grows.
    """
    form = as_normal(graph)
    matrices = read_theta(form, theta)
    rows, kind = grouped(read_evidence(form, evidence))
    clamped = clamp_with_shortcut(form, rows)
    found = flows(clamped, matrices, batch_of(matrices))
    return joined([local_sum(clamped, flow) for flow in found])[..., kind]


def saturated(
    graph: Graph,
    evidence: Table | Evidence,
    weight: str | ArrayLike | None = None,
    *,
    columns: Iterable[str] | None = None,
) -> float:
    """``sum n log(n / N)`` over the distinct rows: the ceiling of the total ``loglik``.

    A lazy table is counted by its own engine; ``weight`` and ``columns`` as in ``fit``. For hard
    evidence without missing cells; ``ValueError`` otherwise, where counting is no bound.
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
    """The total ``loglik`` of the best model with independent variables: the floor of learning.

    A lazy table is counted by its own engine; ``weight`` and ``columns`` as in ``fit``. For hard
    evidence without missing cells; ``ValueError`` otherwise.
    """
    folded, counts = _complete(graph, evidence, weight, columns)
    total = 0.0
    for name, codes in folded.codes.items():
        if name in as_normal(graph).given:
            continue
        n = np.bincount(codes, counts)
        n = n[n > 0]
        total += float(n @ np.log(n / n.sum()))
    return total


def _complete(
    graph: Graph,
    table: Table | Evidence,
    weight: str | ArrayLike | None,
    columns: Iterable[str] | None,
) -> tuple[Evidence, Array]:
    evidence, known = read_counted(graph, table, columns, weight)
    gaps = [name for name, codes in evidence.codes.items() if (codes < 0).any()]
    if evidence.vectors or gaps:
        name = [*evidence.vectors, *gaps][0]
        raise ValueError(
            f"{name} has soft or missing evidence: the ceiling and the floor are defined for "
            "complete rows"
        )
    return distinct(evidence, known)
