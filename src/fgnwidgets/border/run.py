"""A finished learning run: the value that holds all of it (section 7).

Vocabulary
    best   the restart with the largest final ``loglik``
    free   an entry of a matrix that learning could move; a row of K of them has K - 1 free numbers
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import TIE_TOLERANCE, Array
from ..engine.graph import Graph
from ..engine.messages import Evidence
from ..engine.rules import Rule
from ..readers import wrong

if TYPE_CHECKING:
    from ..analysis.summary import Summary


def read_run(run: Any, name: str = "run") -> Run:
    """A finished run, for what asks more of it than its matrices."""
    if not isinstance(run, Run):
        raise wrong(name, run, "a Run, as fit gives it")
    return run


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A finished run: every restart, and what happened.

    ``loglik``, ``aggregated``   ``(n_epochs + 1, restarts)``, summed over the weighted samples; the
                                 aggregated one is empty where it was not recorded
    ``test_loglik`` ...          the same over the test samples, None without a ``test_weight``
    ``theta[name]``              ``(n_epochs + 1, restarts, M_X, M_Y)``, empty unless recorded
    ``final[name]``              ``(restarts, M_X, M_Y)``
    ``counts[name]``             ``(restarts, M_X, M_Y)``, expected counts under the final matrices
    ``start_loglik``             where the short starts ended, ``(starts,)``; None without them
    ``reason``, ``warnings``     why it stopped, and what a careful reader should know
    ``several``                  whether restarts have weights of their own: different problems
    ``rows``, ``weight``         the different rows that it learned from, and the weight of each
    ``free[name]``               ``(M_X, M_Y)``: True where learning could move an entry
    ``rules``, ``n_its``         of every restart
    ``told``                     ``hold`` and the constants, as ``fit`` was given them
    ``counted``                  whether its weights can be counts of equal rows: whole numbers, or
                                 none given; ``weight`` alone does not tell once equal rows are one
    """

    graph: Graph
    rule: str | tuple[str, ...]
    loglik: Array
    aggregated: Array
    test_loglik: Array | None
    test_aggregated: Array | None
    theta: Mapping[str, Array]
    final: Mapping[str, Array]
    counts: Mapping[str, Array]
    dropped: NDArray[np.bool_]
    reason: str
    warnings: tuple[str, ...] = ()
    start_loglik: Array | None = None
    several: bool = False
    rows: Evidence = field(default_factory=lambda: Evidence(0))
    weight: Array = field(default_factory=lambda: np.zeros(0))
    free: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    n_its: tuple[int, ...] = ()
    told: Mapping[str, Any] = field(default_factory=dict)
    counted: bool = True

    @property
    def n_epochs(self) -> int:
        """Updates that were made."""
        return len(self.loglik) - 1

    @property
    def best(self) -> int:
        """The restart with the largest final ``loglik``, the first of equals.

        Raises ``ValueError`` where the restarts have weights of their own.
        """
        if self.several:
            raise ValueError(
                "the restarts have weights of their own, so they are different problems and none "
                "of them is the best: choose one, final[name][r]"
            )
        ends = np.where(self.dropped, -np.inf, self.final_loglik)
        return int(np.argmax(ends >= ends.max() - TIE_TOLERANCE * abs(ends.max())))

    @property
    def best_theta(self) -> dict[str, Array]:
        """The final matrices of the best restart, ``(M_X, M_Y)`` each: what ``propagate`` takes."""
        best = self.best
        return {name: matrices[best] for name, matrices in self.final.items()}

    @property
    def best_counts(self) -> dict[str, Array]:
        """The expected counts of the best restart, ``(M_X, M_Y)`` each.

        As ``alpha`` of another ``fit`` they stand for this table: learning goes on from here.
        """
        best = self.best
        return {name: counts[best] for name, counts in self.counts.items()}

    @property
    def final_loglik(self) -> Array:
        """Where every restart ended, ``(restarts,)``: the restart histogram."""
        last: Array = self.loglik[-1]
        return last

    @property
    def n(self) -> float:
        """How many samples it learned from: the sum of their weights."""
        _ = self.best  # refused where there are several
        return float(self.weight.sum())

    @property
    def n_free(self) -> int:
        """The free numbers: a row of K entries that can move has K - 1.

        Tied matrices count once; fixed matrices, held rows and zeros that cannot leave, never.
        """
        rows = (free.sum(axis=-1) - 1 for free in self.free.values())
        return int(sum(np.maximum(row, 0).sum() for row in rows))

    @property
    def aic(self) -> float:
        """Akaike's criterion, ``-2 loglik + 2 n_free``: smaller is better, as in all of these."""
        return self._criterion(2.0)

    @property
    def bic(self) -> float:
        """Schwarz's criterion, ``-2 loglik + n_free log(n)``."""
        return self._criterion(math.log(self.n))

    @property
    def sabic(self) -> float:
        """The sample-size-adjusted BIC (Sclove 1987): (n + 2) / 24 in place of n."""
        return self._criterion(math.log((self.n + 2) / 24))

    @property
    def caic(self) -> float:
        """The consistent AIC (Bozdogan 1987), ``-2 loglik + n_free (log(n) + 1)``."""
        return self._criterion(math.log(self.n) + 1)

    def _criterion(self, price: float) -> float:
        return float(-2 * self.final_loglik[self.best] + price * self.n_free)

    def summary(self) -> Summary:
        """What a report needs: sizes, likelihoods, criteria, warnings; prints as text."""
        from ..analysis.summary import summarize  # the engine's one door upwards

        return summarize(self)

    def __repr__(self) -> str:
        restarts = self.loglik.shape[1]
        ends = (
            f"{restarts} tables"
            if self.several
            else f"{restarts} restarts, best loglik {self.final_loglik[self.best]:.6g}"
        )
        return f"Run({self.rule!r}, {self.n_epochs} epochs, {ends}; {self.reason})"
