"""``Summary``: the numbers of a report about a run, as a value that prints as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..algebra.arrays import Array, Label
from ..algebra.chi2 import ChiSquare
from ..report import Report, cell_text

SPARSE = 5
"""With fewer samples than this for each cell the chi-square distribution is a poor guide."""


@dataclass(frozen=True, repr=False)
class Summary(Report):
    """The numbers of a report.

    ``n`` is that of the criteria (see ``Run.n``) and ``samples`` the sum of the weights of the rows
    in which something was observed: the n of those who count sequences, not their steps. ``rank``
    is None where it was not worked out. ``unused`` says why numbers that learning could move are
    not counted in ``n_free``: by reason, how many.

    ``floor`` and ``ceiling`` are None if cells are missing or soft. ``fit`` has G2 and X2 with
    their degrees of freedom and p, as in ``goodness``, and ``cells`` those of the table; they are
    None and 0 where the table is not complete, or too large to work them out unasked.

    ``entropy[variable]``, the classification ``error[variable]`` and the shares
    ``sizes[variable]`` ``(M,)``, in the order of ``states[variable]``, are those of each hidden
    variable, over the samples that say something of it; ``slices`` has the variables that are told
    as one, such as ``{"S": ("S1", "S2")}``. ``found`` of ``restarts`` ended at the best likelihood;
    restarts that began alike are one.

    The weights of a survey are no counts: for ``g2`` and ``fit`` they are multiplied by ``scale``,
    so that they sum to the number of rows. There is no p then.
    """

    rule: str
    n: float
    n_free: int
    rank: int | None
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
    samples: float = 0.0
    unused: Mapping[str, int] = field(default_factory=dict)
    slices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    error: Mapping[str, float] = field(default_factory=dict)
    fit: tuple[ChiSquare, ChiSquare] | None = None
    cells: int = 0
    scale: float = 1.0
    questions: tuple[str, ...] = ()

    @property
    def g2(self) -> float | None:
        """The likelihood-ratio statistic against the saturated model; None without ``ceiling``."""
        return None if self.ceiling is None else 2 * self.scale * (self.ceiling - self.loglik)

    @property
    def sparse(self) -> bool:
        """True if the table has too few samples a cell for the p of chi-square to be trusted."""
        return self.scale == 1 and self.samples < SPARSE * self.cells

    def _table(self) -> tuple[str, list[str], list[list[object]]]:
        rows: list[list[object]] = [
            ["samples (sum of weights)", self.samples],
            *([["observations: n of the criteria", self.n]] if self.n != self.samples else []),
            ["parameters", self.n_free],
            *(
                [["rank: what the data can fix", self.rank]]
                if self.rank is not None
                else [["rank: run.summary(rank=True)", "not computed"]]
            ),
            ["log-likelihood", self.loglik],
        ]
        if self.floor is not None:
            rows += [["  floor, independent", self.floor], ["  ceiling, saturated", self.ceiling]]
            rows += self._tests()
        rows += [["AIC", self.aic], ["BIC", self.bic]]
        rows += [["adjusted BIC", self.sabic], ["CAIC", self.caic]]
        for name, members in self.slices.items():
            first, last = members[0], members[-1]
            many = f", mean of {len(members)} steps" if len(members) > 1 else ""
            rows.append([f"entropy of {name}{many}", self._mean(self.entropy, members)])
            if self.error:
                rows.append(["  classification error", self._mean(self.error, members)])
            means = np.mean([self.sizes[v] for v in members], axis=0)
            for state, *shares in zip(
                self.states[first], means, self.sizes[first], self.sizes[last], strict=True
            ):
                each = [f"{100 * p:.1f} %" for p in shares]
                text = f"{each[0]} (first {each[1]}, last {each[2]})" if many else each[0]
                rows.append([f"  {name} = {state}", text])
        if self.restarts > 1:
            rows.append(["best end found", f"{self.found} of {self.restarts}"])
        else:
            rows.append(["best end found", "one start"])
        return f"Learned by {self.rule.upper()}", ["", ""], rows

    def _tests(self) -> list[list[object]]:
        """The rows of G2 and X2."""
        scaled = [] if self.scale == 1 else ["weights scaled to sum to the rows"]
        if self.fit is None:
            said = f" ({scaled[0]})" if scaled else ""
            return [[f"G2{said}", self.g2], ["  df, p and X2: goodness(run)", "not computed"]]
        if (df := self.fit[0].df) <= 0:
            return [[f"G2 (df {df}: nothing is left to test)", self.g2]]
        rows: list[list[object]] = []
        for name, test in zip(("G2", "X2"), self.fit, strict=True):
            p = "p < 0.0001" if test.p < 1e-4 else f"p {cell_text(test.p)}"
            said = ", ".join([f"df {test.df}", *([] if math.isnan(test.p) else [p]), *scaled])
            rows.append([f"{name} ({said})", test.statistic])
        if self.sparse:
            rows.append(["  cells: p is rough, with so few samples", self.cells])
        return rows

    def _mean(self, values: Mapping[str, float], members: Sequence[str]) -> float:
        return float(np.mean([values[v] for v in members]))

    def _data(self) -> tuple[tuple[str, str], list[list[object]]]:
        """Every number in a row of its own; a share is a number from 0 to 1."""
        rows: list[list[object]] = [["samples", self.samples], ["n", self.n]]
        rows += [["parameters", self.n_free], ["rank", self.rank]]
        rows += [["log-likelihood", self.loglik], ["floor", self.floor], ["ceiling", self.ceiling]]
        rows.append(["G2", self.g2])
        for name, test in zip(("G2", "X2"), self.fit or (), strict=False):
            rows += [[name, test.statistic]] if name == "X2" else []
            rows += [[f"df of {name}", test.df], [f"p of {name}", test.p]]
        rows += [["AIC", self.aic], ["BIC", self.bic]]
        rows += [["adjusted BIC", self.sabic], ["CAIC", self.caic]]
        for name, members in self.slices.items():
            rows.append([f"entropy of {name}", self._mean(self.entropy, members)])
            if self.error:
                rows.append([f"classification error of {name}", self._mean(self.error, members)])
            first, last = members[0], members[-1]
            steps = [("", members)]
            steps += [(f" in {v}", (v,)) for v in (first, last) if len(members) > 1]
            for step, variables in steps:
                means = np.mean([self.sizes[v] for v in variables], axis=0)
                for state, share in zip(self.states[first], means, strict=True):
                    rows.append([f"share of {name} = {state}{step}", float(share)])
        rows += [["best end found", self.found], ["starts", self.restarts]]
        return ("quantity", "value"), [row for row in rows if row[1] is not None]

    def _more(self) -> str:
        return f"More: {', '.join(self.questions)}" if self.questions else ""

    def _notes(self) -> tuple[str, ...]:
        return self.warnings
