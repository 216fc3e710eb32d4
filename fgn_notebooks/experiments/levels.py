"""Levels with which the likelihoods of a run are compared (sections 3 and 7.1).

Vocabulary
    floor     the log-likelihood of the best model in which the observed variables are independent
    ceiling   that of the model in which every row is as probable as it is frequent; no model has
              more
    truth     that of the generative model, which is no bound
    falls     how often a curve of likelihoods goes down
    settled   the epoch from which a curve stays within a hundredth of its range around its end
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fgnwidgets import (
    BayesGraph,
    NormalGraph,
    aggregated,
    distinct,
    independent,
    loglik,
    read_evidence,
    saturated,
)


@dataclass(frozen=True)
class Levels:
    """The levels of some rows; the truth is None if the generative model is not known.

    The floor is the same for both likelihoods, since all variables are independent.
    """

    floor: float
    ceiling: float
    aggregated_ceiling: float
    truth: float | None = None
    aggregated_truth: float | None = None

    @property
    def named(self) -> tuple[tuple[str, float | None, float | None], ...]:
        """Name, aggregated and exact value of each level."""
        return (
            ("generative model", self.aggregated_truth, self.truth),
            ("ceiling", self.aggregated_ceiling, self.ceiling),
            ("floor", self.floor, self.floor),
        )


def levels(
    graph: BayesGraph | NormalGraph,
    table: Any,
    mask: np.ndarray | None = None,
    truth: Mapping[str, np.ndarray] | None = None,
) -> Levels:
    """The levels of complete hard rows; ``truth`` are the generative matrices of ``graph``."""
    rows, counts = distinct(read_evidence(graph, table), mask)
    return Levels(
        floor=independent(graph, rows, counts),
        ceiling=saturated(graph, rows, counts),
        aggregated_ceiling=aggregated_ceiling(rows.codes, counts),
        truth=None if truth is None else float(loglik(graph, truth, rows) @ counts),
        aggregated_truth=None if truth is None else float(aggregated(graph, truth, rows) @ counts),
    )


def known_levels(graph: BayesGraph | NormalGraph, table: Any) -> Levels | None:
    """The levels of a table; None if a cell is soft or missing."""
    evidence = read_evidence(graph, table)
    if evidence.vectors or any((codes < 0).any() for codes in evidence.codes.values()):
        return None
    return levels(graph, evidence)


def aggregated_ceiling(codes: Mapping[str, np.ndarray], counts: np.ndarray) -> float:
    """The largest aggregated log-likelihood that any model can have.

    Each of its terms is the log-probability of a cell given the other cells of its row, so the
    empirical distribution is best for all of them. ``codes`` are the different rows.
    """
    total = 0.0
    rows = np.stack(list(codes.values()))
    for k in range(len(rows)):
        _, which = np.unique(np.delete(rows, k, axis=0), axis=1, return_inverse=True)
        context = which.ravel()
        total += float(counts @ np.log(counts / np.bincount(context, counts)[context]))
    return total


def held_out_floor(table: Mapping[str, np.ndarray], train: np.ndarray, test: np.ndarray) -> float:
    """The log-likelihood of the rows ``test`` under independence, learned from the rows ``train``.

    Both are weights of the rows. It is minus infinity if a test row has a value that no row learned
    from has.
    """
    total = 0.0
    for codes in table.values():
        learned, judged = (np.bincount(codes, w, codes.max() + 1) for w in (train, test))
        seen = judged > 0
        with np.errstate(divide="ignore"):
            total += float(judged[seen] @ np.log(learned[seen] / learned.sum()))
    return total


def settled(curve: np.ndarray, share: float = 0.01) -> int:
    """The first epoch from which a curve stays within ``share`` of its range around its end.

    The range leaves out epoch 0: with a start far away, all later epochs would look settled.
    """
    rest = curve[1:] if len(curve) > 1 else curve
    near = np.abs(curve - curve[-1]) <= share * (rest.max() - rest.min())
    away = np.flatnonzero(~near)
    return int(away[-1]) + 1 if away.size else 0


def falls(curves: np.ndarray) -> np.ndarray:
    """The number of times each likelihood curve goes down, beyond rounding: epochs are axis 0."""
    rounding = 1e-12 * np.abs(curves[:-1]) + 1e-9
    counts: np.ndarray = (np.diff(curves, axis=0) < -rounding).sum(axis=0)
    return counts
