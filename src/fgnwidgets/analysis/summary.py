"""``run.summary()``: what one reports about a run.

Vocabulary
    floor     ``loglik`` of the best model in which all variables are independent
    ceiling   ``loglik`` of the saturated model, above which no model gets
    G2        the likelihood-ratio statistic against the saturated model, 2 (ceiling - loglik)
    entropy   1 - mean entropy of the posterior / log K, for K states: 1 if every sample's state is
              certain
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..border.advice import SAME_END
from ..border.queries import independent, posterior, saturated
from ..border.run import Run, read_run
from ..engine.arrays import Array
from ..engine.branches import Label
from ..engine.graph import as_normal
from .errors import NOT_COUNTS
from .identified import identified
from .report import Report


@dataclass(frozen=True, repr=False)
class Summary(Report):
    """The numbers of a report.

    ``floor`` and ``ceiling`` are None if cells are missing or soft. ``entropy[variable]`` and the
    shares ``sizes[variable]`` ``(M,)``, in the order of ``states[variable]``, are those of each
    hidden variable. ``found`` of ``restarts`` ended at the best likelihood.
    """

    rule: str
    n: float
    n_free: int
    rank: int
    loglik: float
    floor: float | None
    ceiling: float | None
    aic: float
    bic: float
    sabic: float
    caic: float
    entropy: Mapping[str, float]
    sizes: Mapping[str, Array]
    states: Mapping[str, tuple[Label, ...]]
    found: int
    restarts: int
    warnings: tuple[str, ...]

    @property
    def g2(self) -> float | None:
        """The likelihood-ratio statistic against the saturated model; None without ``ceiling``."""
        return None if self.ceiling is None else 2 * (self.ceiling - self.loglik)

    def _table(self) -> tuple[str, list[str], list[list[object]]]:
        rows: list[list[object]] = [
            ["samples (sum of weights)", self.n],
            ["free numbers", self.n_free],
            ["rank: what the data can fix", self.rank],
            ["log-likelihood", self.loglik],
        ]
        if self.floor is not None:
            rows += [["  floor, independent", self.floor], ["  ceiling, saturated", self.ceiling]]
            rows += [["G2", self.g2]]
        rows += [["AIC", self.aic], ["BIC", self.bic]]
        rows += [["adjusted BIC", self.sabic], ["CAIC", self.caic]]
        for name, sizes in self.sizes.items():
            rows.append([f"entropy of {name}", self.entropy[name]])
            each = zip(self.states[name], sizes, strict=True)
            rows += [[f"  {name} = {state}", f"{100 * p:.1f} %"] for state, p in each]
        rows.append(["best end found", f"{self.found} of {self.restarts}"])
        return f"Learned by {self.rule.upper()}", ["", ""], rows

    def _notes(self) -> tuple[str, ...]:
        return self.warnings


def summarize(run: Run) -> Summary:
    """The summary of a run's best restart. ``ValueError`` if its restarts differ in weights."""
    best = run.best
    loglik = float(run.final_loglik[best])
    fixed = identified(run)
    live = run.final_loglik[~run.dropped]
    hidden = hidden_variables(run)
    beliefs = {v: posterior(run.graph, run.best_theta, run.rows, v) for v in hidden}
    warnings = list(run.warnings)
    rule = run.rule if isinstance(run.rule, str) else run.rule[best]
    if fixed.warning:
        warnings.append(fixed.warning)
    if not run.counted:
        warnings.append(NOT_COUNTS)
    if rule != "ml":
        warnings.append(
            f"the criteria take loglik for a maximum, which {rule!r} does not look for: compare "
            "them with care"
        )
    return Summary(
        rule=rule,
        n=run.n,
        n_free=run.n_free,
        rank=fixed.rank,
        loglik=loglik,
        floor=_bound(independent, run),
        ceiling=_bound(saturated, run),
        aic=run.aic,
        bic=run.bic,
        sabic=run.sabic,
        caic=run.caic,
        entropy={v: entropy(p, run.weight) for v, p in beliefs.items()},
        sizes={v: run.weight @ p / run.weight.sum() for v, p in beliefs.items()},
        states={v: as_normal(run.graph).states(v) for v in hidden},
        found=int((live >= loglik - SAME_END * run.n).sum()),
        restarts=len(run.final_loglik),
        warnings=tuple(warnings),
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
