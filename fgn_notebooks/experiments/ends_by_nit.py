"""Likelihoods at which runs of a rule end, for several Nit (section 7.1, figure 11, right)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fgnwidgets import Rule

from .. import paper
from .hidden_variable import due, rows_of
from .levels import Levels
from .lockstep import lockstep
from .streams import streamed
from .words import number, read_rules, text_table


@dataclass(frozen=True, eq=False)
class NitScatter:
    """Likelihoods after ``n_epochs``, each ``(values of Nit, runs)`` (figure 11, right)."""

    rule: str
    n_its: tuple[int, ...]
    n_epochs: int
    n_planned: int
    levels: Levels
    aggregated: np.ndarray
    loglik: np.ndarray

    @property
    def progress(self) -> tuple[int, int, str]:
        return self.n_epochs, self.n_planned, "epoch"

    def table(self) -> dict[str, np.ndarray]:
        """Both likelihoods, a row for each run."""
        restarts = self.loglik.shape[1]
        return {
            "n_it": np.repeat(self.n_its, restarts),
            "restart": np.tile(np.arange(restarts), len(self.n_its)),
            "aggregated": self.aggregated.ravel(),
            "loglik": self.loglik.ravel(),
        }

    def facts(self) -> str:
        """Worst, median and best run for each Nit."""
        rows = []
        for n_it, aggregate, exact in zip(self.n_its, self.aggregated, self.loglik, strict=True):
            values = [f(v) for v in (aggregate, exact) for f in (np.min, np.median, np.max)]
            rows.append((str(n_it), *(number(v, 1) for v in values)))
        header = ["Nit", *(f"{k} {what}" for what in ("aggr.", "log-lik") for k in KINDS)]
        return text_table(header, rows)


KINDS = ("worst", "median", "best")


@streamed
def n_it_scatter(
    *,
    rule: str | Rule = "ml",
    n_its: Sequence[int] = paper.NITS,
    runs: int = 10,
    m_s: int = paper.ONE_HIDDEN_SIZES["S"],
    n: int = paper.ONE_HIDDEN_N,
    n_epochs: int = paper.ONE_HIDDEN_NE,
    start: str = "messages",
    seed: int = 0,
    data_seed: int = 0,
) -> Iterator[NitScatter]:
    """Run a rule from the same starts with different numbers of steps in an epoch."""
    rows = rows_of(n, data_seed, False)
    (chosen,) = read_rules(rule)
    states = lockstep(
        paper.one_hidden_graph(m_s), rows.samples, [(chosen, n_it) for n_it in n_its],
        restarts=runs, seed=seed, n_epochs=n_epochs, start=start,
    )  # fmt: skip
    for state in states:
        if state.n == n_epochs or due(state.n):
            yield NitScatter(
                rule=chosen.name,
                n_its=tuple(n_its),
                n_epochs=state.n,
                n_planned=n_epochs,
                levels=rows.levels,
                aggregated=state.aggregated.reshape(len(n_its), runs),
                loglik=state.loglik.reshape(len(n_its), runs),
            )
