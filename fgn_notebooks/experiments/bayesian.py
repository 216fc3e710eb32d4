"""The posterior density of a matrix, exactly and by the variational approximation (section 4).

Vocabulary
    theta         a 2-by-2 matrix with two parameters, its first column: theta_11 = P(Y=1|X=1) and
                  theta_21 = P(Y=1|X=2)
    exact         the density in proportion to the product of ``f[n]^T theta b[n]``, on a grid
    variational   a product of two Dirichlet densities, one for each row, with counts ``f b^T``
    apart         Kullback-Leibler divergence of the variational density from the exact one, in nats
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from fgnwidgets import iterate

from .streams import streamed
from .words import number, text_table

TRUTH = ((0.8, 0.2), (0.3, 0.7))
DELTAS = math.inf
"""The exponent at which messages are delta functions."""

CLIMB, STILL = 400, 1e-11
"""Most steps of the ML rule towards the maximum of the exact density; it is reached where a step
moves no coefficient by more than the second."""

FACTORS = 50
"""Factors that are multiplied before a logarithm is taken; none is below 1/400 on a grid of 200."""

ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class BayesianBlock:
    """Two densities of theta on the same grid, each with cells that sum to one.

    ``grid``     the ``G`` values of either coordinate
    ``exact``, ``variational``   ``(G, G)``, rows for theta_11 and columns for theta_21
    ``counts``   ``sum_n f[n] b[n]^T``, which are numbers of co-occurrences for delta messages
    ``ml``       the maximum of the exact density, by the ML rule
    ``var``      the maximum of the variational density, by the VAR rule
    """

    exponent: float
    truth: np.ndarray
    f: np.ndarray
    b: np.ndarray
    counts: np.ndarray
    grid: np.ndarray
    exact: np.ndarray
    variational: np.ndarray
    ml: np.ndarray
    var: np.ndarray

    @property
    def matrices(self) -> np.ndarray:
        """The matrices of the grid, ``(G, G, 2, 2)``: theta_11 grows along axis 0."""
        p, q = np.meshgrid(self.grid, self.grid, indexing="ij")
        return np.stack([np.stack([p, 1 - p], -1), np.stack([q, 1 - q], -1)], -2)

    def highest(self, density: np.ndarray) -> np.ndarray:
        """The matrix ``(2, 2)`` of the grid at which a density is largest."""
        i, j = np.unravel_index(density.argmax(), density.shape)
        best: np.ndarray = self.matrices[i, j]
        return best

    @cached_property
    def apart(self) -> float:
        """The distance of the variational density from the exact one, in nats."""
        return divergence(self.exact, self.variational)

    def marginal(self, density: np.ndarray, row: int) -> np.ndarray:
        """The marginal density of the coefficient of one row, ``(G,)``, which integrates to one."""
        marginal: np.ndarray = density.sum(axis=1 - row) * len(self.grid)
        return marginal

    def mean(self, density: np.ndarray) -> np.ndarray:
        """The mean matrix ``(2, 2)`` under a density."""
        first = [float(density.sum(axis=1 - row) @ self.grid) for row in (0, 1)]
        return np.array([[p, 1 - p] for p in first])

    def spread(self, density: np.ndarray, row: int) -> float:
        """The standard deviation of the coefficient of one row under a density."""
        share = self.marginal(density, row) / len(self.grid)
        return float(np.sqrt(share @ (self.grid - share @ self.grid) ** 2))

    def correlation(self, density: np.ndarray) -> float:
        """The correlation of the two coefficients; zero for any product of Dirichlet densities."""
        mean = self.mean(density)[:, 0]
        d = self.grid[:, None] - mean[0], self.grid[None, :] - mean[1]
        covariance = float((density * d[0] * d[1]).sum())
        variances = [float((density * v**2).sum()) for v in d]
        return _clean(covariance / math.sqrt(variances[0] * variances[1]))

    def table(self) -> dict[str, np.ndarray]:
        """Both marginals of both densities, a row for each value of the grid."""
        columns = {"theta": self.grid}
        for name in ("exact", "variational"):
            for row in (0, 1):
                columns[f"{name}_{row + 1}1"] = self.marginal(getattr(self, name), row)
        return columns

    def facts(self) -> str:
        """Mode, mean and correlation of both densities, the counts, and their divergence."""
        rows = []
        for label, density, mode in (
            ("exact", self.exact, self.ml),
            ("variational", self.variational, self.var),
        ):
            mean = self.mean(density)
            values = (*mode[:, 0], *mean[:, 0], self.correlation(density))
            rows.append((label, *(number(v) for v in values)))
        rows.append(("true", *(number(v) for v in self.truth[:, 0]), "", "", ""))
        header = ("", "mode 11", "mode 21", "mean 11", "mean 21", "correlation")
        counts = ", ".join(number(v, 1) for v in self.counts.ravel())
        return (
            f"{text_table(header, rows)}\n"
            f"counts 11, 12, 21, 22: {counts}\n"
            f"KL(exact || variational) = {number(self.apart, 3)} nats"
        )


def bayesian_block(
    *,
    n: int = 40,
    exponent: float = 5.0,
    truth: Sequence[Sequence[float]] = TRUTH,
    alpha: float = 0.0,
    seed: int = 1,
    grid: int = 101,
) -> BayesianBlock:
    """The posterior density of a 2-by-2 matrix from ``n`` pairs of messages.

    X is a fair coin, and Y given X has the matrix ``truth``. Messages come from sensors, each of
    which reports a probability of the first value, and is right as often as it says. ``exponent``
    sharpens them as in section 6: at 0 they are uniform, at ``math.inf`` they are deltas, for which
    both densities are equal. ``alpha`` is the prior's pseudo-count in every cell.
    """
    matrix = np.asarray(truth, dtype=float)
    if matrix.shape != (2, 2):
        raise ValueError(f"truth has shape {matrix.shape}: expected (2, 2), a grid has two axes")
    f, b = _messages(n, exponent, matrix, seed)
    middle = (np.arange(grid) + 0.5) / grid
    counts = f @ b.T
    for before, ml in pairwise(iterate("ml", np.full((2, 2), 0.5), f, b, n_it=CLIMB, alpha=alpha)):
        if np.abs(ml - before).max() <= STILL:
            break
    *_, var = iterate("var", np.full((2, 2), 0.5), f, b, alpha=alpha, delta=0.0)
    return BayesianBlock(
        exponent=exponent,
        truth=matrix,
        f=f,
        b=b,
        counts=counts,
        grid=middle,
        exact=_normalised(exact_log_density(f, b, middle) + _log_dirichlet(alpha, middle)),
        variational=_normalised(_log_dirichlet(counts + alpha, middle)),
        ml=ml,
        var=var,
    )


def exact_log_density(f: np.ndarray, b: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """``sum_n log(f[n]^T theta b[n])`` at the points of the grid, ``(G, G)``."""
    step = b[0] - b[1]  # f^T theta b = sum_x f_x (b_2 + theta_x1 (b_1 - b_2))
    by_row = np.multiply.outer(f[0] * step, grid) + (b[1] * (f[0] + f[1]))[:, None]
    by_column = np.multiply.outer(f[1] * step, grid)
    total = np.zeros((len(grid), len(grid)))
    for first in range(0, len(by_row), FACTORS):  # the logarithms are what takes long
        product = np.ones_like(total)
        for n in range(first, min(first + FACTORS, len(by_row))):
            product *= by_row[n][:, None] + by_column[n]
        total += np.log(product)
    return total


@dataclass(frozen=True, eq=False)
class BayesianSharpening:
    """``apart`` ``(exponents, seeds)`` for several sharpnesses of the messages."""

    exponents: tuple[float, ...]
    n_planned: int
    apart: np.ndarray

    @property
    def progress(self) -> tuple[int, int, str]:
        return self.apart.shape[1], self.n_planned, "seed"

    def table(self) -> dict[str, np.ndarray]:
        """The median over the seeds, a row for each exponent."""
        return {"exponent": np.array(self.exponents), "apart": np.median(self.apart, axis=1)}

    def facts(self) -> str:
        """The median and the quartiles over the seeds, for each exponent."""
        rows = []
        for exponent, values in zip(self.exponents, self.apart, strict=True):
            name = "deltas" if exponent == DELTAS else f"{exponent:g}"
            rows.append((name, *(number(v, 3) for v in np.quantile(values, (0.5, 0.25, 0.75)))))
        return text_table(("exponent", "KL, median", "quarter", "three quarters"), rows)


@streamed
def bayesian_sharpening(
    *,
    exponents: Sequence[float] = (1, 2, 5, 10, 20, 50, DELTAS),
    n: int = 40,
    truth: Sequence[Sequence[float]] = TRUTH,
    seed: int = 0,
    n_seeds: int = 20,
    grid: int = 61,
) -> Iterator[BayesianSharpening]:
    """The distance of the densities for soft to sharp messages, from the same random numbers."""
    matrix = np.asarray(truth, dtype=float)
    middle = (np.arange(grid) + 0.5) / grid
    apart = np.empty((len(exponents), n_seeds))
    for s in range(n_seeds):
        for k, exponent in enumerate(exponents):
            f, b = _messages(n, exponent, matrix, seed + s)
            exact = _normalised(exact_log_density(f, b, middle))
            apart[k, s] = divergence(exact, _normalised(_log_dirichlet(f @ b.T, middle)))
        yield BayesianSharpening(tuple(exponents), n_seeds, apart[:, : s + 1])


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    """``sum p log(p / q)`` over the cells, in nats; a cell where p is zero adds nothing."""
    seen = p > 0
    with np.errstate(divide="ignore"):
        logs = np.log(p[seen]) - np.log(q[seen])
    return max(_clean(float(p[seen] @ logs)), 0.0)


def level_of(density: np.ndarray, mass: float) -> float:
    """The height above which the cells hold a share ``mass`` of a density."""
    heights = np.sort(density.ravel())[::-1]
    at = int(np.searchsorted(np.cumsum(heights), mass))
    return float(heights[min(at, len(heights) - 1)])


def _clean(value: float) -> float:
    """A value, and zero for what differs from zero by rounding, which no two machines share."""
    return 0.0 if abs(value) < ROUNDING else value


def _messages(
    n: int, exponent: float, truth: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Messages ``(2, n)`` about X and about Y, each right as often as it says."""
    u = np.random.default_rng(seed).random((n, 6)).T
    x = (u[0] >= 0.5).astype(int)
    y = (u[1] >= truth[x, 0]).astype(int)
    return _seen(x, u[2], u[3], exponent), _seen(y, u[4], u[5], exponent)


def _seen(value: np.ndarray, sure: np.ndarray, luck: np.ndarray, exponent: float) -> np.ndarray:
    """A message about ``value``: its numbers have the ratio ``sure ** exponent``; the larger one is
    at the value as often as it says."""
    top = 1 / (1 + sure**exponent) if exponent < DELTAS else np.ones_like(sure)
    at = np.where(luck < top, value, 1 - value)
    return np.where(np.arange(2)[:, None] == at, top, 1 - top)


def _log_dirichlet(counts: np.ndarray | float, grid: np.ndarray) -> np.ndarray:
    """``sum_ij n_ij log theta_ij`` at the points of the grid, ``(G, G)``: the log of a product of
    Dirichlet densities, up to a constant."""
    n = np.broadcast_to(counts, (2, 2))
    first, second = np.log(grid), np.log1p(-grid)
    one = n[0, 0] * first + n[0, 1] * second
    two = n[1, 0] * first + n[1, 1] * second
    log_density: np.ndarray = one[:, None] + two[None, :]
    return log_density


def _normalised(log_density: np.ndarray) -> np.ndarray:
    density: np.ndarray = np.exp(log_density - log_density.max())
    density /= density.sum()
    return density
