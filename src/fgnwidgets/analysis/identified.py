"""Local identifiability: the rank of the Jacobian of P(row) in the parameters.

Vocabulary
    rank    in how many directions the parameters can move so that P(row) changes for some row
    loose   a number that changes along a direction in which no P(row) does: no table can fix it

The rank belongs to the model and its matrices, not to the number of samples. It is taken over all
rows that the observed variables can form, or over many random ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..algebra.arrays import Array, Mask
from ..arguments import refuse_beyond_memory
from ..data.evidence import Evidence
from ..graphs.normal_graph import as_normal
from ..learning.run import Run, read_run
from ..report import Report
from .scores import Entries, Pairs, clamped_rows, scores

MOST_ROWS = 4096
"""Up to this many possible rows are all taken; if there are more, random ones are."""

INWARDS = 1e-3
"""The move of the matrices towards uniform ones, as a share: P(row) may be zero at a bound."""

BLOCK = 1024
"""So many rows are derived at a time."""

SURE = 1e-11
"""If no eigenvalue of ``J^T J`` is below this part of the largest, the rank is full. Rounding moves
an eigenvalue by about 1e-15 of the largest for each number."""

SMALL = 1e-9
"""A singular value below this part of the largest counts as zero."""


@dataclass(frozen=True, repr=False)
class Identified(Report):
    """The number of free parameters, and of those that the data can fix (``rank``).

    ``loose[name]`` is ``(M_X, M_Y)``: True for a number that no table of these variables can fix.
    As a truth value it says whether all numbers can be fixed.
    """

    n_free: int
    rank: int
    loose: Mapping[str, Mask]

    def __bool__(self) -> bool:
        return self.rank == self.n_free

    @property
    def warning(self) -> str:
        """The warning about numbers that cannot be fixed; "" if all can."""
        if self:
            return ""
        return (
            f"{self.n_free} numbers are free, but the data can fix only {self.rank} of them: other "
            "matrices explain every table just as well; take fewer states, hold rows, tie "
            "matrices, or observe more variables"
        )

    def _table(self) -> tuple[str, list[str], list[list[object]]]:
        rows = [["parameters", self.n_free], ["rank", self.rank]]
        rows += [[f"loose in {name}", int(v.sum())] for name, v in self.loose.items() if v.any()]
        return "What the data can fix", ["", ""], rows

    def _notes(self) -> list[str]:
        return [self.warning] if self.warning else []


def identified(run: Run) -> Identified:
    """The parameters of a run that the observed variables can fix, at its best matrices.

    ``rank`` is that of the Jacobian of P(row) over the rows that can occur. It is ``run.n_free`` if
    the model is locally identified. The work grows as the cube of ``run.n_free``.
    """
    entries, theta = Entries(read_run(run).free), run.best_theta
    inner = {name: (1 - INWARDS) * m + INWARDS / m.shape[-1] for name, m in theta.items()}
    pairs = entries.pairs(inner, run.estimated)
    n_free = len(pairs[0])
    if not n_free:
        return Identified(0, 0, _loose(entries, pairs, np.zeros((0, 0))))
    refuse_beyond_memory(
        8.0 * (BLOCK * entries.count + 2 * (4 * n_free + MOST_ROWS) * n_free),
        f"the rank of {n_free:,} parameters",
        "take fewer variables, or run.summary(rank=False)",
    )
    jacobian = _jacobian(run, entries, inner, pairs)
    if _surely_full(jacobian):
        return Identified(n_free, n_free, _loose(entries, pairs, np.zeros((n_free, 0))))
    if len(jacobian) > 2 * n_free:
        jacobian = np.asarray(np.linalg.qr(jacobian, mode="r"))  # the same rank in fewer rows
    _, s, v = np.linalg.svd(jacobian, full_matrices=True)
    rank = int((s > SMALL * s[0]).sum())
    return Identified(n_free, rank, _loose(entries, pairs, v[rank:].T))


def _surely_full(jacobian: Array) -> bool:
    """True if the rank is that of the columns, from the eigenvalues of ``J^T J``.

    A fast path: for 900 numbers it takes a twentieth of the time of singular values. These are the
    roots of the eigenvalues, whose rounding leaves those below 1e-7 of the largest open. Columns
    are scaled to 1 first, which keeps the rank: with many variables a row is nearly certain of its
    class, and says little of the numbers of the others.
    """
    if len(jacobian) < jacobian.shape[1]:
        return False
    square = jacobian.T @ jacobian
    size = np.sqrt(np.diag(square))
    if size.min() <= SMALL * size.max():
        return False
    values = np.linalg.eigvalsh(square / size / size[:, None])
    return bool(values[0] > SURE * values[-1])


def _jacobian(run: Run, entries: Entries, theta: Mapping[str, Array], pairs: Pairs) -> Array:
    """The derivatives of P(row) in the coordinates, each row scaled to 1, which keeps the rank."""
    at, reference = pairs
    rows, pieces = _rows(run, len(at)), []
    for start in range(0, rows.n, BLOCK):
        block = rows.take(np.arange(start, min(start + BLOCK, rows.n)))
        for _, score in scores(clamped_rows(run, block), theta, entries):
            moved = score[:, at] - score[:, reference]
            largest = np.abs(moved).max(axis=1, keepdims=True)
            pieces.append(moved / np.where(largest > 0, largest, 1))
    return np.concatenate(pieces)


def _rows(run: Run, n_free: int) -> Evidence:
    """All complete rows of the observed variables, or a sample of them."""
    form = as_normal(run.graph)
    sizes = {name: form.branch(name).size for name in run.rows.variables}
    if math.prod(sizes.values()) <= MOST_ROWS:
        grid = np.indices(tuple(sizes.values())).reshape(len(sizes), -1)
        return Evidence(grid.shape[1], dict(zip(sizes, grid, strict=True)))
    rng = np.random.default_rng(0)
    count = 4 * n_free + 200
    codes = {name: rng.integers(0, size, count) for name, size in sizes.items()}
    half = rng.integers(
        0, run.rows.n, count // 2
    )  # half of them are rows of the table, gaps filled
    for name, seen in run.rows.codes.items():
        cells = seen[half]
        codes[name][: count // 2] = np.where(cells < 0, codes[name][: count // 2], cells)
    return Evidence(count, codes)


def _loose(entries: Entries, pairs: Pairs, null: Array) -> dict[str, Mask]:
    """The entries that change along a direction of ``null``, in which no probability does."""
    moves = np.zeros((entries.count, null.shape[1]))
    for k, (at, reference) in enumerate(zip(*pairs, strict=True)):
        moves[at] += null[k]
        moves[reference] -= null[k]
    far = np.linalg.norm(moves, axis=1) > 1e-4
    return {name: v > 0 for name, v in entries.by_name(far.astype(float)).items()}
