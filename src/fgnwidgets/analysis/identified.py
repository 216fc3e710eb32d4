"""Local identifiability: the rank of the Jacobian of P(row) in the free numbers.

Vocabulary
    rank    in how many directions the free numbers can move so that P(row) changes for some row
    loose   a number that changes along a direction in which no P(row) does: no table can fix it

The rank belongs to the model and its matrices, not to the number of samples. It is taken over all
rows that the observed variables can form, or over many random ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..border.run import Run, read_run
from ..engine.arrays import Array
from ..engine.graph import as_normal
from ..engine.messages import Evidence
from .report import Report
from .scores import Entries, clamped, scores

MOST_ROWS = 4096
"""Up to this many possible rows are all taken; if there are more, random ones are."""

INWARDS = 1e-3
"""How far the matrices are moved towards uniform ones, since P(row) may be zero at a bound."""

SMALL = 1e-9
"""A singular value below this part of the largest counts as zero."""


@dataclass(frozen=True, repr=False)
class Identified(Report):
    """How many numbers are free, and how many of them the data can fix (``rank``).

    ``loose[name]`` is ``(M_X, M_Y)``: True for a number that no table of these variables can fix.
    As a truth value it says whether all numbers can be fixed.
    """

    n_free: int
    rank: int
    loose: Mapping[str, NDArray[np.bool_]]

    def __bool__(self) -> bool:
        return self.rank == self.n_free

    @property
    def warning(self) -> str:
        """What to say about numbers that cannot be fixed; "" if all can."""
        if self:
            return ""
        return (
            f"{self.n_free} numbers are free, but the data can fix only {self.rank} of them: other "
            "matrices explain every table just as well; take fewer states, hold rows, tie "
            "matrices, or observe more variables"
        )

    def _table(self) -> tuple[str, list[str], list[list[object]]]:
        rows = [["free numbers", self.n_free], ["rank", self.rank]]
        rows += [[f"loose in {name}", int(v.sum())] for name, v in self.loose.items() if v.any()]
        return "What the data can fix", ["", ""], rows

    def _notes(self) -> list[str]:
        return [self.warning] if self.warning else []


def identified(run: Run) -> Identified:
    """Which of a run's free numbers the observed variables can fix, at its best matrices.

    ``rank`` is that of the Jacobian of P(row) over the rows that can occur. It is ``run.n_free`` if
    the model is locally identified.
    """
    known, theta = Entries(read_run(run).free), run.best_theta
    inner = {name: (1 - INWARDS) * m + INWARDS / m.shape[-1] for name, m in theta.items()}
    basis = known.coordinates(inner)
    if not basis.shape[1]:
        return Identified(0, 0, _loose(known, basis, np.zeros((0, 0))))
    jacobian = _jacobian(run, known, inner, basis)
    _, s, v = np.linalg.svd(jacobian, full_matrices=True)
    rank = int((s > SMALL * s[0]).sum())
    return Identified(basis.shape[1], rank, _loose(known, basis, v[rank:].T))


def _jacobian(run: Run, known: Entries, theta: Mapping[str, Array], basis: Array) -> Array:
    """The derivatives of P(row) in the coordinates, each row scaled to 1, which keeps the rank."""
    pieces = []
    for _, score in scores(clamped(run, _rows(run, basis.shape[1])), theta, known):
        moved = score @ basis
        largest = np.abs(moved).max(axis=1, keepdims=True)
        pieces.append(moved / np.where(largest > 0, largest, 1))
    jacobian = np.concatenate(pieces)
    if len(jacobian) > 2 * jacobian.shape[1]:
        return np.asarray(np.linalg.qr(jacobian, mode="r"))  # the same rank in fewer rows
    return jacobian


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
        own = seen[half]
        codes[name][: count // 2] = np.where(own < 0, codes[name][: count // 2], own)
    return Evidence(count, codes)


def _loose(known: Entries, basis: Array, null: Array) -> dict[str, NDArray[np.bool_]]:
    """The entries that change along a direction of ``null``, in which no probability does."""
    moves = np.linalg.norm(basis @ null, axis=1) > 1e-4 if null.size else np.zeros(len(basis), bool)
    return {name: v > 0 for name, v in known.by_name(moves.astype(float)).items()}
