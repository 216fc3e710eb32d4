"""``goodness``: whether a model fits the table of all its variables, by G2 and Pearson's X2.

Vocabulary
    cell        a combination of values of the variables that were observed
    pattern     which variables were observed in a row; rows with a blank are counted in the table
                of the others
    group       rows with the same pattern and the same values of given variables. The model says
                how the rows of a group spread over its cells, not how many rows the group has
    MAR, MCAR   missing at random, missing completely at random: whether a cell is blank may depend
                on what was observed in its row, or on nothing (Little and Rubin 2002)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..algebra.arrays import Array, Index
from ..algebra.chi2 import ChiSquare, chi2_sf
from ..arguments import Seed, read_count, read_number, read_seeds
from ..data.evidence import Evidence
from ..graphs.normal_graph import as_normal
from ..inference.queries import loglik
from ..learning.run import Run, read_run
from ..learning.summary import SPARSE
from ..report import Report, cell_text
from .identified import MOST_ROWS, identified
from .refit import best_refit
from .simulating import simulated
from .weights import NO_CHI_SQUARE, as_counts, survey_scale

MOST_CELLS = 1 << 21
"""The saturated model of a table with blanks is found by EM if its cells, times the patterns of
blanks, are not more."""

QUICK_CELLS = 1 << 16
"""A summary tests tables of so many cells unasked: its rows are not more."""

NO_DEGREES = "the model has as many parameters as the table has cells: nothing is left to test"


@dataclass(frozen=True, eq=False, repr=False)
class Goodness(Report):
    """The fit of a run's best matrices to the table that it learned from.

    ``g2``, ``x2``      the statistics over all cells of all groups
    ``df``              their degrees of freedom
    ``p_g2``, ``p_x2``  the upper tails of chi-square with ``df``; NaN where there are none
    ``at_random``       G2 against the saturated model, blanks missing at random: the model alone
    ``mcar``            the rest of ``g2``: whether blanks are missing completely at random. Both
                        are a :class:`ChiSquare`, and None without blanks
    ``rows``            the different rows that occur, with their counts ``observed`` and those that
                        the model expects, ``expected`` ``(N,)``
    ``null_g2`` ...     the statistics of the tables of the bootstrap, empty without one, and
    ``p_boot_g2`` ...   ``(1 + number of null statistics at least as large) / (tables + 1)``
    """

    g2: float
    x2: float
    df: int
    p_g2: float
    p_x2: float
    n: float
    cells: int
    n_free: int
    at_random: ChiSquare | None
    mcar: ChiSquare | None
    rows: Evidence
    observed: Array
    expected: Array
    null_g2: Array = field(default_factory=lambda: np.zeros(0))
    null_x2: Array = field(default_factory=lambda: np.zeros(0))
    warnings: tuple[str, ...] = ()

    @property
    def p_boot_g2(self) -> float:
        """The p of ``g2`` among the tables of the bootstrap; NaN without one."""
        return _tail(self.g2, self.null_g2)

    @property
    def p_boot_x2(self) -> float:
        """The p of ``x2`` among the tables of the bootstrap; NaN without one."""
        return _tail(self.x2, self.null_x2)

    def _table(self) -> tuple[str, list[str], list[list[Any]]]:
        heads = ["", "statistic", "df", "p"]
        boot = len(self.null_g2) > 0
        rows: list[list[Any]] = [
            ["G2, likelihood ratio", self.g2, self.df, self.p_g2],
            ["X2, Pearson", self.x2, self.df, self.p_x2],
        ]
        if boot:
            heads.append("bootstrap p")
            rows[0].append(self.p_boot_g2)
            rows[1].append(self.p_boot_x2)
        for name, test in (
            ("  of G2: the model, blanks at random", self.at_random),
            ("  of G2: blanks completely at random", self.mcar),
        ):
            if test is not None:
                rows.append([name, test.statistic, test.df, test.p])
                rows[-1] += [None] * boot
        title = f"Goodness of fit, {cell_text(self.cells)} cells, {self.n:.10g} samples"
        return title, heads, rows

    def _data(self) -> tuple[list[str], list[list[Any]]]:
        _, heads, rows = self._table()
        return ["test", *heads[1:]], [[row[0].strip(), *row[1:]] for row in rows]

    def _notes(self) -> tuple[str, ...]:
        return self.warnings


def goodness(
    run: Run,
    *,
    bootstrap: int = 0,
    restarts: int = 3,
    seed: Seed = 0,
    n_epochs: int = 1000,
    tol: float = 1e-6,
    workers: int | None = None,
) -> Goodness:
    """G2 and Pearson's X2 of a run against its own table, with degrees of freedom and p.

    ``g2 = 2 sum n log(n / m)`` and ``x2 = sum (n - m)^2 / m`` over all cells, those without a
    sample included; ``m`` is the number of rows in the group times P(cell | given values).
    ``df = sum over groups of (cells - 1) - free``; ``free`` is the rank of the model where its
    table is small enough to find it cheaply, else ``run.n_free``. Values that no row has make no
    cells. (poLCA has ``min(n, cells - 1) - free``, and only the complete rows.)

    With blanks both statistics test two things at once, as in Latent GOLD: that the model is right
    and that cells are missing completely at random. ``at_random`` parts the first from ``g2`` by
    the saturated model of the whole table, which EM finds (Fuchs 1982), with ``df = cells - 1 -
    free`` of the complete table; ``mcar`` is the rest, as Mplus reports both. This takes for
    granted that the patterns together fix the whole table, as some complete rows do.

    ``bootstrap`` draws so many tables from the run's matrices, with the same blanks and given
    values; the model learns each, from its own matrices and ``restarts`` random starts, and its
    statistics are the null distribution. It needs no large counts, so it holds for sparse tables.
    ``workers`` are threads for it, as in ``fit``.

    The weights of a survey are no counts: they are multiplied by a number so that they sum to the
    number of rows, as in ``residuals``. The statistics then do not depend on their scale, and have
    no p.

    Raises ``ValueError`` for soft evidence, which is in no cell, and for a bootstrap if the weights
    are not counts.
    """
    count, tries = read_count(bootstrap, "bootstrap"), read_count(restarts, "restarts")
    last, bound = read_count(n_epochs, "n_epochs", 1), read_number(tol, "tol")
    seeds = read_seeds(seed, 1)
    if read_run(run).rows.vectors:
        raise ValueError(
            f"{next(iter(run.rows.vectors))} has soft evidence: expected rows that are in one cell "
            "of the table"
        )
    if count and not run.counted:
        raise ValueError(
            "bootstrap draws as many samples as the table has, and the run's weights are not whole "
            "numbers, so they cannot be counts: expected bootstrap=0, or a run without them"
        )
    groups = _Groups.of(run, run.rows)
    weight = as_counts(run)
    expected = groups.expected(run, run.rows, weight, run.best_theta)
    g2, x2 = (float(v) for v in _statistics(weight, expected, groups.inside))
    cells, free = groups.cells(), _free(run)
    df = cells - groups.count - free
    at_random, mcar = _parted(run, groups, g2, df, free)
    null = np.zeros((2, 0))
    if count:
        rng = np.random.default_rng(seeds[0])
        rows, times = simulated(run, count, rng)
        theta, _ = best_refit(
            run, rows, times, rng, tries, own=True, n_epochs=last, tol=bound, workers=workers
        )
        drawn = _Groups.of(run, rows)
        model = drawn.expected(run, rows, times, theta)
        null = np.stack(_statistics(times, model, drawn.inside))
    warnings = list(_said(run, groups, df, cells, count, at_random))
    return Goodness(
        g2=g2,
        x2=x2,
        df=df,
        p_g2=_p(run, g2, df),
        p_x2=_p(run, x2, df),
        n=float(weight[groups.inside].sum()),
        cells=cells,
        n_free=free,
        at_random=at_random,
        mcar=mcar,
        rows=run.rows.take(np.flatnonzero(groups.inside)),
        observed=weight[groups.inside],
        expected=expected[groups.inside],
        null_g2=null[0],
        null_x2=null[1],
        warnings=tuple(warnings),
    )


def quick(run: Run, rank: int | None) -> tuple[ChiSquare, ChiSquare, int] | None:
    """G2, X2 and the number of cells for a summary, as in :func:`goodness`; None if not quick.

    The table is complete. ``rank`` is that of the model, if it is known.
    """
    groups = _Groups.of(run, run.rows)
    cells = groups.cells()
    if cells > QUICK_CELLS or (rank is None and _ranked(run)):
        return None
    weight = as_counts(run)
    expected = groups.expected(run, run.rows, weight, run.best_theta)
    free = min(run.n_free, rank) if rank is not None and _ranked(run) else run.n_free
    df = cells - groups.count - free
    g2, x2 = (
        ChiSquare(float(value), df, _p(run, float(value), df))
        for value in _statistics(weight, expected, groups.inside)
    )
    return g2, x2, cells


@dataclass(frozen=True, eq=False)
class _Groups:
    """The groups of some rows.

    ``names``    the observed variables that are not given
    ``codes``    ``(N, V)`` their codes, -1 for a blank
    ``sizes``    ``(V,)`` how many values of each occur
    ``of_row``   ``(N,)`` the group of each row
    ``inside``   ``(N,)`` False for rows that observe nothing, which are in no cell
    ``masks``    ``(groups, V)`` what was observed; ``condition`` ``(groups,)`` the given values
    """

    names: tuple[str, ...]
    codes: Index
    sizes: tuple[int, ...]
    of_row: Index
    inside: Any
    masks: Any
    condition: Index

    @classmethod
    def of(cls, run: Run, rows: Evidence) -> _Groups:
        given = as_normal(run.graph).given
        names = tuple(name for name in rows.codes if name not in given)
        empty = np.zeros((rows.n, 0), dtype=np.intp)
        codes = np.stack([rows.codes[name] for name in names], axis=-1) if names else empty
        cells = [rows.codes[name] for name in given]
        _, condition = np.unique(np.stack(cells), axis=1, return_inverse=True) if cells else (
            None,
            np.zeros(rows.n, dtype=np.intp),
        )  # fmt: skip
        condition = condition.ravel()
        seen = codes >= 0
        kinds, of_row = np.unique(
            np.column_stack([condition, seen.astype(np.intp)]), axis=0, return_inverse=True
        )
        inside = seen.any(axis=1)
        sizes = tuple(len(np.unique(c[c >= 0])) for c in codes.T)
        masks = kinds[:, 1:] > 0
        return cls(names, codes, sizes, of_row.ravel(), inside, masks, kinds[:, 0])

    @property
    def count(self) -> int:
        """The groups that have cells."""
        return int(self.masks.any(axis=1).sum())

    def cells(self) -> int:
        """The cells of all groups; an integer of Python, since there may be 2^200."""
        return sum(
            math.prod(size for size, seen in zip(self.sizes, mask, strict=True) if seen)
            for mask in self.masks
            if mask.any()
        )

    def expected(self, run: Run, rows: Evidence, weight: Array, theta: Any) -> Array:
        """The expected count of each row's cell: the rows of its group times P(cell | given).

        ``weight`` may be ``(tables, N)`` and the matrices ``(tables, M_X, M_Y)``.
        """
        each = np.atleast_2d(weight)
        sums = np.stack([np.bincount(self.of_row, w, len(self.masks)) * 1.0 for w in each])
        logs = loglik(run.graph, theta, rows)
        given = {name: rows.codes[name] for name in as_normal(run.graph).given}
        logs = logs - loglik(run.graph, theta, Evidence(rows.n, given))  # 0 in Bayesian graphs
        model: Array = sums[:, self.of_row] * np.exp(logs)
        return model.reshape(weight.shape)


def _statistics(weight: Array, expected: Array, inside: Any) -> tuple[Array, Array]:
    """G2 and X2 of tables ``(..., N)``, over the rows ``inside``.

    The model's counts in the cells of a group sum to its rows, so Pearson's sum over all cells is
    that of ``n^2 / m - n`` over the cells that have samples.
    """
    n = np.where(inside, weight, 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(n > 0, n / expected, 1.0)
        g2 = 2 * (n * np.log(ratio)).sum(axis=-1)
        x2 = (n * (ratio - 1)).sum(axis=-1)
    return np.maximum(g2, 0.0), np.maximum(x2, 0.0)


def _free(run: Run) -> int:
    """In how many directions the model's cells can move."""
    return min(run.n_free, identified(run).rank) if _ranked(run) else run.n_free


