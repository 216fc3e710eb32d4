"""``blrt``: does the table ask for the larger model? The bootstrap likelihood-ratio test.

Vocabulary
    ratio   twice what the larger model gains in ``loglik`` over the smaller one
    null    tables drawn from the smaller model, of the same size, with the same blanks and the same
            values of given variables

The ratio of two numbers of classes follows no chi-square law: the smaller model lies on the edge
of the larger one. So its law is drawn (McLachlan 1987).
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
    """The ratio of the table, those of the ``null`` tables ``(n,)``, and how often they reach it.

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

    ``n`` tables are drawn from the smaller run's matrices; both models learn all of them, from
    their runs' matrices and from ``restarts`` random ones, in one batch each.

    Raises ``ValueError`` where the runs are of different tables, or the first has more numbers.
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
    """The different rows of all tables that were drawn, and the weights ``(count, N)`` of each."""
    names = list(run.rows.codes)
    given = [name in as_normal(run.graph).given for name in names]
    seen = np.stack([run.rows.codes[name] for name in names], axis=-1)
    kept = np.where(given, seen, np.where(seen < 0, -1, 0))  # what is not -1 or given is drawn
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
    """Whole numbers with the same rounded sum."""
    ends = np.round(np.cumsum(sizes)).astype(np.intp)
    return np.diff(ends, prepend=0)
