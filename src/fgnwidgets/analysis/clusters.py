"""The rows of the table that a run learned from, and which of them were drawn together.

Vocabulary
    unit     what was drawn independently: a cluster of rows, or a row where none are given. A row
             whose weight is a count is as many units
    place    of a row of the table: its index among the different rows
    row      one row of the table with a weight above zero. A lazy table has none: its engine sums
             the weights of equal ones, within a cluster where a column names it
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.arrays import Array, Index
from ..arguments import listing, read_weight, shown, wrong
from ..data import columns, is_cell, is_missing, read_columns, weighted_columns
from ..data.columns import by_value, is_frame, is_lazy, narwhal, read
from ..data.evidence import Evidence, are_counts, grouped
from ..graphs.normal_graph import as_normal
from ..inference.evidence import read_counted, read_evidence
from ..inference.queries import loglik
from ..learning.run import Run
from .scores import Entries, clamped_rows, scores

SAME = 1e-9
"""Relative difference up to which two sums count as equal: their rows were added in another
order."""

FEW = 20
"""With fewer clusters than this, errors are known to come out too small, and tests to reject too
often (Cameron and Miller 2015)."""

_columns = columns  # for functions that have an argument of this name


@dataclass(frozen=True, eq=False)
class Draws:
    """The rows of a table as they were drawn.

    ``rows``     the different rows, and ``place`` ``(N,)`` of each row of the table among them
    ``weight``   of each row of the table, ``(N,)``
    ``unit``     which cluster each row belongs to, ``(N,)``; None where rows are units
    ``counts``   whether weights are counts of equal rows, each of them a unit
    ``summed``   whether the weights of rows that may be several units were summed
    """

    run: Run
    rows: Evidence
    place: Index
    weight: Array
    unit: Index | None
    counts: bool
    summed: bool

    @property
    def n_units(self) -> float:
        """The number of units."""
        if self.unit is not None:
            return float(self.unit.max() + 1)
        return float(self.weight.sum()) if self.counts else float(len(self.weight))

    @property
    def per_weight(self) -> float:
        """The number of independent samples that a weight of one stands for.

        It is ``sum W / sum W^2`` over the weights W of the units: Kish's effective number of
        samples, ``(sum W)^2 / sum W^2``, as a share of the weight. With units of one it is 1; with
        clusters of k rows, ``1 / k``, as if the rows of a cluster all said the same.
        """
        if self.unit is None and self.counts:
            return 1.0
        w = self.weight if self.unit is None else np.bincount(self.unit, self.weight)
        return float(w.sum() / (w**2).sum())

    @property
    def sums(self) -> Array:
        """The weights of the different rows."""
        return np.bincount(self.place, self.weight, self.rows.n).astype(np.float64, copy=False)

    @property
    def what(self) -> str:
        """The units, in words."""
        return f"{self.n_units:.10g} {'rows' if self.unit is None else 'clusters'}"

    @property
    def how(self) -> str:
        """The title of errors that go by these rows."""
        return f"Robust standard errors, from the derivatives of {self.what}"

    @property
    def warning(self) -> str:
        """That there are few clusters, or ""."""
        if self.unit is None or self.n_units >= FEW:
            return ""
        return (
            f"there are only {self.what}: with fewer than {FEW}, errors come out too small and "
            "tests reject too often"
        )


def draws_of(
    run: Run, table: Any, columns: Any, weight: Any, cluster: Any, *, refuse_summed: bool = True
) -> Draws | None:
    """The rows of a run's table as they were drawn, or None if no table is given.

    Raises ``ValueError`` if the run did not learn from this table with these weights, if there is
    but one unit, and, with ``refuse_summed``, if the weights of a survey were summed over rows.
    """
    if table is None:
        given = {"cluster": cluster, "columns": columns, "weight": weight}
        odd = [name for name, value in given.items() if value is not None]
        if odd:
            raise ValueError(
                f"{odd[0]} is given without a table: the run keeps the sums of equal rows, and no "
                f"longer knows which they were. Give the table that it learned from, before "
                f"{odd[0]}="
            )
        return None
    evidence, weights, unit, lazy = _read(run, table, columns, weight, cluster)
    counts = (weights is None or are_counts(weights)) and run.counted
    w = np.ones(evidence.n) if weights is None else weights
    live = w > 0
    if not live.all():
        evidence, w = evidence.take(np.flatnonzero(live)), w[live]
        unit = None if unit is None else unit[live]
    if unit is not None:
        _, unit = np.unique(unit, return_inverse=True)
    rows, place = grouped(evidence)
    summed = lazy and unit is None and not counts
    drawn = Draws(run, rows, place, w, unit, counts, summed)
    _check(run, rows, drawn.sums)
    if refuse_summed and summed:
        raise ValueError(
            "the table is lazy, and its engine sums the weights of equal rows, which are no counts "
            "here: collect the table first, or name the column of rows that belong together, "
            "cluster='id'"
        )
    if drawn.n_units < 2:
        raise ValueError(
            f"the table has {drawn.what.rstrip('s')}: the spread between independent ones is what "
            "errors are found from, so at least two are needed. Without a table, "
            "standard_errors(run) goes by the curvature of loglik, and "
            "bootstrap(run, parametric=True) draws from the run's matrices"
        )
    return drawn


def _read(
    run: Run, table: Any, columns: Any, weight: Any, cluster: Any
) -> tuple[Evidence, Array | None, Index | None, bool]:
    """The evidence, the weight and the cluster of every row, and whether the table is lazy."""
    lazy = not isinstance(table, Evidence) and is_lazy(narwhal(table))
    if not isinstance(cluster, str):
        if lazy and cluster is not None:
            raise ValueError(
                f"cluster is a {type(cluster).__name__}: the rows of a lazy table have no places, "
                "so clusters are a column of it, cluster='name'"
            )
        evidence, weights = read_counted(run.graph, table, columns, weight)
        return evidence, weights, None if cluster is None else _codes(cluster, evidence.n), lazy
    if isinstance(table, Evidence):
        raise ValueError(
            f"cluster is {shown(cluster)}: this is evidence that was read already, whose clusters "
            "must be an array, one for each row"
        )
    there = [str(name) for name in narwhal(table).collect_schema()] if lazy else [*_columns(table)]
    if cluster not in there:
        raise ValueError(
            f"cluster names {cluster!r}: the columns of the table are {listing(there)}"
        )
    if cluster == weight:
        raise ValueError(f"cluster and weight both name {cluster!r}: expected two columns")
    wanted = None if columns is None else [*read_columns(columns), cluster]
    cells, given = weighted_columns(table, wanted, weight)
    column = cells[cluster]
    asked = columns is not None and cluster in read_columns(columns)
    if not asked and (columns is not None or cluster not in as_normal(run.graph).variables):
        cells = {name: cell for name, cell in cells.items() if name != cluster}
    evidence = read_evidence(run.graph, cells)
    return evidence, read_weight(given, evidence.n), _codes(column, evidence.n), lazy


def _codes(column: Any, n: int) -> Index:
    """The cluster of every row as a number."""
    expected = f"a column of the table, or {n} cells, one for each row"
    if is_cell(column) or isinstance(column, Mapping | set | frozenset):
        raise wrong("cluster", column, expected)
    try:
        cells = read(column)
        odd = is_frame(cells) or getattr(cells, "ndim", 1) != 1
        levels = None if odd else by_value(cells)
    except (TypeError, ValueError):
        levels = None
    if levels is None:
        raise wrong("cluster", column, expected)
    codes = np.asarray(levels.codes)
    if codes.shape != (n,):
        raise ValueError(f"cluster has {len(codes)} cells: expected {n}, one for each row")
    empty = np.array([*map(is_missing, levels.values), True], dtype=bool)[codes]  # -1 is the last
    if empty.any():
        raise ValueError(
            f"cluster is empty in row {int(np.argmax(empty))}: expected the cluster of every row; "
            "a row that belongs to none is one of its own"
        )
    return codes.astype(np.intp, copy=False)


def _check(run: Run, rows: Evidence, weights: Array) -> None:
    """Refuse a table that is not the run's: its sum of weights or its ``loglik`` is another."""
    for what, mine, theirs in (
        ("a sum of weights", float(weights.sum()), float(run.weight.sum())),
        ("a loglik", _total(run, rows, weights), _total(run, run.rows, run.weight)),
    ):
        if not np.isclose(mine, theirs, rtol=SAME, atol=SAME):
            raise ValueError(
                f"the table has {what} of {mine:.10g}, and the run's had {theirs:.10g}: expected "
                "the table that the run learned from, with its columns= and weight="
            )