def _ranked(run: Run) -> bool:
    """True if the rows that the observed variables can form are few enough to find the rank."""
    form = as_normal(run.graph)
    return math.prod(form.branch(name).size for name in run.rows.variables) <= MOST_ROWS


def _p(run: Run, statistic: float, df: int) -> float:
    return chi2_sf(statistic, df) if run.counted else math.nan


def _tail(statistic: float, null: Array) -> float:
    if not len(null):
        return math.nan
    # what equals the statistic may differ from it by rounding
    least = statistic - 1e-9 * max(1.0, abs(statistic))
    return float((1 + (null >= least).sum()) / (len(null) + 1))


def _said(
    run: Run, groups: _Groups, df: int, cells: int, count: int, at_random: ChiSquare | None
) -> Sequence[str]:
    sentences = []
    rule = run.rule if isinstance(run.rule, str) else run.rule[run.best]
    if not run.counted:
        total = as_counts(run).sum()
        sentences.append(NO_CHI_SQUARE.format(factor=survey_scale(run), sum=f"{total:.10g} rows"))
    if rule != "ml" or run.settings.get("alpha"):
        how = f"was learned by {rule!r}" if rule != "ml" else "learned with pseudo-counts"
        sentences.append(
            f"the run {how}, so its loglik is no maximum: G2 is larger than that of the best "
            "matrices, and its p is too small"
        )
    if df <= 0:
        sentences.append(NO_DEGREES)
    elif not count and run.counted and run.weight.sum() < SPARSE * cells:
        sentences.append(
            f"{cell_text(cells)} cells for {run.weight.sum():.10g} samples are too many for "
            "chi-square to be a good guide: goodness(run, bootstrap=200) gives p without it"
        )
    if not groups.masks[groups.masks.any(axis=1)].all() and at_random is None:
        sentences.append(
            f"the whole table has too many cells, more than {MOST_CELLS:,} for all patterns of "
            "blanks, to find its saturated model: G2 tests the model and the blanks together"
        )
    return sentences


