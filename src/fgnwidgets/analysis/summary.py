"""``run.summary()``: what one reports about a run.

Vocabulary
    floor     ``loglik`` of the best model in which all variables are independent
    ceiling   ``loglik`` of the saturated model, above which no model gets
    G2        the likelihood-ratio statistic against the saturated model, 2 (ceiling - loglik)
    X2        Pearson's statistic, the sum of (observed - expected)^2 / expected over all cells
    error     the expected share of samples that are not in their most probable state
    entropy   1 - mean entropy of the posterior / log K, for K states: 1 if every sample's state is
              certain. The mean, as that of the shares, is over the samples that say something of
              the variable: those with an observation on it or below it
    slices    the variables of a chain, such as S1 to S40, which share their matrices: they are told
              together
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ..algebra.arrays import Array
from ..arguments import read_kind
from ..graphs.families import slices
from ..graphs.normal_graph import as_normal
from ..inference.propagation import clamp, propagate_chunks
from ..inference.queries import belief, independent, saturated
from ..learning.observations import informative_samples
from ..learning.run import SAME_END, Run, count_free, read_run
from ..learning.summary import SPARSE, Summary
from .goodness import quick
from .identified import Identified, identified
from .weights import ALL_DEPENDS, NOT_COUNTS, survey_scale

FEW_NUMBERS = 400
"""Up to so many parameters the rank is worked out unasked: half a second."""


def summarize(run: Run, rank: bool | None = None) -> Summary:
    """The summary of a run's best restart. ``ValueError`` if its restarts differ in weights."""
    best = run.best
    read_kind(rank, "rank", bool | None, "True, False or None")
    loglik = float(run.final_loglik[best])
    n, n_free = run.n, run.n_free
    wanted = n_free <= FEW_NUMBERS if rank is None else rank
    fixed = identified(run) if wanted else None
    live = ~run.dropped & ~run.repeated if run.repeated.size else ~run.dropped
    hidden = hidden_variables(run)
    entropies, errors, sizes = _beliefs(run, hidden)
    floor, ceiling = _bound(independent, run), _bound(saturated, run)
    tested = None if ceiling is None else quick(run, None if fixed is None else fixed.rank)
    cells = 0 if tested is None else tested[2]
    rule = run.rule if isinstance(run.rule, str) else run.rule[best]
    return Summary(
        rule=rule,
        n=n,
        n_free=n_free,
        rank=None if fixed is None else fixed.rank,
        loglik=loglik,
        floor=floor,
        ceiling=ceiling,
        aic=run.aic,
        bic=run.bic,
        sabic=run.sabic,
        caic=run.caic,
        entropy=entropies,
        sizes=sizes,
        states={v: as_normal(run.graph).states(v) for v in hidden},
        found=int((run.final_loglik[live] >= loglik - SAME_END * run.weight.sum()).sum()),
        restarts=int((~run.repeated).sum()) if run.repeated.size else len(run.final_loglik),
        warnings=(*run.warnings, *_warnings(run, rule, fixed)),
        samples=_samples(run),
        unused=_unused(run),
        slices=slices(run.graph, hidden),
        error=errors,
        fit=None if tested is None else tested[:2],
        cells=cells,
        scale=survey_scale(run),
        questions=tuple(_questions(run, hidden, cells)),
    )


def _questions(run: Run, hidden: Sequence[str], cells: int) -> Iterator[str]:
    """The calls that tell more of this run."""
    sparse = run.counted and run.weight.sum() < SPARSE * cells
    if not run.rows.vectors:
        yield "goodness(run, bootstrap=200)" if sparse else "goodness(run)"
    if len(run.rows.codes) > 1:
        yield "residuals(run)"
    if hidden:
        yield "classification(run)" if len(hidden) == 1 else f"classification(run, {hidden[0]!r})"
    yield from ("standard_errors(run)", "bootstrap(run)")


def _samples(run: Run) -> float:
    """The sum of the weights of the rows in which something was observed."""
    return float(run.weight @ (run.observations > 0))


def _unused(run: Run) -> dict[str, int]:
    """By reason, how many numbers that learning could move are not counted as free."""
    levels = count_free(run.free) - run.n_free
    rows = count_free(run.unreached)
    said = {"of levels that no row has": levels, "of rows that nothing reaches": rows}
    return {reason: count for reason, count in said.items() if count}