def _total(run: Run, rows: Evidence, weights: Array) -> float:
    """``loglik`` of the rows under the run's best matrices."""
    return float(weights @ loglik(run.graph, run.best_theta, rows))


def meat(drawn: Draws, theta: Mapping[str, Array], entries: Entries) -> Array:
    """``G / (G - 1) sum_g (u_g - u) (u_g - u)^T`` over the G units, ``(E, E)``; u is the mean.

    ``u_g`` is the derivative of ``loglik`` of the rows of a unit, with their weights.
    """
    total = np.zeros(entries.count)
    square = np.zeros((entries.count, entries.count))
    if drawn.unit is None:
        each = drawn.sums
        squares = each if drawn.counts else np.bincount(drawn.place, drawn.weight**2, drawn.rows.n)
        for chunk, score in scores(clamped_rows(drawn.run, drawn.rows), theta, entries):
            total += each[chunk.cut] @ score
            square += score.T @ (score * squares[chunk.cut, None])
    else:
        u = _by_unit(drawn, drawn.unit, theta, entries)
        total, square = u.sum(axis=0), u.T @ u
    n = drawn.n_units
    return n / (n - 1) * (square - np.outer(total, total) / n)


def _by_unit(drawn: Draws, units: Index, theta: Mapping[str, Array], entries: Entries) -> Array:
    """The derivatives of the units, ``(G, E)``."""
    u = np.zeros((int(drawn.n_units), entries.count))
    # Equal rows of a cluster are taken together, in the order of the different rows.
    pairs, number = np.unique(drawn.place * len(u) + units, return_inverse=True)
    weight = np.bincount(number.ravel(), drawn.weight)
    place, unit = np.divmod(pairs, len(u))
    for chunk, score in scores(clamped_rows(drawn.run, drawn.rows), theta, entries):
        start, stop = np.searchsorted(place, [chunk.cut.start, chunk.cut.stop])
        order = start + np.argsort(unit[start:stop], kind="stable")
        present, first = np.unique(unit[order], return_index=True)
        if len(present):
            each = score[place[order] - chunk.cut.start] * weight[order, None]
            u[present] += np.add.reduceat(each, first, axis=0)
    return u