# The saturated model of a table with blanks


def _parted(
    run: Run, groups: _Groups, g2: float, df: int, free: int
) -> tuple[ChiSquare | None, ChiSquare | None]:
    """The parts of G2 that test the model and the blanks."""
    live = groups.masks.any(axis=1)
    whole = math.prod(groups.sizes)
    blanks = not groups.masks[live].all()
    if not blanks or whole * len(groups.masks) > MOST_CELLS:
        return None, None
    weight = np.where(groups.inside, as_counts(run), 0.0)
    sums = np.bincount(groups.of_row, weight, len(groups.masks))
    by_group = float(weight @ np.log(np.where(weight > 0, weight, 1.0)))
    by_group -= float(sums @ np.log(np.where(sums > 0, sums, 1.0)))
    at_random = 0.0
    kinds = np.unique(groups.condition[live])
    for kind in kinds:
        rows = np.flatnonzero((groups.condition[groups.of_row] == kind) & (weight > 0))
        at_random += _saturated(groups.codes[rows], weight[rows], groups.sizes)
    left = max(2 * (by_group - at_random), 0.0)
    model, degrees = max(g2 - left, 0.0), len(kinds) * (whole - 1) - free
    return (
        ChiSquare(model, degrees, _p(run, model, degrees)),
        ChiSquare(left, df - degrees, _p(run, left, df - degrees)),
    )


