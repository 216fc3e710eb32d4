"""The deeper graph: a forest of eight variables, three of them observed (section 7.2, figure 15).

Vocabulary
    blocks   the learned conditional probability matrices, without those of sources
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from fgnwidgets import BayesGraph, Block, NormalGraph, sample

from .. import paper
from .levels import Levels, known_levels, levels, settled
from .lockstep import Growing, by_rule, first_restart, growing, lockstep
from .streams import streamed
from .words import PAPERS, Rules, both_or_neither, number, read_rules, said, text_table

OBSERVED = ("X1", "X2", "X3")
BLOCKS = ("Y1|S1", "X1|Y1", "X2|Y1", "Y2|S1,S2", "X3|Y2,S3")

FIRST, EVERY = 5, 40
"""Epochs in the first result of a stream, and how many more in each that follows."""


@dataclass(frozen=True, eq=False)
class Deeper(Growing):
    """Runs of several rules, with the epochs so far.

    ``aggregated[rule]`` and ``loglik[rule]`` are ``(epochs,)``, and ``theta[rule][matrix]`` is
    ``(epochs, M_X, M_Y)`` for the ``blocks`` and the sources. ``levels`` is None unless all data
    are complete and hard.
    """

    n_planned: int
    n_it: int
    blocks: tuple[str, ...]
    levels: Levels | None
    aggregated: Mapping[str, np.ndarray]
    loglik: Mapping[str, np.ndarray]
    theta: Mapping[str, Mapping[str, np.ndarray]]

    def travel(self, rule: str) -> float:
        """The largest range of a coefficient of the blocks in the last tenth of the epochs."""
        tail = -max(2, (self.n_epochs + 1) // 10)
        ends = [self.theta[rule][name][tail:] for name in self.blocks]
        return max(float((v.max(axis=0) - v.min(axis=0)).max()) for v in ends)

    def table(self) -> dict[str, np.ndarray]:
        """Likelihoods and coefficients of each rule, a row for each epoch."""
        columns = {"epoch": np.arange(self.n_epochs + 1)}
        for rule in self.rules:
            columns[f"aggregated_{rule}"] = self.aggregated[rule]
            columns[f"loglik_{rule}"] = self.loglik[rule]
            for name, matrices in self.theta[rule].items():
                for i, j in np.ndindex(matrices.shape[1:]):
                    columns[f"{name}_{rule}_{i + 1}{j + 1}"] = matrices[:, i, j]
        return columns

    def facts(self) -> str:
        """The results of each rule, and when its likelihood and its coefficients settled."""
        rows = []
        for rule in self.rules:
            flat = [
                max(settled(v, share=0.05) for v in np.moveaxis(m, 0, -1).reshape(-1, len(m)))
                for m in (self.theta[rule][name] for name in self.blocks)
            ]
            values = (number(self.aggregated[rule][-1], 1), number(self.loglik[rule][-1], 1))
            rows.append((said(rule), *values, str(settled(self.aggregated[rule])), str(max(flat))))
        for name, aggregate, exact in self.levels.named if self.levels else ():
            if exact is not None:
                rows.append((name, number(aggregate, 1), number(exact, 1), "", ""))
        header = (f"after {self.n_epochs} epochs", "aggregated", "log-lik", "likelihood settles")
        return text_table((*header, "coefficients settle"), rows)


@streamed
def deeper(
    *,
    graph: BayesGraph | NormalGraph | None = None,
    data: Any = None,
    rules: Rules = PAPERS,
    m_s1: int = paper.FOREST_SIZES["S1"],
    m_s2: int = paper.FOREST_SIZES["S2"],
    m_s3: int = paper.FOREST_SIZES["S3"],
    m_y1: int = paper.FOREST_SIZES["Y1"],
    m_y2: int = paper.FOREST_SIZES["Y2"],
    m_x1: int = paper.FOREST_SIZES["X1"],
    m_x2: int = paper.FOREST_SIZES["X2"],
    m_x3: int = paper.FOREST_SIZES["X3"],
    n: int = paper.FOREST_N,
    n_epochs: int = paper.FOREST_NE,
    n_it: int = paper.FOREST_NIT,
    start: str = "messages",
    seed: int = 0,
    data_seed: int = 1,
) -> Iterator[Deeper]:
    """Learn the forest of figure 5 from samples of X1, X2 and X3, or your own graph from your data.

    With ``graph`` and ``data`` the sizes, ``n`` and ``data_seed`` have no effect. Otherwise the
    sizes ``m_...`` are those of the graph that learns. The generative model has the same observed
    sizes, but the paper's hidden ones, so other hidden sizes are a mismatch. Its matrices, which
    the paper chose by hand and does not print, and the samples are drawn with ``data_seed``.
    """
    chosen = read_rules(rules)
    learned = both_or_neither(graph, data)
    bounds: Levels | None
    if learned is None:
        observed = {"X1": m_x1, "X2": m_x2, "X3": m_x3}
        learned = sized({"S1": m_s1, "S2": m_s2, "S3": m_s3, "Y1": m_y1, "Y2": m_y2, **observed})
        data, bounds = _samples(n, data_seed, tuple(observed.items()))
        blocks: tuple[str, ...] = BLOCKS
    else:
        bounds, blocks = known_levels(learned, data), learned_blocks(learned)
    states = lockstep(
        learned, data, [(rule, n_it) for rule in chosen], seed=seed, n_epochs=n_epochs, start=start
    )
    for h in growing(states, len(chosen), n_epochs, _due):
        yield Deeper(
            n_planned=n_epochs,
            n_it=n_it,
            blocks=blocks,
            levels=bounds,
            aggregated=by_rule(h.aggregated[:, :, 0], chosen),
            loglik=by_rule(h.loglik[:, :, 0], chosen),
            theta=first_restart(h.theta, chosen),
        )


def _due(epoch: int) -> bool:
    """True if the stream has a result after this epoch."""
    return epoch >= FIRST and (epoch - FIRST) % EVERY == 0


def learned_blocks(graph: BayesGraph | NormalGraph) -> tuple[str, ...]:
    """The names of the learned matrices of blocks; if there are none, those of sources."""
    form = graph.normal_form() if isinstance(graph, BayesGraph) else graph
    blocks = [n for n, (first, *_) in form.learnable.items() if isinstance(first, Block)]
    return tuple(blocks or form.learnable)


def sized(sizes: Mapping[str, int]) -> BayesGraph:
    """The forest of figure 5 with other sizes."""
    return BayesGraph({**paper.FOREST_SIZES, **sizes}, paper.forest_graph().parents)


@lru_cache(maxsize=8)
def _samples(
    n: int, seed: int, sizes: tuple[tuple[str, int], ...]
) -> tuple[Mapping[str, np.ndarray], Levels]:
    """:func:`samples`; a slider that changes other things keeps them, so they cannot be changed."""
    table, bounds = samples(n, seed, dict(sizes))
    for codes in table.values():
        codes.flags.writeable = False
    return MappingProxyType(table), bounds


def samples(
    n: int, seed: int, sizes: Mapping[str, int] = MappingProxyType({})
) -> tuple[dict[str, np.ndarray], Levels]:
    """``n`` rows of X1, X2, X3 from the generative model of a seed, and the levels of these."""
    graph = sized(sizes)
    theta = paper.random_model(graph, seed)
    drawn = sample(graph, theta, n, np.random.default_rng(seed))
    table = {name: drawn[name] for name in OBSERVED}
    return table, levels(graph, table, truth=theta)
