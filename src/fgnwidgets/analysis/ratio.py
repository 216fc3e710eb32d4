"""``blrt``: the bootstrap likelihood-ratio test, whether a table needs the larger of two models.

Vocabulary
    ratio   twice what the larger model gains in ``loglik`` over the smaller one
    null    the tables that are drawn from the smaller model, with as many rows, the same blanks and
            the same values of given variables

If the models differ in their number of classes, the ratio has no chi-square distribution, because
the smaller model lies at the edge of the larger one. So its distribution is simulated (McLachlan
1987).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.arrays import Array
from ..arguments import Seed, read_count, read_number, read_seeds, refuse_beyond_memory
from ..learning.run import Run, read_run
from ..report import Report
from .refit import best_refit
from .simulating import simulated
from .weights import survey_scale, survey_warning


@dataclass(frozen=True, eq=False, repr=False)
class RatioTest(Report):
    """The ratio of the table, the ratios of the ``null`` tables ``(n,)``, and the p-value.

    ``p`` is ``(1 + number of null ratios at least as large) / (n + 1)``.
    """

    ratio: float
    null: Array
    p: float
    warnings: tuple[str, ...] = ()

    def _table(self) -> tuple[str, list[str], list[list[object]]]:
        rows: list[list[object]] = [
            ["ratio", self.ratio],
            ["95 % of the null below", float(np.quantile(self.null, 0.95))],
            ["p", self.p],
        ]
        return f"Bootstrap likelihood-ratio test, {len(self.null)} tables", ["", ""], rows

    def _notes(self) -> tuple[str, ...]:
        return self.warnings


def blrt(
    smaller: Run,
    larger: Run,
    *,
    n: int = 99,
    restarts: int = 10,
    seed: Seed = 0,
    n_epochs: int = 1000,
    tol: float = 1e-6,
    workers: int | None = None,
) -> RatioTest:
    """Test a run against one of a larger graph on the same table.

    ``n`` tables are drawn from the smaller run's matrices. Both models learn each of them, starting
    from their runs' matrices and from ``restarts`` random ones, on ``workers`` threads, as ``fit``.

    The weights of a survey are no counts of equal rows: for the ratio they are multiplied by a
    number so that they sum to the number of rows, and the null tables have so many rows. ``p`` then
    does not depend on the scale of the weights, and a warning says so.

    Raises ``ValueError`` if the runs are of different tables, if the table has soft evidence, or if
    ``smaller`` has as many parameters as ``larger``.
    """
    count, tries = read_count(n, "n", 1), read_count(restarts, "restarts")
    last, bound = read_count(n_epochs, "n_epochs", 1), read_number(tol, "tol")
    _check(read_run(smaller, "smaller"), read_run(larger, "larger"))
    cells = sum(matrix[0].size for matrix in larger.final.values())
    refuse_beyond_memory(
        count * (8.0 * smaller.rows.n * len(smaller.rows.codes) + 24.0 * cells * (tries + 1)),
        f"{count:,} tables of {smaller.rows.n:,} different rows, with {tries:,} restarts each,",
        "take fewer of them, n=99, or fewer restarts",
    )
    rng = np.random.default_rng(read_seeds(seed, 1)[0])
    rows, weight = simulated(smaller, count, rng)
    ends = [
        best_refit(
            run, rows, weight, rng, tries, own=True, n_epochs=last, tol=bound, workers=workers
        )[1]
        for run in (smaller, larger)
    ]
    null = np.maximum(2 * (ends[1] - ends[0]), 0.0)
    scale = survey_scale(smaller)
    gain = float(larger.final_loglik[larger.best] - smaller.final_loglik[smaller.best])
    ratio = 2 * scale * gain
    told = survey_warning(smaller)
    p = float((1 + (null >= ratio).sum()) / (count + 1))
    return RatioTest(ratio, null, p, (told,) if told else ())


def _check(smaller: Run, larger: Run) -> None:
    for what, one, two in (
        ("samples", *(round(float(run.weight.sum()), 6) for run in (smaller, larger))),
        ("weights that are", *(_kind(run) for run in (smaller, larger))),
        ("variables", sorted(smaller.rows.variables), sorted(larger.rows.variables)),
    ):
        if one != two:
            raise ValueError(f"the runs have {what} {one} and {two}: expected the same table")
    if smaller.n_free >= larger.n_free:
        raise ValueError(
            f"the runs have {smaller.n_free} and {larger.n_free} parameters: expected the "
            "smaller model first"
        )


def _kind(run: Run) -> str:
    return "counts of equal rows" if run.counted else "a survey's"