def _saturated(codes: Index, weight: Array, sizes: Sequence[int]) -> float:
    """The largest ``loglik`` of any distribution over all cells, rows with blanks included.

    EM: a row with blanks is spread over the cells that it may be in, by what the others say of
    them. ``loglik`` is concave in the distribution, so every start ends at the maximum.
    """
    codes = np.stack([_dense(column) for column in codes.T], axis=-1)
    shape = tuple(int(column.max(initial=-1)) + 1 or 1 for column in codes.T)
    tables = []
    masks, of_row = np.unique(codes >= 0, axis=0, return_inverse=True)
    for k, mask in enumerate(masks):
        blank = tuple(np.flatnonzero(~mask).tolist())
        counts = np.zeros([m if seen else 1 for m, seen in zip(shape, mask, strict=True)])
        rows = np.flatnonzero(of_row.ravel() == k)
        np.add.at(counts, tuple(np.maximum(codes[rows], 0).T), weight[rows])
        tables.append((blank, counts))
    p = np.full(shape, 1 / math.prod(shape))
    total, before = float(weight.sum()), -math.inf
    for _ in range(20_000):
        share, logs = np.zeros(shape), 0.0
        for blank, counts in tables:
            sums = p.sum(axis=blank, keepdims=True) if blank else p
            divisor = np.where(counts > 0, sums, 1.0)
            logs += float((counts * np.log(divisor)).sum())
            share += counts / divisor
        p = p * share / total
        if logs - before <= 1e-11 * total:
            break
        before = logs
    return logs


def _dense(column: Index) -> Index:
    """The codes of the values that occur, 0, 1, ..., and -1 for a blank."""
    values, place = np.unique(column, return_inverse=True)
    codes: Index = place.ravel() - int(values[0] < 0)
    return codes
