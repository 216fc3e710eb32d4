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
from itertools import compress

import numpy as np

from ..border.decoding import sample
from ..border.evidence import read_evidence
from ..border.run import Run, read_run
from ..engine.arrays import Array, Index
from ..engine.graph import as_normal
from ..engine.messages import Evidence
from ..readers import Seed, read_count, read_number, read_seeds
from .again import best_again
from .report import Report


@dataclass(frozen=True, eq=False, repr=False)
class RatioTest(Report):
    """The ratio of the table, the ratios of the ``null`` tables ``(n,)``, and the p-value.

    ``p`` is ``(1 + number of null ratios at least as large) / (n + 1)``.
    """

    ratio: float
    null: Array
    p: float

    def _table(self) -> tuple[str, list[str], list[list[object]]]:
        rows: list[list[object]] = [
            ["ratio", self.ratio],
            ["95 % of the null below", float(np.quantile(self.null, 0.95))],
            ["p", self.p],
        ]
        return f"Bootstrap likelihood-ratio test, {len(self.null)} tables", ["", ""], rows


def blrt(
    smaller: Run,
    larger: Run,
    *,
    n: int = 99,
    restarts: int = 10,
    seed: Seed = 0,
    n_epochs: int = 1000,
    tol: float = 1e-6,
) -> RatioTest:
    """Test a run against one of a larger graph on the same table.

    ``n`` tables are drawn from the smaller run's matrices. Both models learn each of them, starting
    from their runs' matrices and from ``restarts`` random ones.

    Raises ``ValueError`` if the runs are of different tables, if the table has soft evidence, or if
    ``smaller`` has as many free numbers as ``larger``.
    """
    count, tries = read_count(n, "n", 1), read_count(restarts, "restarts")
    last, bound = read_count(n_epochs, "n_epochs", 1), read_number(tol, "tol")
    _check(read_run(smaller, "smaller"), read_run(larger, "larger"))
    rng = np.random.default_rng(read_seeds(seed, 1)[0])
    rows, weight = _null_tables(smaller, count, rng)
    ends = [
        best_again(run, rows, weight, rng, tries, own=True, n_epochs=last, tol=bound)[1]
        for run in (smaller, larger)
    ]
    null = np.maximum(2 * (ends[1] - ends[0]), 0.0)
    ratio = 2 * float(larger.final_loglik[larger.best] - smaller.final_loglik[smaller.best])
    return RatioTest(ratio, null, float((1 + (null >= ratio).sum()) / (count + 1)))


def _check(smaller: Run, larger: Run) -> None:
    for what, one, two in (
        ("samples", round(smaller.n, 6), round(larger.n, 6)),
        ("variables", sorted(smaller.rows.variables), sorted(larger.rows.variables)),
    ):
        if one != two:
            raise ValueError(f"the runs have {what} {one} and {two}: expected the same table")
    if smaller.n_free >= larger.n_free:
        raise ValueError(
            f"the runs have {smaller.n_free} and {larger.n_free} free numbers: expected the "
            "smaller model first"
        )
    if smaller.rows.vectors:
        raise ValueError("the table has soft evidence, which cannot be drawn anew")


def _null_tables(run: Run, count: int, rng: np.random.Generator) -> tuple[Evidence, Array]:
    """The different rows of all null tables, and their weights in each table, ``(count, N)``."""
    names = list(run.rows.codes)
    given = [name in as_normal(run.graph).given for name in names]
    seen = np.stack([run.rows.codes[name] for name in names], axis=-1)
    kept = np.where(given, seen, np.where(seen < 0, -1, 0))  # given values and blanks; 0 is drawn
    kinds, kind = np.unique(kept, axis=0, return_inverse=True)
    sizes = _whole(np.bincount(kind.ravel(), run.weight, len(kinds)).astype(float))
    of_sample = np.repeat(kinds, sizes, axis=0)
    said, condition = np.unique(of_sample[:, given], axis=0, return_inverse=True)
    tables, tallies = [], []
    for _ in range(count):
        codes = np.empty_like(of_sample)
        for k, size in enumerate(np.bincount(condition.ravel()).tolist()):
            one = dict(zip(compress(names, given), said[k, :, None], strict=True))
            table = sample(run.graph, run.best_theta, size, rng, given=Evidence(1, one))
            known = read_evidence(run.graph, {name: table[name] for name in names})
            drawn = np.stack([known.codes[name] for name in names], axis=-1)
            codes[condition.ravel() == k] = drawn
        codes[of_sample < 0] = -1
        rows, tally = np.unique(codes, axis=0, return_counts=True)
        tables.append(rows)
        tallies.append(tally)
    every, at = np.unique(np.concatenate(tables), axis=0, return_inverse=True)
    weight = np.zeros((count, len(every)))
    owner = np.repeat(np.arange(count), [len(rows) for rows in tables])
    weight[owner, at.ravel()] = np.concatenate(tallies)
    return Evidence(len(every), dict(zip(names, every.T.copy(), strict=True))), weight


def _whole(sizes: Array) -> Index:
    """Sizes rounded so that their sum is rounded too."""
    ends = np.round(np.cumsum(sizes)).astype(np.intp)
    return np.diff(ends, prepend=0)
