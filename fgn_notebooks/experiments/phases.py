"""Learning by VAR and VIT, by the number of children and their correlation (section 7.1).

Vocabulary
    star        a hidden coin S with binary children that agree with it equally often, so that all
                pairs of children have the same correlation
    share       (loglik - floor) / (ML's best - floor) of a rule, the median over its starts
    threshold   the correlation 1 / (D - 1) for D children, above which VAR leaves the floor
                (chapter 09)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fgnwidgets import (
    BayesGraph,
    epochs,
    fit,
    independent,
    random_theta,
    sample,
    uniform_theta,
)

from .words import NAMES, text_table

CHILDREN = (3, 4, 5, 6, 8, 10, 15)
CORRELATIONS = (0.02, 0.05, 0.1, 0.16, 0.22, 0.3, 0.4, 0.55, 0.8)


@dataclass(frozen=True, eq=False)
class Phases:
    """``share[rule]`` is ``(correlations, children)``."""

    children: tuple[int, ...]
    correlations: tuple[float, ...]
    share: Mapping[str, np.ndarray]

    @property
    def threshold(self) -> np.ndarray:
        """The correlation above which VAR leaves the floor, for each number of children."""
        return 1 / (np.array(self.children) - 1)

    def facts(self) -> str:
        """By rule and number of children, the least correlation with a share above one half."""
        rows = []
        for k, count in enumerate(self.children):
            reached = [
                next((f"{c:.2f}" for c, s in zip(self.correlations, v[:, k], strict=True)
                      if s > 0.5), "none")
                for v in self.share.values()
            ]  # fmt: skip
            rows.append((str(count), f"{self.threshold[k]:.2f}", *reached))
        header = ("children", "threshold", *(f"{NAMES[r]} half way from" for r in self.share))
        return text_table(header, rows)

    def table(self) -> dict[str, np.ndarray]:
        """The share of each rule, a row for each correlation and number of children."""
        c, d = np.meshgrid(self.correlations, self.children, indexing="ij")
        shares = {rule: v.ravel() for rule, v in self.share.items()}
        return {"correlation": c.ravel(), "children": d.ravel(), **shares}


def phases(
    *,
    children: Sequence[int] = CHILDREN,
    correlations: Sequence[float] = CORRELATIONS,
    rules: Sequence[str] = ("var", "vit"),
    n: int = 400,
    starts: int = 7,
    seed: int = 0,
    **constants: Any,
) -> Phases:
    """Learn one table of ``n`` samples of each star by every rule from ``starts`` random starts.

    ``constants`` are those of the rules, such as ``ties="random"`` for VIT.
    """
    share = {rule: np.empty((len(correlations), len(children))) for rule in rules}
    for k, count in enumerate(children):
        for i, correlation in enumerate(correlations):
            right = (1 + np.sqrt(correlation)) / 2
            graph, table = coin_star(count, right, n, seed=[seed, i, k])
            low = independent(graph, table)
            top = fit(graph, table, restarts=3, n_epochs=100, progress=False).final_loglik.max()
            for rule, found in share.items():
                run = fit(graph, table, rule, restarts=starts, n_epochs=100, progress=False,
                          **constants)  # fmt: skip
                found[i, k] = (np.median(run.final_loglik) - low) / (top - low)
    return Phases(tuple(children), tuple(correlations), share)


def coin_star(
    children: int, right: float, n: int, *, seed: int | Sequence[int] = 0
) -> tuple[BayesGraph, dict[str, np.ndarray]]:
    """A star, and ``n`` samples of its children, each of which is ``right`` so often about S."""
    names = [f"X{j + 1}" for j in range(children)]
    graph = BayesGraph({"S": 2, **dict.fromkeys(names, 2)}, dict.fromkeys(names, "S"))
    copy = np.array([[right, 1 - right], [1 - right, right]])
    truth = {"S": np.array([[0.5, 0.5]]), **{f"{name}|S": copy for name in names}}
    drawn = sample(graph, truth, n, np.random.default_rng(seed))
    return graph, {name: drawn[name] for name in names}


def var_share(graph: BayesGraph, table: Mapping[str, np.ndarray]) -> float:
    """The share of the way from the floor to ML's best that VAR goes from near the floor.

    It starts where the uniform matrices lead, with a hundredth of random matrices mixed in.
    """
    rough, flat = random_theta(graph, np.random.default_rng(1)), uniform_theta(graph)
    *_, floor = epochs(graph, table, "var", n_epochs=1, theta=flat)
    near = {k: 0.99 * floor.theta[k][0] + 0.01 * rough[k] for k in flat}
    low = independent(graph, table)
    by_var = fit(graph, table, "var", theta=near, restarts=1, n_epochs=300, progress=False)
    by_ml = fit(graph, table, restarts=5, n_epochs=300, progress=False)
    return float((by_var.final_loglik[0] - low) / (by_ml.final_loglik.max() - low))
