"""The messages about a matrix along the chain that joins the samples (section 4, figure 8).

Vocabulary, for sample n = 1, ..., N; each message is a function of theta on a grid
    says     b_Theta[n], what block n sends: ``f[n]^T theta b[n]``
    told     f_Theta[n], what it is sent: the prior times what all other blocks say
    left     b_Theta'[n], away from the blocks: what the blocks 1, ..., n say, multiplied
    right    f_Theta'[n], from the prior: the prior times what the blocks n+1, ..., N say
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .bayesian import _log_dirichlet, _normalised, exact_log_density
from .words import number, text_table


@dataclass(frozen=True, eq=False)
class BayesianChain:
    """All messages about a 2-by-2 matrix, ``(N, G, G)`` each, with cells that sum to one.

    ``grid`` holds the ``G`` values of either coordinate, theta_11 (axis 1) and theta_21 (axis 2).
    ``f`` and ``b`` are the messages of X and of Y, ``(2, N)``; ``alpha`` the prior's pseudo-counts.
    """

    f: np.ndarray
    b: np.ndarray
    alpha: np.ndarray
    grid: np.ndarray
    says: np.ndarray
    told: np.ndarray
    left: np.ndarray
    right: np.ndarray

    @property
    def posterior(self) -> np.ndarray:
        """The product of both messages on any piece of the chain: the prior and all samples."""
        both = self.left[-1] * self.right[-1]
        density: np.ndarray = both / both.sum()
        return density

    def mean(self, density: np.ndarray) -> np.ndarray:
        """The means of theta_11 and theta_21."""
        return np.array([density.sum(axis=1) @ self.grid, density.sum(axis=0) @ self.grid])

    def table(self) -> dict[str, np.ndarray]:
        """The means of what each block is told and of the two messages beside it, a row a block."""
        columns = {"n": np.arange(1, len(self.told) + 1)}
        for name in ("told", "left", "right"):
            means = np.array([self.mean(message) for message in getattr(self, name)])
            columns |= {f"{name} {row + 1}1": means[:, row] for row in (0, 1)}
        return columns

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """The means of both coefficients: of what each block is told, and of the posterior."""
        told = {f"block {n} is told": message for n, message in enumerate(self.told, 1)}
        return {
            name: dict(zip(("mean 11", "mean 21"), map(float, self.mean(density)), strict=True))
            for name, density in (told | {"all together": self.posterior}).items()
        }

    def facts(self) -> str:
        """The mean matrix that each block is told, and the mean of the posterior."""
        rows = [(name, *(number(v, 3) for v in pair.values())) for name, pair in self.means.items()]
        return text_table(("", "mean 11", "mean 21"), rows)


def bayesian_chain(
    f: ArrayLike, b: ArrayLike, *, alpha: ArrayLike = 0.0, grid: int = 101
) -> BayesianChain:
    """The messages about theta for the messages ``f`` of X and ``b`` of Y, both ``(2, N)``.

    ``alpha`` holds the pseudo-counts of the prior, one for all cells or ``(2, 2)``.
    """
    x, y = np.asarray(f, dtype=float), np.asarray(b, dtype=float)
    if x.ndim != 2 or x.shape != y.shape or len(x) != 2:
        raise ValueError(
            f"f has shape {x.shape} and b {y.shape}: expected (2, N) for both, a column per sample"
        )
    counts = np.broadcast_to(np.asarray(alpha, dtype=float), (2, 2))
    middle = (np.arange(grid) + 0.5) / grid
    n = x.shape[1]
    own = np.stack([exact_log_density(x[:, [k]], y[:, [k]], middle) for k in range(n)])
    prior = _log_dirichlet(counts, middle)
    left = np.cumsum(own, axis=0)
    right = prior + np.cumsum(own[::-1], axis=0)[::-1] - own
    logs = {"says": own, "told": left - own + right, "left": left, "right": right}
    messages = {name: np.stack([_normalised(m) for m in log]) for name, log in logs.items()}
    return BayesianChain(f=x, b=y, alpha=counts, grid=middle, **messages)
