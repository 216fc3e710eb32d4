"""Three likelihoods, and the bounds they lie between (section 3, and equation agg-l of 7.1).

Vocabulary
    block        ``sum_n L[n] log(f^T theta b)``: what one block sees, from normalised messages
    aggregated   the paper's sum over the evidence of ``log(1^T (f * b))``, each term local
    loglik       the exact log P(evidence) per sample
    saturated    ``sum n log(n / N)``: no model of complete data has a larger ``loglik``
    independent  the same for the best model in which the variables are independent: the floor
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, column_sums
from .bayes import BayesGraph, as_normal
from .evidence import Evidence, distinct, read_evidence
from .graph import NormalGraph
from .matrices import read_theta
from .propagate import Flow, run
from .setting import Setting, prepare
from .tables import Table


def block_loglik(
    theta: ArrayLike, f: ArrayLike, b: ArrayLike, weight: ArrayLike | None = None
) -> Array:
    """``sum_n L[n] log(f[n]^T theta b[n])``, shape ``(...)`` (section 3, what theta moves).

    ``theta`` is ``(..., M_X, M_Y)``, ``f`` ``(..., M_X, N)`` and ``b`` ``(..., M_Y, N)``.
    """
    matrix = np.asarray(theta, dtype=np.float64)
    forward = matrix.swapaxes(-1, -2) @ np.asarray(f, dtype=np.float64)
    with np.errstate(divide="ignore"):
        logs = np.log((forward * np.asarray(b, dtype=np.float64)).sum(axis=-2))
    return weighted(logs, None if weight is None else np.asarray(weight, dtype=np.float64))


def loglik(
    graph: NormalGraph | BayesGraph, theta: Mapping[str, ArrayLike], evidence: Table | Evidence
) -> Array:
    """The exact log P(evidence) of each sample, hidden variables summed out, ``(..., N)``.

    Likelihood vectors count as they are given, scale included; a missing cell counts nothing; an
    impossible sample is -inf. Where a graph's factors do not multiply to a distribution (an open
    branch without a source, ``combine="separate"``) this is the log of their total, the quantity
    that ML learning climbs; subtract the value without evidence for the log-probability.
    """
    form = as_normal(graph)
    return run(prepare(form, read_evidence(form, evidence)), read_theta(form, theta)).loglik


def aggregated(
    graph: NormalGraph | BayesGraph, theta: Mapping[str, ArrayLike], evidence: Table | Evidence
) -> Array:
    """The paper's aggregated log-likelihood of each sample, ``(..., N)`` (section 7.1).

    ``sum_i log(1^T (f_i * b_i))`` over the branches that carry evidence, all messages normalised.
    Each term is the log of what the rest of the graph predicts for that piece of evidence; their
    sum is no probability of the sample, and may fall while ``loglik`` grows.
    """
    form = as_normal(graph)
    setting = prepare(form, read_evidence(form, evidence))
    return local_sum(setting, run(setting, read_theta(form, theta)))


def local_sum(setting: Setting, flow: Flow) -> Array:
    """:func:`aggregated` of messages that are there already."""
    total: Array | float = 0.0
    with np.errstate(divide="ignore"):
        for slot, said in setting.carriers:
            other = setting.normal(slot ^ 1, flow.slots)  # the other message of the branch
            product = flow.slots[slot] * other
            logs = np.log(column_sums(product)[..., 0, :])
            total = total + (logs if said is None else np.where(said, logs, 0.0))
    result = np.asarray(total)
    if result.shape != flow.loglik.shape:
        result = np.broadcast_to(result, flow.loglik.shape)
    if not flow.possible:
        result = np.where(flow.loglik == -np.inf, -np.inf, result)
    return result


def weighted(per_sample: Array, weight: Array | None, *, finite: bool = False) -> Array:
    """``sum_n L[n] v[n]`` over the samples that count: a weight of zero silences even -inf."""
    if weight is None:
        return np.asarray(per_sample.sum(axis=-1))
    if not finite and np.minimum.reduce(per_sample, axis=None) == -np.inf:
        per_sample = np.where(weight > 0, per_sample, 0.0)
    return np.asarray(per_sample.dot(weight))


def saturated(
    graph: NormalGraph | BayesGraph, evidence: Table | Evidence, weight: ArrayLike | None = None
) -> float:
    """``sum n log(n / N)`` over the distinct rows: the ceiling of the total ``loglik``.

    For hard evidence without missing cells; ``ValueError`` otherwise, where counting is no bound.
    """
    folded, counts = _complete(graph, evidence, weight)
    del folded
    return float(counts @ np.log(counts / counts.sum()))


def independent(
    graph: NormalGraph | BayesGraph, evidence: Table | Evidence, weight: ArrayLike | None = None
) -> float:
    """The total ``loglik`` of the best model with independent variables: the floor of learning.

    For hard evidence without missing cells; ``ValueError`` otherwise.
    """
    folded, counts = _complete(graph, evidence, weight)
    total = 0.0
    for codes in folded.codes.values():
        n = np.bincount(codes, counts)
        n = n[n > 0]
        total += float(n @ np.log(n / n.sum()))
    return total


def _complete(
    graph: NormalGraph | BayesGraph, table: Table | Evidence, weight: ArrayLike | None
) -> tuple[Evidence, Array]:
    evidence = read_evidence(graph, table)
    gaps = [name for name, codes in evidence.codes.items() if (codes < 0).any()]
    if evidence.vectors or gaps:
        name = [*evidence.vectors, *gaps][0]
        raise ValueError(
            f"{name} has soft or missing evidence: the ceiling and the floor are defined for "
            "complete rows"
        )
    return distinct(evidence, weight)