def _warnings(run: Run, rule: str, fixed: Identified | None) -> Iterator[str]:
    """Warnings before these numbers are compared with others."""
    if fixed is not None and fixed.warning:
        yield fixed.warning
    if not run.counted:
        factor = survey_scale(run)
        near = abs(factor - 1) < 0.005
        yield NOT_COUNTS if near else NOT_COUNTS + ALL_DEPENDS.format(factor, run.n_rows)
    if rule != "ml":
        yield (
            f"the criteria take loglik for a maximum, which {rule!r} does not look for: compare "
            "them with care"
        )
    for reason, count in _unused(run).items():
        yield f"{count} numbers {reason} are not counted as free: the table says nothing of them"
    samples, silent = _samples(run), run.weight.sum() - _samples(run)
    if silent > 0:
        yield (
            f"{silent:.10g} samples hold no observation: they count neither in n nor in entropies "
            "and shares"
        )
    if samples > 1 and run.n > samples:
        other = run.bic + run.n_free * (math.log(samples) - math.log(run.n))
        yield (
            f"n is {run.n:.10g}, each observed step of the {samples:.10g} sequences, as hmmlearn "
            f"and depmixS4 count; LMest and Mplus count sequences, which makes BIC {other:.2f}"
        )
    if run.n_free and run.n + 2 < 24:
        yield (
            f"n is {run.n:.10g}: below 22 the adjusted BIC takes log((n + 2) / 24) < 0 for each "
            "parameter, so it rewards them; do not choose a model by it"
        )


def _beliefs(
    run: Run, hidden: Sequence[str]
) -> tuple[dict[str, float], dict[str, float], dict[str, Array]]:
    """The entropy, the error and the shares of every hidden variable, from one pass."""
    form, theta = as_normal(run.graph), run.best_theta
    posed = clamp(form, run.rows)
    names = {v: posed.graph.branch(v).name for v in hidden}
    posed = posed.wanting((name, forward) for name in names.values() for forward in (True, False))
    weights = {}
    for v in hidden:
        said = run.weight * informative_samples(posed, v)
        weights[v] = said if said.any() else run.weight  # of what nothing says anything, a guess
    shares = {v: np.zeros(form.branch(v).size) for v in hidden}
    spread, sure = dict.fromkeys(hidden, 0.0), dict.fromkeys(hidden, 0.0)
    for chunk in propagate_chunks(posed, theta) if hidden else ():
        for v in hidden:
            p = belief(chunk, names[v])
            w = np.broadcast_to(weights[v][chunk.cut], (chunk.cut.stop - chunk.cut.start,))
            w = w if p.shape[-1] > 1 else w.sum(keepdims=True)
            logs = np.log(np.where(p > 0, p, 1.0))
            shares[v] += p @ w
            spread[v] -= float((p * logs).sum(axis=0) @ w)
            sure[v] += float(p.max(axis=0) @ w)
    total = {v: weights[v].sum() for v in hidden}
    most = {v: math.log(max(len(shares[v]), 2)) for v in hidden}
    return (
        {v: 1.0 if len(shares[v]) < 2 else 1 - spread[v] / total[v] / most[v] for v in hidden},
        {v: max(1 - sure[v] / total[v], 0.0) for v in hidden},
        {v: shares[v] / total[v] for v in hidden},
    )


def hidden_variables(run: Run) -> tuple[str, ...]:
    """The variables without evidence, except product spaces."""
    read_run(run)
    form = as_normal(run.graph)
    seen = {form.variable_of[form.branch(name).name] for name in run.rows.variables}
    return tuple(v for v in form.variables if v not in seen and v not in form.products)


def entropy(p: Array, weight: Array) -> float:
    """``1 - mean entropy / log K`` of posteriors ``(N, K)``; 1 if K is 1."""
    if p.shape[-1] < 2:
        return 1.0
    logs = np.log(np.where(p > 0, p, 1.0))
    mean = weight @ -(p * logs).sum(axis=-1) / weight.sum()
    return float(1 - mean / math.log(p.shape[-1]))


def _bound(bound: Callable[..., float], run: Run) -> float | None:
    """The floor or the ceiling; None unless all rows are complete, of hard evidence."""
    if run.rows.vectors or any((codes < 0).any() for codes in run.rows.codes.values()):
        return None
    return float(bound(run.graph, run.rows, run.weight))
